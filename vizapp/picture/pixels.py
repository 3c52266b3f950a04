"""Converts pixels of any kind to 8-bit RGB, strip by strip, so that memory holds no second whole picture."""

import math
from collections.abc import Callable, Iterator

import numpy as np
from PIL import Image

from vizapp.errors import VizError
from vizapp.picture.depth import WHOLE, Deep, Said, bytes_of, eight_bits, largest_of, white
from vizapp.wording import Text

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


def converter(
    image: Image.Image, said: Said, deep: Deep | None, is_cut: bool = False
) -> tuple[Callable[[slice], np.ndarray], Text | None]:
    """A function that converts rows of a decoded picture to RGB, and a note if they are made brighter.

    said, deep, is_cut  of the same picture, before it was decoded
    """
    if image.mode.startswith(("I", "F")):
        convert, note = wide_to_rgb(image, said)
        return lambda rows: convert(cut(image, rows)), note
    parts = (np.asarray(cut(image, rows)) for rows in strips(image.height, image.width))
    if not (deep or is_cut) or largest_of(parts) > WHOLE >> 9:  # a value above 32767: the upper bytes are the picture
        return lambda rows: to_rgb(cut(image, rows)), None
    if deep is None:
        return lambda rows: to_rgb(cut(image, rows)), Text(
            "Of the picture's 16 bits only the upper 8 can be read here, and no value is above a half. If it uses fewer, save it "
            "as PNG."
        )
    return _deep_to_rgb(image, said, deep)


def _deep_to_rgb(image: Image.Image, said: Said, deep: Deep) -> tuple[Callable[[slice], np.ndarray], Text | None]:
    lower = deep.lower()

    def values(rows: slice) -> np.ndarray:
        return deep.values(np.asarray(cut(image, rows)), np.asarray(cut(lower, rows)))

    top, note = white(largest_of(map(values, strips(image.height, image.width))), said)
    if note is None:
        return lambda rows: to_rgb(cut(image, rows)), None
    alphas = (values(rows)[..., 3:] for rows in strips(image.height, image.width))
    alpha = max((int(one.max()) for one in alphas if one.size), default=WHOLE)
    of_alpha = top if alpha <= top else WHOLE
    return lambda rows: to_rgb(Image.fromarray(eight_bits(values(rows), top, of_alpha))), note


def wide_to_rgb(image: Image.Image, said: Said) -> tuple[Callable[[Image.Image], np.ndarray], Text | None]:
    """A function that converts grey of more than 8 bits to RGB, and a note. Values outside any usual range are stretched to
    fill it. Pillow turns negatives of 8 bits into positives, and leaves those of more bits as they are."""
    parts = (cut(image, rows) for rows in strips(image.height, image.width))
    ends = np.array([(values.min(), values.max()) for values in map(np.asarray, parts)], np.float64)
    low, high = float(ends[:, 0].min()), float(ends[:, 1].max())
    if not (np.isfinite(low) and np.isfinite(high)):
        raise VizError("The picture holds values that are no numbers (NaN or infinity).", "Replace them first.")
    bottom, note = 0.0, None
    if image.mode == "F" and low >= 0 and high <= 255:
        top = 1.0 if high <= 1 else 255.0
    elif low >= 0 and high <= WHOLE:
        top, note = white(math.ceil(high), said)
    else:
        bottom, top = low, high
        note = Text(
            "The values of the picture, {low} to {high}, are stretched from black to white.",
            low=f"{low:.6g}",
            high=f"{high:.6g}",
        )
    if said.is_negative and note is not None:
        note = Text(
            "Low values of the picture are white: {low} is shown as white, {top} as black.",
            low=f"{bottom:.6g}",
            top=f"{top:.6g}",
        )
    flip = np.uint8(255 if said.is_negative else 0)
    if image.mode.startswith("I;16"):  # 16-bit integers: one table entry for each value
        table = bytes_of(np.arange(WHOLE + 1), int(top)) ^ flip
        return (lambda strip: table[np.asarray(strip)][..., None]), note

    def stretched(strip: Image.Image) -> np.ndarray:
        values = np.asarray(strip).astype(np.float32)
        return np.round((values - bottom) * (255 / (top - bottom or 1))).astype(np.uint8)[..., None] ^ flip

    return stretched, note
