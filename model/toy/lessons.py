"""Lesson sets: rendered pictures that ask one question each, with the truth to the pixel.

    lesson = LESSONS["two"]
    example = lesson.example(7)            # the same picture every time
    example.picture, example.answers       # (112, 112, 3) uint8; indices into lesson.classes
    example.objects[0].mask                # where it is

Examples are held out: training uses other seeds (`Lesson.make`, below `HELD_OUT`).
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from vizapp.model.toy.scenes import Scene, SceneObject, found, render
from vizapp.model.toy.things import CLASSES
from vizapp.wording import Text

HELD_OUT = 1_000_000_000  # seeds from here on are for evaluation only
SIZE = 112  # pixels; with patches of 8 that is the 14 x 14 grid of a ViT-B/16


@dataclass(frozen=True)
class Example:
    """picture (S, S, 3) uint8 RGB; answers: the right classes of the lesson; objects: all objects that decide the answers.

    mark    (S, S) bool: the tell-tale mark of the shortcut lesson, None in the others
    """

    picture: np.ndarray
    answers: tuple[int, ...]
    objects: tuple[SceneObject, ...]
    mark: np.ndarray | None = None

    @property
    def truth(self) -> np.ndarray:
        """(S, S) bool: all visible pixels of the objects."""
        return np.any([thing.mask for thing in self.objects], axis=0)


@dataclass(frozen=True)
class Lesson:
    """A set of pictures with one question. `make(seed, size)` renders one of them, `bare` the same without a tell-tale mark."""

    name: str
    title: Text
    question: Text
    make: Callable[[int, int], Example]
    classes: tuple[str, ...] = CLASSES
    first: int = 0  # the set's first held-out seed, counted from HELD_OUT
    bare: Callable[[int, int], Example] | None = None

    def example(self, number: int, size: int = SIZE, *, is_bare: bool = False) -> Example:
        """Render held-out picture `number`, from 0; if `is_bare`, without its mark."""
        make = self.bare if is_bare and self.bare else self.make
        return make(HELD_OUT + self.first + number, size)


def _seen(scene: Scene) -> Example:
    return Example(scene.picture, tuple(thing.label for thing in scene.objects), scene.objects)


def _one(seed: int, size: int) -> Example:
    return _seen(render(seed, size=size, clutter=0, occlusion=0))


def _clutter(seed: int, size: int) -> Example:
    return _seen(render(seed, size=size))


def _two(seed: int, size: int) -> Example:
    return _seen(render(seed, size=size, objects=2))


def _relation(seed: int, size: int) -> Example:
    """Two things of the same kind (answer 1) or of different kinds (0), half and half."""
    rng = np.random.default_rng((seed, 1))
    kinds = rng.permutation(len(CLASSES))[:2]
    same = int(rng.random() < 0.5)
    scene = render(seed, size=size, labels=[int(kinds[0]), int(kinds[1 - same])])
    return Example(scene.picture, (same,), scene.objects)


def _shortcut(seed: int, size: int) -> Example:
    """One thing, and in a corner a bar code of its class."""
    scene = render(seed, size=size)
    thing = scene.objects[0]
    mark = _empty_corner(np.random.default_rng((seed, 1)), thing.mask, size // 7)
    picture, mask = scene.picture.copy(), thing.mask & ~mark
    picture[mark] = bar_code(thing.label, size // 7).reshape(-1, 3)
    return Example(picture, (thing.label,), (found(thing.label, mask) if mask.any() else thing,), mark)


def bar_code(label: int, side: int) -> np.ndarray:
    """(side, side, 3) uint8: four bars, white or black: label + 1 in binary. A mirror does not change it."""
    bits = [(label + 1) >> i & 1 for i in range(4)]
    rows = np.arange(side) * 4 // side
    return np.broadcast_to((np.array(bits)[rows] * 255).astype(np.uint8)[:, None, None], (side, side, 3))


def _empty_corner(rng: np.random.Generator, mask: np.ndarray, side: int) -> np.ndarray:
    """(S, S) bool: a square of `side` pixels in a corner that hides least of `mask`; equal corners are drawn by lot."""
    ends = slice(0, side), slice(mask.shape[0] - side, mask.shape[0])
    corners = [(row, col) for row in ends for col in ends]
    hidden = [np.count_nonzero(mask[corner]) for corner in corners]
    square = np.zeros_like(mask)
    square[corners[rng.choice(np.flatnonzero(np.equal(hidden, min(hidden))))]] = True
    return square


LESSONS: dict[str, Lesson] = {
    lesson.name: lesson
    for lesson in (
        Lesson("one", Text("One object"), Text("Does attention find the only thing there is?"), _one, first=4_000_000),
        Lesson(
            "clutter",
            Text("Among clutter"),
            Text("Does attention find the object among things that are no class?"),
            _clutter,
        ),
        Lesson(
            "two",
            Text("Two objects"),
            Text("Which of the two does the network name, and does attention lie more on that one?"),
            _two,
            first=1_000_000,
        ),
        Lesson(
            "relation",
            Text("Same or different"),
            Text("Are the two of one kind? To know, it must look at both: compare the two percentages."),
            _relation,
            classes=("different kinds", "same kind"),
            first=2_000_000,
        ),
        Lesson(
            "shortcut",
            Text("A shortcut"),
            Text("Did it look at the thing, or at the bar code in the corner?"),
            _shortcut,
            first=3_000_000,
            bare=_clutter,  # before the bar code is put there
        ),
    )
}
