"""Where the things are on three photographs that come with Gradio, as fractions of the picture: left, top, right, bottom.

Drawn by eye on a grid of tenths and committed before any map of these pictures by the model `photos` was looked at, so that they
cannot have been fitted to it. Each covers at most 35 % of its picture. Maps are measured with fit="squash": all of the picture
is seen, and a fraction of the picture is the same fraction of what the network sees.
"""

import numpy as np

Box = tuple[float, float, float, float]

LARGEST = 0.35  # of the picture

BOXES: dict[str, Box] = {
    "lion.jpg": (0.24, 0.02, 0.73, 0.70),  # head, mane and chest of the one in front; all of it would be 70 %
    "cheetah.jpg": (0.16, 0.34, 0.76, 0.70),  # all of it, with its tail
    "tower.jpg": (0.36, 0.11, 0.80, 0.90),  # from the tip to above its feet, which would double it
}


def area(box: Box) -> float:
    """Its share of the picture, 0 to 1."""
    left, top, right, bottom = box
    return (right - left) * (bottom - top)


def share_inside(shares: np.ndarray, box: Box) -> float:
    """What of a map (rows, cols) lies in the box, 0 to 1; a patch that the border cuts counts by the part inside."""
    rows, cols = (
        _covered(count, low, high)
        for count, low, high in zip(shares.shape, (box[1], box[0]), (box[3], box[2]), strict=True)
    )
    return float(rows @ shares @ cols / shares.sum())


def _covered(count: int, low: float, high: float) -> np.ndarray:
    """How much of each of `count` equal steps from 0 to 1 lies between `low` and `high`."""
    edges = np.arange(count + 1) / count
    return np.clip(np.minimum(edges[1:], high) - np.maximum(edges[:-1], low), 0, None) * count
