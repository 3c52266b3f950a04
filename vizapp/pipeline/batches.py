"""Runs one method on many pictures. If it needs gradients, a batch of pictures shares one backward pass."""

import itertools
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import torch

from vizapp.analysis import Analysis
from vizapp.core.attention.relevance import Relevance
from vizapp.core.attention.trace import Query
from vizapp.core.capture.edited import unedited
from vizapp.core.methods import Method, method_named
from vizapp.core.modes import normal_tensors
from vizapp.core.signals.together import gradients_of_several
from vizapp.core.target import Target
from vizapp.errors import VizError
from vizapp.pipeline import explain

Targets = Target | str | Sequence[Target | str | None] | None


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
