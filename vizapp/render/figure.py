"""Draws the heatmap as a figure for a paper: picture, overlay, and a colour bar that explains the colours."""

from __future__ import annotations

import io
import json
import os
import textwrap
import threading
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from vizapp.errors import writing
from vizapp.render.files import check_ending
from vizapp.render.gridded import ColourBar, colour_bar
from vizapp.render.letters import lettered
from vizapp.render.overlay import Style, overlay
from vizapp.render.small import resized
from vizapp.wording import Text

if TYPE_CHECKING:
    from vizapp.model.frame import Frame

SHARE = Text("share of the query's attention")
SUFFIXES = (".png", ".svg", ".pdf", ".eps", ".tif", ".tiff")
DPI = 200
PIXELS = (
    800,
    1600,
)  # longest side; smaller pictures are enlarged by repeating pixels, so that edges of cells stay sharp

# Inches. Positions are computed, so that a picture fills its axes and the bar is as high as the picture.
PANEL = 3.6  # longest side of a picture
MARGIN, GAP = 0.1, 0.12
BAR_LEFT, BAR, BAR_RIGHT = 0.85, 0.14, 0.6  # labels and ticks, the bar itself, the second axis
BAR_HEIGHT = 1.6  # at least
TITLE, CAPTION = 10, 7  # points

# Without a date and with a fixed salt, equal figures are equal files. Text stays text; PDF fonts stay editable.
METADATA: dict[str, dict[str, Any]] = {
    ".png": {"Software": None},
    ".svg": {"Date": None},
    ".pdf": {"CreationDate": None},
    ".eps": {},
}
SETTINGS = {"svg.fonttype": "none", "svg.hashsalt": "vizapp", "pdf.fonttype": 42}

INK = "#123450"  # a placeholder that `svg` replaces by the colour of the page's text

_settings = threading.Lock()  # matplotlib's settings are global: two threads would restore each other's changes


def figure(
    picture: np.ndarray,
    frame: Frame,
    scores: np.ndarray,
    style: Style | None = None,
    *,
    title: str = "",
    caption: str = "",
    unit: str = SHARE,
    n_tokens: int | None = None,
    hidden: np.ndarray | None = None,
) -> Figure:
    """Draw `scores` (rows, cols) over `picture` as a matplotlib Figure that pyplot does not manage.

    caption   small print under the pictures: model, layer, head, method, relevance of prefix tokens
    unit      of a score, written along the colour bar
    n_tokens  if scores are shares: shows the bar in per cent, with a second axis in multiples of the uniform share
              1 / n_tokens; 0 for no such axis
    hidden    as for `overlay`
    """
    style = style or Style()
    picture, frame = resized(picture, frame, PIXELS)
    panels = [picture, overlay(picture, frame, scores, style, hidden)]
    height, width = (PANEL * side / max(picture.shape[:2]) for side in picture.shape[:2])
    bar_x = MARGIN + len(panels) * (width + GAP) + BAR_LEFT
    canvas_w = bar_x + BAR + BAR_RIGHT + MARGIN
    title, title_h = _wrapped(title, TITLE, canvas_w)
    caption, caption_h = _wrapped(caption, CAPTION, canvas_w)
    body = max(height, BAR_HEIGHT)
    canvas_h = title_h + body + caption_h + 2 * MARGIN
    middle = caption_h + MARGIN + body / 2

    drawn = Figure(figsize=(canvas_w, canvas_h))

    def place(x: float, w: float, h: float) -> Axes:
        """Axes of `w` x `h` inches, `x` from the left, half-way up the body."""
        return drawn.add_axes((x / canvas_w, (middle - h / 2) / canvas_h, w / canvas_w, h / canvas_h))

    for nth, panel in enumerate(panels):
        ax = place(MARGIN + nth * (width + GAP), width, height)
        ax.imshow(panel, interpolation="none", aspect="auto")
        ax.set_axis_off()
    _colour_bar(place(bar_x, BAR, body), style, style.range_of(scores), unit, n_tokens)
    drawn.text(MARGIN / canvas_w, 1 - MARGIN / canvas_h, title, fontsize=TITLE, va="top", parse_math=False)
    drawn.text(MARGIN / canvas_w, MARGIN / canvas_h, caption, fontsize=CAPTION, color="0.3", parse_math=False)
    return drawn


def _colour_bar(ax: Axes, style: Style, bounds: tuple[float, float], unit: str, n_tokens: int | None) -> None:
    colour_bar(ax.figure, ColourBar(style.colours, *bounds, unit, n_tokens is not None), 8, cax=ax)
    ax.yaxis.set_ticks_position("left")
    ax.yaxis.set_label_position("left")
    ax.tick_params(labelsize=7)
    if n_tokens:
        uniform = ax.secondary_yaxis(
            "right", functions=(partial(np.multiply, n_tokens), partial(np.multiply, 1 / n_tokens))
        )
        uniform.set_ylabel(f"× uniform (1/{n_tokens})", fontsize=8)
        uniform.tick_params(labelsize=7)
        uniform.spines[:].set_visible(False)


def _wrapped(text: str, points: float, inches: float) -> tuple[str, float]:
    """Wrap `text` to a width, and return it with the height that it needs in inches."""
    lines = textwrap.wrap(text, width=int(inches * 72 / (0.58 * points)))  # 0.58 em: a wide mean letter of DejaVu Sans
    return "\n".join(lines), len(lines) * 1.3 * points / 72 + MARGIN * bool(lines)


def save(figure: Figure, path: str | Path, dpi: float = DPI, about: Mapping[str, Any] | None = None) -> None:
    """Write `figure` to a .png, .svg, .pdf, .eps or .tif file: the same bytes for the same figure, `about` and (.eps) name.

    about  the provenance for the file's metadata (see `vizapp.analysis.provenance`); {} for none
    Raises `VizError` for another ending, and if `path` cannot be written.
    """
    path = Path(path)
    suffix = path.suffix.lower()
    check_ending(path, SUFFIXES, Text("A figure cannot be saved as '{name}'.", name=path.name))
    date = datetime.fromisoformat(about["date"]) if about and "date" in about else datetime.fromtimestamp(0, UTC)
    dated = _dated(date) if suffix == ".eps" else nullcontext()
    lettered(figure)
    with writing(path), _settings, matplotlib.rc_context(SETTINGS), dated:
        figure.savefig(path, dpi=dpi, **_told(suffix, about or {}))


def _told(suffix: str, about: Mapping[str, Any]) -> dict[str, Any]:
    """The options of matplotlib's `savefig` that write `about` as JSON into the metadata of a format."""
    text, maker = json.dumps(about, default=str), f"vizapp {about.get('vizapp', '')}".strip()
    if suffix in (".tif", ".tiff"):  # as PIL calls them: ImageDescription and Software
        return {"pil_kwargs": {"description": text, "software": maker, "compression": "tiff_deflate"} if about else {}}
    if not about:
        return {"metadata": METADATA[suffix]}
    date = about.get("date")
    fields: dict[str, dict[str, Any]] = {
        ".png": {"Software": maker, "Creation Time": date, "Comment": text},  # as tEXt
        ".svg": {"Creator": maker, "Date": date, "Description": text},
        ".pdf": {"Creator": maker, "CreationDate": date and datetime.fromisoformat(date), "Keywords": text},
        ".eps": {"Creator": f"{maker} {text}"},
    }
    return {"metadata": fields[suffix]}


@contextmanager
def _dated(date: datetime) -> Iterator[None]:
    """Set the date of PostScript files, which matplotlib always writes and takes only from the environment."""
    before = os.environ.get("SOURCE_DATE_EPOCH")
    os.environ["SOURCE_DATE_EPOCH"] = str(int(date.timestamp()))
    try:
        yield
    finally:
        if before is None:
            del os.environ["SOURCE_DATE_EPOCH"]
        else:
            os.environ["SOURCE_DATE_EPOCH"] = before


def svg(figure: Figure) -> str:
    """`figure` as an SVG element of a page. Text stays text, and `INK` becomes the colour of the page's text."""
    stream = io.StringIO()
    lettered(figure)
    with _settings, warnings.catch_warnings(), matplotlib.rc_context(SETTINGS | {"font.family": "sans-serif"}):
        warnings.filterwarnings("ignore", "Glyph .* missing from font")  # the reader's browser draws these letters
        figure.savefig(stream, format="svg", transparent=True, metadata=METADATA[".svg"])
    text = stream.getvalue()
    return text[text.index("<svg") :].replace(INK, "currentColor")
