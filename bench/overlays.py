"""Every method on six photos, to be looked at: python -m bench.overlays --model timm:deit_tiny_patch16_224

Rows are methods, columns are photos of installed packages, with the class that is explained; writes build/overlays.jpg.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import cv2
import gradio
import numpy as np
import skimage

import vizapp
from vizapp.core.methods import methods

GRADIO, SKIMAGE = (Path(str(package.__file__)).parent for package in (gradio, skimage))
PHOTOS = (
    *(GRADIO / "media_assets" / "images" / name for name in ("cheetah.jpg", "lion.jpg", "bus.png")),
    *(SKIMAGE / "data" / name for name in ("chelsea.png", "coffee.png", "rocket.jpg")),
)
SIDE, LEFT, HEAD = 150, 190, 22
STYLE = vizapp.Style(opacity=0.8)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.overlays", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--model", default="timm:deit_tiny_patch16_224")
    parser.add_argument("--output", type=Path, default=Path("build/overlays.jpg"))
    asked = parser.parse_args()
    model = vizapp.load(asked.model)
    trace = vizapp.analyse(model, PHOTOS[0]).trace
    names = ["", *(name for name, one in methods().items() if not one.why_not(trace))]
    sheet = np.full((HEAD + SIDE * len(names), LEFT + SIDE * len(PHOTOS), 3), 255, np.uint8)
    for row, name in enumerate(names):
        write(sheet, name or "seen", 6, HEAD + row * SIDE + SIDE // 2)
    for column, photo in enumerate(PHOTOS):
        print(photo.name, file=sys.stderr)
        seen = vizapp.analyse(model, photo)
        label, probability = seen.top(1)[0]
        write(sheet, f"{label[:14]} {probability:.0%}", LEFT + column * SIDE + 4, 15)
        for row, name in enumerate(names):
            painted = vizapp.paint(seen, vizapp.explain(seen, name), style=STYLE) if name else seen.picture
            top, left = HEAD + row * SIDE, LEFT + column * SIDE
            sheet[top : top + SIDE, left : left + SIDE] = square(painted)
    asked.output.parent.mkdir(parents=True, exist_ok=True)
    cv2.imwrite(str(asked.output), sheet[:, :, ::-1], [cv2.IMWRITE_JPEG_QUALITY, 88])
    print(asked.output)


def square(picture: np.ndarray) -> np.ndarray:
    """The middle of a picture, (SIDE, SIDE, 3)."""
    height, width = picture.shape[:2]
    side = min(height, width)
    top, left = (height - side) // 2, (width - side) // 2
    return cv2.resize(picture[top : top + side, left : left + side], (SIDE, SIDE), interpolation=cv2.INTER_AREA)


def write(sheet: np.ndarray, text: str, x: int, y: int) -> None:
    cv2.putText(sheet, text, (x, y), cv2.FONT_HERSHEY_SIMPLEX, 0.45, (0, 0, 0), 1, cv2.LINE_AA)


if __name__ == "__main__":
    main()
