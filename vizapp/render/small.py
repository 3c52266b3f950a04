"""Pictures in a size that suits where they are shown, with their frame; and as an address that holds them."""

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

    Small pictures are repeated pixel by pixel, so that cells end where they end.
    """
    smallest, largest = sides
    height, width = picture.shape[:2]
    longest = max(height, width)
    if longest < smallest:
        times = -(-smallest // longest)
        picture = picture.repeat(times, axis=0).repeat(times, axis=1)
    elif longest > largest:
        shrunk = max(1, round(width * largest / longest)), max(1, round(height * largest / longest))
        picture = np.asarray(Image.fromarray(picture).resize(shrunk, Image.Resampling.LANCZOS))
    rows, cols = picture.shape[:2]
    scale = frame.scale[0] * height / rows, frame.scale[1] * width / cols
    return picture, replace(frame, picture=(rows, cols), scale=scale)


def data_uri(picture: np.ndarray) -> str:
    """(H, W, 3) uint8 -> an address that holds the picture itself, as WebP."""
    stream = io.BytesIO()
    Image.fromarray(picture).save(stream, "WEBP", quality=QUALITY)
    return "data:image/webp;base64," + base64.b64encode(stream.getvalue()).decode()
