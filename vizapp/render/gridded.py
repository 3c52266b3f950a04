"""Draws rows and columns of painted maps as one figure with one colour bar, one map on the caller's axes, or the bar alone."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure, SubFigure
from matplotlib.ticker import PercentFormatter

from vizapp.render.letters import lettered
from vizapp.render.overlay import Style

PANEL, GAP, MARGIN = 1.7, 0.08, 0.12  # inches
NAME, SIDE, BAR, TITLE = 0.3, 1.0, 0.95, 0.35  # room above a column, left of a row, for the bar, for the title
CAPTION = 0.14  # above a picture
DPI = 100  # of a bar alone


@dataclass(frozen=True)
class ColourBar:
    """The colour scale of all maps: from `low` to `high` in `unit`; `shares` are written in per cent."""

    colour_map: str
    low: float
    high: float
    unit: str
    shares: bool = False


def gridded(
    cells: Sequence[Sequence[np.ndarray | None]],
    scale: ColourBar,
    *,
    columns: Sequence[str] = (),
    rows: Sequence[str] = (),
    captions: Sequence[str] = (),
    title: str = "",
) -> Figure:
    """Draw pictures (H, W, 3) uint8 in rows; None leaves a place empty. `columns` and `rows` are optional names.

    captions  over each picture, row by row
    """
    n_rows, n_columns = len(cells), max(map(len, cells))
    left = SIDE if any(rows) else MARGIN
    words_above, down = list(captions), GAP + (CAPTION if captions else 0)
    above = (CAPTION if captions else 0) + (NAME if any(columns) else 0) + (TITLE if title else 0) + MARGIN
    width, height = left + n_columns * (PANEL + GAP) + BAR, above + n_rows * (PANEL + down) + MARGIN
    drawn = Figure(figsize=(width, height), facecolor="white")
    for row, pictures in enumerate(cells):
        bottom = height - above - (row + 1) * PANEL - row * down
        for column, picture in enumerate(pictures):
            if picture is not None:
                at = left + column * (PANEL + GAP)
                ax = drawn.add_axes((at / width, bottom / height, PANEL / width, PANEL / height))
                ax.imshow(picture, interpolation="none")
                ax.set_axis_off()
                if words_above:
                    ax.set_title(words_above.pop(0), fontsize=7, pad=1.5, parse_math=False)
        if row < len(rows):
            words = textwrap.fill(rows[row], 14)
            place = (left - GAP) / width, (bottom + PANEL / 2) / height
            drawn.text(*place, words, fontsize=8, ha="right", va="center", parse_math=False)
    for column, name in enumerate(columns):
        at = left + column * (PANEL + GAP) + PANEL / 2
        words = textwrap.shorten(name, 28, placeholder=" …")
        place = at / width, (height - above + 0.06) / height
        drawn.text(*place, words, fontsize=8, ha="center", va="bottom", parse_math=False)
    if title:
        drawn.text(MARGIN / width, 1 - MARGIN / height, title, fontsize=10, va="top", parse_math=False)
    body = n_rows * (PANEL + down) - down
    tall = min(body, 3 * PANEL)
    at = left + n_columns * (PANEL + GAP) + 0.1
    bar = drawn.add_axes((at / width, (MARGIN + GAP + (body - tall) / 2) / height, 0.13 / width, tall / height))
    colour_bar(drawn, scale, 7, cax=bar)
    bar.tick_params(labelsize=7)
    return drawn


def colour_bar(
    drawn: Figure | SubFigure, scale: ColourBar, size: float | str, *, cax: Axes | None = None, ax: Axes | None = None
) -> None:
    """Draw the colour bar with its unit, in its own axes (`cax`) or in room taken from others (`ax`)."""
    high = scale.high if scale.high > scale.low else scale.low + 1
    bar = drawn.colorbar(ScalarMappable(Normalize(scale.low, high), scale.colour_map), cax=cax, ax=ax)
    bar.outline.set_visible(False)
    bar.ax.set_ylabel(scale.unit, fontsize=size, parse_math=False)
    if scale.shares:
        bar.ax.yaxis.set_major_formatter(PercentFormatter(xmax=1))


def draw_on(ax: Axes, painted: np.ndarray, scale: ColourBar, title: str) -> None:
    """Draw a painted map on the caller's axes, with a colour bar that takes its room from them."""
    ax.imshow(painted, interpolation="none")
    ax.set_axis_off()
    ax.set_title(title, fontsize="small", parse_math=False)
    colour_bar(ax.figure, scale, "small", ax=ax)


def colours_of(style: Style, scores: np.ndarray, unit: str, shares: bool) -> ColourBar:
    """The scale of one map."""
    return ColourBar(style.colours, *style.range_of(scores), unit, shares)


def bar_alone(height: int, scale: ColourBar) -> np.ndarray:
    """The colour bar as a picture, (height, W, 3) uint8, to stand beside the frames of a film."""
    width, tall, left, edge = 0.92, height / DPI, 0.1, 0.12  # inches
    drawn = Figure(figsize=(width, tall), dpi=DPI, facecolor="white")
    cax = drawn.add_axes((left / width, edge / tall, 0.14 / width, 1 - 2 * edge / tall))
    colour_bar(drawn, scale, 7, cax=cax)
    cax.tick_params(labelsize=7)
    lettered(drawn)
    canvas = FigureCanvasAgg(drawn)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[:height, :, :3]
