"""Watching a forward pass: what it adds to the plain one, what it keeps, and what the usual ways cost in the same run."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import torch
from timm.utils import AttentionExtract
from torch import nn

import vizapp
from bench import peers
from bench.measure import Result, ratios
from vizapp.core.attention.trace import AttentionTrace
from vizapp.core.capture.forward import capture
from vizapp.core.methods import method_named

MODEL = "timm:vit_base_patch16_224?pretrained=no"


def measure(repeats: int) -> list[Result]:
    """`repeats` pairs of each way, with the plain fused forward pass. ViT-B/16 at 224 x 224 on the CPU, random weights."""
    torch.manual_seed(0)
    model = vizapp.load(MODEL, "cpu")
    unfused = copy.deepcopy(model.net)
    for block in unfused.blocks:
        block.attn.fused_attn = False
    extract = AttentionExtract(
        unfused, ["*attn.softmax", "head"], method="fx"
    )  # without "head" it would stop before it
    pixels = torch.randn(1, 3, *model.preprocess.size)
    rollout = method_named("rollout")

    def plain() -> torch.Tensor:
        with torch.no_grad():
            return model.net(pixels)

    def hooked() -> list[torch.Tensor]:
        with torch.no_grad(), hooks_on_attn_drop(unfused) as maps:
            unfused(pixels)
        return maps

    def extracted() -> dict[str, torch.Tensor]:
        with torch.no_grad():
            return extract(pixels)

    trace = capture(model, pixels)
    size = len(trace.layers) * trace.layout.n_tokens * model.net.embed_dim * 4  # L x N x D numbers of 4 bytes
    assert torch.equal(trace.logits, plain()[0]), "watching changed the network's output"
    assert len(hooked()) == len(extracted()) - 1 == len(trace.layers), "a peer did not see every layer"
    for layer, seen in zip(trace.layers, hooked(), strict=True):
        torch.testing.assert_close(layer.map(), seen[0], rtol=1e-3, atol=1e-5)

    all_axes = [
        lambda: capture(model, pixels),
        lambda: cls_rows(capture(model, pixels)),
        lambda: rollout(capture(model, pixels), "cls"),
        hooked,
        extracted,
    ]
    base, (watched, rows, rolled, by_hooks, by_extract) = ratios(plain, all_axes, repeats)
    kept = sum(one.numel() * one.element_size() for one in hooked())
    return [
        Result("plain forward pass", "ms", base),
        Result("forward + capture of all layers and heads", "x plain", watched, 1.03),
        Result("forward + capture + the CLS row of every layer and head", "x plain", rows, 1.05),
        Result("forward + capture + rollout of CLS through all layers", "x plain", rolled, 1.15),
        Result("peer: fused attention off, hooks on attn_drop", "x plain", by_hooks),
        Result("peer: timm.utils.AttentionExtract (fx, fused attention off)", "x plain", by_extract),
        *peers.measure(repeats),
        Result("kept by a trace", "x layers x tokens x width x 4 bytes", (trace.nbytes / size,), 2.2),
        Result("kept by a trace", "MiB", (trace.nbytes / 2**20,)),
        Result("peers: kept as full maps", "MiB", (kept / 2**20,)),
    ]


def cls_rows(trace: AttentionTrace) -> list[torch.Tensor]:
    return [layer.attend(trace.query("cls")) for layer in trace.layers]


@contextmanager
def hooks_on_attn_drop(net: nn.Module) -> Iterator[list[torch.Tensor]]:
    """The old way: the map passes through a dropout module, where a hook picks it up."""
    maps: list[torch.Tensor] = []
    with ExitStack() as stack:
        for block in net.blocks:
            handle = block.attn.attn_drop.register_forward_hook(lambda module, inputs, output: maps.append(output))
            stack.callback(handle.remove)
        yield maps
