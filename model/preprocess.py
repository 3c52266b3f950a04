"""Picture -> pixels, exactly as a checkpoint was trained. The only place that resizes, crops, pads and normalises."""

import math
from dataclasses import dataclass, field
from numbers import Integral

import numpy as np
import torch
from PIL import Image

from vizapp.errors import VizError
from vizapp.model.frame import Frame
from vizapp.model.processor import Processor
from vizapp.vocabulary import FITS as FITS
from vizapp.vocabulary import Fit as Fit
from vizapp.wording import Text

RESAMPLE = {
    "nearest": Image.Resampling.NEAREST,
    "bilinear": Image.Resampling.BILINEAR,
    "bicubic": Image.Resampling.BICUBIC,
    "lanczos": Image.Resampling.LANCZOS,
}

LARGEST_RESIZED = 2**24  # pixels: beyond it (a very long strip) only the part that the model sees is resized


@dataclass(frozen=True)
class Preprocess:
    """The pixels that a checkpoint expects.

    Attributes
    ----------
    size
        (height, width) of the input
    mean, std
        per channel, for values in [0, 1]: three for RGB, one for a network that takes grey. None if they are not known:
        `vizapp.describe` takes those of the network, or assumes them with a note. Pictures have one channel or three; other
        numbers of channels only come as tensors
    interpolation
        "nearest", "bilinear", "bicubic" or "lanczos"
    crop
        how much of the resized picture the centre crop keeps (timm's crop_pct); 1: the whole short side. It belongs to the
        checkpoint's own `fit`, and to "crop"; a caller who asks for "pad" or "squash" instead sees the whole picture
    fit
        how a picture of another shape is brought to `size`, unless the caller chooses. "crop": resize until the picture covers
        size / crop, then cut out the centre (as most were trained). "pad": resize until the whole picture fits, fill the rest
        with the mean colour (letterbox). "squash": resize each side by itself; shapes are distorted
    own
        an image processor that prepares the pictures itself, unless the caller chooses another fit; the size of its pixels may
        follow the picture's
    """

    size: tuple[int, int]
    mean: tuple[float, ...] | None = None
    std: tuple[float, ...] | None = None
    interpolation: str = "bicubic"
    crop: float = 1.0
    fit: Fit = "crop"
    own: Processor | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        sides = self.size if isinstance(self.size, (tuple, list)) else ()
        if len(sides) != 2 or not all(isinstance(side, Integral) and side > 0 for side in sides):
            raise VizError(
                "An input of {size} pixels is not possible.",
                "Give (height, width), such as (224, 224).",
                size=self.size,
            )
        if self.interpolation not in RESAMPLE:
            raise VizError(
                "'{interpolation}' is no interpolation.",
                "Choose one of: {resample}.",
                interpolation=self.interpolation,
                resample=", ".join(RESAMPLE),
            )
        if not self.crop > 0:
            raise VizError(
                "A crop of {crop} is not possible.", "It is above 0, and 1 keeps the whole short side.", crop=self.crop
            )
        if self.mean is None and self.std is None:
            return
        if self.mean is None or self.std is None or len(self.mean) != len(self.std) or not self.mean:
            raise VizError(
                "Colours need both a mean and a std, one of each per channel; got mean {mean} and std {std}.",
                "Such as mean=(0.485, 0.456, 0.406), std=(0.229, 0.224, 0.225).",
                mean=self.mean,
                std=self.std,
            )
        if not np.isfinite([*self.mean, *self.std]).all() or min(self.std) <= 0:
            raise VizError(
                "Colours cannot be brought to mean {mean} and std {std}.",
                "std must be above 0.",
                mean=self.mean,
                std=self.std,
            )

    def __str__(self) -> str:
        return repr(self) if self.own is None else f"{self.own.name}: {self!r}"

    @property
    def channels(self) -> int:
        """The number of channels of the pixels; 3 if the colours are not known."""
        return 3 if self.mean is None else len(self.mean)

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes that must be shown with a picture that was prepared so."""
        return (Text("The network takes one channel, so the picture was made grey."),) if self.channels == 1 else ()

    def __call__(self, picture: np.ndarray, fit: Fit | None = None) -> tuple[torch.Tensor, Frame]:
        """Prepare `picture` (H, W, 3) uint8 RGB, upright: return pixels (1, channels, h, w) float32 on the CPU, and the Frame.

        For one channel the picture is made grey (ITU-R 601). Raises `VizError` for other numbers, and without colours.
        """
        if self.own is not None and (fit in (None, self.fit) or self.own.why_not is not None):
            return self.own(picture)
        if self.mean is None:
            raise VizError(
                "The mean and std of the pictures that the network was trained on are not known.",
                "Give mean= and std=, or give the Preprocess to vizapp.describe(net, preprocess=...), which asks the network.",
            )
        if self.channels not in {1, 3}:
            raise VizError(
                "The network takes {channels} channels, and a picture has three (or one, grey).",
                "Give the pixels as it takes them, a tensor: vizapp.analyse(net, tensor, picture=...) with tensor "
                "(1, {channels}, height, width).",
                channels=self.channels,
            )
        fit = fit or self.fit
        if fit not in FITS:
            raise VizError(
                "'{fit}' is no way to fit a picture.", "Choose one of: {fits}.", fit=fit, fits=", ".join(FITS)
            )
        scaled_h, scaled_w = self._scaled_size(picture.shape[0], picture.shape[1], fit)
        top, left = _centred(scaled_h, self.size[0]), _centred(scaled_w, self.size[1])
        image = Image.fromarray(picture) if self.channels == 3 else Image.fromarray(picture).convert("L")
        pixels = self._normalise(self._window(image, (scaled_h, scaled_w), top, left))
        frame = Frame(
            picture=(picture.shape[0], picture.shape[1]),
            input=self.size,
            scale=(scaled_h / picture.shape[0], scaled_w / picture.shape[1]),
            origin=(float(top), float(left)),
        )
        return pixels, frame

    def _scaled_size(self, height: int, width: int, fit: Fit) -> tuple[int, int]:
        """(height, width) to resize the picture to before the window is cut out of it: rounded as timm rounds."""
        crop = self.crop if fit in ("crop", self.fit) else 1.0
        target_h, target_w = math.floor(self.size[0] / crop), math.floor(self.size[1] / crop)
        if fit == "squash":
            return target_h, target_w
        if fit == "crop" and target_h == target_w:  # the long side is truncated, by torchvision's Resize
            if height <= width:
                return target_h, int(target_h * width / height)
            return int(target_w * height / width), target_w
        ratios = height / target_h, width / target_w
        ratio = min(ratios) if fit == "crop" else max(ratios)  # cover the target, or fit into it
        return max(1, round(height / ratio)), max(1, round(width / ratio))

    def _window(self, picture: Image.Image, scaled: tuple[int, int], top: int, left: int) -> np.ndarray:
        """Cut the model's window (corner at `top`, `left`) out of the picture resized to `scaled`: (h, w, channels) uint8.

        The part outside of the picture is filled with the mean colour.
        """
        (height, width), (scaled_h, scaled_w) = self.size, scaled
        y0, y1 = max(top, 0), min(top + height, scaled_h)
        x0, x1 = max(left, 0), min(left + width, scaled_w)
        resample = RESAMPLE[self.interpolation]
        if scaled_h * scaled_w > LARGEST_RESIZED:  # the same pixels up to rounding, without the gigabytes
            left_right = x0 * picture.width / scaled_w, x1 * picture.width / scaled_w
            top_bottom = y0 * picture.height / scaled_h, y1 * picture.height / scaled_h
            box = left_right[0], top_bottom[0], left_right[1], top_bottom[1]
            visible = np.asarray(picture.resize((x1 - x0, y1 - y0), resample, box=box))
        else:
            visible = np.asarray(picture.resize((scaled_w, scaled_h), resample))[y0:y1, x0:x1]
        window = np.empty((height, width, self.channels), np.uint8)
        window[:] = np.round(np.array(self.mean) * 255)
        window[y0 - top : y1 - top, x0 - left : x1 - left] = visible.reshape(y1 - y0, x1 - x0, -1)
        return window

    def _normalise(self, rgb: np.ndarray) -> torch.Tensor:
        unit = torch.from_numpy(rgb).permute(2, 0, 1).to(torch.float32) / 255  # (channel, h, w) in [0, 1]
        mean, std = torch.tensor(self.mean)[:, None, None], torch.tensor(self.std)[:, None, None]
        return ((unit - mean) / std)[None]

    def inverted(self, pixels: torch.Tensor) -> np.ndarray:
        """Turn pixels (channels, h, w) of one or three channels back into a picture (h, w, 3) uint8; values out of range are
        clipped. Raises `VizError` for other numbers of channels."""
        if self.mean is None or len(pixels) != self.channels or self.channels not in {1, 3}:
            raise VizError(
                "Pixels of {got} channels cannot be turned into a picture.", "Give picture=...", got=len(pixels)
            )
        mean, std = torch.tensor(self.mean)[:, None, None], torch.tensor(self.std)[:, None, None]
        unit = pixels.detach().float().cpu() * std + mean
        rgb = (unit.clamp(0, 1) * 255).round().to(torch.uint8).permute(1, 2, 0).expand(-1, -1, 3)
        return np.ascontiguousarray(rgb.numpy())


def _centred(scaled: int, size: int) -> int:
    """Return where a centred window of `size` begins: negative if it is wider than `scaled`. Rounded as in timm:
    half to even when cropping, the odd pixel to the far side when padding."""
    return round((scaled - size) / 2) if scaled >= size else -((size - scaled) // 2)
