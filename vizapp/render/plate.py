"""Draws named panels as one picture to save: painted maps under their names, and below them the colours explained."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure

PANEL, GAP, MARGIN = 2.2, 0.14, 0.2  # inches
NAME, BAR, HEAD = 0.46, 0.75, 0.4  # room for two lines above a panel, for the bars, for the title


@dataclass(frozen=True)
class Panel:
    """A painted picture, (H, W, 3) uint8, with its name and a second, smaller line."""

    name: str
    about: str
    picture: np.ndarray = field(repr=False)


@dataclass(frozen=True)
class Bar:
    """Explains a colour map by words for its two ends and its middle ("" for none)."""

    colour_map: str
    low: str
    middle: str
    high: str


def plate(panels: Sequence[Panel], bars: Sequence[Bar], columns: int = 4, title: str = "") -> Figure:
    """A grid of panels, row by row, with `bars` below. All pictures have one shape."""
    rows, columns = -(-len(panels) // columns), min(columns, len(panels))
    height, width = (PANEL * side / max(panels[0].picture.shape[:2]) for side in panels[0].picture.shape[:2])
    canvas_w = max(2 * MARGIN + columns * (width + GAP) - GAP, 6.0)
    canvas_h = 2 * MARGIN + HEAD + rows * (height + NAME + GAP) + BAR
    drawn = Figure(figsize=(canvas_w, canvas_h), facecolor="white")
    drawn.text(MARGIN / canvas_w, 1 - MARGIN / canvas_h, title, fontsize=11, va="top", parse_math=False)
    letters = int(width * 72 / (0.5 * 8))
    for number, panel in enumerate(panels):
        row, column = divmod(number, columns)
        left = MARGIN + column * (width + GAP)
        bottom = canvas_h - MARGIN - HEAD - (row + 1) * (height + NAME) - row * GAP
        ax = drawn.add_axes((left / canvas_w, bottom / canvas_h, width / canvas_w, height / canvas_h))
        ax.imshow(panel.picture, interpolation="none", aspect="auto")
        ax.set_axis_off()
        for text, above, size, colour in ((panel.name, 0.22, 9, "black"), (panel.about, 0.06, 8, "0.35")):
            words = textwrap.shorten(text, letters, placeholder=" …")
            drawn.text(
                left / canvas_w,
                (bottom + height + above) / canvas_h,
                words,
                fontsize=size,
                color=colour,
                parse_math=False,
            )
    for number, bar in enumerate(bars):
        room = (canvas_w - 2 * MARGIN) / len(bars)
        left = MARGIN + number * room
        place = left / canvas_w, (MARGIN + 0.25) / canvas_h, (room - 0.5) / canvas_w, 0.13 / canvas_h
        ax = drawn.add_axes(place)
        scale = drawn.colorbar(ScalarMappable(Normalize(0, 1), bar.colour_map), cax=ax, orientation="horizontal")
        scale.outline.set_visible(False)
        scale.set_ticks([0, 0.5, 1], labels=[bar.low, bar.middle, bar.high])
        ax.tick_params(labelsize=7, length=0)
        first, _, last = ax.get_xticklabels()
        first.set_horizontalalignment("left")
        last.set_horizontalalignment("right")
    return drawn
