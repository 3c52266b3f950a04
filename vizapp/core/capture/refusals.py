"""Why a network shows no attention at all, as far as a pass with places can tell."""

from __future__ import annotations

from torch import Tensor

from vizapp.core.capture.survey import followed, gathering
from vizapp.errors import VizError
from vizapp.model.spec import VisionModel
from vizapp.wording import Text

FEW = 3  # modules that are named


def no_attention(model: VisionModel, pixels: Tensor, softmaxes: tuple[str, ...]) -> VizError:
    """The refusal of a network that made no attention call on `pixels` (B, C, h, w); `softmaxes` ran in these modules.

    Linear attention and other weights than softmax's are told from a network that does not attend, or hides it.
    """
    if gathers := gathering(model, pixels[:1]):
        return VizError(
            "{name} has no map from patch to patch: it sums over all patches first, and each patch reads from the sum (linear "
            "attention), in {modules}.",
            "Choose a transformer whose attention is a softmax.",
            name=model.name,
            modules=_few(gathers),
        )
    unexplained = followed(model, pixels[:1]).unexplained
    if unexplained:
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


def _few(names: tuple[str, ...]) -> str:
    several = list(dict.fromkeys(names))
    listed = ", ".join(several[:FEW])
    return listed if len(several) <= FEW else Text("{names} and {n} more", names=listed, n=len(several) - FEW)
