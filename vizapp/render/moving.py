"""Figures one after the other as a film: .gif by Pillow; .mp4 (H.264) and .webm (VP9) by PyAV, an extra."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

from vizapp.errors import VizError, writing
from vizapp.render.files import check_ending
from vizapp.wording import Text

CODECS = {".mp4": "libx264", ".webm": "libvpx-vp9"}
SUFFIXES = (".gif", *CODECS)
RATE = 10  # pictures per second in the file; each figure is repeated as often as it is to be seen
DPI = 100


def check_name(path: Path) -> None:
    """Raises `VizError` for a name that is no film's, and where PyAV is missing for one that needs it."""
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
    """(H, W, 3) uint8 of a figure, with even sides, as encoders ask for."""
    figure.set_dpi(DPI)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    picture = np.asarray(canvas.buffer_rgba())[..., :3]
    return np.ascontiguousarray(picture[: picture.shape[0] // 2 * 2, : picture.shape[1] // 2 * 2])


def save_film(
    frames: Sequence[np.ndarray], path: Path, seconds: float, about: Mapping[str, Any], colours: np.ndarray
) -> None:
    """Write frames (H, W, 3) uint8 of one shape, each to be seen for `seconds`; `about` goes into the file as a comment.

    colours  (256, 3) uint8 of the colour map, which a .gif, of 256 colours in all, must not lose
    """
    check_name(path)
    text = json.dumps(about, default=str)
    with writing(path):
        if path.suffix.lower() == ".gif":
            _gif(frames, path, seconds, text, colours)
        else:
            _encoded(frames, path, seconds, text)


def _gif(frames: Sequence[np.ndarray], path: Path, seconds: float, text: str, colours: np.ndarray) -> None:
    # One palette for all, or the same value would change its colour from frame to frame. A third of it are the colours of
    # the bar and the greys of its letters, which are too few pixels for any quantiser to care for.
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
    pictures = [Image.fromarray(one).quantize(palette=palette, dither=Image.Dither.NONE) for one in frames]
    milliseconds = max(20, round(seconds * 1000))
    pictures[0].save(
        path,
        save_all=True,
        append_images=pictures[1:],
        duration=milliseconds,
        loop=0,
        comment=text.encode(),
        optimize=False,
    )


def _encoded(frames: Sequence[np.ndarray], path: Path, seconds: float, text: str) -> None:
    av = _av()
    height, width = frames[0].shape[:2]
    more = {"movflags": "+faststart+use_metadata_tags"} if path.suffix.lower() == ".mp4" else {}
    with av.open(str(path), "w", options=more) as container:
        container.metadata["comment"] = text
        stream = container.add_stream(CODECS[path.suffix.lower()], rate=RATE)
        stream.width, stream.height, stream.pix_fmt = width, height, "yuv420p"  # the one that every browser plays
        stream.options = {"crf": "20"} if path.suffix.lower() == ".mp4" else {"crf": "24", "b:v": "0", "cpu-used": "5"}
        times = max(1, round(seconds * RATE))
        for number, one in enumerate(one for one in frames for _ in range(times)):
            frame = av.VideoFrame.from_ndarray(one, format="rgb24")
            frame.pts, frame.time_base = number, Fraction(1, RATE)
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
