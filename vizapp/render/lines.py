"""Draws curves of many methods in one figure, and their agreement as a coloured table, in the colour of a page's text."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from vizapp.render.colour import DIVERGING
from vizapp.render.figure import INK

TEN = "tab10"
DASHES = ("solid", "dashed", "dotted")
SMALL = 9  # points


@dataclass(frozen=True)
class Stroke:
    """The look of a line: its colour, and "solid", "dashed" or "dotted", which the page's legend understands too."""

    colour: str
    dashes: str


def strokes(names: Iterable[str], baselines: Collection[str] = ()) -> dict[str, Stroke]:
    """A stroke for each name: nine colours, then the same colours dashed and dotted. Baselines are grey."""
    ten = [matplotlib.colormaps[TEN](index)[:3] for index in range(10)]
    colours = [colour for colour in ten if max(colour) - min(colour) > 0.1]  # without its grey
    found, grey = {}, iter(["dotted", "dashed"] * len(baselines))
    methods = 0
    for name in names:
        if name in baselines:
            found[name] = Stroke("#8a8a8a", next(grey))
        else:
            turn, which = divmod(methods, len(colours))
            found[name] = Stroke(matplotlib.colors.to_hex(colours[which]), DASHES[turn % len(DASHES)])
            methods += 1
    return found


def lines(
    curves: Mapping[str, tuple[np.ndarray, np.ndarray]],
    drawn_as: Mapping[str, Stroke],
    *,
    x: str,
    y: str,
    bounds: tuple[float, float],
    ticks: Sequence[str] = (),
) -> Figure:
    """Draw curves, each (along x, along y). `ticks` name 0, 1, 2 ... along x; without them x goes from 0 to 100 %."""
    drawn, ax = _chart(4.6, 3.1)
    for name, (along, values) in curves.items():
        stroke = drawn_as[name]
        ax.plot(along, values, color=stroke.colour, linestyle=stroke.dashes, linewidth=1.8, gid=f"line-{name}")
    ax.set_ylim(*bounds)
    ax.set_xlabel(x, fontsize=SMALL, color=INK)
    ax.set_ylabel(y, fontsize=SMALL, color=INK)
    if ticks:
        ax.set_xticks(range(len(ticks)), ticks, rotation=30, ha="right")
    else:
        ax.set_xlim(0, 1)
        ax.xaxis.set_major_formatter(matplotlib.ticker.PercentFormatter(xmax=1))
    ax.grid(color=INK, alpha=0.15)
    ax.spines[["left", "bottom"]].set_visible(True)
    ax.spines[["left", "bottom"]].set_color(INK)
    return drawn


def matrix(names: Sequence[str], values: np.ndarray) -> Figure:
    """Draw (name, name) values from -1 to 1, each as a colour and a number. NaN stays empty."""
    side = 0.42 * len(names)
    drawn, ax = _chart(side + 1.6, side + 1.2)
    ax.pcolormesh(values, cmap=DIVERGING[0], vmin=-1, vmax=1, edgecolor="white", linewidth=0.5)
    for row, col in np.ndindex(values.shape):
        value = values[row, col]
        words = "\u2013" if np.isnan(value) else f"{value:.2f}".replace("0.", ".").replace("1.00", "1")
        colour = "white" if abs(values[row, col]) > 0.85 else "black"
        ax.text(col + 0.5, row + 0.5, words, ha="center", va="center", fontsize=8, color=colour)
    middles = np.arange(len(names)) + 0.5
    ax.set_xticks(middles, names, rotation=45, ha="right")
    ax.set_yticks(middles, names)
    ax.invert_yaxis()
    ax.set_aspect("equal")
    ax.tick_params(length=0)
    return drawn


def _chart(width: float, height: float) -> tuple[Figure, Axes]:
    """A figure and its axes, without an edge, in the colour of the page's text."""
    drawn = Figure(figsize=(width, height), layout="constrained")
    ax = drawn.add_subplot()
    ax.tick_params(labelsize=SMALL, colors=INK)
    ax.spines[:].set_visible(False)
    return drawn, ax
