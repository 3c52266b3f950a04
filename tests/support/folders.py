"""Folders of pictures."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
from PIL import Image

from vizapp.model.toy.lessons import LESSONS


def fill(folder: Path, count: int = 3, masks: Callable[[int], bool] = lambda number: True) -> Path:
    """The first pictures of "one", as files that lose nothing."""
    folder.mkdir(exist_ok=True)
    for number in range(count):
        example = LESSONS["one"].example(number)
        Image.fromarray(example.picture).save(folder / f"{number}.png")
        if masks(number):
            Image.fromarray(example.truth.astype(np.uint8) * 255).save(folder / f"{number}.mask.png")
    return folder
