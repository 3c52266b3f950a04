"""Photographs of installed packages; and those that the page offers, at the size of a web photo, each unlike the others."""

import importlib.util
import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path

import cv2
import numpy as np

from vizapp.picture import read_picture
from vizapp.ui import examples

SIZE = (960, 1280)  # (height, width)
# All that these packages ship of things and animals; drawings, textures, and what a microscope or telescope saw are left out.
PHOTOGRAPHS: Mapping[str, Sequence[str]] = {
    "gradio": [f"media_assets/images/{name}.jpg" for name in ("cheetah", "cheetah1", "lion", "tower")],
    "skimage": [
        f"data/{name}"
        for name in (
            "astronaut.png",
            "camera.png",
            "chelsea.png",
            "clock_motion.png",
            "coffee.png",
            "coins.png",
            "motorcycle_left.png",
            "rocket.jpg",
        )
    ],
    "matplotlib": ["mpl-data/sample_data/grace_hopper.jpg"],
}


def photographs() -> dict[str, Path]:
    """Those of `PHOTOGRAPHS` that are installed, by package and name."""
    found = {}
    for package, files in PHOTOGRAPHS.items():
        spec = importlib.util.find_spec(package)
        folder = Path(str(spec and spec.origin)).parent
        found |= {f"{package}-{path.name}": path for file in files if (path := folder / file).is_file()}
    return found


def write_photos(folder: Path, count: int, size: tuple[int, int] = SIZE) -> list[Path]:
    """`count` JPEG files, no two alike, in `folder`."""
    sources = itertools.cycle(examples.photos())
    return [write_photo(folder / f"photo{i}.jpg", next(sources), i, size) for i in range(count)]


def write_photo(path: Path, source: str, seed: int, size: tuple[int, int]) -> Path:
    """`source` enlarged to `size`, in another light for each `seed`, with the grain of a sensor: as hard as a real photo."""
    photo = cv2.resize(read_picture(source), size[::-1], interpolation=cv2.INTER_CUBIC).astype(np.float32)
    rng = np.random.default_rng(seed)
    photo = photo * rng.uniform(0.8, 1.2, 3) + rng.normal(0, 4, photo.shape)
    rgb = np.clip(photo, 0, 255).astype(np.uint8)
    cv2.imwrite(str(path), rgb[:, :, ::-1], [cv2.IMWRITE_JPEG_QUALITY, 90])  # opencv writes BGR
    return path
