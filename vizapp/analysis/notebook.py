"""Shows an analysis, a map and a self-test in a notebook: picture, map, numbers. Importing this module is enough.

An analysis shows the live viewer of browser/in_notebook.py, or `still` if scripts are blocked.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np

from vizapp.analysis import Analysis
from vizapp.analysis.record import describe, edited_name
from vizapp.analysis.subject import Subject
from vizapp.core.attention.relevance import Relevance, Share
from vizapp.core.capture.check import Check
from vizapp.core.display import html_of, shown_by, shows
from vizapp.core.methods import method_named
from vizapp.errors import VizError
from vizapp.render.colour import DIVERGING, colours, lut, normalise
from vizapp.render.overlay import Style, hatched, overlay
from vizapp.render.small import data_uri, resized

SIDES = (224, 320)  # pixels of the longest side of a picture
SIZES = ("small", "full")
HEIGHT = 860  # pixels of the live viewer until it reports its height, and if scripts are blocked
CELL = 14  # pixels of a patch of a map without its picture
LISTED = 12  # calls of a self-test


def image(picture: np.ndarray, words: str) -> str:
    """An img element that contains the picture itself."""
    return f'<img alt="{escape(words)}" title="{escape(words)}" src="{data_uri(picture)}">'


def beside(figures: Iterable[tuple[str, str]], below: str = "") -> str:
    """Images in a row, each above its caption, and `below` under them."""
    cells = "".join(
        f'<figure style="margin:0 1em 0 0;display:inline-block;vertical-align:top">{one}'
        f'<figcaption style="font-size:small;max-width:{SIDES[1]}px">{escape(words)}</figcaption></figure>'
        for one, words in figures
    )
    return f'<div class="vizapp">{cells}{below}</div>'


def table(rows: Iterable[Mapping[str, Any]]) -> str:
    """An HTML table of rows with equal columns; numbers have three digits."""
    rows = list(rows)
    head = "".join(f"<th>{escape(name)}</th>" for name in rows[0]) if rows else ""
    body = "".join("<tr>" + "".join(f"<td>{_cell(one)}</td>" for one in row.values()) + "</tr>" for row in rows)
    return f'<table style="font-size:small"><tr>{head}</tr>{body}</table>'


def _cell(one: Any) -> str:
    return f"{one:.3g}" if isinstance(one, float) else escape(str(one))


def painted(of: Analysis | Subject, one: Relevance) -> np.ndarray:
    """The map on the picture, small."""
    picture, frame = resized(of.picture, of.frame, SIDES)
    return overlay(picture, frame, one.scores, Style(colour_map=DIVERGING[0] if one.signed else None), one.hidden)


shown_by(Analysis, "vizapp.browser.in_notebook:cell")


@dataclass(frozen=True)
class Live:
    """The result of `show`: a notebook shows it as the live viewer.

    html  of the cell
    """

    html: str = field(repr=False)

    def _repr_html_(self) -> str:
        return self.html


def show(seen: Analysis, size: str = "small", *, height: int | None = None) -> Live:
    """The live viewer in a notebook, which needs no server and no network.

    Parameters
    ----------
    size
        "small", as an analysis shows itself, or "full": every head of every query, whatever its size (18 MB for a ViT-B with
        a picture of 224 pixels)
    height
        pixels, at least 200; the rest can be scrolled to. None: as high as the content

    Examples
    --------
    >>> view = vizapp.show(vizapp.analyse("toy", "example"), height=400)
    """
    if size not in SIZES:
        raise VizError("size={size!r} is not possible.", "Choose 'small' or 'full'.", size=size)
    if height is not None and height < 200:
        raise VizError("height={height} is too low for a viewer.", "Give at least 200 pixels.", height=height)
    return Live(html_of(seen, size=size, height=height) or "")


def still(seen: Analysis) -> str:
    """The picture, an attention map, the most probable classes, and facts about the network."""
    picture, _ = resized(seen.picture, seen.frame, SIDES)
    figures = [(image(picture, "picture"), edited_name(seen))]
    for name in ("rollout", "attention"):
        try:
            found = method_named(name)(seen.trace)
        except VizError:  # rollout is not defined: show the attention of the last layer
            continue
        figures.append((image(painted(seen, found), name), describe(found)))
        break
    layers = seen.trace.layers
    heads = ", ".join(str(n) for n in dict.fromkeys(layer.n_heads for layer in layers))
    facts = f"{len(layers)} layers of {heads} heads, {seen.trace.layout}, {seen.trace.nbytes / 2**20:.1f} MiB"
    notes = "".join(f"<p><i>{escape(str(note))}</i></p>" for note in seen.notes)
    top = table({"class": label, "probability": share} for label, share in seen.top(5)) if seen.labels else ""
    return beside(figures, f"<p>{escape(facts)}</p>{notes}{top}")


@shows(Relevance)
def of_relevance(one: Relevance) -> str:
    """The map on its picture, or as bare patches if a caller made it, with its scale; and the relevance of prefix tokens."""
    name = DIVERGING[0] if one.signed else "viridis"
    low, high = Style(colour_map=name).range_of(one.scores)
    if one.of is not None:
        large = painted(one.of, one)
    else:
        large = colours(normalise(one.scores, low, high), name).repeat(CELL, 0).repeat(CELL, 1)
        if one.hidden is not None:
            hidden = one.hidden.repeat(CELL, 0).repeat(CELL, 1)[..., None]
            large = np.where(hidden, hatched(np.full_like(large, 255)), large)
    strip = image(lut(name)[None].repeat(10, 0), "colours")
    unit = one.unit
    scale = f"<p>{_written(low, unit)} {strip} {_written(high, unit)} <small>{escape(str(unit))}</small></p>"
    stayed = ", ".join(f"{_written(value, unit)} on {name}" for name, value in one.on_prefix.items())
    return beside(
        [(image(large, describe(one)), describe(one))], scale + (f"<p>{escape(stayed)}</p>" if stayed else "")
    )


def _written(value: float, unit: str) -> str:
    return f"{value:.1%}" if isinstance(unit, Share) else f"{value:.3g}"


@shows(Check)
def of_check(found: Check) -> str:
    """The verdict, and the error of each call."""
    rows = [
        {"call": one.name, "kind": one.kind, "shape": " x ".join(map(str, one.shape)), "A v = output": one.error}
        for one in found.calls
    ]
    more = f"<p>and {len(rows) - LISTED} more calls</p>" if len(rows) > LISTED else ""
    return f'<div class="vizapp"><p><b>{escape(found.verdict)}</b></p>{table(rows[:LISTED])}{more}</div>'
