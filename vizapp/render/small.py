"""Resizes pictures, with their frame, for the place where they are shown, and writes them as data addresses."""

from __future__ import annotations

import base64
import io
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

if TYPE_CHECKING:
    from vizapp.model.frame import Frame

QUALITY = 85  # of a WebP file, up to 100


def resized(picture: np.ndarray, frame: Frame, sides: tuple[int, int]) -> tuple[np.ndarray, Frame]:
    """The picture with a longest side within (smallest, largest) `sides`, and the frame on it.

    Small pictures are enlarged by repeating pixels, so that edges of cells stay sharp.
    """
    smallest, largest = sides
    height, width = picture.shape[:2]
    longest = max(height, width)
    if longest < smallest:
        times = -(-smallest // longest)
        picture = picture.repeat(times, axis=0).repeat(times, axis=1)
    else:
        picture = shrunk(picture, largest)
    rows, cols = picture.shape[:2]
    scale = frame.scale[0] * height / rows, frame.scale[1] * width / cols
    return picture, replace(frame, picture=(rows, cols), scale=scale)


def shrunk(picture: np.ndarray, largest: int) -> np.ndarray:
    """(H, W, 3) uint8 -> the same, or a smaller one whose longest side is `largest` pixels."""
    height, width = picture.shape[:2]
    scale = largest / max(height, width)
    if scale >= 1:
        return picture
    size = max(1, round(width * scale)), max(1, round(height * scale))
    return np.asarray(Image.fromarray(picture).resize(size, Image.Resampling.LANCZOS))


def webp(picture: np.ndarray, quality: int | None = QUALITY) -> bytes:
    """(H, W, 3) uint8 -> a WebP file; `quality` up to 100, None for one without loss."""
    made = io.BytesIO()
    how = {"lossless": True} if quality is None else {"quality": quality, "method": 6}
    Image.fromarray(picture).save(made, "WEBP", **how)
    return made.getvalue()


def data_uri(picture: np.ndarray) -> str:
    """(H, W, 3) uint8 -> a data: address with the picture as WebP."""
    return "data:image/webp;base64," + base64.b64encode(webp(picture)).decode()
