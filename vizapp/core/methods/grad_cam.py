"""Grad-CAM and Grad-CAM++ on tokens: which features the class stands on, and where they are."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import torch
from torch import Tensor

from vizapp.core.capture.call import Call
from vizapp.core.capture.reading import order_of
from vizapp.core.capture.watch import Watch
from vizapp.core.context import ExplainContext
from vizapp.core.methods import method
from vizapp.core.network import dtype_of
from vizapp.core.setting import Layer
from vizapp.core.signals.blocks import blocks_of, entering, is_list, modules_of
from vizapp.core.signals.gradients import differentiated, slope_in, slope_in_all
from vizapp.errors import VizError
from vizapp.model.spec import TokenLayout
from vizapp.wording import Text

Features = tuple[Tensor, Tensor, TokenLayout]


def prepare(contexts: Sequence[ExplainContext], settings: Mapping[str, Any]) -> None:
    """Find `features` of several pictures by one pass, where each has its own place in it; for both methods of this file."""
    layer = settings.get("layer", -1)
    bare = [one for one in contexts if _key(one, layer) not in one.__dict__]
    tokens = {contexts[0].trace.layouts(layer)[0].n_tokens, *contexts[0].trace.layouts(layer)[0].grid}
    if len(bare) < 2 or len(bare) in tokens:  # pictures could be taken for tokens
        return
    for one, found in zip(bare, _found(bare, layer) or (), strict=False):
        one.__dict__[_key(one, layer)] = found


@method(
    title="Grad-CAM",
    sentence="Where the features are that the class gains from.",
    paper="Selvaraju et al. 2017, Grad-CAM, eqs. 1 and 2 (arXiv 1610.02391)",
    unit=lambda settings: Text("evidence for the class"),
    class_specific=True,
    by_query=False,
    chosen=True,
    needs=("gradient",),
    together=prepare,
)
def grad_cam(seen: ExplainContext, query: Tensor, *, layer: Layer = -1) -> tuple[Tensor, TokenLayout]:
    """(patch,): (sum_k a_k x_k)^+, where x_k is feature k of the tokens that enter the attention of `layer`.

    layer  from 0; -1 is the last one
    a_k is the mean over patches of the gradient of the class's logit with respect to x_k. The *output* of the last block
    would be of no use if the classifier reads CLS: its patches get no gradient. Prefix tokens are not patches and do not count.
    """
    x, gradient, layout = features(seen, layer)
    return (x @ gradient.mean(0)).clamp_min(0), layout


@method(
    title="Grad-CAM++",
    sentence="Grad-CAM that counts each place by its own gain.",
    paper="Chattopadhay et al. 2018, Grad-CAM++, eqs. 10 and 19 (arXiv 1710.11063)",
    unit=lambda settings: Text("evidence for the class"),
    class_specific=True,
    by_query=False,
    needs=("gradient",),
    together=prepare,
)
def grad_cam_plus_plus(seen: ExplainContext, query: Tensor, *, layer: Layer = -1) -> tuple[Tensor, TokenLayout]:
    """(patch,): as Grad-CAM, with a_k = sum over patches of w (g)^+, w = g^2 / (2 g^2 + g^3 sum_patches x_k), g the gradient.

    layer  from 0; -1 is the last one
    The paper differentiates exp of the logit, which multiplies all values by the same factor. Other code (pytorch-grad-cam) adds
    1e-6 to the denominator. That is about the size of g^2 in transformers, so its map can be quite different.
    The denominator can come near zero here, too, and rounding then shows. Do not trust the map below float32.
    """
    x, gradient, layout = features(seen, layer)
    below = 2 * gradient**2 + gradient**3 * x.sum(0)
    weight = torch.where(below == 0, 0, gradient**2 / torch.where(below == 0, 1, below))
    return (x @ (weight * gradient.clamp_min(0)).sum(0)).clamp_min(0), layout


def features(seen: ExplainContext, layer: int) -> Features:
    """(patch, feature) of what enters the attention of a layer, its gradient for the class's logit, and the grid of patches.

    Where the attention itself is given windows (Swin), what enters its block is taken. Of a module that is called for several
    layers, what it is given for this one.
    """
    kept = seen.__dict__.get(_key(seen, layer))
    found = [kept] if kept is not None else _found([seen], layer)
    if not found:
        raise VizError(
            "The input of layer {layer} (counted from 0) is not one row of features per patch.",
            "Choose another layer or method.",
            layer=layer % len(seen.trace.layers),
        )
    return found[0]


def _key(seen: ExplainContext, layer: int) -> str:
    return f"features of {layer % len(seen.trace.layers)}"


def _found(contexts: Sequence[ExplainContext], layer: int) -> list[Features] | None:
    """`features` of each picture by one pass; None where what enters is not such rows."""
    first = contexts[0]
    trace, model = first.trace, first.model
    own = trace.layouts(layer)[0]
    title, names = trace.layers[layer].name, [modules_of(trace)[layer]]
    with suppress(VizError):  # a module of several layers has no block of its own
        names += [block for block in [blocks_of(model.net, trace)[layer]] if not is_list(model.net, block)]
    found: dict[str, Tensor] = {}

    def saw(call: Call) -> None:
        if call.title == title:
            found.update(last)

    pixels = torch.cat([one.pixels for one in contexts]).detach().to(model.device, dtype_of(model.net))
    pixels.requires_grad_(True)
    with differentiated(model), torch.enable_grad():
        with entering(model.net, names, again=True) as last, Watch(model.net, saw):
            output, targets = model.net(pixels), [one.explained for one in contexts]
            # Of one picture, the output may be anything that its target can read.
            score = slope_in_all(model, output, targets) if len(targets) > 1 else slope_in(model, output, targets[0])
        fitting = [found[name] for name in names if name in found and _fits(found[name], own, len(contexts))]
        if score is None or not fitting:
            return None
        (gradient,) = torch.autograd.grad(score, fitting[0])
    wide = torch.promote_types(gradient.dtype, torch.float32)
    in_rows = fitting[0].ndim == 4  # (B, rows, cols, feature): in its place by itself
    order = slice(None) if in_rows else order_of(model, pixels.detach(), trace.layers[layer].name)

    def patches(tokens: Tensor) -> Tensor:
        return tokens.detach().reshape(own.n_tokens, -1)[order][own.n_prefix :].to(wide)

    return [
        (patches(x), patches(given), TokenLayout((), own.grid)) for x, given in zip(fitting[0], gradient, strict=True)
    ]


def _fits(tensor: Tensor, layout: TokenLayout, batch: int) -> bool:
    rows_and_columns = (batch, *layout.grid) if not layout.prefix else None
    return tensor.requires_grad and tensor.shape[:-1] in {(batch, layout.n_tokens), rows_and_columns}
