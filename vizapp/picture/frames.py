"""Reads films: yields a file's pictures one at a time, each with its duration. Sound is ignored."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from PIL import Image, UnidentifiedImageError

from vizapp.errors import VizError
from vizapp.picture import read_picture

ENDINGS = (".mp4", ".webm", ".avi", ".mov", ".mkv", ".m4v", ".mpg", ".mpeg", ".ogv")
STANDING = 0.1  # seconds of a .gif's picture without a duration, as in browsers
USUAL = 1 / 25  # seconds of a frame of a film without times
LONGEST = 60.0  # seconds: beyond it a time stamp is an accident


@dataclass(frozen=True)
class Footage:
    """A film that can be read again and again, from its beginning. See `footage`."""

    path: Path
    is_animation: bool
    count: int  # frames according to the file, which may be wrong; 0 if it does not tell

    def frames(self, start: int = 0) -> Iterator[tuple[np.ndarray, float]]:
        """Yield each frame from `start` on, (H, W, 3) uint8 RGB, upright, over white, with its duration in seconds. Only one is
        in memory at a time."""
        return self._animated(start) if self.is_animation else self._decoded(start)

    def _animated(self, start: int) -> Iterator[tuple[np.ndarray, float]]:
        with Image.open(self.path) as film:
            for number in range(start, self.count):
                film.seek(number)
                seconds = film.info.get("duration", 0) / 1000
                yield read_picture(film), seconds if seconds > 0 else STANDING

    def _decoded(self, start: int) -> Iterator[tuple[np.ndarray, float]]:
        # Frames tell when they begin, so the duration of one is known only when the next arrives.
        film = _opened(self.path)
        try:
            before: tuple[np.ndarray, float] | None = None
            rate = film.get(cv2.CAP_PROP_FPS)
            usual = 1 / rate if 1 <= rate <= 240 else USUAL  # a recording by a browser may claim 1000
            for _ in range(start):  # by decoding, since seeking by number finds the wrong frame in many files
                if not film.grab():
                    return
            while True:
                is_there, bgr = film.read()
                if not is_there:
                    break
                now = film.get(cv2.CAP_PROP_POS_MSEC) / 1000
                if before is not None:
                    seconds = now - before[1]
                    yield before[0], seconds if 0 < seconds < LONGEST else usual
                before = cv2.cvtColor(bgr, cv2.COLOR_BGR2RGB), now
            if before is not None:
                yield before[0], usual
        finally:
            film.release()


def is_film(path: str | os.PathLike[str]) -> bool:
    """Tell whether a file is a film, judging by its ending; for a .gif, .webp or .png, by its number of pictures."""
    return Path(path).suffix.lower() in ENDINGS or _n_pictures(Path(path)) > 1


def footage(path: str | os.PathLike[str]) -> Footage:
    """Open a film: .mp4, .webm, .avi and anything else that opencv reads, or an animated .gif, .webp or .png.

    Raises `VizError`: no file, no film, no frame in it.
    """
    path = Path(path)
    if not os.path.isfile(path):  # False for what no path can be, too
        raise VizError("There is no file '{path}'.", "Check the path.", path=path)
    if not is_film(path) and _n_pictures(path) == 1:
        raise VizError(
            "'{name}' is one picture, and a film was expected.",
            "vizapp.film shows one picture through the layers.",
            name=path.name,
        )
    if is_film(path) and path.suffix.lower() not in ENDINGS:
        return Footage(path, True, _n_pictures(path))
    film = _opened(path)
    try:
        if not film.grab():
            raise VizError("There is no frame in '{name}' that can be read.", "Save it again as .mp4.", name=path.name)
        count = film.get(cv2.CAP_PROP_FRAME_COUNT)
    finally:
        film.release()
    return Footage(path, False, int(count) if 0 < count < 2**31 else 0)


def _n_pictures(path: Path) -> int:
    """The number of pictures in a file; 0 if Pillow does not know the format."""
    try:
        with Image.open(path) as picture:
            return int(getattr(picture, "n_frames", 1))
    except (OSError, UnidentifiedImageError, ValueError, SyntaxError):
        return 0


def _opened(path: Path) -> Any:
    film = cv2.VideoCapture(str(path), cv2.CAP_FFMPEG)
    if not film.isOpened():
        raise VizError(
            "'{name}' is not a film that can be read here.",
            "Save it as .mp4 (H.264), .webm (VP9), .avi or .gif.",
            name=path.name,
        )
    return film
