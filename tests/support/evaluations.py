"""Results of evaluations and of measurements, beside each other."""

import json

from vizapp.data.statistics import Evaluation

METHODS = ("rollout", "chefer")


def silent(_: str) -> None: ...


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
