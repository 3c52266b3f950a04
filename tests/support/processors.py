"""An image processor as transformers has them, with the steps that are asked for."""

from typing import Any

import numpy as np
import torch
from PIL import Image
from torch import Tensor


class Prepares:
    """Resizes to `size` (height, width), or by `factor`; then what `more` does to the pixels (3, h, w) in [0, 1]."""

    def __init__(
        self, size: tuple[int, int] = (32, 32), factor: float = 0, flips: bool = False, more: Any = None
    ) -> None:
        self.size, self.factor, self.flips, self.more = size, factor, flips, more
        self.resample = Image.Resampling.BILINEAR

    def to_dict(self) -> dict[str, Any]:
        return dict(self.__dict__)

    def __call__(self, picture: Image.Image, return_tensors: str) -> dict[str, Tensor]:
        height, width = self.size
        if self.factor:
            height, width = round(picture.height * self.factor), round(picture.width * self.factor)
        resized = picture.resize((width, height), self.resample)
        pixels = torch.from_numpy(np.array(resized)).permute(2, 0, 1).float() / 255
        pixels = pixels.flip(0) if self.flips else pixels
        return {"pixel_values": (self.more(pixels) if self.more else pixels)[None]}
