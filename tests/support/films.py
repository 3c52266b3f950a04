"""Films of something that moves."""

from pathlib import Path

import cv2
import numpy as np
from PIL import Image

from vizapp.model.toy.scenes import render

SIDE = 112


def moving(count: int) -> list[np.ndarray]:
    """A drawn thing that goes from left to right over a plain ground."""
    scene = render(5, objects=3, size=SIDE)
    one = scene.objects[-1]  # in front of the others
    left, top, right, bottom = one.box
    thing, mask = scene.picture[top:bottom, left:right], one.mask[top:bottom, left:right]
    frames = []
    for x in np.linspace(0, SIDE - (right - left), count).round().astype(int):
        frame = np.full((SIDE, SIDE, 3), (176, 190, 204), np.uint8)
        y = (SIDE - (bottom - top)) // 2
        frame[y : y + bottom - top, x : x + right - left][mask] = thing[mask]
        frames.append(frame)
    return frames


def write_gif(file: Path, frames: list[np.ndarray], milliseconds: int = 80) -> Path:
    first, *others = map(Image.fromarray, frames)
    first.save(file, save_all=True, append_images=others, duration=milliseconds, loop=0)
    return file


def write_mp4(file: Path, frames: list[np.ndarray], rate: float = 12.5) -> Path:
    height, width = frames[0].shape[:2]
    kind = cv2.VideoWriter.fourcc(*("MJPG" if file.suffix == ".avi" else "mp4v"))
    film = cv2.VideoWriter(str(file), kind, rate, (width, height))
    for one in frames:
        film.write(one[..., ::-1])
    film.release()
    return file
