"""Refuse a network in which no attention was seen, with the reason as far as passes with places can tell it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from torch import Tensor

from vizapp.core.capture.survey.followed_pass import follow, gathering
from vizapp.core.capture.watch import Watch
from vizapp.errors import VizError
from vizapp.model.spec import VisionModel
from vizapp.wording import Text, few

WRITE_IT = "Write it as attention @ values (matmul, bmm, or einsum and linear of these two), or as scaled_dot_product_attention."


def no_attention(model: VisionModel, pixels: Tensor, watch: Watch) -> VizError:
    """Refuse a network that made no attention call on `pixels` (B, C, h, w), as `watch` saw it.

    Linear attention, and other weights than those of a softmax, are told apart from a network that does not attend or hides it.
    """
    softmaxes = watch.unmatched_softmaxes
    # The most certain reason first: here the function is known by name. The later ones say less and less.
    if watch.met:
        return VizError(
            "{name} weighs values by a softmax, in {modules}, but in a function that is not read as a product: {functions}.",
            WRITE_IT,
            name=model.name,
            modules=_few(softmaxes),
            functions=_few(watch.met),
        )
    # Only now: a pass that follows places costs about four plain ones.
    seen = follow(model, pixels[:1])
    # Before linear attention, since what comes out of an op may look like a sum over all patches.
    if seen.ops:
        return _in_ops(model, seen.ops)
    if gathers := gathering(model, pixels[:1]):
        return VizError(
            "{name} has no map from patch to patch: it sums over all patches first, and each patch reads from the sum (linear "
            "attention), in {modules}.",
            "Choose a transformer whose attention is a softmax.",
            name=model.name,
            modules=_few(gathers),
        )
    if seen.astray:
        return VizError(
            "{name} runs {modules} in another thread, where nothing is seen.",
            "Let it run everything in the thread that calls it.",
            name=model.name,
            modules=_few(seen.astray),
        )
    if seen.unexplained and softmaxes:
        return VizError(
            "{name} weighs patches by one another in {modules}, and softmaxes run in {softmaxes}, but none of them was "
            "seen to weigh values: the steps between the two could not be followed.",
            WRITE_IT,
            name=model.name,
            modules=_few(seen.unexplained),
            softmaxes=_few(softmaxes),
        )
    if unexplained := seen.unexplained:
        return VizError(
            "{name} weighs patches by one another, but by no softmax that was seen, in {modules}.",
            "Choose a transformer whose attention is a softmax, and which is not traced or scripted.",
            name=model.name,
            modules=_few(unexplained),
        )
    what = "{name} shows no attention: no softmax that weighs values was seen in a whole forward pass."
    if softmaxes:
        what = (
            "{name} shows no attention: no softmax that weighs values was seen in a whole forward pass. "
            "Softmaxes ran in: {modules}."
        )
    return VizError(
        what,
        "Choose a transformer. A traced, scripted or exported program hides what it does: give what it was made from.",
        name=model.name,
        modules=_few(softmaxes),
    )


def _in_ops(model: VisionModel, ops: Mapping[str, str]) -> VizError:
    return VizError(
        "{name} runs {ops}, in {modules}: an op that is not PyTorch's own, and nothing shows whether there is attention in it.",
        "Give the network with that part written in functions of PyTorch, such as scaled_dot_product_attention.",
        name=model.name,
        ops=_few(ops.values()),
        modules=_few(ops),
    )


def _few(names: Iterable[str]) -> Text:
    """Name the first of some modules, each once. What runs in no module of its own runs in "", the network itself."""
    return few([name or Text("the network") for name in dict.fromkeys(names)])
