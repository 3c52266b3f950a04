"""A film: one network at several steps of its training, in one file.

    packed = pack({0: weights, 50: weights, ...})        # tensors for a safetensors file; the steps go into its description
    weights = unpack(packed, film, shapes)               # those of the step `film.at`, almost as they were

Neighbouring steps are alike, so the file stores only the difference of each from the one before: deflated whole numbers, in a
unit that each row of a matrix has for itself. The step before is taken *as it is read back*, so that errors do not add up. The
card of each film says what that costs in the maps.
"""

import math
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor

from vizapp.errors import VizError
from vizapp.model.bounds import real, sentence, whole
from vizapp.vocabulary import CURVES
from vizapp.wording import Text

FILM = "film"  # entry of a file's description
# How many units the typical weight of a row has. Maps feel an error in the small tensors most, and one in the MLP least: measured
# by rounding one kind of tensor at a time (docs/lab-notes.md).
UNITS = {"fc1.weight": 300, "fc2.weight": 220, "weight": 900, "pos_embed": 900}
FEW = 1500  # of anything flat: norms, biases, the CLS token
FIRST = 4  # times finer for the first step: attention has not learnt yet and follows each weight
FINEST = 64
MOST_STEPS = 1000
MOST_WEIGHTS = 2**25  # of a network whose film is shown; deflated zeros of any number fit into a small file
LATEST = 10**9
LARGEST = 2**15 - 1

Shapes = Mapping[str, Sequence[int]]


@dataclass(frozen=True)
class Film:
    """The steps of a film, and the measurements at each.

    steps     counted from 0, rising
    at        the step whose weights a network has
    pictures  number of held-out pictures in the measurements; 0: nothing was measured
    curves    name -> rows of one number per step: "accuracy", the share of right answers, "unmarked", the same without the
              tell-tale mark; "object" and "mark", a row per layer: how much of CLS attention on patches lies on these
    levels    the same names -> the value at chance
    learned   class -> the step from which more than half of its pictures are right; classes that are missing were never learnt
    """

    steps: tuple[int, ...]
    at: int
    pictures: int = 0
    curves: Mapping[str, tuple[tuple[float, ...], ...]] = field(default_factory=dict)
    levels: Mapping[str, float] = field(default_factory=dict)
    learned: Mapping[str, int] = field(default_factory=dict)

    def said(self) -> dict[str, Any]:
        """Describe the film for a file, without `at`; `read_film` is the inverse."""
        return {
            "steps": self.steps,
            "pictures": self.pictures,
            "curves": self.curves,
            "levels": self.levels,
            "learned": self.learned,
        }


def read_film(said: Any, at: int | None = None) -> Film:
    """Read the film that a file describes, at one of its steps; None: the last. Raises `VizError` for anything else."""
    if not isinstance(said, Mapping) or not isinstance(said.get("steps"), list) or not said["steps"]:
        raise _damaged(Text("it names no steps"))
    if len(said["steps"]) > MOST_STEPS:
        raise _damaged(Text("it names too many steps"))
    steps = tuple(whole("steps", one, 0, LATEST) for one in said["steps"])
    if any(later <= earlier for earlier, later in pairwise(steps)):
        raise _damaged(Text("its steps do not rise"))
    if at is not None and at not in steps:
        raise VizError(
            "The film has no step {step}.", "Its steps are: {steps}.", step=at, steps=", ".join(map(str, steps))
        )
    curves, levels, learned = (said.get(word, {}) for word in ("curves", "levels", "learned"))
    if not all(isinstance(one, Mapping) for one in (curves, levels, learned)) or not set(curves) <= set(CURVES):
        raise _damaged(Text("it has measurements of an unknown kind"))
    return Film(
        steps,
        steps[-1] if at is None else at,
        whole("pictures", said.get("pictures", 0), 0, LATEST),
        {name: _rows(name, rows, len(steps)) for name, rows in curves.items()},
        {sentence("levels", name): real("levels", one, 0, 1) for name, one in levels.items()},
        {sentence("learned", name): whole("learned", one, 0, LATEST) for name, one in learned.items()},
    )


def _rows(name: str, rows: Any, steps: int) -> tuple[tuple[float, ...], ...]:
    if not isinstance(rows, list) or not all(isinstance(row, list) and len(row) == steps for row in rows):
        raise _damaged(Text("a curve does not have one number for each step"))
    return tuple(tuple(real(name, one, 0, 1) for one in row) for row in rows)


def pack(frames: Mapping[int, Mapping[str, Tensor]], finer: Mapping[int, int] | None = None) -> dict[str, Tensor]:
    """Pack the weights of each step as tensors of bytes, with the units of the rows, and how much finer each step is.

    finer  step -> a whole number, for steps whose maps need more precision than the others
    """
    shapes = {name: tuple(one.shape) for name, one in next(iter(frames.values())).items()}
    sizes, flat = _row_sizes(shapes), {step: _flat(weights) for step, weights in sorted(frames.items())}
    starts = np.cumsum([0, *sizes[:-1]])
    power = np.mean([np.add.reduceat(one * one, starts) / sizes for one in flat.values()], 0)
    units = (np.maximum(np.sqrt(power), 1e-4) / _fineness(shapes)).astype(np.float32)
    steps = list(flat)
    fineness = [(finer or {}).get(step, 1) * (1 if step != steps[0] else FIRST) for step in steps]
    packed = {"units": torch.from_numpy(units), "fineness": torch.tensor(fineness, dtype=torch.int32)}
    known = np.zeros(sum(sizes), np.float32)
    for fine, (step, weights) in zip(fineness, flat.items(), strict=True):
        unit = np.repeat(units / np.float32(fine), sizes)
        change = np.rint((weights - known) / unit)
        if np.abs(change).max() > LARGEST:
            raise ValueError(f"A weight changes too much at step {step} to be packed.")
        known = known + change.astype(np.float32) * unit
        packed[str(step)] = torch.frombuffer(bytearray(zlib.compress(_bytes(change), 9)), dtype=torch.uint8)
    return packed


def _flat(weights: Mapping[str, Tensor]) -> np.ndarray:
    return np.concatenate([weights[name].detach().cpu().float().numpy().ravel() for name in sorted(weights)])


def _bytes(change: np.ndarray) -> bytes:
    """Low bytes, then high bytes, which are 0 for most: 0, -1, 1, -2, 2 ... as 0, 1, 2, 3, 4 ..."""
    whole = change.astype(np.int32)
    folded = np.where(whole < 0, -2 * whole - 1, 2 * whole).astype("<u2")
    return folded.view(np.uint8).reshape(-1, 2).T.tobytes()


def unpack(packed: Mapping[str, Tensor], film: Film, shapes: Shapes) -> dict[str, Tensor]:
    """Unpack the weights at `film.at` of a network whose tensors have these shapes. Raises `VizError` for a damaged file."""
    if sum(math.prod(shape) for shape in shapes.values()) > MOST_WEIGHTS:
        raise VizError("A film of so large a network cannot be shown.", "Give the weights of one step by themselves.")
    sizes = _row_sizes(shapes)
    if set(packed) != {"units", "fineness", *map(str, film.steps)}:
        raise _damaged(Text("it does not hold the steps that it names"))
    units, fineness = _units(packed["units"], len(sizes)), _finer(packed["fineness"], len(film.steps))
    flat = np.zeros(sum(sizes), np.float32)
    for step, fine in zip(film.steps[: film.steps.index(film.at) + 1], fineness, strict=False):
        flat += _change(packed[str(step)], len(flat)) * np.repeat(units / np.float32(fine), sizes)
    found, at = {}, 0
    for name in sorted(shapes):
        size = math.prod(shapes[name])
        found[name] = torch.from_numpy(flat[at : at + size].reshape(tuple(shapes[name])).copy())
        at += size
    return found


def _change(given: Tensor, count: int) -> np.ndarray:
    """Read the changes of one step, in units. No more bytes are inflated than a network of this size has."""
    if given.dtype != torch.uint8 or given.ndim != 1:
        raise _damaged(Text("a step holds no bytes"))
    inflate = zlib.decompressobj()
    try:
        data = inflate.decompress(given.numpy().tobytes(), 2 * count + 1)
    except zlib.error:
        raise _damaged(Text("a step cannot be inflated")) from None
    if len(data) != 2 * count or not inflate.eof:
        raise _damaged(Text("a step does not have one number for each weight"))
    low, high = np.frombuffer(data, np.uint8).reshape(2, count).astype(np.int32)
    folded = low + 256 * high
    return np.where(folded & 1, -(folded + 1) // 2, folded // 2).astype(np.float32)


def _units(given: Tensor, count: int) -> np.ndarray:
    if given.dtype != torch.float32 or tuple(given.shape) != (count,) or not bool(given.isfinite().all()):
        raise _damaged(Text("it does not have one unit for each row"))
    return given.numpy()


def _finer(given: Tensor, count: int) -> list[int]:
    if (
        given.dtype != torch.int32
        or tuple(given.shape) != (count,)
        or not bool(((given >= 1) & (given <= FINEST)).all())
    ):
        raise _damaged(Text("it does not say how fine each step is"))
    found: list[int] = given.tolist()
    return found


def _fineness(shapes: Shapes) -> np.ndarray:
    """(rows,): the units that the typical weight of each row has."""
    found = []
    for name in sorted(shapes):
        shape = tuple(shapes[name])
        is_few = math.prod(shape) == max(shape)
        fine = FEW if is_few else next(count for end, count in UNITS.items() if name.endswith(end))
        found += [fine] * len(list(_rows_in(shape)))
    return np.array(found)


def _row_sizes(shapes: Shapes) -> list[int]:
    """List the number of weights of each row; a flat tensor is one row."""
    return [size for name in sorted(shapes) for size in _rows_in(tuple(shapes[name]))]


def _rows_in(shape: tuple[int, ...]) -> Iterator[int]:
    size = math.prod(shape)
    count = shape[0] if len(shape) > 1 else 1
    yield from [size // count] * count if count else []


def _damaged(why: Text) -> VizError:
    return VizError("This film cannot be read: {why}.", "The file is damaged, or made to do harm.", why=why)
