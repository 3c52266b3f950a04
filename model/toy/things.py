"""The twelve things of the toy world: a handful of polygons each, drawn a little differently each time.

A design yields filled polygons from back to front, each with the role of its colour ("body", "second", "accent", "dark" ...);
`vizapp.model.toy.scenes` chooses the colours.
"""

from collections.abc import Callable, Iterator

import numpy as np

from vizapp.model.toy.shapes import Points, box, mirrored, moved, oval, poly, ribbon, smooth, turned

Parts = Iterator[tuple[str, Points]]
HSV = tuple[float, float, float]  # degrees, 0 to 1, 0 to 1


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

# Hue (0 to 360), saturation, value of body, second, accent: the approximate colours of half of the things of a class.
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
