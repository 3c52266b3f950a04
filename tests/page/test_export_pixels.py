"""vizapp/browser/engine: a picture becomes a network's pixels in a browser with the bytes of Pillow and the floats of torch."""

import json
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from support.node import needs_node, run_node
from vizapp.model.preprocess import RESAMPLE, Fit, Preprocess

MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
SIZES = {  # name -> (width, height, channels): up and down, odd sides, long strips, one channel
    "small": (17, 23, 3),
    "square": (64, 64, 3),
    "wide": (301, 150, 3),
    "photo": (401, 299, 3),
    "grey": (90, 77, 1),
    "strip": (9, 800, 3),
}
TARGETS = ((224, 224), (31, 33), (64, 64), (7, 120))
FITTED: tuple[tuple[str, Preprocess, Fit], ...] = (
    ("photo", Preprocess((224, 224), MEAN, STD, "bicubic", 0.9), "crop"),
    ("photo", Preprocess((224, 224), MEAN, STD, "bicubic", 0.9), "pad"),
    ("photo", Preprocess((112, 112), (0.5,) * 3, (0.5,) * 3, "bilinear", 0.875), "squash"),
    ("wide", Preprocess((96, 224), MEAN, STD, "lanczos", 0.875), "crop"),
    ("wide", Preprocess((96, 224), MEAN, STD, "nearest", 1.0), "pad"),
    ("small", Preprocess((112, 112), MEAN, STD, "bicubic", 1.0), "crop"),
    ("small", Preprocess((224, 224), MEAN, STD, "bicubic", 0.95), "pad"),
    ("square", Preprocess((64, 64), MEAN, STD, "bicubic", 1.0), "crop"),
    ("square", Preprocess((28, 28), (0.13,), (0.3,), "bilinear", 1.0), "crop"),
    ("strip", Preprocess((224, 224), MEAN, STD, "bicubic", 0.9), "crop"),
    ("strip", Preprocess((448, 448), MEAN, STD, "bicubic", 0.9), "crop"),  # beyond LARGEST_RESIZED: by a box
    ("strip", Preprocess((224, 224), MEAN, STD, "bicubic", 0.9), "pad"),
)


def drawn(width: int, height: int, channels: int) -> np.ndarray:
    """Shades, edges and noise: overshoot is clipped at both ends."""
    rng = np.random.default_rng(width * height)
    y, x = np.mgrid[:height, :width]
    base = np.stack([x * 255 // max(1, width - 1), y * 255 // max(1, height - 1), (x // 5 + y // 5) % 2 * 255], -1)
    noisy = np.where(rng.random((height, width, 1)) < 0.3, rng.integers(0, 256, (height, width, 3)), base)
    return noisy[..., :channels].astype(np.uint8)


def resized(folder: Path, name: str, picture: np.ndarray) -> list[dict[str, Any]]:
    """Every filter and size, whole and by a box that begins within a pixel."""
    height, width = picture.shape[:2]
    image = Image.fromarray(picture if picture.shape[2] == 3 else picture[..., 0])
    boxes = (None, (0.0, 0.0, width, height), (1.3, 0.7, width - 2.6, height - 1.1), (2.0, 3.0, width, height))
    cases = []
    for filter in RESAMPLE:
        for number, size in enumerate(TARGETS):
            box, file = boxes[number], f"{name}.{filter}.{number}"
            made = image.resize(size, RESAMPLE[filter], box=box)
            (folder / file).write_bytes(np.asarray(made).tobytes())
            cases.append({"file": file, "size": size, "filter": filter, "box": box})
    return [{**one, "box": one["box"] or [0, 0, width, height]} for one in cases]


@needs_node
def test_pixels_are_pythons(tmp_path: Path) -> None:
    pictures, prepared, raw = [], [], {name: drawn(*size) for name, size in SIZES.items()}
    for name, picture in raw.items():
        (tmp_path / f"{name}.raw").write_bytes(picture.tobytes())
        height, width, channels = picture.shape
        cases = resized(tmp_path, name, picture)
        pictures.append({"name": name, "width": width, "height": height, "channels": channels, "cases": cases})
    for number, (name, how, fit) in enumerate(FITTED):
        pixels, frame = how(raw[name], fit)
        height, width = raw[name].shape[:2]
        mask = np.random.default_rng(number).random((height, width)) < 0.5
        for file, array in (("f32", pixels.numpy()), ("drawn", mask), ("seen", frame.mask_of(mask))):
            (tmp_path / f"prepared.{number}.{file}").write_bytes(array.tobytes())
        told = {one: getattr(how, one) for one in ("size", "mean", "std", "interpolation", "crop", "fit")}
        prepared.append(
            {
                "file": f"prepared.{number}.f32",
                "picture": {"name": name, "width": width, "height": height},
                "how": told,
                "fit": fit,
                "window": frame.window,
                "mask": {"drawn": f"prepared.{number}.drawn", "seen": f"prepared.{number}.seen"},
            }
        )
    (tmp_path / "pixels.json").write_text(json.dumps({"pictures": pictures, "prepared": prepared}), "utf-8")
    run_node("pixels.test.js", tmp_path)
