"""Converts pixels of any kind to 8-bit RGB, strip by strip, so that memory holds no second whole picture."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from PIL import Image

from vizapp.errors import VizError

STRIP = 2**19  # pixels that are converted at a time
RGB = 3  # bytes of a pixel as vizapp keeps it
PREPARED = RGB + 4 + 1  # the same beside Pillow's copy of it, and one in grey, when it is brought to a network's size


def strips(height: int, width: int) -> Iterator[slice]:
    """The rows of a picture in slices of about `STRIP` pixels."""
    rows = max(1, STRIP // max(1, width))
    return (slice(top, min(top + rows, height)) for top in range(0, height, rows))


def cut(image: Image.Image, rows: slice) -> Image.Image:
    """Cut out rows. `Image.crop` would check PIL's limit of pixels, a global setting."""
    box = (0, rows.start, image.width, rows.stop)
    return image.resize((image.width, rows.stop - rows.start), Image.Resampling.NEAREST, box=box)


def to_rgb(image: Image.Image) -> np.ndarray:
    """(H, W, 3) uint8 of 8-bit grey, a palette or colours."""
    if image.has_transparency_data:
        rgba = image.convert("RGBA")
        image = Image.new("RGBA", rgba.size, "white")
        image.alpha_composite(rgba)
    return np.asarray(image.convert("RGB"))


def wide_to_rgb(image: Image.Image) -> Callable[[Image.Image], np.ndarray]:
    """A function that converts grey of more than 8 bits to RGB. Values outside any usual range are stretched to fill it."""
    if image.mode.startswith("I;16"):  # 16-bit integers: one table entry for each value
        table = np.round(np.arange(65536, dtype=np.float32) * (255 / 65535)).astype(np.uint8)
        return lambda strip: table[np.asarray(strip)][..., None]
    parts = (cut(image, rows) for rows in strips(image.height, image.width))
    ends = np.array([(values.min(), values.max()) for values in map(np.asarray, parts)], np.float64)
    low, high = float(ends[:, 0].min()), float(ends[:, 1].max())
    if not (np.isfinite(low) and np.isfinite(high)):
        raise VizError("The picture holds values that are no numbers (NaN or infinity).", "Replace them first.")
    whole_ranges = (1.0, 255.0, 65535.0) if image.mode == "F" else (65535.0,)
    bottom, top = next(((0.0, top) for top in whole_ranges if low >= 0 and high <= top), (low, high))

    def stretched(strip: Image.Image) -> np.ndarray:
        values = np.asarray(strip).astype(np.float32)
        return np.round((values - bottom) * (255 / (top - bottom or 1))).astype(np.uint8)[..., None]

    return stretched
