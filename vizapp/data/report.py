"""Reports an evaluation as a table for the terminal, and as a file with a row per number."""

import math
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from vizapp.analysis.provenance import provenance
from vizapp.analysis.tables import about_beside, write_rows
from vizapp.core.trust.faithfulness import DELETION, INSERTION
from vizapp.data.one_picture import OWN_OBJECT, measures, on_the_mark
from vizapp.data.statistics import Evaluation
from vizapp.model.toy.lessons import HELD_OUT, LESSONS

ON_ALL = {
    "accuracy",
    *(one.name for one in (DELETION, INSERTION, OWN_OBJECT)),
}  # measured on all pictures, known object or not


def write(results: Sequence[Evaluation], output: Path, steps: int = 0) -> None:
    """Write .csv with a row per number, or .json with the same rows, the first seed of each set and their provenance.

    Beside it, .pictures.csv gets a row per picture and map, so that paired tests can compare models or methods.
    """
    rows = [
        {**_of(one, name), **asdict(key), "metric": name, **asdict(value)}
        for one in results
        for key, scores in one.scores.items()
        for name, value in scores.items()
    ]
    whole = {"method": "", "layer": None, "head": None}
    for one in results:
        named = {"area": one.area} | ({"accuracy": one.accuracy} if one.accuracy else {})
        rows += [{**_of(one, name), **whole, "metric": name, **asdict(value)} for name, value in named.items()]
    rendered = [one.lesson for one in results if one.lesson in LESSONS]
    skipped = [{"set": one.lesson, "picture": name, "why": why} for one in results for name, why in one.skipped.items()]
    about = {"first_seed": {name: HELD_OUT + LESSONS[name].first for name in rendered}, "skipped": skipped}
    networks = list({str(one.network): one.network for one in results}.values())
    asked = {"methods": sorted({key.method for one in results for key in one.scores}), "steps": steps}
    write_rows(output, rows, {**about, "provenance": provenance() | {"networks": networks, "settings": asked}})
    own = [{"model": one.model, "set": one.lesson, **row} for one in results for row in one.rows()]
    write_rows(pictures_beside(output), own, {})


def pictures_beside(output: Path) -> Path:
    """The file for the numbers of single pictures: result.pictures.csv beside result.csv or result.json."""
    return output.with_name(f"{output.stem}.pictures.csv")


def written_beside(output: Path) -> tuple[Path, ...]:
    """The files that `write` writes besides `output`."""
    return (pictures_beside(output), *about_beside(output))


def _of(one: Evaluation, metric: str) -> dict[str, Any]:
    """The columns that identify a number: model, set and number of pictures."""
    return {"model": one.model, "set": one.lesson, "pictures": one.count if metric in ON_ALL else one.known}


def table(result: Evaluation) -> str:
    """For the terminal: heads fused, rollout and baselines, with their 95 % intervals; then what was left out."""
    there, marked = next(iter(result.scores.values())), on_the_mark()
    columns = [one for name, one in measures().items() if name in there and (name not in marked or one.main)]
    is_lesson = result.lesson in LESSONS
    told = "-" if result.accuracy is None else result.accuracy.written
    known = f", accuracy {told}" if is_lesson else ""
    known += "" if math.isnan(result.area.mean) else f", object {result.area.mean:.1%} of what the model sees"
    known += f", in {result.known} of them" if 0 < result.known < result.count else ""
    lines = [
        f"{result.model} on {result.lesson}: {result.count} {'held-out ' * is_lesson}pictures{known}",
        f"{'':28}" + "".join(f"{one.short:>20}" for one in columns),
    ]
    for key, scores in result.fused.items():
        lines.append(f"{key!s:28}" + "".join(f"{scores[one.name].written:>20}" for one in columns))
    best = None if math.isnan(result.area.mean) else result.best_head()
    if best:
        lines.append(f"{best!s:28}" + "".join(f"{result[best][one.name].written:>20}" for one in columns))
        lines.append("The last line is the head with the most energy, picked on these very pictures.")
    for picture, why in result.skipped.items():
        lines.append(f"left out: {picture}: {why}")
    return "\n".join(lines)
