"""Pictures as a library's own image processor prepares them. What it does to colours, and where its pixels lie, is measured.

There are some hundred kinds of processors, and their settings mean what each kind makes of them. So nothing is read: it prepares
plain pictures, which tell its colours, and for each shape of picture one that grows red downwards and green to the right.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from PIL import Image
from torch import Tensor

from vizapp.errors import VizError
from vizapp.model.frame import Frame
from vizapp.recent import Recent
from vizapp.wording import Text

PLAIN = ((0, 0, 0), (128, 128, 128), (255, 255, 255), (255, 0, 0))
PROBE = (192, 256)  # (height, width) of the plain pictures, and of one whose place tells size, crop and shape
KEPT = 8  # processors that are remembered
SHAPES = 64  # of pictures whose place is remembered
ROUNDING = 2.0  # levels of 255 that a ramp may be off after resizing
ALIKE = 0.01  # of the range of a channel; bfloat16 rounds to .004
FEWEST = 8  # pixels of a side on which a ramp can be measured


@dataclass(frozen=True)
class Place:
    """Where pixels lie on a picture.

    scaled  (height, width) that the picture was resized to
    origin  (top, left) of the pixels in it; negative where it was padded
    size    (height, width) of the pixels
    """

    scaled: tuple[int, int]
    origin: tuple[int, int]
    size: tuple[int, int]

    def frame(self, picture: tuple[int, int]) -> Frame:
        scale = self.scaled[0] / picture[0], self.scaled[1] / picture[1]
        return Frame(picture, self.size, scale, (float(self.origin[0]), float(self.origin[1])))


def measured(processor: Any) -> "Processor":
    """Measure an image processor, or remember one of its kind and settings: whoever describes a network anew brings it along."""
    return _measured.made((type(processor), str(processor.to_dict())), lambda: Processor(processor))


class Processor:
    """What an image processor does to a picture.

    mean, std  per channel, as it scales colours; `flips`: it puts blue before red. All three are measured
    why_not    why its pixels cannot be placed on a picture; None if they can
    usual      their place on a picture of PROBE, and `turned` on one as high as that is wide
    """

    def __init__(self, processor: Any) -> None:
        self._processor, self.name = processor, type(processor).__name__
        self._places: Recent[tuple[int, int], Place] = Recent(SHAPES)
        self.mean: tuple[float, ...] = (0.0,) * 3
        self.std: tuple[float, ...] = (1.0,) * 3
        self.flips = False
        self.why_not: Text | None = None
        try:
            self._measure_colours()
            self.usual, self.turned = self._place(PROBE), self._place(PROBE[::-1])
        except _Odd as odd:
            self.why_not = odd.why

    @property
    def interpolation(self) -> str:
        """The name of its `resample` (the numbers are those of Pillow); "bicubic" if it does not say."""
        said = getattr(self._processor, "resample", None)
        return next((one.name.lower() for one in Image.Resampling if one == said), "bicubic")

    def __call__(self, picture: np.ndarray) -> tuple[Tensor, Frame]:
        """Prepare `picture` (H, W, 3) uint8 RGB: return pixels (1, 3, h, w) float32, red first, and the Frame.

        Raises `VizError` if the pixels are no part of the picture, resized, with its colours scaled.
        """
        height, width = picture.shape[:2]
        try:
            if self.why_not is not None:
                raise _Odd(self.why_not)
            place = self._place((height, width))
            pixels = self._run(picture)
        except _Odd as odd:
            raise VizError(
                "{name} prepares pictures in a way that vizapp cannot follow: {why}.",
                "Give the pixels as the network takes them, a tensor, and the picture that they show: "
                "vizapp.analyse(net, pixels, picture=...).",
                name=self.name,
                why=odd.why,
            ) from None
        return pixels.flip(1) if self.flips else pixels, place.frame((height, width))

    def _run(self, picture: np.ndarray) -> Tensor:
        try:
            pixels = self._processor(Image.fromarray(picture), return_tensors="pt")["pixel_values"]
        except Exception as error:
            raise _Odd(
                Text("it ends with {said}", said=f"{type(error).__name__}: {error}".partition("\n")[0][:200])
            ) from error
        shape = tuple(getattr(pixels, "shape", ()))
        if not isinstance(pixels, Tensor) or len(shape) != 4 or shape[:2] != (1, 3):
            kind = " x ".join(map(str, shape)) or type(pixels).__name__
            raise _Odd(Text("it gives {shape} values, not 1 x 3 x height x width", shape=kind))
        return pixels.float()

    def _measure_colours(self) -> None:
        black, grey, white, red = (self._middle(colour) for colour in PLAIN)
        std = 1 / np.where(white == black, np.nan, white - black)
        grey, red = (grey - black) * std, (red - black) * std
        flips = bool(np.abs(red - (0, 0, 1)).max() < ALIKE)
        # What is not a number is not near to anything.
        if not np.abs(grey - 128 / 255).max() < ALIKE or not (flips or np.abs(red - (1, 0, 0)).max() < ALIKE):
            raise _Odd(Text("it does more to colours than to scale each channel"))
        if flips:
            black, std = black[::-1], std[::-1]
        self.flips = flips
        self.mean, self.std = (tuple(float(f"{value:.6g}") + 0.0 for value in one) for one in (-black * std, std))

    def _middle(self, colour: tuple[int, int, int]) -> np.ndarray:
        """(3,) what a picture of one colour becomes: its middle, where nothing is padded."""
        pixels = self._run(np.full((*PROBE, 3), colour, np.uint8))[0]
        return pixels[:, pixels.shape[1] // 2, pixels.shape[2] // 2].double().numpy()

    def _place(self, shape: tuple[int, int]) -> "Place":
        return self._places.made(shape, lambda: self._measured_place(shape))

    def _measured_place(self, shape: tuple[int, int]) -> "Place":
        pixels = self._run(_ramps(*shape))[0].double().numpy()
        pixels = pixels[::-1] if self.flips else pixels
        mean, std = (np.array(one)[:, None, None] for one in (self.mean, self.std))
        red, green, blue = (pixels * std + mean) * 255
        inside = np.abs(blue - 255) < ROUNDING  # padding is not blue
        rows, cols = (np.flatnonzero(inside.any(axis)) for axis in (1, 0))
        if min(len(rows), len(cols)) < FEWEST or not inside[rows[0] : rows[-1] + 1, cols[0] : cols[-1] + 1].all():
            raise _ODD_PLACE
        part = slice(rows[0], rows[-1] + 1), slice(cols[0], cols[-1] + 1)
        y = _line(red[part], shape[0], rows[0], red.shape[0])
        x = _line(green[part].T, shape[1], cols[0], red.shape[1])
        return Place((y[0], x[0]), (y[1], x[1]), (red.shape[0], red.shape[1]))


class _Odd(Exception):
    def __init__(self, why: Text) -> None:
        self.why = why


_ODD_PLACE = _Odd(Text("its pixels are not one rectangle of the picture"))


def _ramps(height: int, width: int) -> np.ndarray:
    """(height, width, 3) uint8: red is the row, green the column, blue is full."""
    made = np.full((height, width, 3), 255, np.uint8)
    made[..., 0] = np.linspace(0, 255, height).round()[:, None]
    made[..., 1] = np.linspace(0, 255, width).round()
    return made


def _line(levels: np.ndarray, n: int, begin: int, size: int) -> tuple[int, int]:
    """Find how many pixels `n` pixels of a picture became, and where `size` pixels begin among them.

    levels  (pixel, across), of a ramp of 0 to 255 over the picture; the first of them is pixel `begin`
    """
    line = np.median(levels, axis=1)
    at, place = np.arange(begin, begin + len(line)) + 0.5, line / 255 * (n - 1) + 0.5
    known = (line > 2) & (line < 253)  # at a border, a resize knows but one side
    if np.abs(levels - line[:, None]).max() > ROUNDING or known.sum() < FEWEST:
        raise _ODD_PLACE
    slope, offset = np.polyfit(at[known], place[known], 1)
    if slope <= 0:  # a mirror image
        raise _ODD_PLACE
    scaled, origin = round(n / slope), round(offset / slope)
    if len(line) == size and abs(n / slope - size) < 2 and origin in (-1, 0, 1):
        scaled, origin = size, 0  # the whole side
    expected = ((at + origin) * n / scaled - 0.5) / (n - 1) * 255
    if np.abs(expected - line)[known].max() > ROUNDING + 0.75 * 255 / (n - 1):
        raise _ODD_PLACE
    return scaled, origin


_measured: Recent[tuple[type, str], Processor] = Recent(KEPT)
