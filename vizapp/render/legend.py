"""Draws the colour bar of a film once, with its unit, as high as the frames beside it."""

from __future__ import annotations

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from vizapp.render.gridded import ColourBar, colour_bar
from vizapp.render.letters import lettered

DPI = 100
WIDTH, LEFT, BAR, EDGE = 0.92, 0.1, 0.14, 0.12  # inches: of all, and of its parts


def legend(height: int, scale: ColourBar) -> np.ndarray:
    """The colour bar as a picture, (height, W, 3) uint8."""
    inches = height / DPI
    drawn = Figure(figsize=(WIDTH, inches), dpi=DPI, facecolor="white")
    cax = drawn.add_axes((LEFT / WIDTH, EDGE / inches, BAR / WIDTH, 1 - 2 * EDGE / inches))
    colour_bar(drawn, scale, 7, cax=cax)
    cax.tick_params(labelsize=7)
    lettered(drawn)
    canvas = FigureCanvasAgg(drawn)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[:height, :, :3]
