"""What an evaluation found, as a table for the terminal and as a file with a row per number."""

from __future__ import annotations

import math
import platform
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch

from vizapp.core.trust.faithfulness import DELETION, INSERTION
from vizapp.data.look import OWN_OBJECT, measures, on_the_mark
from vizapp.data.rows import write_rows
from vizapp.data.statistics import Evaluation, Interval
from vizapp.model.toy.lessons import HELD_OUT, LESSONS

ON_ALL = {"accuracy", *(one.name for one in (DELETION, INSERTION, OWN_OBJECT))}  # not only where the object is known


def write(results: Sequence[Evaluation], output: Path) -> None:
    """.csv: a row per number; .json: the same rows, with the first seed of each set and the versions."""
    rows = [
        {**_of(one, name), **asdict(seen), "metric": name, **asdict(value)}
        for one in results
        for seen, scores in one.scores.items()
        for name, value in scores.items()
    ]
    whole = {"method": "", "layer": None, "head": None}
    for one in results:
        named = {"area": one.area} | ({"accuracy": one.accuracy} if one.accuracy else {})
        rows += [{**_of(one, name), **whole, "metric": name, **asdict(value)} for name, value in named.items()]
    rendered = [one.lesson for one in results if one.lesson in LESSONS]
    about = {"first_seed": {name: HELD_OUT + LESSONS[name].first for name in rendered}}
    versions = {"python": platform.python_version(), "torch": torch.__version__, "numpy": np.__version__}
    write_rows(output, rows, {**about, "versions": versions})


def _of(one: Evaluation, metric: str) -> dict[str, Any]:
    """Of which model, set, and on how many pictures."""
    return {"model": one.model, "set": one.lesson, "pictures": one.count if metric in ON_ALL else one.known}


def table(result: Evaluation) -> str:
    """For the terminal: heads fused, rollout and baselines; after `+-` the longer side of the 95 % interval."""
    there, marked = next(iter(result.scores.values())), on_the_mark()
    columns = [one for name, one in measures().items() if name in there and (name not in marked or one.main)]
    is_lesson = result.lesson in LESSONS
    told = "-" if result.accuracy is None else _spread(result.accuracy)
    known = f", accuracy {told}" if is_lesson else ""
    known += "" if math.isnan(result.area.mean) else f", object {result.area.mean:.1%} of what the model sees"
    known += f", in {result.known} of them" if 0 < result.known < result.count else ""
    lines = [
        f"{result.model} on {result.lesson}: {result.count} {'held-out ' * is_lesson}pictures{known}",
        f"{'':28}" + "".join(f"{one.short:>14}" for one in columns),
    ]
    for seen, scores in result.fused.items():
        lines.append(f"{seen!s:28}" + "".join(f"{_spread(scores[one.name]):>14}" for one in columns))
    best = None if math.isnan(result.area.mean) else result.best_head()
    if best:
        lines.append(f"{best!s:28}" + "".join(f"{_spread(result[best][one.name]):>14}" for one in columns))
        lines.append("The last line is the head with the most energy, picked on these very pictures.")
    return "\n".join(lines)


def _spread(value: Interval) -> str:
    if math.isnan(value.mean):
        return "-"
    half = max(value.high - value.mean, value.mean - value.low)  # of a share, one side may be the longer one
    return f"{value.mean:.3f}" + ("" if math.isnan(half) else f"+-{half:.3f}")
