"""The door for films: a file becomes its pictures, one at a time, each with how long it is seen. Sound is left alone."""

from __future__ import annotations

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
STANDING = 0.1  # seconds of a picture of a .gif that says nothing, as browsers have it
USUAL = 1 / 25  # of a film that says nothing of time
LONGEST = 60.0  # seconds: beyond it a time stamp is an accident


@dataclass(frozen=True)
class Footage:
    """A film that can be read again and again, from its beginning. See `footage`."""

    path: Path
    is_animation: bool
    count: int  # as the file says, which may be wrong; 0: it says nothing

    def frames(self, start: int = 0) -> Iterator[tuple[np.ndarray, float]]:
        """(H, W, 3) uint8 RGB, upright, over white, and the seconds that it is seen; from frame `start` on. One is in memory at a
        time."""
        return self._animated(start) if self.is_animation else self._decoded(start)

    def _animated(self, start: int) -> Iterator[tuple[np.ndarray, float]]:
        with Image.open(self.path) as film:
            for number in range(start, self.count):
                film.seek(number)
                seconds = film.info.get("duration", 0) / 1000
                yield read_picture(film), seconds if seconds > 0 else STANDING

    def _decoded(self, start: int) -> Iterator[tuple[np.ndarray, float]]:
        # Frames say when they begin; how long one is seen is known when the next one comes.
        film = _opened(self.path)
        try:
            before: tuple[np.ndarray, float] | None = None
            rate = film.get(cv2.CAP_PROP_FPS)
            usual = 1 / rate if 1 <= rate <= 240 else USUAL  # what a camera recorded in a browser may say 1000
            for _ in range(
                start
            ):  # by decoding, as many files find another frame when they are asked for one by its number
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
    """Does this file move? Told by its ending; a .gif, .webp or .png by how many pictures it has."""
    return Path(path).suffix.lower() in ENDINGS or _n_pictures(Path(path)) > 1


def footage(path: str | os.PathLike[str]) -> Footage:
    """Open a film: .mp4, .webm, .avi and what else opencv reads, or an animated .gif, .webp or .png.

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
    """0 for what Pillow does not know."""
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
