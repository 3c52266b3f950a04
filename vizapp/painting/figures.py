"""Draws several maps with one scale and one bar: pictures x methods, all heads of a layer, a film through the layers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vizapp.analysis import Analysis
from vizapp.analysis.record import describe, edited_name, hidden_in_words, made_from
from vizapp.core import callable_method
from vizapp.core.attention.relevance import Relevance
from vizapp.core.attention.trace import Query
from vizapp.core.methods import Method
from vizapp.core.pauses import may_pause
from vizapp.core.target import Target
from vizapp.errors import VizError
from vizapp.painting import bar_of, drawn, fixed_top, in_size, on_one_scale, painted
from vizapp.pipeline import explain
from vizapp.render.colour import lut

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SIDES, SIDE = (320, 480), 1.7  # of the longest side of a painted picture, in pixels and in inches
COLUMNS = 6  # of heads
Chosen = Method | Callable[..., Any]


def grid(
    pictures: Sequence[Analysis] | Analysis,
    methods: Sequence[str | Chosen] | str | Chosen,
    *,
    query: Query | None = None,
    target: Target | str | None = None,
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    scale: str | float = "own",
    names: Sequence[str] = (),
) -> Figure:
    """Draw pictures x methods, a row per analysis: the picture, then its map by each method, and one colour bar for all.

    A place stays empty if the method has no map for the picture.

    Parameters
    ----------
    methods
        names, or your own callables, as for `explain`; several or one
    query
        whose attention, as for `explain`, of methods whose map depends on it
    target
        for class-specific methods, as for `explain`; None: the most probable class of each picture
    settings
        method -> its keyword-only parameters
    scale
        "own": each map from zero to its own largest value, since methods differ in their units; "same": one scale for all,
        for methods that measure the same; or a number, the value of the top colour
    names
        of the rows; none if not given

    Raises
    ------
    VizError
        if all would be empty

    Examples
    --------
    >>> figure = vizapp.grid(vizapp.analyse("toy", "example"), ["attention", "rollout"])
    """
    from vizapp.render.sheet import Panel, sheet

    every = [pictures] if isinstance(pictures, Analysis) else list(pictures)
    chosen, own = callable_method.by_name(methods), settings or {}
    for name, method in chosen.items():
        callable_method.check(method, own.get(name, {}))
    maps = [[_map(seen, method, query, target, own.get(name, {})) for name, method in chosen.items()] for seen in every]
    found = [one for row in maps for one in row if isinstance(one, Relevance)]
    if not found:
        refusals = [one for row in maps for one in row if isinstance(one, VizError)]
        raise refusals[0] if refusals else VizError("There is nothing to draw.", "Give analyses, and methods.")
    is_own = scale == "own"
    unit = "share of each map’s largest value" if is_own else _common_unit(found, scale)
    shared = on_one_scale(found, 1.0 if is_own else fixed_top(scale, "same"))
    panels = []
    for row, (seen, some) in enumerate(zip(every, maps, strict=True)):
        small = in_size(seen, SIDES)
        panels.append(Panel(small.picture))
        for name, one in zip(chosen, some, strict=True):
            picture = None
            if isinstance(one, Relevance):
                style = replace(shared, high=on_one_scale([one]).high) if is_own else shared
                picture = painted(small, one, style)
            panels.append(Panel(picture, "" if row else name))
    return sheet(panels, 1 + len(chosen), [bar_of(found[0], shared, unit)], side=SIDE, rows=names)


def _map(
    seen: Analysis, method: Chosen, query: Query | None, target: Target | str | None, settings: Mapping[str, Any]
) -> Relevance | VizError:
    about = target if callable_method.takes_class(method) else None
    asked = query if callable_method.takes_query(method) else None
    try:
        return explain(seen, method, query=asked, target=about, **settings)
    except VizError as error:
        return error


def _common_unit(found: Sequence[Relevance], scale: str | float) -> str:
    """The unit of all maps; "" if they have several, which one scale refuses unless it is a number."""
    units = list(dict.fromkeys(one.unit for one in found))
    if scale == "same" and len(units) > 1:
        raise VizError(
            "These methods have no scale in common: {units}.",
            'Leave scale="own", or choose methods of one unit.',
            units=", ".join(units),
        )
    return units[0] if len(units) == 1 else ""


def heads(seen: Analysis, layer: int = -1, *, query: Query | None = None, direction: str = "from") -> Figure:
    """Draw all heads of one layer (from 0; -1 is the last) and their mean, on one scale, with one colour bar.

    Parameters
    ----------
    query, direction
        as for the method `attention`

    Examples
    --------
    >>> figure = vizapp.heads(vizapp.analyse("toy", "example"), layer=2)
    """
    from vizapp.render.sheet import Panel, sheet

    count = seen.trace.layer(layer).n_heads
    maps = [
        explain(seen, "attention", layer=layer, head=head, query=query, direction=direction)
        for head in (*range(count), None)
    ]
    style, small = on_one_scale(maps), in_size(seen, SIDES)
    words = [*(f"head {head}" for head in range(count)), "mean"]
    panels = [Panel(painted(small, one, style), name) for one, name in zip(maps, words, strict=True)]
    said = hidden_in_words(seen, maps[-1])
    title = f"{edited_name(seen)}: layer {layer % len(seen.trace.layers)}, attention of {maps[0].asked}"
    title += f". {said}" if said else ""
    return sheet(panels, COLUMNS, [bar_of(maps[0], style)], side=SIDE, title=title)


def film(
    seen: Analysis,
    path: str | Path,
    *,
    method: str | Chosen = "attention",
    query: Query | None = None,
    target: Target | str | None = None,
    seconds: float = 0.6,
    on_progress: Callable[[int, int], None] = lambda done, of: None,
    **settings: Any,
) -> int:
    """Write a film through the layers on one scale: .gif, or .mp4 and .webm with vizapp[film].

    Layers with another grid than the last one are left out, because their values are shares among more patches.

    Parameters
    ----------
    method
        one with the setting `layer`: attention, rollout ...; `settings` are its other ones
    seconds
        for which each layer is shown
    on_progress
        called with the number of painted layers, and of all

    Returns
    -------
    int
        the number of frames

    Examples
    --------
    >>> frames = vizapp.film(vizapp.analyse("toy", "example"), "layers.gif")
    """
    from vizapp.render.figure import pixels
    from vizapp.render.moving import check_name, even, repeated, write_film

    path = Path(path)
    check_name(path)
    ((name, chosen),) = callable_method.by_name(method).items()
    if "layer" not in callable_method.settings_of(chosen):
        raise VizError("{method} has no map of a single layer.", "Choose attention or rollout.", method=name)
    if not seconds > 0:
        raise VizError("A layer must be seen for some time; got {seconds} s.", "0.6 is usual.", seconds=seconds)
    last = seen.trace.layouts(-1)
    which = [index for index in range(len(seen.trace.layers)) if seen.trace.layouts(index) == last]
    maps = [explain(seen, chosen, query=query, target=target, **{**settings, "layer": index}) for index in which]
    style = on_one_scale(maps)
    frames = []
    for index, one in zip(which, maps, strict=True):
        may_pause()  # on a page, somebody's map may be waiting
        frames.append(even(pixels(drawn(seen, one, style, f"layer {index}: {name} of {one.asked}"))))
        on_progress(len(frames), len(which))
    about = made_from(seen, maps[-1]) | {"layers": which, "scale": style.high, "of": describe(maps[-1])}
    write_film(repeated(frames, seconds, path), path, about, frames, lut(style.colours))
    return len(frames)
