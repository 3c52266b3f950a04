"""Lays pictures in rows and columns with their names, and the colours explained: one map, a grid of maps, the plate of a page."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colorbar import Colorbar
from matplotlib.colors import Normalize
from matplotlib.figure import Figure, SubFigure
from matplotlib.ticker import PercentFormatter

from vizapp.render.figure import SCREEN, Page, pixels, show

# Inches. Positions are computed, so that a picture fills its axes and no room is left where pictures are low or narrow.
MARGIN, GAP = 0.1, 0.12
LINE, NAME_WIDTH, ROW_NAME = 0.16, 0.6, 0.9  # room for a line of a picture's name, at least so wide; for a row's name
BAR_LEFT, BAR, BAR_RIGHT = 0.85, 0.14, 0.6  # labels of a bar with a second axis, the bar itself, labels on its right
BAR_HEIGHT = 1.6  # at least
BARS, BARS_WIDTH = 0.65, 6.0  # room for bars below the pictures, and for the words under them, at least
TITLE, NAME, SMALL = 10, 8, 7  # points


@dataclass(frozen=True)
class Panel:
    """A painted picture, (H, W, 3) uint8, or None for an empty place, with its name and a second line, which may be empty."""

    picture: np.ndarray | None = field(repr=False)
    name: str = ""
    about: str = ""


@dataclass(frozen=True)
class Bar:
    """Explains the colours of maps from `low` to `high`.

    shares    whether the values are written in per cent
    n_tokens  of shares: adds an axis in multiples of the uniform share 1 / n_tokens; 0 for none
    words     written in place of values, for the low end, the middle and the high end
    """

    colour_map: str
    low: float = 0.0
    high: float = 1.0
    unit: str = ""
    shares: bool = False
    n_tokens: int = 0
    words: Sequence[str] = ()


def sheet(
    panels: Sequence[Panel],
    columns: int,
    bars: Sequence[Bar],
    *,
    side: float,
    title: str = "",
    caption: str = "",
    rows: Sequence[str] = (),
) -> Figure:
    """Lay `panels` row by row.

    bars     one stands beside the pictures; several, with words, lie below them; none need be there
    side     inches of the longest side of a picture
    caption  small print under all
    rows     names of the rows
    """
    lines = [panels[at : at + columns] for at in range(0, len(panels), columns)]
    width = max(NAME_WIDTH * any(one.name for one in panels), *(_inches(one, side)[1] for one in panels))
    heights = [max(_inches(one, side)[0] for one in line) for line in lines]
    above = [LINE * max(bool(one.name) + bool(one.about) for one in line) for line in lines]
    left = MARGIN + ROW_NAME * any(rows)
    right = left + len(lines[0]) * (width + GAP)
    used = sum(heights) + sum(above[1:]) + GAP * (len(lines) - 1)
    if len(bars) == 1:
        bar_left = right + BAR_LEFT * bool(bars[0].n_tokens)
        page_width, body, below = bar_left + BAR + BAR_RIGHT + MARGIN, max(used, BAR_HEIGHT), 0.0
    else:
        page_width, body, below = max(right - GAP + MARGIN, BARS_WIDTH), used, BARS * bool(bars)
    title, title_height = _wrapped(title, TITLE, page_width)
    caption, caption_height = _wrapped(caption, SMALL, page_width)
    top = MARGIN + title_height + above[0]
    page = Page(page_width, top + body + below + caption_height + MARGIN)
    page.write(MARGIN, MARGIN, title, TITLE, va="top")
    page.write(MARGIN, page.height - MARGIN, caption, SMALL, color="0.3")
    at = top + (body - used) / 2 - above[0]
    for line, height, room, name in zip(lines, heights, above, [*rows, *[""] * len(lines)], strict=False):
        at += room
        middle = at + height / 2
        page.write(left - GAP, middle, textwrap.fill(name, 14), NAME, ha="right", va="center")
        for column, panel in enumerate(line):
            _place(page, panel, left + column * (width + GAP), at, (height, width), side)
        at += height + GAP
    if len(bars) == 1:
        tall = min(body, 3 * side)
        _beside(page.axes(bar_left, top + (body - tall) / 2, BAR, tall), bars[0])
    else:
        for number, bar in enumerate(bars):
            room = (page.width - 2 * MARGIN) / len(bars)
            _below(page.axes(MARGIN + number * room, top + body + 0.3, room - 0.5, 0.13), bar)
    return page.figure


def _inches(panel: Panel, side: float) -> tuple[float, float]:
    """The height and the width of a picture whose longest side is `side` inches."""
    if panel.picture is None:
        return 0.0, 0.0
    height, width = panel.picture.shape[:2]
    return side * height / max(height, width), side * width / max(height, width)


def _place(page: Page, panel: Panel, left: float, top: float, room: tuple[float, float], side: float) -> None:
    """Draw a panel in the middle of its `room`, (height, width) inches, below its name."""
    height, width = _inches(panel, side)
    if panel.picture is not None:
        show(page.axes(left + (room[1] - width) / 2, top + (room[0] - height) / 2, width, height), panel.picture)
    letters = int(room[1] * 72 / (0.5 * NAME))
    for up, words, colour in ((bool(panel.about), panel.name, "black"), (0, panel.about, "0.35")):
        if words:
            words = textwrap.shorten(words, letters, placeholder=" …")
            middle, bottom = left + room[1] / 2, top - 0.03 - up * LINE
            page.write(middle, bottom, words, NAME, color=colour, ha="center", va="bottom")


def _beside(ax: Axes, bar: Bar) -> None:
    _drawn(ax.figure, bar, NAME if bar.n_tokens else SMALL, cax=ax)
    ax.tick_params(labelsize=SMALL)
    if bar.n_tokens:
        ax.yaxis.set_ticks_position("left")
        ax.yaxis.set_label_position("left")
        uniform = ax.secondary_yaxis(
            "right", functions=(partial(np.multiply, bar.n_tokens), partial(np.multiply, 1 / bar.n_tokens))
        )
        uniform.set_ylabel(f"× uniform (1/{bar.n_tokens})", fontsize=NAME)
        uniform.tick_params(labelsize=SMALL)
        uniform.spines[:].set_visible(False)


def _below(ax: Axes, bar: Bar) -> None:
    drawn = _drawn(ax.figure, bar, SMALL, cax=ax, orientation="horizontal")
    drawn.set_ticks([bar.low, (bar.low + bar.high) / 2, bar.high], labels=bar.words)
    ax.tick_params(labelsize=SMALL, length=0)
    first, _, last = ax.get_xticklabels()
    first.set_horizontalalignment("left")
    last.set_horizontalalignment("right")


def _drawn(figure: Figure | SubFigure, bar: Bar, size: float | str, **where: Any) -> Colorbar:
    """Draw the bar and its unit in axes of its own (`cax`), or in room taken from others (`ax`)."""
    high = bar.high if bar.high > bar.low else bar.low + 1
    drawn = figure.colorbar(ScalarMappable(Normalize(bar.low, high), bar.colour_map), **where)
    drawn.outline.set_visible(False)
    drawn.set_label(bar.unit, fontsize=size, parse_math=False)
    if bar.shares:
        drawn.ax.yaxis.set_major_formatter(PercentFormatter(xmax=1))
    return drawn


def _wrapped(text: str, points: float, inches: float) -> tuple[str, float]:
    """Wrap `text` to a width, and return it with the height that it needs in inches."""
    lines = textwrap.wrap(text, width=int(inches * 72 / (0.58 * points)))  # 0.58 em: a wide mean letter of DejaVu Sans
    return "\n".join(lines), len(lines) * 1.3 * points / 72 + MARGIN * bool(lines)


def draw_on(ax: Axes, picture: np.ndarray, bar: Bar, title: str) -> None:
    """Draw a painted map on the caller's axes, with a bar that takes its room from them."""
    show(ax, picture, "equal")
    ax.set_title(title, fontsize="small", parse_math=False)
    _drawn(ax.figure, bar, "small", ax=ax)


def bar_alone(height: int, bar: Bar) -> np.ndarray:
    """The bar as a picture, (height, W, 3) uint8, to stand beside the frames of a film."""
    page = Page(0.92, height / SCREEN)
    ax = page.axes(0.1, 0.12, 0.14, page.height - 2 * 0.12)
    _drawn(ax.figure, bar, SMALL, cax=ax)
    ax.tick_params(labelsize=SMALL)
    return pixels(page.figure)[:height]
