"""Shows a map of scores as a picture, a figure for a paper, or a file, all with the same colours."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from vizapp.analysis import Analysis
from vizapp.analysis.record import describe, edited_name, even_among, made_from, save_numbers, where_it_went
from vizapp.core.attention.relevance import Relevance, Share
from vizapp.core.methods import methods
from vizapp.errors import VizError, check_ending, writing
from vizapp.pipeline import explain
from vizapp.render.colour import DIVERGING
from vizapp.render.overlay import Style, overlay
from vizapp.render.small import resized
from vizapp.wording import Text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from vizapp.render.sheet import Bar

ColourScale = Literal["map", "layer", "all"] | float
SIDE, PIXELS = 3.6, (800, 1600)  # of the longest side of a picture in the figure of one map, in inches and in pixels


def paint(
    seen: Analysis, relevance: Relevance, *, scale: ColourScale = "map", style: Style | None = None
) -> NDArray[np.uint8]:
    """Paint the heatmap on the picture, exactly where the model looked.

    The part that it did not see is grey. Patches that a mask hides from the query are hatched.

    Parameters
    ----------
    scale
        what the top colour stands for: the maximum of this "map", of its "layer", over "all" layers, or a fixed share of
        attention such as 0.05. One head is compared with all heads, fused with fused, rollout with rollout

    Returns
    -------
    np.ndarray
        (H, W, 3) uint8

    Examples
    --------
    >>> seen = vizapp.analyse("toy", "example")
    >>> painted = vizapp.paint(seen, vizapp.explain(seen, "rollout"), scale=0.05)
    """
    return painted(seen, relevance, scaled(seen, relevance, scale, style))


def painted(seen: Analysis, relevance: Relevance, style: Style) -> np.ndarray:
    """Paint a map in a style that is `scaled`."""
    return overlay(seen.picture, seen.frame, relevance.scores, style, relevance.hidden)


def in_size(seen: Analysis, sides: tuple[int, int]) -> Analysis:
    """The same analysis with its picture resized to a longest side within (smallest, largest) pixels, for faster painting."""
    picture, frame = resized(seen.picture, seen.frame, sides)
    return replace(seen, picture=picture, frame=frame)


def plot(
    seen: Analysis,
    relevance: Relevance,
    *,
    scale: ColourScale = "map",
    style: Style | None = None,
    ax: Axes | None = None,
) -> Figure:
    """Draw a matplotlib figure for a paper: picture, heatmap, and a colour bar with units.

    Parameters
    ----------
    ax
        axes of your own figure: the heatmap is drawn on them, with its bar beside it, and that figure is returned

    Examples
    --------
    >>> seen = vizapp.analyse("toy", "example")
    >>> figure = vizapp.plot(seen, vizapp.explain(seen, "rollout"))
    """
    style = scaled(seen, relevance, scale, style)
    if ax is not None:
        if not hasattr(ax, "imshow"):
            raise VizError("{got} are no axes of matplotlib.", "figure.subplots() makes some.", got=repr(ax)[:60])
        from vizapp.render.sheet import draw_on

        draw_on(ax, painted(seen, relevance, style), bar_of(relevance, style), describe(relevance))
        return ax.figure.canvas.figure  # of a part of a figure, the whole
    caption = ". ".join(part for part in (where_it_went(seen, relevance), " ".join(seen.notes)) if part)
    return drawn(seen, relevance, style, describe(relevance), caption)


def drawn(seen: Analysis, relevance: Relevance, style: Style, title: str, caption: str = "") -> Figure:
    """Draw a map that is `scaled`, under the name of its network and `title`."""
    from vizapp.render.sheet import Panel, sheet

    small = in_size(seen, PIXELS)
    panels = [Panel(small.picture), Panel(painted(small, relevance, style))]
    bar = bar_of(relevance, style)
    bar = replace(bar, n_tokens=even_among(seen, relevance) if bar.shares else 0)
    return sheet(panels, 2, [bar], side=SIDE, title=f"{edited_name(seen)}: {title}", caption=caption)


def bar_of(relevance: Relevance, style: Style, unit: str | None = None) -> Bar:
    """The colour bar of maps in one style: in `unit`, or in that of one of them."""
    from vizapp.render.sheet import Bar

    unit = relevance.unit if unit is None else unit
    return Bar(style.colours, *style.range_of(relevance.scores), unit, isinstance(unit, Share))


def save(
    seen: Analysis, relevance: Relevance, path: str | Path, *, scale: ColourScale = "map", style: Style | None = None
) -> None:
    """Write a map with a colour bar (.png, .svg, .pdf, .eps, .tif), or its numbers and all that is needed to repeat them (.npz).

    Each file contains its provenance (see `vizapp.analysis.record.made_from`). A .npz has `scores` (rows, cols), `on_prefix`
    (prefix,), `query` (token,), `logits` and `labels` (classes,), `hidden` (rows, cols) if a mask hides some patches from the
    query, and `about`, a text in JSON: model, method, settings, target, grid, frame, the names of prefix tokens, edits,
    notes, provenance.

    Raises
    ------
    VizError
        for another ending, and if `path` cannot be written

    Examples
    --------
    >>> seen = vizapp.analyse("toy", "example")
    >>> vizapp.save(seen, vizapp.explain(seen, "rollout"), "figure.pdf")
    """
    path = Path(path)
    if path.suffix.lower() == ".npz":
        refuse_other(seen, relevance)
        with writing(path):
            save_numbers(seen, relevance, path)
        return
    from vizapp.render import figure

    check_ending(path, (*figure.SUFFIXES, ".npz"), Text("A map cannot be saved as '{name}'.", name=path.name))
    figure.save(plot(seen, relevance, scale=scale, style=style), path, about=made_from(seen, relevance))


def refuse_other(seen: Analysis, relevance: Relevance) -> None:
    """Raise `VizError` for a map of another picture or network: it would be shown and saved under the name of this one."""
    found, expected = relevance.of, seen.subject
    if found is None or (found.network == expected.network and found.same_answer(expected)):
        return
    why = Text("another picture, or of other weights")
    if found.network != expected.network:
        why = Text("{found}, not of {expected}", found=found.network, expected=expected.network)
    raise VizError("The map is of {why}.", "Paint a map on the analysis that it was made from.", why=why)


def scaled(seen: Analysis, relevance: Relevance, scale: ColourScale, style: Style | None) -> Style:
    """`style` with its colour map and the value of its top colour filled in.

    If values can be negative, the colours diverge from zero, unless `style` names others.
    """
    refuse_other(seen, relevance)
    grids = {layout.grid for index in range(len(seen.trace.layers)) for layout in seen.trace.layouts(index)}
    grids |= {one.key_layout.grid for one in seen.trace.cross if one.key_layout}
    if relevance.scores.shape not in grids:
        raise VizError(
            "The map has {found} patches, the picture {expected}.",
            "Paint a map on the analysis that it was made from.",
            found=relevance.scores.shape,
            expected=seen.trace.layout.grid,
        )
    style = style or Style()
    if style.colour_map is None:
        style = replace(style, colour_map=DIVERGING[0] if relevance.signed else style.colours)
    if style.high is not None:
        return style
    top = fixed_top(scale, "map", "layer", "all")
    if top is not None:
        return replace(style, high=top)
    seen_patches = seen.on_picture(relevance.scores.shape)
    shown = [one.scores[seen_patches] for one in _compared(seen, relevance, scale)]
    return replace(style, high=max(style.range_of(scores)[1] for scores in shown))


def on_one_scale(maps: Sequence[Relevance], top: float | None = None) -> Style:
    """The style of maps that share one scale: up to `top`, or to the largest value of all on either side of zero."""
    high = top or max(float(np.abs(one.scores).max()) for one in maps) or 1.0
    return Style(colour_map=DIVERGING[0] if any(one.signed for one in maps) else None, high=high)


def fixed_top(scale: str | float, *names: str) -> float | None:
    """The value of the top colour that a scale gives as a number; None for one of `names`. Raises `VizError` for all else."""
    if scale in names:
        return None
    try:
        top = float(scale)
    except (TypeError, ValueError):
        hint = Text("Choose {names}, or a number such as 0.05.", names=", ".join(names))
        raise VizError("'{scale}' is no scale.", hint, scale=scale) from None
    if not 0 < top < math.inf:
        raise VizError("A fixed scale must be above zero; got {scale}.", "0.05 makes 5 % the top colour.", scale=scale)
    return top


def _compared(seen: Analysis, relevance: Relevance, scale: ColourScale) -> list[Relevance]:
    """The maps that share one scale with `relevance`: like with like, over its "layer" or over "all" layers.

    One head is compared with all heads, heads fused with heads fused, rollout with rollout, on one grid of patches.
    """
    settings = relevance.settings
    query = relevance.query if relevance.asked else None
    siblings = [relevance]
    if scale == "map":
        return siblings
    if relevance.method not in methods():
        raise VizError(
            "{name} is not known by its name, so it has no other layers and heads to share a scale with.",
            'Paint it with scale="map", or a number such as 0.05.',
            name=relevance.method,
        )
    kind, every = ("block", seen.trace.cross) if "block" in settings else ("layer", seen.trace.layers)
    layers = [settings.get(kind)]
    if scale == "all" and kind in settings:

        def tokens(index: int) -> Any:
            return seen.trace.layouts(index) if kind == "layer" else (every[index].n_queries, every[index].key_layout)

        some = range(settings.get("start_layer", 0), len(every))
        layers = [index for index in some if tokens(index) == tokens(settings[kind])]
    for layer in layers:
        one_head = settings.get("head") is not None
        heads = range(every[layer or 0].n_heads) if one_head else [None]
        for head in heads:
            own = settings | {name: one for name, one in ((kind, layer), ("head", head)) if name in settings}
            siblings.append(explain(seen, relevance.method, query=query, target=relevance.target, **own))
    return siblings
