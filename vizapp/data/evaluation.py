"""Measures how well maps find objects, over a lesson set or a folder: means with 95 % intervals, next to blind baselines.

    result = evaluate(vizapp.load("toy"), "clutter", count=200)
    result.accuracy                                      # Interval(mean, low, high)
    result[MapKey("attention", layer=4)]["energy"]       # Interval: all heads of the last layer, fused by their mean
    result[MapKey("attention", layer=4, head=2)], result[MapKey("rollout")], result[MapKey("centre")]

An interrupted run continues where it stopped, from a file beside the output that keeps the numbers of each picture.
A picture that cannot be read is left out and named.
"""

import logging
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from torch import nn

from vizapp.analysis.provenance import of_model, weights_sha256
from vizapp.analysis.tables import check_output
from vizapp.analysis.unfinished import Unfinished, part_of
from vizapp.core.capture.edited import unedited
from vizapp.core.interventions import Edit, parse_all
from vizapp.core.interventions.apply import resolved
from vizapp.data.engines import Engine, here
from vizapp.data.folder import Folder
from vizapp.data.intervals import mean_of
from vizapp.data.one_picture import Question, kind_of, knows, measures, set_named
from vizapp.data.report import write, written_beside
from vizapp.data.statistics import Answer, Evaluation, RunningStats
from vizapp.errors import VizError
from vizapp.model.preprocess import Fit
from vizapp.model.spec import VisionModel
from vizapp.model.toy.lessons import Lesson
from vizapp.pipeline import model_of

METHODS = ("attention", "rollout")
LOG = logging.getLogger("vizapp.data")


def evaluate(
    model: VisionModel | nn.Module | str,
    lesson: str,
    *,
    methods: Sequence[str] | str = METHODS,
    fit: Fit | None = None,
    edits: str | Edit | Iterable[str | Edit] = (),
    count: int = 2000,
    first: int = 0,
    steps: int = 0,
    engine: Engine | None = None,
    stats: RunningStats | None = None,
    on_progress: Callable[[RunningStats], None] = lambda stats: None,
    **described: Any,
) -> Evaluation:
    """Evaluate on `count` held-out pictures of a lesson set, from number `first` on. Raises `VizError` for unknown names.

    lesson  its name, or the path of a folder of pictures (see `vizapp.data.folder`), all of them if there are fewer than `count`
    steps   points of the curves of deletion and insertion, measured for the best class; 0 leaves them out
    engine  runs the network on the pictures (see `vizapp.data.engines`); None: this process, one after the other
    stats   sums of the first pictures, from an interrupted run; these are not evaluated again
    fit, edits, described  as for `vizapp.analyse`
    on_progress  called with the sums after each picture
    """
    model = model_of(model, described, evaluate)
    asked = resolved(model, parse_all(edits))
    question = Question(lesson, (methods,) if isinstance(methods, str) else tuple(methods), steps, fit, asked)
    question.check()
    if count < 1:
        raise VizError(
            "At least one picture is needed; got {count}.", "2000 gives intervals of about 0.02.", count=count
        )
    pictures, stats = set_named(lesson), stats or RunningStats()
    count = at_most(pictures, count, first)
    if count < 1:
        raise VizError(
            "'{name}' has {count} pictures, so there is no number {first}.",
            "They count from 0.",
            name=lesson,
            count=first + count,
            first=first,
        )
    for answer in (engine or here)(model, question, range(first + stats.looked_at, first + count)):
        stats.add(answer)
        if answer.skipped:
            LOG.warning("left out: %s: %s", answer.picture, answer.skipped)
        on_progress(stats)
    return evaluation_of(model, lesson, stats)


def evaluation_of(model: VisionModel, lesson: str, stats: RunningStats) -> Evaluation:
    """The means over the pictures so far. Raises `VizError` if no picture could be read."""
    pictures = set_named(lesson)
    if not stats.read:
        why = stats.answers[0].skipped
        raise VizError("None of the pictures of '{name}' can be read: {why}", name=lesson, why=why)
    return Evaluation(
        model=model.name,
        lesson=pictures.name,
        count=len(stats.read),
        accuracy=stats.accuracy if knows(model, pictures) else None,
        area=mean_of(stats.areas, "share"),
        scores=stats.intervals(kind_of),
        known=len(stats.areas),
        answers=tuple(stats.answers),
        network=of_model(model),
    )


def at_most(pictures: Lesson | Folder, count: int, first: int = 0) -> int:
    """The number of pictures from `first` on, at most `count`. A folder ends; a lesson does not."""
    return min(count, len(pictures.files) - first) if isinstance(pictures, Folder) else count


def key_of_weights(model: VisionModel) -> str:
    """The name of a model, and a hash of its weights."""
    return f"{model.name} {weights_sha256(unedited(model).net)}"


def key_of(model: VisionModel, lesson: str, methods: Sequence[str], steps: int = 0) -> str:
    """A key for sums that may be continued: equal for the same weights, set, methods and measures."""
    pictures = set_named(lesson)
    key = pictures.key if isinstance(pictures, Folder) else lesson
    return f"{key_of_weights(model)} {key} {' '.join([*methods, *measures()])}" + (f" {steps} steps" if steps else "")


def check(output: Path) -> None:
    """Raise `VizError` if `run` could not write this output."""
    check_output(output, *written_beside(output), part_of(output))


OnProgress = Callable[[str, int, int], None]
OnResult = Callable[[Evaluation, int], None]


def run(
    models: Iterable[VisionModel],
    lessons: Sequence[str],
    methods: Sequence[str],
    count: int,
    output: Path | None,
    on_progress: OnProgress,
    steps: int = 0,
    engine: Engine | None = None,
    on_result: OnResult = lambda result, asked: None,
) -> list[Evaluation]:
    """Evaluate every model on every set, continuing an interrupted run with this output. Writes `output` at the end.

    on_progress    called after each picture with the names of model and set, how many are done, and of how many
    steps, engine  as for `evaluate`
    on_result      called with each result before anything is written, and the number of pictures that were asked for; the result
                   has fewer if the run is interrupted there
    """
    if output is not None:
        check(output)
    unfinished = Unfinished(output)

    def go_on(model: VisionModel, lesson: str) -> Evaluation:
        key, asked = key_of(model, lesson, methods, steps), at_most(set_named(lesson), count)
        stats = unfinished.of(key, lambda kept: _sums(islice(kept, asked)))
        if stats.looked_at:
            LOG.info("%s on %s: going on after %d pictures of an earlier run", model.name, lesson, stats.looked_at)

        def told(stats: RunningStats) -> None:
            unfinished.keep(key, stats.answers[-1].content())
            on_progress(f"{model.name} on {lesson}", stats.looked_at, asked)

        how: dict[str, Any] = {"methods": methods, "count": asked, "steps": steps, "engine": engine}
        try:
            result = evaluate(model, lesson, **how, stats=stats, on_progress=told)
        except BaseException:  # a dead worker or Ctrl-C: an hour's results are reported anyway
            if stats.read:
                on_result(evaluation_of(model, lesson, stats), asked)
            raise
        on_result(result, asked)
        return result

    results = [go_on(model, lesson) for model in models for lesson in lessons]
    if output is not None:
        write(results, output, steps)
    unfinished.done()
    return results


def _sums(kept: Iterable[dict[str, Any]]) -> RunningStats:
    """The sums of the answers that a run kept. Raises some error of Python if no run wrote them."""
    stats = RunningStats(map(Answer.of, kept))
    stats.intervals(kind_of)  # raises for numbers that cannot belong to their measure
    return stats
