"""Lines and shapes of the toy world: polygons, ovals, ribbons, curves, and functions that move them.

`Points` is (n, 2) float, x to the right and y down; a thing fills about [-1, 1] in both.
"""

import numpy as np

Points = np.ndarray


def poly(*xy: tuple[float, float]) -> Points:
    return np.array(xy, dtype=np.float64)


def box(left: float, top: float, right: float, bottom: float) -> Points:
    return poly((left, top), (right, top), (right, bottom), (left, bottom))


def oval(x: float, y: float, rx: float, ry: float | None = None, *, arc: tuple[float, float] = (0, 360)) -> Points:
    """An ellipse, or the slice of it between two angles in degrees (0 = right, 90 = down)."""
    angle = np.radians(np.linspace(*arc, 28))
    return np.stack([x + rx * np.cos(angle), y + (ry or rx) * np.sin(angle)], axis=1)


def ribbon(path: Points, width: float) -> Points:
    """A line of constant `width` along `path`."""
    normal = np.gradient(path, axis=0)[:, ::-1] * (1, -1)
    normal *= width / 2 / np.linalg.norm(normal, axis=1, keepdims=True)
    return np.concatenate([path + normal, (path - normal)[::-1]])


def smooth(*xy: tuple[float, float]) -> Points:
    """A closed curve through the corners (Catmull-Rom spline)."""
    corners, steps = poly(*xy), 6
    before, after, far = (np.roll(corners, k, axis=0)[:, None] for k in (1, -1, -2))
    here, t = corners[:, None], (np.arange(steps) / steps)[None, :, None]
    curve = here + t * (after - before) / 2 + t**2 * (before - 2.5 * here + 2 * after - far / 2)
    return (curve + t**3 * (1.5 * (here - after) + (far - before) / 2)).reshape(-1, 2)


def turned(points: Points, degrees: float) -> Points:
    a = np.radians(degrees)
    return points @ np.array([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]])


def mirrored(points: Points) -> Points:
    return points * (-1, 1)


def moved(points: Points, x: float, y: float) -> Points:
    return points + np.array((x, y))
