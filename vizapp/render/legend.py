"""Draws the colour bar of a film once, with its unit, as high as the frames beside it."""

from __future__ import annotations

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from vizapp.render.gridded import ColourBar
from vizapp.render.letters import lettered

DPI = 100
WIDTH, LEFT, BAR, EDGE = 0.92, 0.1, 0.14, 0.12  # inches: of all, and of its parts


def legend(height: int, scale: ColourBar) -> np.ndarray:
    """The colour bar as a picture, (height, W, 3) uint8."""
    inches = height / DPI
    drawn = Figure(figsize=(WIDTH, inches), dpi=DPI, facecolor="white")
    cax = drawn.add_axes((LEFT / WIDTH, EDGE / inches, BAR / WIDTH, 1 - 2 * EDGE / inches))
    high = scale.high if scale.high > scale.low else scale.low + 1
    bar = drawn.colorbar(ScalarMappable(Normalize(scale.low, high), scale.colour_map), cax=cax)
    bar.outline.set_visible(False)
    cax.tick_params(labelsize=7)
    cax.set_ylabel(scale.unit, fontsize=7, parse_math=False)
    if scale.shares:
        cax.yaxis.set_major_formatter(PercentFormatter(xmax=1))
    lettered(drawn)
    canvas = FigureCanvasAgg(drawn)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[:height, :, :3]
