"""Writes figures as a film: .gif by Pillow; .mp4 (H.264) and .webm (VP9) by PyAV, an extra."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

from vizapp.errors import VizError, writing
from vizapp.render.files import check_ending
from vizapp.render.gif import write_gif
from vizapp.wording import Text

CODECS = {".mp4": "libx264", ".webm": "libvpx-vp9"}
SUFFIXES = (".gif", *CODECS)
RATE = 10  # pictures per second in the file; a figure is repeated for as long as it should be seen
DPI = 100
MILLISECOND = Fraction(1, 1000)


def check_name(path: Path) -> None:
    """Raise `VizError` for a name that is not a film's, and if a film needs PyAV and it is missing."""
    check_ending(path, SUFFIXES, Text("A film cannot be saved as '{name}'.", name=path.name))
    if path.suffix.lower() in CODECS:
        _av()


def _av() -> Any:
    try:
        import av
    except ImportError:
        raise VizError(
            "Films in .mp4 and .webm need the package av, which is not installed.",
            'pip install "vizapp[film]", or name it .gif.',
        ) from None
    return av


def frame_of(figure: Figure) -> np.ndarray:
    """A figure as (H, W, 3) uint8 with even sides, as encoders require."""
    figure.set_dpi(DPI)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return even(np.asarray(canvas.buffer_rgba())[..., :3])


def even(picture: np.ndarray) -> np.ndarray:
    """(H, W, 3) uint8 with even sides: an odd last row or column is cut off."""
    return np.ascontiguousarray(picture[: picture.shape[0] // 2 * 2, : picture.shape[1] // 2 * 2])


def save_film(
    frames: Sequence[np.ndarray], path: Path, seconds: float, about: Mapping[str, Any], colours: np.ndarray
) -> None:
    """Write frames (H, W, 3) uint8 of one shape, each to be seen for `seconds`; `about` goes into the file as a comment.

    colours  (256, 3) uint8 of the colour map, which a .gif, of 256 colours in all, must not lose
    """
    check_name(path)
    if path.suffix.lower() == ".gif":
        write_film(((one, seconds) for one in frames), path, about, palette_of(frames, colours))
    else:
        times = max(1, round(seconds * RATE))
        write_film(((one, 1 / RATE) for one in frames for _ in range(times)), path, about)


def write_film(
    shown: Iterable[tuple[np.ndarray, float]],
    path: Path,
    about: Mapping[str, Any],
    palette: Image.Image | None = None,
) -> int:
    """Write a film frame by frame, with one in memory at a time. Returns the number of frames.

    shown    frames (H, W, 3) uint8 of one shape, with even sides, each with the seconds that it is to be seen
    about    goes into the file as a comment
    palette  of a .gif: see `palette_of`
    """
    check_name(path)
    text = json.dumps(about, default=str)
    with writing(path):
        if path.suffix.lower() == ".gif":
            assert palette is not None, "a .gif has 256 colours: say which"
            with path.open("wb") as file:
                return write_gif(shown, file, text, palette)
        return _encoded(shown, path, text)


def palette_of(frames: Sequence[np.ndarray], colours: np.ndarray) -> Image.Image:
    """256 colours for frames like these, as a picture of mode P.

    All frames share one palette, or a value would change its colour from frame to frame. A third of it is reserved for the
    colours of the bar and the greys of its text, whose few pixels a quantiser would ignore.
    """
    every = Image.fromarray(np.concatenate([one[::2, ::2] for one in frames]))
    fixed = np.concatenate(
        [
            colours[np.linspace(0, 255, 64).round().astype(int)],
            np.linspace(0, 255, 16).astype(np.uint8)[:, None].repeat(3, 1),
        ]
    )
    free = every.quantize(256 - len(fixed), method=Image.Quantize.MEDIANCUT).getpalette() or []
    palette = Image.new("P", (1, 1))
    palette.putpalette([*fixed.flatten().tolist(), *free[: 3 * (256 - len(fixed))]])
    return palette


def _encoded(shown: Iterable[tuple[np.ndarray, float]], path: Path, text: str) -> int:
    av = _av()
    is_mp4 = path.suffix.lower() == ".mp4"
    more = {"movflags": "+faststart+use_metadata_tags"} if is_mp4 else {}
    count, begun = 0, 0.0
    with av.open(str(path), "w", options=more) as container:
        container.metadata["comment"] = text
        # Each frame has its own time. An encoder distributes its bits by a rate all the same.
        stream = container.add_stream(CODECS[path.suffix.lower()], rate=Fraction(RATE).limit_denominator(1001))
        stream.pix_fmt = "yuv420p"  # the one that every browser plays
        stream.options = {"crf": "20"} if is_mp4 else {"crf": "24", "b:v": "0", "cpu-used": "5"}
        stream.codec_context.time_base = MILLISECOND
        for count, (one, seconds) in enumerate(shown, 1):
            if count == 1:
                stream.height, stream.width = one.shape[:2]
            frame = av.VideoFrame.from_ndarray(one, format="rgb24")
            frame.pts, frame.time_base = round(begun * 1000), MILLISECOND
            container.mux(stream.encode(frame))
            begun += seconds
        container.mux(stream.encode(None))
    return count
