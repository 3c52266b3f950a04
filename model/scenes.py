"""A toy world with known answers: pictures of twelve simple things, and for each thing the pixels that show it.

`render(seed)` paints one picture. The same seed gives the same picture, so a data set is a range of seeds. A class is a
handful of polygons (`CLASSES`); colour, background, clutter, shadow, light and occluder say (almost) nothing about it.

    python -m model.scenes sheet.png        a contact sheet
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np

Points = np.ndarray  # (n, 2) float, x to the right and y down; a thing fills about [-1, 1] in both
Parts = Iterator[
    tuple[str, Points]
]  # filled polygons from back to front, each with the role of its colour in `palette`
HSV = tuple[float, float, float]  # degrees, 0 to 1, 0 to 1
# A canvas is (3, S, S) float32, red, green and blue from 0 to 255; planes first, for numpy is slow on a last axis of 3.
SUPERSAMPLE = 4


@dataclass(frozen=True)
class SceneObject:
    """One thing in a picture. `label` indexes CLASSES; `mask` (S, S) bool is what can be seen of it (behind an
    occluder it is False); `box` is (left, top, right, bottom) of the mask in pixels, right and bottom exclusive."""

    label: int
    mask: np.ndarray
    box: tuple[int, int, int, int]

    @property
    def name(self) -> str:
        return CLASSES[self.label]


@dataclass(frozen=True)
class Scene:
    """`picture` (S, S, 3) uint8 RGB, and its objects, the ones painted later (in front) last."""

    picture: np.ndarray
    objects: tuple[SceneObject, ...]


# ------------------------------------------------------------------------------------------------ lines and shapes


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


def turned(points: Points, degrees: float, around: tuple[float, float] = (0, 0)) -> Points:
    a = np.radians(degrees)
    return (points - around) @ np.array([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]]) + around


def mirrored(points: Points) -> Points:
    return points * (-1, 1)


def moved(points: Points, x: float, y: float) -> Points:
    return points + np.array((x, y))


# ---------------------------------------------------------------------------------------------------- twelve things


def house(rng: np.random.Generator) -> Parts:
    eaves, ridge, door = rng.uniform(-0.15, 0.05), rng.uniform(-0.15, 0.15), rng.choice([-0.42, 0.0, 0.42])
    yield "accent", box(0.36, -0.9, 0.6, eaves)
    yield "body", box(-0.72, eaves, 0.72, 0.92)
    yield "second", poly((-0.98, eaves + 0.04), (ridge, -0.95), (0.98, eaves + 0.04))
    yield "dark", box(door - 0.17, 0.36, door + 0.17, 0.92)
    yield "accent", oval(door + 0.1, 0.66, 0.035)
    for x in (x for x in (-0.42, 0.42) if x != door):
        yield "glass", box(x - 0.2, 0.16, x + 0.2, 0.54)
        yield "light", box(x - 0.03, 0.16, x + 0.03, 0.54)
        yield "light", box(x - 0.2, 0.32, x + 0.2, 0.37)


def tree(rng: np.random.Generator) -> Parts:
    yield "second", poly((-0.12, 0.0), (0.12, 0.0), (0.2, 0.97), (-0.2, 0.97))
    if rng.random() < 0.5:  # a fir
        for top, low, w in ((-0.3, 0.56, 0.82), (-0.66, 0.1, 0.66), (-0.98, -0.3, 0.5)):
            yield "body", poly((0, top), (w, low), (-w, low))
        return
    for x, y, r in ((-0.45, -0.08, 0.4), (0.45, -0.08, 0.4), (-0.3, -0.5, 0.4), (0.32, -0.52, 0.38), (0, -0.3, 0.52)):
        yield "body", oval(x, y, r)
    for x, y in ((-0.45, -0.1), (0.4, -0.2), (-0.1, -0.5), (0.08, -0.02), (0.35, -0.62)):
        yield "accent", oval(x, y, 0.08)


def fish(rng: np.random.Generator) -> Parts:
    h = rng.uniform(0.4, 0.55)
    yield "second", smooth((0.4, 0), (0.98, -0.48), (0.84, 0), (0.98, 0.48))
    yield "second", smooth((-0.35, -h * 0.8), (0.1, -h - 0.3), (0.4, -h * 0.6), (0, -0.2))
    yield "second", smooth((-0.1, h * 0.6), (0.2, h + 0.22), (0.3, h * 0.4))
    yield "body", smooth((-0.97, 0.03), (-0.5, -h * 0.85), (0, -h), (0.6, 0), (0, h), (-0.5, h * 0.85))
    for x in rng.permutation([-0.2, 0.06, 0.3])[: rng.integers(0, 4)]:
        yield "accent", ribbon(oval(x - 0.12, 0, 0.14, h * (0.9 - 1.2 * max(x, 0.0)), arc=(-80, 80)), 0.09)
    yield "light", oval(-0.6, -0.12, 0.13)
    yield "dark", oval(-0.62, -0.12, 0.065)


def sun(rng: np.random.Generator) -> Parts:
    rays, half = int(rng.integers(8, 13)), rng.uniform(7, 11)
    inner = rng.uniform(0.5, 0.6)
    ray = poly((inner, -0.13), (0.99, 0), (inner, 0.13))
    if rng.random() < 0.4:
        ray = ribbon(poly((inner + 0.06, 0), (0.8, 0), (0.98, 0)), 0.11)
    for i in range(rays):
        yield "second", turned(turned(ray, half), 360 * i / rays)
    yield "body", oval(0, 0, inner - 0.04)
    yield "accent", oval(-0.06, -0.06, inner * 0.6)


def car(rng: np.random.Generator) -> Parts:
    top, front, back = rng.uniform(-0.62, -0.45), rng.uniform(-0.5, -0.25), rng.uniform(0.3, 0.6)
    middle, sill = (front + back) / 2, top + 0.1
    yield "body", poly((front - 0.28, 0.02), (front, top), (back, top), (back + 0.2, 0.02))
    yield "glass", poly((front - 0.12, 0), (front + 0.05, sill), (middle - 0.05, sill), (middle - 0.05, 0))
    yield "glass", poly((middle + 0.05, 0), (middle + 0.05, sill), (back - 0.04, sill), (back + 0.07, 0))
    hood = (-0.97, 0.2), (-0.85, 0.02), (-0.3, -0.04), (0.3, -0.04)
    yield "body", smooth(*hood, (0.88, 0.0), (0.98, 0.25), (0.9, 0.46), (-0.9, 0.46))
    yield "second", box(-0.93, 0.22, 0.95, 0.3)
    yield "accent", oval(-0.87, 0.15, 0.09, 0.08)
    for x in (-0.52, 0.54):
        yield "dark", oval(x, 0.46, 0.25)
        yield "light", oval(x, 0.46, 0.12)


def boat(rng: np.random.Generator) -> Parts:
    deck, bow = rng.uniform(0.32, 0.45), rng.uniform(0.5, 0.7)
    yield "dark", box(-0.04, -0.92, 0.04, deck)
    yield "accent", poly((0.04, -0.97), (0.36, -0.87), (0.04, -0.77))
    yield "light", smooth((0.07, -0.72), (0.34, -0.2), (0.78, deck - 0.1), (0.42, deck - 0.08), (0.07, deck - 0.1))
    yield "second", poly((-0.08, -0.62), (-0.08, deck - 0.1), (-0.66, deck - 0.1))
    yield "body", poly((-0.97, deck), (0.97, deck), (bow, 0.92), (-bow, 0.92))
    yield "accent", poly((-0.9, deck + 0.1), (0.9, deck + 0.1), (0.84, deck + 0.2), (-0.84, deck + 0.2))


def mushroom(rng: np.random.Generator) -> Parts:
    rim, peak, spots = rng.uniform(0.02, 0.18), rng.uniform(-0.97, -0.8), int(rng.integers(3, 6))
    yield "light", smooth((-0.2, 0.0), (0.2, 0.0), (0.22, 0.5), (0.34, 0.92), (0, 0.98), (-0.34, 0.92), (-0.22, 0.5))
    yield (
        "body",
        np.concatenate([oval(0, rim, 0.96, rim - peak, arc=(180, 360)), oval(0, rim, 0.96, 0.16, arc=(0, 180))]),
    )
    where = (-0.5, -0.22, 0.14), (0.02, -0.5, 0.17), (0.5, -0.18, 0.13), (-0.1, -0.08, 0.09), (0.33, -0.52, 0.08)
    for x, y, r in where[:spots]:
        yield "accent", oval(x, y, r, r * 0.85)


def flower(rng: np.random.Generator) -> Parts:
    petals, bend = int(rng.integers(5, 9)), rng.uniform(-0.15, 0.15)
    leaf = smooth((bend, 0.75), (0.25, 0.42), (0.62, 0.36), (0.45, 0.66))
    petal = oval(0.38, 0, 0.29, min(0.24, 1.25 / petals))
    yield "leaf", ribbon(poly((0, -0.2), (bend * 0.6, 0.3), (bend, 0.65), (bend * 0.8, 0.98)), 0.11)
    yield "leaf", leaf
    yield "leaf", moved(mirrored(leaf), 2 * bend, 0.08)
    for i in range(petals):
        yield "body", moved(turned(petal, 360 * (i + 0.25) / petals), 0, -0.32)
    yield "second", oval(0, -0.32, 0.2)
    yield "accent", oval(0, -0.32, 0.1)


def face(rng: np.random.Generator) -> Parts:
    width, gap, smile = rng.uniform(0.68, 0.85), rng.uniform(0.26, 0.36), rng.uniform(0.18, 0.36)
    fringe = oval(0, -0.3, width - 0.04, 0.3, arc=(360, 180))
    yield "body", oval(-width, 0.1, 0.14, 0.18)
    yield "body", oval(width, 0.1, 0.14, 0.18)
    yield "body", oval(0, 0.05, width, 0.9)
    yield "second", np.concatenate([oval(0, -0.05, width + 0.06, 0.92, arc=(175, 365)), fringe])
    for side in (-1, 1):
        yield "light", oval(side * gap, -0.02, 0.15, 0.13)
        yield "dark", oval(side * gap, 0.0, 0.08)
        yield "accent", oval(side * (gap + 0.16), 0.36, 0.12, 0.09)
    yield "dark", ribbon(oval(0, 0.42, 0.34, smile, arc=(15, 165)), 0.1)
    yield "accent", oval(0, 0.22, 0.07, 0.1)


def butterfly(rng: np.random.Generator) -> Parts:
    lift, low = rng.uniform(-0.12, 0.08), rng.uniform(0.55, 0.8)
    tip = (0.3, -0.6 + lift), (0.75, -0.8 + lift), (0.97, -0.5 + lift)
    right = (
        ("second", smooth((0.04, 0.0), (0.5, 0.05), (0.78, 0.3), (0.66, low), (0.35, low + 0.08), (0.12, 0.4))),
        ("body", smooth((0.04, -0.1), *tip, (0.8, -0.05), (0.3, 0.08))),
        ("dark", ribbon(poly((0.02, -0.4), (0.1, -0.68), (0.28, -0.92)), 0.05)),
        ("accent", oval(0.64, -0.46 + lift, 0.16)),
        ("accent", oval(0.46, 0.4, 0.12)),
        ("dark", oval(0.29, -0.92, 0.06)),
    )
    yield from right
    yield from ((role, mirrored(points)) for role, points in right)
    yield "dark", oval(0, 0.1, 0.1, 0.52)
    yield "dark", oval(0, -0.42, 0.12)


def rocket(rng: np.random.Generator) -> Parts:
    w, burn = rng.uniform(0.3, 0.38), rng.uniform(0.85, 0.99)
    fin = poly((w - 0.08, 0.12), (0.72, 0.55), (0.72, 0.8), (0.16, 0.55))
    yield "flame", poly((-0.2, 0.5), (0.2, 0.5), (0.12, 0.75), (0, burn), (-0.12, 0.75))
    yield "second", fin
    yield "second", mirrored(fin)
    tail = (w, -0.05), (0.22, 0.56), (-0.22, 0.56), (-w, -0.05)
    yield "body", smooth((0, -0.98), (w * 0.75, -0.55), *tail, (-w * 0.75, -0.55))
    nose = (0, -0.98), (w * 0.5, -0.74), (w * 0.8, -0.5), (0, -0.46), (-w * 0.8, -0.5), (-w * 0.5, -0.74)
    yield "second", smooth(*nose)
    yield "accent", oval(0, -0.14, 0.19)
    yield "glass", oval(0, -0.14, 0.13)
    yield "second", poly((-0.06, 0.3), (0.06, 0.3), (0.05, 0.72), (-0.05, 0.72))


def cup(rng: np.random.Generator) -> Parts:
    base, top, band = rng.uniform(0.34, 0.52), rng.uniform(-0.4, -0.2), rng.uniform(0.15, 0.35)
    yield "body", ribbon(oval(0.55, 0.2, 0.36, 0.34, arc=(-100, 100)), 0.15)
    if rng.random() < 0.6:  # steam
        wave = np.linspace(0, 1, 9)
        for x in (-0.35, -0.05, 0.25):
            yield "light", ribbon(np.stack([x + 0.07 * np.sin(6 * wave), top - 0.14 - 0.45 * wave], 1), 0.07)
    yield "body", np.concatenate([poly((-0.72, top), (0.6, top)), oval(-0.06, 0.8, base, 0.12, arc=(0, 180))])
    high, low = (0.66 - (0.6 - base) * t for t in (band, band + 0.25))
    stripe = poly((-high, band), (high, band), (low, band + 0.2), (-low, band + 0.2))
    yield "second", moved(stripe, -0.06, 0)
    yield "light", oval(-0.06, top, 0.66, 0.15)
    yield "dark", oval(-0.06, top + 0.01, 0.55, 0.1)


Design = Callable[[np.random.Generator], Parts]
DESIGNS: tuple[Design, ...] = (house, tree, fish, sun, car, boat, mushroom, flower, face, butterfly, rocket, cup)
CLASSES: tuple[str, ...] = tuple(design.__name__ for design in DESIGNS)

# Hue (0 to 360), saturation, value of body, second, accent: what half of the things of a class look like, more or less.
USUAL: dict[str, tuple[HSV, HSV, HSV]] = {
    "house": ((40, 0.35, 0.95), (10, 0.7, 0.7), (20, 0.5, 0.55)),
    "tree": ((120, 0.6, 0.6), (28, 0.6, 0.5), (0, 0.8, 0.9)),
    "fish": ((22, 0.8, 0.98), (8, 0.75, 0.85), (45, 0.3, 1.0)),
    "sun": ((48, 0.8, 1.0), (38, 0.9, 1.0), (52, 0.5, 1.0)),
    "car": ((355, 0.75, 0.85), (0, 0.1, 0.85), (50, 0.6, 1.0)),
    "boat": ((15, 0.65, 0.6), (205, 0.5, 0.9), (0, 0.75, 0.85)),
    "mushroom": ((2, 0.8, 0.82), (30, 0.3, 0.9), (40, 0.1, 1.0)),
    "flower": ((325, 0.55, 0.98), (46, 0.85, 1.0), (25, 0.7, 0.7)),
    "face": ((28, 0.4, 0.95), (25, 0.6, 0.4), (5, 0.5, 0.92)),
    "butterfly": ((265, 0.5, 0.85), (215, 0.6, 0.9), (48, 0.7, 1.0)),
    "rocket": ((210, 0.08, 0.95), (0, 0.75, 0.85), (215, 0.2, 0.6)),
    "cup": ((200, 0.5, 0.85), (200, 0.15, 0.98), (0, 0.6, 0.9)),
}


# --------------------------------------------------------------------------------------------------------- painting


def rgb(hue: float, saturation: float, value: float) -> np.ndarray:
    """(3,) float, 0 to 255, from hue in degrees, saturation and value in [0, 1]."""
    k = (np.array([5, 3, 1]) + hue / 60) % 6
    return 255 * value * (1 - saturation * np.clip(np.minimum(k, 4 - k), 0, 1))


def random_colour(rng: np.random.Generator, saturation: tuple[float, float], value: tuple[float, float]) -> np.ndarray:
    return rgb(rng.uniform(0, 360), rng.uniform(*saturation), rng.uniform(*value))


def palette(rng: np.random.Generator, label: int, background: np.ndarray) -> dict[str, np.ndarray]:
    """A colour for each role: near the usual ones of the class or any at all, but a body that stands out a little."""
    for _ in range(6):
        if rng.random() < 0.5:
            about = USUAL[CLASSES[label]] + rng.normal(0, 1, (3, 3)) * (14, 0.12, 0.1)
            three = [rgb(hue, *np.clip((saturation, value), (0, 0.1), 1)) for hue, saturation, value in about]
        else:
            three = [random_colour(rng, (0.25, 0.95), (0.4, 1.0)) for _ in range(3)]
        if np.abs(three[0] - background).sum() > 110:
            break
    return {
        **dict(zip(("body", "second", "accent"), three, strict=True)),
        "dark": rgb(rng.uniform(0, 360), 0.3, rng.uniform(0.1, 0.28)),
        "light": rgb(rng.uniform(20, 70), 0.08, rng.uniform(0.88, 1)),
        "glass": rgb(rng.uniform(185, 215), 0.3, rng.uniform(0.8, 1)),
        "leaf": rgb(rng.uniform(90, 140), 0.6, rng.uniform(0.45, 0.7)),
        "flame": rgb(rng.uniform(20, 45), 0.85, 1.0),
    }


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
    """Noise, stripes, checks, a gradient or almost nothing in two colours that are not far apart: a canvas."""
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
    """One texture, or two that meet at a soft line (a horizon, a wall): a canvas."""
    canvas = texture(rng, size)
    if rng.random() < 0.35:
        x, y = grid(size)
        tilt = float(rng.normal(0, 0.25)) + (np.pi / 2 if rng.random() < 0.25 else 0)
        side = y * np.cos(tilt) + x * np.sin(tilt) - float(rng.uniform(-0.25, 0.3))
        edge = np.clip(side * float(size * rng.uniform(0.1, 1)) + 0.5, 0, 1)
        canvas += edge * (texture(rng, size) - canvas)
    return canvas


def scribble(rng: np.random.Generator, canvas: np.ndarray) -> None:
    """Paint one thing that is none of the classes: a blob, a stroke, dots or a letter."""
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
    """Pixels to opencv's fixed-point coordinates with 4 fractional bits (`shift=4`)."""
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


def place(rng: np.random.Generator, parts: Parts, centre: np.ndarray, reach: float) -> list[tuple[str, Points]]:
    """The parts in pixels: maybe mirrored, a little squeezed, sheared and turned; `reach` from centre to edge."""
    drawn = list(parts)
    stretch, shear = np.exp(rng.normal(0, 0.09)), rng.normal(0, 0.07)
    matrix = np.array([[rng.choice([-1, 1]) * stretch, shear], [0, 1 / stretch]]) * reach
    lean = float(np.degrees(rng.normal(0, 0.2)))
    return [(role, turned(points @ matrix.T, lean) + centre) for role, points in drawn]


def layout(rng: np.random.Generator, objects: int, size: int) -> list[tuple[np.ndarray, float]]:
    """Centre and reach of each object, in pixels: inside the picture except for a sliver, and apart from each other."""
    smallest, largest = {1: (0.22, 0.4), 2: (0.17, 0.26)}.get(objects, (0.13, 0.19))
    while True:
        reach = rng.uniform(smallest, largest, objects)
        centre = np.stack([rng.uniform(0.9 * r, 1 - 0.9 * r, 2) for r in reach])
        gap = np.linalg.norm(centre[:, None] - centre[None], axis=-1) - 0.95 * (reach[:, None] + reach[None])
        if np.all(gap[~np.eye(objects, dtype=bool)] > 0):
            return [(c * size, float(r) * size) for c, r in zip(centre, reach, strict=True)]


def occlude(rng: np.random.Generator, canvas: np.ndarray, owner: np.ndarray, objects: int) -> None:
    """Lay a bar or a blob over the picture, unless it would hide more than a third of any object."""
    size = owner.shape[0]
    if rng.random() < 0.5:
        angle, middle = rng.uniform(0, np.pi), rng.uniform(0.2, 0.8, 2) * size
        along = np.array([np.cos(angle), np.sin(angle)]) * size * 1.5
        shape = ribbon(np.stack([middle - along, middle + along]), size * rng.uniform(0.03, 0.08))
    else:
        around = np.linspace(0, 2 * np.pi, 8)[:-1]
        ring = np.stack([np.cos(around), np.sin(around)], 1) * rng.uniform(0.06, 0.14, (7, 1))
        shape = smooth(*((rng.uniform(0.1, 0.9, 2) + ring) * size))
    layer = paint([("body", shape)], {"body": random_colour(rng, (0.1, 0.8), (0.2, 0.95))}, size)
    behind = layer[3] > 0.5
    if all(np.count_nonzero((owner == i) & behind) * 3 < np.count_nonzero(owner == i) for i in range(1, objects + 1)):
        canvas += layer[:3] - layer[3] * canvas
        owner[behind] = 0


def render(
    seed: int,
    *,
    size: int = 112,
    objects: int = 1,
    labels: Sequence[int] | None = None,
    clutter: float = 1.0,
    occlusion: float = 0.4,
    grain: float = 1.0,
) -> Scene:
    """Paint the scene number `seed`, `size` pixels wide and high.

    objects    how many things, 1 to 4, each of another class
    labels     their classes, instead of random ones (then `objects` is ignored)
    clutter    factor on the number of things that belong to no class (0 to 6 of them at 1.0)
    occlusion  probability of a bar or blob in front; at least two thirds of every object stay visible behind it
    grain      factor on sensor noise and blur
    """
    rng = np.random.default_rng(seed)
    chosen = list(labels) if labels is not None else rng.permutation(len(CLASSES))[:objects].tolist()
    canvas = backdrop(rng, size)
    for _ in range(round(clutter * int(rng.integers(0, 7)))):
        scribble(rng, canvas)

    owner = np.zeros((size, size), np.uint8)  # 0 is the background, i + 1 is object i
    x, y = grid(size)
    light = float(rng.uniform(0, 2 * np.pi))
    ramp = x * np.cos(light) + y * np.sin(light)
    for i, (label, (centre, reach)) in enumerate(zip(chosen, layout(rng, len(chosen), size), strict=True)):
        parts = place(rng, DESIGNS[label](rng), centre, reach)
        colours = palette(rng, label, canvas[:, ::8, ::8].mean((1, 2)))
        layer = paint(parts, colours, size, outline=rng.choice([0, 0.02, 0.035]) * reach)
        away = np.array([[1, 0, np.cos(light) * 0.12 * reach], [0, 1, np.sin(light) * 0.12 * reach]])
        shadow = cv2.warpAffine(cv2.GaussianBlur(layer[3], (0, 0), size * 0.02), away, (size, size))
        canvas *= 1 - shadow * np.float32(rng.uniform(0, 0.5))
        layer[:3] *= 1 - ramp * np.float32(rng.uniform(0.2, 0.9))  # lit from the side away from the shadow
        canvas += layer[:3] - layer[3] * canvas
        owner[layer[3] > 0.5] = i + 1
    if rng.random() < occlusion:
        occlude(rng, canvas, owner, len(chosen))

    canvas *= 1 - ramp * np.float32(rng.uniform(0, 0.5))
    picture = canvas.transpose(1, 2, 0)
    if grain and rng.random() < 0.25:
        picture = cv2.GaussianBlur(np.ascontiguousarray(picture), (0, 0), grain * rng.uniform(0.3, 0.8))
    speckle = np.frombuffer(rng.bytes(picture.size), np.int8).reshape(picture.shape)
    picture = np.clip(picture + speckle * np.float32(grain * rng.uniform(0, 0.09)), 0, 255).astype(np.uint8)
    things = tuple(found(label, owner == i + 1) for i, label in enumerate(chosen))
    return Scene(picture, things)


def found(label: int, mask: np.ndarray) -> SceneObject:
    rows, cols = np.flatnonzero(mask.any(1)), np.flatnonzero(mask.any(0))
    return SceneObject(label, mask, (int(cols[0]), int(rows[0]), int(cols[-1]) + 1, int(rows[-1]) + 1))


def sheet(seeds: Sequence[int], *, columns: int = 12, objects: int = 1, size: int = 112) -> np.ndarray:
    """Many scenes side by side, (rows * size, columns * size, 3) uint8 RGB; with one object, a class per column."""
    pictures = []
    for k, seed in enumerate(seeds):
        labels = [k % len(CLASSES)] if objects == 1 else None
        pictures.append(render(seed, size=size, objects=objects, labels=labels).picture)
    return np.concatenate([np.concatenate(pictures[i : i + columns], 1) for i in range(0, len(pictures), columns)], 0)


if __name__ == "__main__":
    cv2.imwrite(sys.argv[1], cv2.cvtColor(sheet(range(96)), cv2.COLOR_RGB2BGR))
