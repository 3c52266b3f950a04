"""Writes pictures as a film: .gif by Pillow; .mp4 (H.264) and .webm (VP9) by PyAV, an extra."""

import json
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import IO, Any

import numpy as np
from PIL import Image
from PIL.GifImagePlugin import getdata, getheader

from vizapp.errors import VizError, check_ending, writing
from vizapp.wording import Text

CODECS = {".mp4": "libx264", ".webm": "libvpx-vp9"}
SUFFIXES = (".gif", *CODECS)
RATE = 10  # pictures per second in the file; a figure is repeated for as long as it should be seen
SHORTEST = 0.02  # seconds: browsers show shorter frames of a .gif for 0.1
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


def even(picture: np.ndarray) -> np.ndarray:
    """(H, W, 3) uint8 with even sides: an odd last row or column is cut off."""
    return np.ascontiguousarray(picture[: picture.shape[0] // 2 * 2, : picture.shape[1] // 2 * 2])


def write_film(
    shown: Iterable[tuple[np.ndarray, float]],
    path: Path,
    about: Mapping[str, Any],
    some: Iterable[np.ndarray] = (),
    colours: np.ndarray | None = None,
) -> int:
    """Write a film frame by frame, with one in memory at a time. Returns the number of frames.

    shown    frames (H, W, 3) uint8 of one shape, with even sides, each with the seconds that it is to be seen
    about    goes into the file as a comment
    some     frames from which the colours of a .gif are chosen, 256 in all; taken for no other film
    colours  (256, 3) uint8 of the colour map, which a .gif must not lose
    """
    check_name(path)
    text = json.dumps(about, default=str)
    with writing(path):
        if path.suffix.lower() != ".gif":
            return _encoded(shown, path, text)
        assert colours is not None, "a .gif has 256 colours: say which"
        palette = palette_of(some, colours)
        with path.open("wb") as file:
            return _write_gif(shown, file, text, palette)


def repeated(frames: Iterable[np.ndarray], seconds: float, path: Path) -> Iterator[tuple[np.ndarray, float]]:
    """Frames that are each to be seen for `seconds`, as `write_film` takes them: only a .gif shows one frame for long."""
    is_gif = path.suffix.lower() == ".gif"
    times, each = (1, seconds) if is_gif else (max(1, round(seconds * RATE)), 1 / RATE)
    return ((one, each) for one in frames for _ in range(times))


def palette_of(frames: Iterable[np.ndarray], colours: np.ndarray) -> Image.Image:
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


def _write_gif(shown: Iterable[tuple[np.ndarray, float]], file: IO[bytes], comment: str, palette: Image.Image) -> int:
    """Write a .gif frame by frame: Pillow's own writer of films keeps all frames in memory until the last one arrives."""
    count, left, before = 0, 0.0, np.zeros(0)
    for count, (one, seconds) in enumerate(shown, 1):
        picture = Image.fromarray(one).quantize(palette=palette, dither=Image.Dither.NONE)
        now, box = np.asarray(picture), (0, 0, picture.width, picture.height)
        if count == 1:
            file.writelines(getheader(picture, info={"loop": 0, "comment": comment.encode()})[0])
        else:
            box = _changed(before, now)  # only this part is written, which is small for most frames
        before = now
        left += max(seconds, SHORTEST)
        hundredths = round(100 * left)  # the rest goes to the next frame, so that the film does not drift
        left -= hundredths / 100
        # 1: the frame stays visible outside the next, smaller one.
        file.writelines(getdata(picture.crop(box), box[:2], duration=10 * hundredths, disposal=1))
    file.write(b";")
    return count


def _changed(before: np.ndarray, now: np.ndarray) -> tuple[int, int, int, int]:
    """Left, top, right, bottom of the part that differs; one pixel if nothing does."""
    rows, cols = (np.flatnonzero((before != now).any(axis)) for axis in (1, 0))
    if not len(rows):
        return 0, 0, 1, 1
    return int(cols[0]), int(rows[0]), int(cols[-1]) + 1, int(rows[-1]) + 1


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
