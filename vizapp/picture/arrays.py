"""Reads an array as a picture: its shape, type and values are checked, then it becomes (H, W, 3) uint8 RGB."""

from __future__ import annotations

import numpy as np
from PIL import Image

from vizapp.errors import VizError
from vizapp.picture.pixels import PREPARED, RGB, strips, to_rgb
from vizapp.picture.refusals import check_shape, in_pixels, too_little_left, too_many_pixels, too_much_memory
from vizapp.wording import Text


def from_array(array: np.ndarray, most: int) -> np.ndarray:
    found = Text("got shape {shape}, {dtype}", shape=array.shape, dtype=array.dtype)
    if array.ndim not in (2, 3) or (array.ndim == 3 and array.shape[2] not in (1, 3, 4)):
        raise VizError(
            "An array of shape (H, W), (H, W, 1), (H, W, 3) or (H, W, 4) was expected; {found}.", found=found
        )
    height, width, name = array.shape[0], array.shape[1], Text("The array")
    if height * width > most:
        raise too_many_pixels(name, in_pixels(height, width), most)
    check_shape(height, width, name)
    needed = height * width * PREPARED
    if (left := too_little_left(needed)) is not None:
        raise too_much_memory(name, (width, height), needed, left)
    if np.issubdtype(array.dtype, np.floating):
        low, high = array.min(), array.max()
        if not (low >= 0 and high <= 1):  # NaN lands here, too
            raise VizError(
                "Floats in [0, 1] were expected; {found}, values from {low} to {high}.",
                "Divide by 255, or give uint8.",
                found=found,
                low=low,
                high=high,
            )
    elif array.dtype != np.uint8:
        raise VizError(
            "An array of uint8, or of floats in [0, 1], was expected; {found}.", "Convert it first.", found=found
        )
    if array.ndim == 2:
        array = array[..., None]
    rgb = np.empty((height, width, RGB), np.uint8)
    for rows in strips(height, width):
        strip = array[rows]
        if strip.dtype != np.uint8:
            strip = np.round(strip.astype(np.float32) * 255).astype(np.uint8)
        rgb[rows] = to_rgb(Image.fromarray(np.ascontiguousarray(strip))) if strip.shape[2] == 4 else strip
    return rgb
