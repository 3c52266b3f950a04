"""Results of evaluations and of measurements, beside each other."""

from __future__ import annotations

import json

from vizapp.data.statistics import Evaluation

METHODS = ("rollout", "chefer")


def silent(part: str, done: int, of: int) -> None: ...


def alike(one: list[dict], other: list[dict]) -> bool:
    """NaN is NaN."""
    return json.dumps(one) == json.dumps(other)


def scores(result: Evaluation, skip: tuple[str, ...] = ()) -> dict[tuple[str, str], float]:
    return {
        (str(seen), name): one.mean
        for seen, own in result.scores.items()
        for name, one in own.items()
        if name not in skip
    }
