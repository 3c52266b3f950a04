"""Tell whether the layers of a network are a chain, each made of what the one below handed on: what rollout takes for granted."""

from collections.abc import Sequence

from torch import Tensor

from vizapp.core.attention.chain import why_no_chain
from vizapp.core.attention.layers import LayerAttention
from vizapp.core.capture.edited import unedited
from vizapp.core.capture.patches.axis_layout import AxisLayout
from vizapp.core.capture.reading import Reading
from vizapp.core.capture.refusals.reasons import GOES_ROUND, NO_LAYERS, READ_EARLY, WAYS_UNKNOWN
from vizapp.core.capture.survey.ways import Ways, ways_through
from vizapp.core.memo import Memo
from vizapp.model.spec import VisionModel
from vizapp.wording import Text, few

_ways: Memo[Ways] = Memo()


def no_chain(layers: Sequence[LayerAttention], all_axes: Sequence[AxisLayout], read: Reading) -> str:
    """Say why attention cannot be followed from layer to layer; "" where it can."""
    if not layers:
        return NO_LAYERS
    # Two branches that both start from the picture (CrossViT) have layers, but none looks at what the other gave.
    for layer, axes, below, axes_below in zip(layers[1:], all_axes[1:], layers, all_axes, strict=False):
        if axes.built_on is not None and not axes.built_on >> axes_below.number & 1:
            return Text(
                "{one} and {other} look at the picture side by side, not one after the other",
                one=below.name,
                other=layer.name,
            )
        if axes.goes_on_with_some(axes_below):
            why = "{layer} has some of the patches of {below} only: the others are dropped"
            return Text(why, layer=layer.name, below=below.name)
        given = [
            one.name
            for one, each in zip(layers, all_axes, strict=True)
            if each.number >= 0 and axes.weighs >> each.number & 1
        ]
        if given:
            why = "{layer} weighs what {below} gave, as it is, with no residual stream between them as there is between layers"
            return Text(why, layer=layer.name, below=given[0])
    for layer in layers:
        if layer.below_zero:
            return Text("{layer} has negative weights, which are not shares", layer=layer.name)
    named = read.known is not None and read.known.learned.named
    return why_no_chain([layer.name for layer in layers], [(axes.layout, axes.key_layout) for axes in all_axes], named)


def round_layers(model: VisionModel, pixels: Tensor, layers: Sequence[Sequence[str]]) -> tuple[str, tuple[str, ...]]:
    """Measure once for a network whether its layers are a chain: why they are none, and what else must be said."""
    plain = unedited(model)
    key = (*pixels.shape[-3:], *layers)
    ways = _ways.get(plain.net, key, lambda: ways_through(plain, pixels[:1], layers))
    if not ways.known:
        return "", (WAYS_UNKNOWN,)
    if ways.round:
        return GOES_ROUND.having(name=ways.round[0]), ()
    return "", (READ_EARLY.having(names=few(ways.early)),) if ways.early else ()
