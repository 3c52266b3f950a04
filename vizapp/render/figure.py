"""Opens a figure whose parts are placed in inches, and makes a file, an SVG of a page, or pixels of it."""

import io
import json
import os
import threading
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from vizapp.errors import check_ending, writing
from vizapp.render.letters import lettered
from vizapp.wording import Text

SUFFIXES = (".png", ".svg", ".pdf", ".eps", ".tif", ".tiff")
DPI = 200  # of a file
SCREEN = 100  # dpi of pixels

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


class Page:
    """A figure that pyplot does not manage. Its parts are placed in inches from its left and its top."""

    def __init__(self, width: float, height: float) -> None:
        self.width, self.height = width, height
        self.figure = Figure(figsize=(width, height), facecolor="white")

    def axes(self, left: float, top: float, width: float, height: float) -> Axes:
        """Axes that fill a rectangle."""
        bottom = self.height - top - height
        return self.figure.add_axes((left / self.width, bottom / self.height, width / self.width, height / self.height))

    def write(self, left: float, top: float, words: str, points: float, **look: Any) -> None:
        """Write `words`, in which no sign is read as mathematics: a name may hold any."""
        at = left / self.width, 1 - top / self.height
        self.figure.text(*at, words, fontsize=points, parse_math=False, **look)


def show(ax: Axes, picture: np.ndarray, aspect: Literal["auto", "equal"] = "auto") -> None:
    """Show a picture, (H, W, 3) uint8, alone on its axes, each pixel as it is."""
    ax.imshow(picture, interpolation="none", aspect=aspect)
    ax.set_axis_off()


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


def pixels(figure: Figure) -> np.ndarray:
    """`figure` as a picture, (H, W, 3) uint8."""
    lettered(figure)
    figure.set_dpi(SCREEN)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[..., :3]
