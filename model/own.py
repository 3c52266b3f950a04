"""A network of your own: any `torch.nn.Module` that takes pixels (1, 3, h, w) and attends."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import nn

from vizapp.errors import VizError
from vizapp.model.preprocess import Preprocess
from vizapp.model.spec import TokenLayout, VisionModel, refuse_training
from vizapp.text import Text

IMAGENET_MEAN, IMAGENET_STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
SIZE = 224  # where a network does not say


def describe(
    net: nn.Module,
    *,
    layout: TokenLayout | None = None,
    preprocess: Preprocess | None = None,
    labels: Sequence[str] = (),
    readout: str = "",
    name: str | None = None,
) -> VisionModel:
    """What vizapp must know of `net`. Everything that is not given is read from the network, found, or assumed aloud.

    layout      names of the tokens before the patches, and (rows, cols) of the patches; None: found by the capture, which
                calls a lone learned token "cls", and several "extra0", "extra1", ...; pictures are refused if another is found
    preprocess  picture -> pixels, as the network was trained; None: its own input size if it says one, else 224 pixels,
                and the colours of ImageNet. That is an assumption, and is noted on every map
    labels      one per output; () for features without a classifier
    readout     "cls", "mean", "pool" ...: what the classifier reads (see `VisionModel`); "": found
    A compiled network is looked at as it was before torch.compile, and one in DataParallel by itself. Raises `VizError` for a
    network in training mode, or one whose program hides what it does.
    """
    if not isinstance(net, nn.Module):
        raise VizError(
            "A network (torch.nn.Module) was expected, but got {kind}.", "Give the module.", kind=type(net).__name__
        )
    if isinstance(net, torch.jit.ScriptModule):
        raise VizError(
            "{kind} is a traced or scripted program, which hides its attention.",
            "Give the nn.Module that it was made from.",
            kind=type(net).__name__,
        )
    _check_layout(layout)
    net = uncompiled(alone(net))
    refuse_training(net)
    notes: tuple[str, ...] = ()
    if preprocess is None:
        height, width = input_size(net)
        preprocess = Preprocess((height, width), IMAGENET_MEAN, IMAGENET_STD)
        notes = (
            Text(
                "Assumed: pictures of {height}x{width} pixels with the colours of ImageNet; give preprocess=... if not.",
                height=height,
                width=width,
            ),
        )
    return VisionModel(
        name=name or type(net).__name__,
        net=net,
        attention=(),
        prefix=layout.prefix if layout is not None else (),
        patch=None,
        expected=layout,
        preprocess=preprocess,
        labels=tuple(labels),
        readout=readout,
        notes=notes,
        facts={"parameters": f"{sum(p.numel() for p in net.parameters()) / 1e6:.1f} M"},
    )


def alone(net: nn.Module) -> nn.Module:
    """The network without what spreads batches over devices or processes: one picture needs one of its copies."""
    while isinstance(net, (nn.DataParallel, nn.parallel.DistributedDataParallel)):
        net = net.module
    return net


def expecting(model: VisionModel, layout: TokenLayout) -> VisionModel:
    """`model`, checked to have `layout`, whose names its tokens get where nothing that is known of it names one."""
    _check_layout(layout)
    named = model.patch is not None or model.readout not in {"", "mean", "pool"}
    return replace(model, expected=layout, prefix=model.prefix if named else layout.prefix)


def _check_layout(layout: object) -> None:
    if layout is not None and not isinstance(layout, TokenLayout):
        raise VizError("{got!r} is no layout.", "Such as TokenLayout(('cls',), (14, 14)).", got=layout)


def uncompiled(net: nn.Module) -> nn.Module:
    """The network as it was before `torch.compile`, of all of it or of parts: the same weights, the same numbers.

    The compiler would first compile, for half a minute, the Python code that watches. `net` itself stays compiled.
    """
    net = getattr(
        net, "_orig_mod", net
    )  # of torch.compile(net); net.compile() leaves a mark instead, which no copy keeps
    parts = {name: None if part is None else uncompiled(part) for name, part in net._modules.items()}
    if getattr(net, "_compiled_call_impl", None) is None and all(parts[name] is net._modules[name] for name in parts):
        return net
    twin = copy.copy(net)
    twin._modules = parts
    return twin


def input_size(net: Any) -> tuple[int, int]:
    """(height, width) that a network says it was made for, by one of the usual names; 224 x 224 if it does not."""
    patches = getattr(net, "patch_embed", None)
    for owner in (net, patches, getattr(net, "config", None)):
        for word in ("img_size", "image_size", "input_size"):
            size = getattr(owner, word, None)
            if isinstance(size, int):
                return size, size
            if isinstance(size, (tuple, list)) and len(size) >= 2 and all(isinstance(side, int) for side in size):
                return size[-2], size[-1]
    return SIZE, SIZE
