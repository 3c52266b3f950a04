"""A network of your own: any `torch.nn.Module` that takes pixels (1, 3, h, w) and has attention."""

import copy
from collections.abc import Sequence
from dataclasses import replace

import torch
from torch import nn

from vizapp.errors import VizError
from vizapp.model.adapter import Inputs, Path, called
from vizapp.model.metadata import said_of
from vizapp.model.spec import TokenLayout, VisionModel, refuse_exported, refuse_training


def describe(
    net: nn.Module,
    *,
    layout: TokenLayout | None = None,
    preprocess: object = None,
    labels: Sequence[str] | None = None,
    readout: str = "",
    name: str | None = None,
    inputs: Inputs | None = None,
    output: Path = None,
    activation: str | None = None,
) -> VisionModel:
    """Describe `net` for vizapp. Facts that are not given are read from the network, found, or assumed with a note.

    A compiled network is used as it was before torch.compile, and one in DataParallel without it.

    Parameters
    ----------
    layout
        names of the tokens before the patches, and (rows, cols) of the patches; None: found by the capture, which calls a
        lone learned token "cls", and several "extra0", "extra1", ...; pictures are refused if another is found
    preprocess
        picture -> pixels, as the network was trained: a `vizapp.Preprocess`, an image processor of transformers, weights of
        torchvision or their transforms, a data configuration of timm. None, and colours that a `Preprocess` does not name: as
        the network says (timm's configuration; transformers' config and the processor beside the weights), else 224 pixels
        and the colours of ImageNet. That is an assumption, and is noted on every map
    labels
        one per output; () for features without a classifier; None: as the network declares, else ()
    readout
        "cls", "mean", "pool" ...: what the classifier reads (see `VisionModel`); "": found
    inputs
        further inputs beside the pixels, {"input_ids": ids}; or a function that runs the network, (net, pixels) -> output
    output
        the output that is shown and explained: a key, an attribute, an index, or several after each other
    activation
        turns outputs into probabilities: "softmax", "sigmoid", "none"; None: as the network declares

    Raises
    ------
    VizError
        for a network in training mode, or one whose program hides its operations

    Examples
    --------
    >>> import timm
    >>> net = timm.create_model("vit_tiny_patch16_224").eval()
    >>> model = vizapp.describe(net, readout="cls", name="mine")
    """
    refuse_exported(net)
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
    said = said_of(net, preprocess)
    return VisionModel(
        name=name or type(net).__name__,
        net=called(net, inputs, output, said.flips),
        attention=(),
        prefix=layout.prefix if layout is not None else (),
        patch=None,
        expected=layout,
        preprocess=said.preprocess,
        labels=_labels(said.labels, labels),
        labels_read=labels is None,
        readout=readout,
        activation=said.activation if activation is None else activation,
        notes=said.notes,
        facts={"parameters": f"{sum(p.numel() for p in net.parameters()) / 1e6:.1f} M"},
    )


def _labels(said: tuple[str, ...], given: Sequence[str] | None) -> tuple[str, ...]:
    if isinstance(given, str):
        raise VizError(
            "Labels are a list of names, one per output; got '{given}'.", "Such as ('cat', 'dog').", given=given
        )
    return said if given is None else tuple(map(str, given))


def alone(net: nn.Module) -> nn.Module:
    """Unwrap a network from the wrapper that spreads batches over devices or processes: one picture needs one copy."""
    while isinstance(net, (nn.DataParallel, nn.parallel.DistributedDataParallel)):
        net = net.module
    return net


def expecting(model: VisionModel, layout: TokenLayout) -> VisionModel:
    """Check that `model` has `layout`. Tokens that nothing else names get their names from it."""
    _check_layout(layout)
    named = model.patch is not None or model.readout not in {"", "mean", "pool"}
    return replace(model, expected=layout, prefix=model.prefix if named else layout.prefix)


def _check_layout(layout: object) -> None:
    if layout is not None and not isinstance(layout, TokenLayout):
        raise VizError("{got!r} is no layout.", "Such as TokenLayout(('cls',), (14, 14)).", got=layout)


def uncompiled(net: nn.Module) -> nn.Module:
    """Undo `torch.compile` of the network or of its parts: the same weights, the same numbers.

    The compiler would spend half a minute on the Python code of the capture. `net` itself stays compiled.
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
