"""Teach a network things by example: mark a few patches of each, and the nearest prototype labels all others.

seen = vizapp.analyse("timm:vit_small_patch14_dinov2.lvd142m", "cats.jpg")
taught = vizapp.teach(seen, {"cat": [(3, 4), (4, 4)], "sofa": [(10, 2), (11, 7)]})
taught.labels(seen).shares["cat"]                       # (rows, cols), 0 to 1
taught.labels(vizapp.analyse(seen.context.model, "other.jpg")).of(2, 5)
of_things = vizapp.analyse(taught.model, "other.jpg")   # a network whose classes they are
vizapp.explain(of_things, "chefer", target="cat")
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from numbers import Real

import numpy as np
import torch
from torch import Tensor

from vizapp.analysis import Analysis
from vizapp.core.capture.edited import unedited
from vizapp.core.prototypes import TEMPERATURE, Taught, log_shares, prototypes
from vizapp.core.signals.patch_features import Place, patch_features, place_of
from vizapp.errors import VizError
from vizapp.model.spec import TokenLayout, VisionModel

MOST = 20  # things: more than can be told apart by colour
COLDEST, WARMEST = 1e-3, 1e3  # temperatures: beyond them one thing gets everything, or all get equal shares


@dataclass(frozen=True, eq=False)
class Labels:
    """The similarity of each patch of a picture to each thing.

    shares  thing -> (rows, cols) float32, 0 to 1: the softmax over things; they sum to 1 at each patch
    """

    shares: Mapping[str, np.ndarray] = field(repr=False)

    @property
    def things(self) -> tuple[str, ...]:
        """The names of the things, in the order in which they were taught."""
        return tuple(self.shares)

    @cached_property
    def nearest(self) -> np.ndarray:
        """(rows, cols) int: the index in `things` of the most similar one."""
        return np.argmax(np.stack(list(self.shares.values())), 0)

    def of(self, row: int, col: int) -> str:
        """The name of the thing that a patch is most similar to."""
        rows, cols = self.nearest.shape
        return self.things[int(self.nearest.flat[TokenLayout((), (rows, cols)).token_of(*_pair((row, col)))])]


@dataclass(frozen=True, eq=False)
class Lesson:
    """Things that a network was taught by example.

    things       their names
    prototypes   (thing, feature) float32: means of features of length 1
    temperature  of the softmax over cosines
    """

    things: tuple[str, ...]
    prototypes: Tensor = field(repr=False)
    temperature: float
    _plain: VisionModel = field(repr=False)
    _place: Place = field(repr=False)

    def labels(self, seen: Analysis) -> Labels:
        """Label each patch of any picture that the same model has analysed. Takes one forward pass.

        Raises `VizError` for another network, and for a picture that was cut into other patches.
        """
        context = seen.with_network().ready()
        if unedited(context.model).net is not self._plain.net:
            raise VizError(
                "These things were taught to {taught}, and {other} looked at this picture.",
                "Each network has features of its own: teach it, too.",
                taught=self._plain.name,
                other=seen.model_name,
            )
        if seen.trace.layouts(-1)[0] != self._place.layout:
            raise VizError(
                "These things were taught with {taught}, and this picture has {other}.",
                "Give the network pictures of the size that it was taught with, or teach it with this one.",
                taught=self._place.layout,
                other=seen.trace.layouts(-1)[0],
            )
        features = patch_features(context.model, context.pixels, self._place)
        each = log_shares(features, self.prototypes, self.temperature).exp()
        maps = each.T.reshape(len(self.things), *self._place.layout.grid).numpy()
        return Labels(dict(zip(self.things, maps, strict=True)))

    @cached_property
    def model(self) -> VisionModel:
        """The network as a classifier of these things: the probability of each is its share of the picture.

        Every method can explain them, like any class. The classifier reads all patches equally.
        """
        plain = self._plain
        net = Taught(plain.net, self._place, self.prototypes, self.temperature).to(plain.device).eval()
        return replace(
            plain,
            net=net,
            attention=tuple(f"net.{name}" for name in plain.attention),
            pool=None,  # the forward pass ends before the pooling
            readout="mean",
            labels=self.things,
            labels_read=False,
            activation="softmax",
            texts=None,
            film=None,
            facts={**plain.facts, "labels": "taught by example"},
        )


def teach(
    seen: Analysis, marks: Mapping[str, Sequence[tuple[int, int]]], *, temperature: float = TEMPERATURE
) -> Lesson:
    """Teach the network of `seen` some things by the patches that show each, (row, col) from 0. 2 to 5 patches work well.

    The features are the tokens that the last layer hands on, after the norm that follows it where the network norms each
    token. Each is normalised to length 1, and the mean of the marked ones is the thing's prototype. A patch is labelled by
    the softmax over things of its cosine with their prototypes / temperature. The network does not change.

    A patch that is marked twice for one thing counts once.

    Parameters
    ----------
    temperature
        0.001 to 1000; a small one decides for one thing, a large one gives similar shares

    Raises
    ------
    VizError
        for fewer than two things (with one, every patch would be it), for a thing without patches, for a patch that does not
        exist or is marked for two things, and for a network whose last layer has no row of features per patch

    Examples
    --------
    >>> seen = vizapp.analyse("toy", "example")
    >>> lesson = vizapp.teach(seen, {"thing": [(3, 4), (4, 4)], "the rest": [(0, 0), (9, 2)]})
    """
    context = seen.with_network().ready()
    _check(len(marks), temperature)
    grid = seen.trace.layouts(-1)[0]
    shows: dict[int, str] = {}
    for thing, patches in marks.items():
        if not len(patches):
            raise VizError("No patch of {thing} was marked.", "Mark 2 to 5, (row, col) from 0.", thing=thing)
        for row, col in map(_pair, patches):
            other = shows.setdefault(grid.token_of(row, col) - grid.n_prefix, thing)
            if other != thing:
                raise VizError(
                    "The patch ({row}, {col}) was marked for {other} and for {thing}.",
                    "A patch shows one thing: mark it for one of them.",
                    row=row,
                    col=col,
                    other=other,
                    thing=thing,
                )
    tokens = [[patch for patch, of in shows.items() if of == thing] for thing in marks]
    place = place_of(context.model, context.pixels, seen.trace)
    features = patch_features(context.model, context.pixels, place)
    return Lesson(tuple(marks), prototypes(features, tokens), float(temperature), unedited(context.model), place)


def from_prototypes(
    seen: Analysis, things: Sequence[str], means: np.ndarray, *, temperature: float = TEMPERATURE
) -> Lesson:
    """Make a lesson from known prototypes, such as a browser computes; `teach` returns them as `Lesson.prototypes`.

    means  (thing, feature) float32: for each of `things` the mean of its patches' features, each of length 1

    Raises `VizError` as `teach` does, and unless each thing has one row of finite numbers, one for each feature of a patch.
    """
    context, rows = seen.with_network().ready(), checked(things, means)
    _check(len(things), temperature)
    place = place_of(context.model, context.pixels, seen.trace)
    width = patch_features(context.model, context.pixels, place).shape[1]
    if rows.shape[1] != width:
        raise VizError(
            "A prototype of {n} numbers was given, and {model} has {width} features of a patch.",
            "Each network has features of its own: teach it, too.",
            n=rows.shape[1],
            model=seen.model_name,
            width=width,
        )
    return Lesson(tuple(things), rows, float(temperature), unedited(context.model), place)


def checked(things: Sequence[str], means: np.ndarray) -> Tensor:
    """`means` as (thing, feature) float32. Raises `VizError` if they cannot be prototypes of `things`."""
    _check(len(things))
    if means.ndim != 2 or len(means) != len(things) or not means.size or means.dtype.kind != "f":
        raise VizError(
            "Prototypes are a row of numbers for each of {n} things; got {dtype} of shape {shape}.",
            "`Lesson.prototypes` has them.",
            n=len(things),
            dtype=means.dtype,
            shape=means.shape,
        )
    if not np.isfinite(means).all():
        raise VizError("A prototype holds values that are no numbers.", "Mark other patches, and teach it again.")
    return torch.from_numpy(means.astype(np.float32))


def _check(n: int, temperature: float = TEMPERATURE) -> None:
    if n < 2:
        raise VizError(
            "{n} thing was marked. Without a second one, every patch would get its label.",
            'Mark two, such as {{"cat": [(3, 4), (4, 4)], "the rest": [(0, 0), (9, 2)]}}.',
            n=n,
        )
    if n > MOST:
        raise VizError("{n} things are too many.", "Mark {most} at most.", n=n, most=MOST)
    if isinstance(temperature, bool) or not isinstance(temperature, Real) or not COLDEST <= temperature <= WARMEST:
        raise VizError("A temperature is from 0.001 to 1000; got {got}.", "0.1 is usual.", got=temperature)


def _pair(one: object) -> tuple[int, int]:
    if isinstance(one, (tuple, list, np.ndarray)) and len(one) == 2:
        row, col = one
        if all(isinstance(part, (int, np.integer)) and not isinstance(part, bool) for part in (row, col)):
            return int(row), int(col)
    raise VizError("{got} is no patch.", "A patch is (row, col), both from 0.", got=repr(one))
