"""Refuse a network in which no attention was seen: linear attention, what is not understood, or none at all."""

from collections.abc import Iterable

from torch import Tensor

from vizapp.core.capture.survey.followed_pass import follow
from vizapp.errors import VizError
from vizapp.model.spec import VisionModel
from vizapp.wording import Text, few


def no_attention(model: VisionModel, pixels: Tensor) -> VizError:
    """Refuse a network that made no attention call on `pixels` (B, C, h, w)."""
    # Only now: a pass that follows places costs about four plain ones.
    seen = follow(model, pixels[:1])
    if seen.gathered:
        return VizError(
            "{name} has no map from patch to patch: it sums over all patches first, and each patch reads from the sum (linear "
            "attention), in {modules}.",
            "Choose a transformer whose attention is a softmax.",
            name=model.name,
            modules=_few(seen.gathered),
        )
    modules = (*seen.unexplained, *seen.astray)
    if modules:
        functions = [*seen.unexplained.values(), *(Text("another thread") for _ in seen.astray)]
        return VizError(
            "{name} weighs patches by one another in a way that is not understood: {what}, in {modules}.",
            "Write it as attention @ values (matmul, bmm or einsum) behind a softmax, or as "
            "scaled_dot_product_attention.",
            name=model.name,
            what=_few(functions),
            modules=_few(modules),
        )
    return VizError(
        "{name} shows no attention: no softmax that weighs values was seen in a whole forward pass.",
        "Choose a transformer. A traced, scripted or exported program hides what it does: give what it was made from.",
        name=model.name,
    )


def _few(names: Iterable[str]) -> Text:
    """Name the first of some modules, each once. What runs in no module of its own runs in "", the network itself."""
    return few([name or Text("the network") for name in dict.fromkeys(names)])
