"""A toy world with known answers: pictures of twelve simple things, and for each thing the pixels that show it.

`render(seed)` paints one picture. The same seed gives the same picture, so a data set is a range of seeds. A class is a
handful of polygons (things.py); colour, background, clutter, shadow, light and occluder say (almost) nothing about it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from vizapp.model.toy.painting import backdrop, grid, paint, random_colour, rgb, scribble
from vizapp.model.toy.shapes import Points, ribbon, smooth, turned
from vizapp.model.toy.things import CLASSES, DESIGNS, USUAL, Parts


@dataclass(frozen=True)
class SceneObject:
    """One thing in a picture. `label` indexes CLASSES; `mask` (S, S) bool is its visible part (False behind an
    occluder); `box` is (left, top, right, bottom) of the mask in pixels, right and bottom exclusive."""

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


def palette(rng: np.random.Generator, label: int, background: np.ndarray) -> dict[str, np.ndarray]:
    """Choose a colour for each role: near the usual ones of the class, or any colour; the body stands out a little."""
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


def place(rng: np.random.Generator, parts: Parts, centre: np.ndarray, reach: float) -> list[tuple[str, Points]]:
    """Place the parts in pixels: maybe mirrored, a little squeezed, sheared and turned; `reach` from centre to edge."""
    drawn = list(parts)
    stretch, shear = np.exp(rng.normal(0, 0.09)), rng.normal(0, 0.07)
    matrix = np.array([[rng.choice([-1, 1]) * stretch, shear], [0, 1 / stretch]]) * reach
    lean = float(np.degrees(rng.normal(0, 0.2)))
    return [(role, turned(points @ matrix.T, lean) + centre) for role, points in drawn]


def layout(rng: np.random.Generator, objects: int, size: int) -> list[tuple[np.ndarray, float]]:
    """Choose centre and reach of each object, in pixels: inside the picture except for a sliver, and apart from each other."""
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
