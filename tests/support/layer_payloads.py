"""Analyses of networks with windows, several grids and late CLS tokens."""

from functools import cache
from typing import Any

import numpy as np
import timm
import torch
from torch import nn

from support.networks import sharpen
from vizapp import pipeline
from vizapp.analysis import Analysis, Truth
from vizapp.core.attention.layers import FactoredAttention
from vizapp.core.attention.trace import AttentionTrace
from vizapp.core.attention.windows import WindowedAttention
from vizapp.model.preprocess import Preprocess
from vizapp.model.spec import TokenLayout, VisionModel

SWIN = {"window_size": 4, "embed_dim": 16, "depths": (2, 2), "num_heads": (2, 4)}

NETS: dict[str, tuple[str, tuple[int, int], dict[str, Any]]] = {
    "swin": ("swin_tiny_patch4_window7_224", (64, 64), SWIN | {"img_size": 64}),
    "swin, padded": ("swin_tiny_patch4_window7_224", (72, 56), SWIN | {"img_size": (72, 56)}),
    "swinv2": ("swinv2_tiny_window8_256", (64, 64), SWIN | {"img_size": 64}),
    "maxvit": ("maxvit_rmlp_pico_rw_256", (64, 64), {"img_size": 64, "depths": (1, 1, 1, 1)}),
    "hiera": ("hiera_tiny_224", (64, 64), {"img_size": 64, "stages": (1, 2, 1, 1)}),
    "pvt": ("pvt_v2_b0", (64, 64), {"depths": (1, 1, 1, 1)}),
    "cait": ("cait_xxs24_224", (64, 64), {"depth": 2, "img_size": 64}),
}


@cache
def seen_by(which: str) -> Analysis:
    """A picture of noise with a known object, seen by a small network of this kind; or made by hand."""
    if which == "overlapping":
        return with_trace(seen_by("cait"), overlapping())
    if which in {"late", "late, not read"}:
        return with_trace(seen_by("cait"), late_cls("cls" if which == "late" else "mean"))
    if which == "tokens":
        return with_trace(seen_by("cait"), own_tokens())
    if which == "masked":
        return with_trace(seen_by("cait"), masked())
    torch.manual_seed(0)
    name, size, options = NETS[which]
    net = sharpen(timm.create_model(name, num_classes=3, **options))
    for one, parameter in net.named_parameters():
        if "bias_table" in one:
            nn.init.normal_(parameter)
    model = VisionModel(
        which, net, (), (), None, Preprocess(size, (0.5,) * 3, (0.5,) * 3), labels=("a", "b", "c"), readout=""
    )
    picture = np.random.default_rng(0).integers(0, 256, (*size, 3), dtype=np.uint8)
    mask = np.zeros(size, bool)
    mask[20:50, 10:40] = True
    return pipeline.analyse(model, picture, truth=(Truth("thing", mask),))


def with_trace(seen: Analysis, trace: AttentionTrace) -> Analysis:
    return Analysis(**{**vars(seen), "trace": trace})


def overlapping() -> AttentionTrace:
    """Windows that share queries, with padding among their keys, kept as factors; then all tokens."""
    layout = TokenLayout((), (4, 4))
    tokens = torch.arange(16)
    queries = torch.stack([tokens[:10], tokens[6:]])  # tokens 6 to 9 stand in both
    keys = torch.stack([tokens[:12], torch.cat([tokens[6:], torch.tensor([-1, -1])])])
    parts = FactoredAttention("a", torch.randn(4, 10, 2), torch.randn(4, 12, 2))
    layers = (
        WindowedAttention("a", parts, queries, keys, layout, layout),
        FactoredAttention("b", torch.randn(2, 16, 2), torch.randn(2, 16, 2)),
    )
    return AttentionTrace(layers, layout, torch.zeros(3), "mean")


def masked() -> AttentionTrace:
    """A causal layer, one that hides other keys from each query, one that hides some from all, one with a mask and windows."""
    layout, n = TokenLayout(("cls",), (3, 4)), 13
    torch.manual_seed(1)
    hidden = torch.rand(n, n) < 0.4
    hidden[:, 5] = False  # no row is hidden as a whole
    inside = torch.rand(4, 1, 3, 4) < 0.4  # (window, head, slot, key slot)
    inside[..., 0] = False
    tokens = torch.arange(1, n).reshape(4, 3)
    keys = torch.cat([tokens, torch.tensor([[0], [0], [0], [-1]])], 1)
    where = [torch.ones(n, n).triu(1).bool(), hidden, hidden[:1], None, hidden]
    layers = [factored(f"blocks.{i}", 2, n, n, one, layout) for i, one in enumerate(where)]
    parts = factored("windows", 8, 3, 4, inside.expand(4, 2, 3, 4).flatten(0, 1))
    windows = WindowedAttention("windows", parts, tokens - 1, keys, TokenLayout((), (3, 4)), layout)
    cross = factored("pool", 2, 3, n, hidden[:3], key_layout=layout)
    cross.query_names = ("query 0", "query 1", "query 2")
    return AttentionTrace((*layers, windows), layout, torch.zeros(3), "cls", cross=(cross,))


def factored(
    name: str, heads: int, n_queries: int, n_keys: int, hidden: torch.Tensor | None, *layouts: Any, **more: Any
) -> FactoredAttention:
    bias = None if hidden is None else torch.zeros(hidden.shape).masked_fill(hidden, -torch.inf)
    bias = bias if bias is None or bias.ndim == 3 else bias[None]
    return FactoredAttention(
        name, torch.randn(heads, n_queries, 8), torch.randn(heads, n_keys, 8), bias, *layouts, **more
    )


def late_cls(readout: str) -> AttentionTrace:
    """CLS joins in the last layer but one."""
    return _named((), ("cls",), ("cls",), readout=readout)


def own_tokens() -> AttentionTrace:
    """In each layer one learned token is new, and one goes on in another place."""
    return _named(("extra0", "cls"), ("cls", "extra1"), ("extra2", "cls"), readout="cls")


def _named(*prefixes: tuple[str, ...], readout: str) -> AttentionTrace:
    layouts = [TokenLayout(prefix, (4, 4)) for prefix in prefixes]
    layers = tuple(
        FactoredAttention(f"blocks.{i}", *torch.randn(2, 2, layout.n_tokens, 8), None, layout)
        for i, layout in enumerate(layouts)
    )
    return AttentionTrace(layers, layouts[-1], torch.zeros(3), readout)
