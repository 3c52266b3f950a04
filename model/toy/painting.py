"""Colours, backgrounds, clutter and filled polygons: the paint of a scene, without its objects and labels.

A canvas is (3, S, S) float32, red, green and blue from 0 to 255. Planes come first, because numpy is slow on a last axis of 3.
"""

from collections.abc import Sequence
from functools import cache

import cv2
import numpy as np

from vizapp.model.toy.shapes import Points, smooth

SUPERSAMPLE = 4


def rgb(hue: float, saturation: float, value: float) -> np.ndarray:
    """(3,) float, 0 to 255, from hue in degrees, saturation and value in [0, 1]."""
    k = (np.array([5, 3, 1]) + hue / 60) % 6
    return 255 * value * (1 - saturation * np.clip(np.minimum(k, 4 - k), 0, 1))


def random_colour(rng: np.random.Generator, saturation: tuple[float, float], value: tuple[float, float]) -> np.ndarray:
    return rgb(rng.uniform(0, 360), rng.uniform(*saturation), rng.uniform(*value))


def noise(rng: np.random.Generator, size: int) -> np.ndarray:
    """1/f noise, (size, size) float32, about [-1, 1]: octaves of random grids, the finer the weaker."""
    total = np.zeros((size, size), np.float32)
    for octave in range(5):
        cells = 2 ** (octave + 1) + 1
        coarse = rng.uniform(-1, 1, (cells, cells)).astype(np.float32)
        total += cv2.resize(coarse, (size, size), interpolation=cv2.INTER_CUBIC) * 0.6**octave
    return total / 1.6


@cache
def grid(size: int) -> tuple[np.ndarray, np.ndarray]:
    """x and y of every pixel, each (size, size) float32 from -0.5 to 0.5."""
    y, x = np.mgrid[0:size, 0:size].astype(np.float32) / size - 0.5
    return x, y


def ink(colour: np.ndarray) -> np.ndarray:
    """(3, 1, 1) float32, to lay over a canvas."""
    return colour.astype(np.float32)[:, None, None]


def texture(rng: np.random.Generator, size: int) -> np.ndarray:
    """Paint noise, stripes, checks, a gradient or almost nothing in two similar colours: a canvas."""
    x, y = grid(size)
    angle, frequency, phase = (float(v) for v in rng.uniform((0, 3, 0), (np.pi, 11, 6)))
    along, across = x * np.cos(angle) + y * np.sin(angle), y * np.cos(angle) - x * np.sin(angle)
    kind = rng.integers(6)
    if kind <= 1:
        blend = 0.5 + 0.6 * noise(rng, size)
    elif kind == 2:
        blend = 0.5 + np.tanh(3 * np.sin(2 * np.pi * frequency * along + phase)) / 2
    elif kind == 3:
        blend = 0.5 + np.tanh(9 * np.sin(np.pi * frequency * along + phase) * np.sin(np.pi * frequency * across)) / 2
    elif kind == 4:
        blend = along + 0.5
    else:
        blend = 0.5 + 0.12 * noise(rng, size)
    one, other = (random_colour(rng, (0.05, 0.55), (0.25, 0.98)) for _ in range(2))
    return ink(one) + np.clip(blend, 0, 1) * ink((other - one) * rng.uniform(0.25, 0.7))


def backdrop(rng: np.random.Generator, size: int) -> np.ndarray:
    """Paint one texture, or two that meet at a soft line (a horizon, a wall): a canvas."""
    canvas = texture(rng, size)
    if rng.random() < 0.35:
        x, y = grid(size)
        tilt = float(rng.normal(0, 0.25)) + (np.pi / 2 if rng.random() < 0.25 else 0)
        side = y * np.cos(tilt) + x * np.sin(tilt) - float(rng.uniform(-0.25, 0.3))
        edge = np.clip(side * float(size * rng.uniform(0.1, 1)) + 0.5, 0, 1)
        canvas += edge * (texture(rng, size) - canvas)
    return canvas


def scribble(rng: np.random.Generator, canvas: np.ndarray) -> None:
    """Paint one thing that belongs to no class: a blob, a stroke, dots or a letter."""
    size = canvas.shape[1]
    centre, reach = rng.uniform(0, size, 2), size * rng.uniform(0.03, 0.09)
    stencil, kind = np.zeros((size, size), np.uint8), rng.integers(4)
    if kind == 0:
        angle = np.linspace(0, 2 * np.pi, 9)[:-1]
        corners = centre + reach * rng.uniform(0.4, 1.2, (8, 1)) * np.stack([np.cos(angle), np.sin(angle)], 1)
        cv2.fillPoly(stencil, [fixed(smooth(*corners))], 255, cv2.LINE_AA, 4)
    elif kind == 1:
        path = centre + np.cumsum(rng.normal(0, 0.8, (5, 2)), axis=0) * reach
        cv2.polylines(stencil, [fixed(path)], False, 255, int(rng.integers(1, 3)), cv2.LINE_AA, 4)
    elif kind == 2:
        for at in centre + rng.normal(0, 1, (int(rng.integers(2, 6)), 2)) * reach:
            radius = 16 * size * rng.uniform(0.008, 0.022)
            cv2.circle(stencil, fixed(at).tolist(), int(radius), 255, -1, cv2.LINE_AA, 4)
    else:
        letter = chr(int(rng.integers(ord("A"), ord("Z") + 1)))
        font = int(rng.integers(8))
        cv2.putText(stencil, letter, centre.astype(int).tolist(), font, reach / 12, 255, 1, cv2.LINE_AA)
    weight = stencil * np.float32(rng.uniform(0.6, 1) / 255)
    canvas += weight * (ink(random_colour(rng, (0.1, 0.9), (0.2, 1))) - canvas)


def fixed(points: np.ndarray) -> np.ndarray:
    """Convert pixels to opencv's fixed-point coordinates with 4 fractional bits (`shift=4`)."""
    return np.round(points * 16).astype(np.int32)


def paint(
    parts: Sequence[tuple[str, Points]], colours: dict[str, np.ndarray], size: int, outline: float = 0
) -> np.ndarray:
    """Fill the parts (points in pixels) in their order, with lines `outline` pixels wide around them.

    (4, S, S) float32: red, green and blue times alpha, and alpha from 0 to 1, with smooth edges.
    """
    low = np.clip(np.floor(np.min([points.min(0) for _, points in parts], 0)).astype(int) - 2, 0, size - 1)
    high = np.clip(np.ceil(np.max([points.max(0) for _, points in parts], 0)).astype(int) + 2, low + 1, size)
    width, height = (int(n) for n in high - low)
    fine = np.zeros((height * SUPERSAMPLE, width * SUPERSAMPLE, 4), np.uint8)
    for role, points in parts:
        shape, fill = [fixed((points - low) * SUPERSAMPLE)], colours[role]
        cv2.fillPoly(fine, shape, [*fill.tolist(), 255], cv2.LINE_8, 4)
        if outline:
            edge = [*(0.45 * fill).tolist(), 255]
            cv2.polylines(fine, shape, True, edge, round(outline * SUPERSAMPLE), cv2.LINE_8, 4)
    layer = np.zeros((4, size, size), np.float32)
    coarse = cv2.resize(fine, (width, height), interpolation=cv2.INTER_AREA)
    layer[:, low[1] : high[1], low[0] : high[0]] = coarse.transpose(2, 0, 1)
    layer[3] /= 255
    return layer
