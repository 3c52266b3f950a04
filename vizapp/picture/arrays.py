"""Reads an array as a picture: its shape, type and values are checked, then it becomes (H, W, 3) uint8 RGB."""

import numpy as np
from PIL import Image

from vizapp.errors import VizError
from vizapp.picture.depth import WHOLE, eight_bits, largest_of, white
from vizapp.picture.pixels import PREPARED, RGB, strips, to_rgb
from vizapp.picture.refusals import check_shape, in_pixels, too_little_left, too_many_pixels, too_much_memory
from vizapp.wording import Text


def from_array(array: np.ndarray, most: int) -> tuple[np.ndarray, Text | None]:
    """The picture, and a note if an array of 16 bits uses fewer and so is made brighter."""
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
    elif array.dtype.kind != "u" or array.dtype.itemsize > 2:
        raise VizError(
            "An array of uint8, uint16, or of floats in [0, 1], was expected; {found}.",
            "Convert it first.",
            found=found,
        )
    if array.ndim == 2:
        array = array[..., None]
    rgb, (top, of_alpha, note) = np.empty((height, width, RGB), np.uint8), _white(array)
    for rows in strips(height, width):
        strip = array[rows]
        if strip.dtype.kind == "u" and strip.dtype.itemsize == 2:
            strip = eight_bits(strip, top, of_alpha)
        elif strip.dtype != np.uint8:
            strip = np.round(strip.astype(np.float32) * 255).astype(np.uint8)
        rgb[rows] = to_rgb(Image.fromarray(np.ascontiguousarray(strip))) if strip.shape[2] == 4 else strip
    return rgb, note


def _white(array: np.ndarray) -> tuple[int, int, Text | None]:
    """The value that is white, the one that is opaque, and a note, of an array (H, W, channel) of 16 bits."""
    if array.dtype.kind != "u" or array.dtype.itemsize != 2:
        return WHOLE, WHOLE, None
    top, note = white(largest_of([array]))
    is_within = array.shape[2] == 4 and int(array[..., 3].max()) <= top
    return top, top if is_within else WHOLE, note
