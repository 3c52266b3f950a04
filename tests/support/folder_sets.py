"""x"""

from __future__ import annotations

from vizapp.data.statistics import Evaluation

METHODS = ("rollout", "chefer")


def scores(result: Evaluation, skip: tuple[str, ...] = ()) -> dict[tuple[str, str], float]:
    return {
        (str(seen), name): one.mean
        for seen, own in result.scores.items()
        for name, one in own.items()
        if name not in skip
    }
