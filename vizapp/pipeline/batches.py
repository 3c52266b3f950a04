"""Runs one network, or one method, on many pictures. A batch of pictures shares one pass."""

import itertools
import logging
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Literal

import torch
from torch import nn

from vizapp.analysis import Analysis
from vizapp.core.attention.relevance import Relevance
from vizapp.core.attention.trace import Query
from vizapp.core.capture.edited import unedited
from vizapp.core.capture.forward import capture_batch
from vizapp.core.interventions import Edit, parse_all
from vizapp.core.interventions.apply import edited, resolved
from vizapp.core.methods import Method, method_named
from vizapp.core.modes import normal_tensors
from vizapp.core.signals.together import gradients_of_several
from vizapp.core.target import Target
from vizapp.errors import VizError
from vizapp.model.preprocess import Fit
from vizapp.model.spec import VisionModel
from vizapp.picture import MAX_PIXELS
from vizapp.pipeline import accepted, analysis_of, explain, model_of
from vizapp.pipeline.inputs import Given, Looked, given, in_batches

LOG = logging.getLogger("vizapp")
Targets = Target | str | Sequence[Target | str | None] | None


def analyse_many(
    model: VisionModel | nn.Module | str,
    pictures: Iterable[Any],
    *,
    fit: Fit | None = None,
    batch: int = 8,
    edits: str | Edit | Iterable[str | Edit] = (),
    max_pixels: int = MAX_PIXELS,
    on_progress: Callable[[int], None] = lambda done: None,
    on_error: Literal["raise", "skip"] | Callable[[int, VizError], None] = "raise",
    **described: Any,
) -> Iterator[Analysis]:
    """`analyse` for many pictures, lazily and in order, with `batch` of them in one forward pass.

    Parameters
    ----------
    pictures
        pictures, or tensors of pixels, each of one or several; a DataLoader of tensors, (tensor, label) pairs or dictionaries
        with "pixel_values"; labels are ignored
    on_progress
        called with the number of pictures done so far
    on_error
        what becomes of a picture that cannot be read: "raise" its `VizError`; "skip" it, with a line in the log "vizapp"; or a
        function that is called with its number, from 0, and the error, before it is skipped

    Raises
    ------
    VizError
        as `analyse` does, when it reaches the picture; and whatever `on_error`, for a network that does not take the pixels

    Examples
    --------
    >>> for seen in vizapp.analyse_many("toy", ["one.jpg", "broken.jpg"], on_error="skip"):
    ...     print(seen.model_name)
    toy
    """
    if on_error not in ("raise", "skip") and not callable(on_error):
        raise VizError("on_error={got!r} is not possible.", "Choose 'raise', 'skip', or give a function.", got=on_error)
    tell = _told if on_error == "skip" else None if on_error == "raise" else on_error
    if batch < 1:
        raise VizError("A batch holds at least one picture; got {batch}.", "8 is usual.", batch=batch)
    model, done, number, asked = model_of(model, described, analyse_many), 0, itertools.count(), parse_all(edits)
    for some in in_batches(pictures, batch):
        read: list[tuple[Looked, Given]] = []
        for one in some:
            at = next(number)
            try:
                with normal_tensors():
                    read.append((one, given(model, one, fit, None, max_pixels)))
            except VizError as error:
                if tell is None:
                    raise
                tell(at, error)
        for seen in _together(read, fit, asked):
            done += 1
            on_progress(done)
            yield seen


def _told(number: int, error: VizError) -> None:
    LOG.warning("picture %d was skipped: %s", number, error)


@normal_tensors()
def _together(read: Sequence[tuple[Looked, Given]], fit: Fit | None, edits: tuple[Edit, ...]) -> list[Analysis]:
    """`analyse` for some pictures in one forward pass, or in several if their pixels are not of one size."""
    found: list[Analysis] = []
    for _, group in itertools.groupby(read, lambda one: one[1].pixels.shape):
        alike = list(group)
        stacked, model = torch.cat([one.pixels for _, one in alike]), alike[0][1].model
        with accepted(model, stacked):
            edits = resolved(model, edits)
            traces = capture_batch(edited(model, edits), stacked)
        found += [
            analysis_of(one, trace, what, fit, (), edits) for (what, one), trace in zip(alike, traces, strict=True)
        ]
    return found


def explain_many(
    analyses: Iterable[Analysis],
    method: str | Method | Callable[..., Any] = "rollout",
    *,
    query: Query | None = None,
    target: Targets = None,
    batch: int = 8,
    **settings: Any,
) -> Iterator[Relevance]:
    """`explain` for many analyses, in their order: the same maps, up to the rounding of a batch.

    Parameters
    ----------
    analyses
        as from `vizapp.analyse_many`. If the method needs gradients of the attention or of features (Grad-CAM), up to `batch`
        consecutive ones of one network and one size of pixels go through it together; other methods go one by one
    target
        one for all, as for `explain`, or a list with one for each

    Raises
    ------
    VizError
        as `explain` does, when it reaches the analysis

    Examples
    --------
    >>> analyses = vizapp.analyse_many("toy", ["example", "example"])
    >>> [found.method for found in vizapp.explain_many(analyses, "chefer")]
    ['chefer', 'chefer']
    """
    if batch < 1:
        raise VizError("A batch holds at least one picture; got {batch}.", "8 is usual.", batch=batch)
    targets: Iterator[Any] = iter(target) if isinstance(target, (list, tuple)) else itertools.repeat(target)
    pairs = _paired(iter(analyses), targets)
    if not isinstance(method, (str, Method)):  # the user's own callable
        yield from (explain(seen, method, query=query, target=wanted, **settings) for seen, wanted in pairs)
        return
    chosen = method_named(method) if isinstance(method, str) else method
    together: bool | None = None  # None until the first picture shows whether the method asks for gradients
    for _, alike in itertools.groupby(pairs, lambda pair: _kind(pair[0])):
        while some := list(itertools.islice(alike, min(batch, sys.maxsize) if together or chosen.together else 1)):
            if chosen.together is not None and len(some) > 1:
                _with_pass(chosen, some, settings)
            elif (
                together is None
                and chosen.together is None
                and chosen.class_specific
                and some[0][0].context is not None
            ):
                seen, wanted = some[0]
                fresh = replace(seen.of_class(wanted))  # a copy without cached gradients
                yield chosen(fresh, query, **settings)
                together = "gradients" in fresh.__dict__
                continue
            elif together and len(some) > 1:
                _prepare(some)
            for seen, wanted in some:
                yield explain(seen, chosen, query=query, target=wanted, **settings)


def _paired(
    analyses: Iterator[Analysis], targets: Iterator[Target | str | None]
) -> Iterator[tuple[Analysis, Target | str | None]]:
    for number, seen in enumerate(analyses):
        try:
            yield seen, next(targets)
        except StopIteration:
            raise VizError(
                "There are {count} targets, and more pictures.", "Give one for each, or one for all.", count=number
            ) from None


def _kind(seen: Analysis) -> tuple[Any, ...]:
    """A key that is equal for pictures which can go through a network together."""
    if seen.context is None:
        return (id(seen),)
    return (id(unedited(seen.context.model).net), seen.context.pixels.shape, seen.edits)


@normal_tensors()
def _with_pass(method: Method, some: Sequence[tuple[Analysis, Target | str | None]], settings: dict[str, Any]) -> None:
    """Let the method prepare these pictures together. Those that cannot be explained are skipped: `explain` reports them."""
    if method.together is not None and all(seen.context is not None for seen, _ in some):
        with suppress(VizError):
            method.check(settings)
            method.together([seen.of_class(wanted) for seen, wanted in some], settings)


@normal_tensors()
def _prepare(some: Sequence[tuple[Analysis, Target | str | None]]) -> None:
    """Compute the gradients of these pictures' contexts, in one pass for all that have none yet."""
    contexts = [seen.of_class(wanted) for seen, wanted in some]
    bare = [one for one in contexts if "gradients" not in one.__dict__]
    if len(bare) < 2:
        return
    found = gradients_of_several(
        bare[0].model,
        torch.cat([one.pixels for one in bare]),
        [one.trace for one in bare],
        [one.explained for one in bare],
    )
    for context, gradients in zip(bare, found or (), strict=False):
        context.__dict__["gradients"] = gradients  # fills the cached property
