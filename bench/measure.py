"""How we measure: pairs of runs that alternate, medians, quartiles, and a result that knows its target."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

Run = Callable[[], object]


@dataclass(frozen=True)
class Result:
    """One line of RESULTS.md: the median of `values`, and the target that it should not exceed, if there is one."""

    what: str
    unit: str
    values: tuple[float, ...]
    target: float | None = None

    @property
    def median(self) -> float:
        return statistics.median(self.values)

    @property
    def quartiles(self) -> tuple[float, float]:
        if len(self.values) < 2:
            return self.median, self.median
        first, _, third = statistics.quantiles(self.values, n=4, method="inclusive")
        return first, third

    @property
    def met(self) -> bool | None:
        return None if self.target is None else self.median <= self.target

    def to_json(self) -> dict[str, object]:
        low, high = self.quartiles
        numbers = {"median": self.median, "q1": low, "q3": high, "min": min(self.values), "max": max(self.values)}
        rounded = {name: round(value, 4) for name, value in numbers.items()}
        return {
            "what": self.what,
            "unit": self.unit,
            **rounded,
            "n": len(self.values),
            "target": self.target,
            "met": self.met,
        }


def milliseconds(run: Run) -> float:
    started = time.perf_counter()
    run()
    return 1e3 * (time.perf_counter() - started)


def repeated(run: Run, repeats: int) -> tuple[float, ...]:
    """Milliseconds of each run, after one that does not count."""
    run()
    return tuple(milliseconds(run) for _ in range(repeats))


def ratios(base: Run, others: Sequence[Run], pairs: int) -> tuple[tuple[float, ...], list[tuple[float, ...]]]:
    """Milliseconds of `base`, and for each of `others` its times over that of the `base` beside it.

    The two of a pair run one right after the other and take turns in going first, so whatever else the machine does
    slows down both; the median of the ratios forgets the pairs where it did not.
    """
    for run in (base, *others) * 2:
        run()
    plain: list[float] = []
    found: list[list[float]] = [[] for _ in others]
    for turn in range(pairs):
        for i, other in enumerate(others):
            if turn % 2:
                slow, fast = milliseconds(other), milliseconds(base)
            else:
                fast, slow = milliseconds(base), milliseconds(other)
            plain.append(fast)
            found[i].append(slow / fast)
    return tuple(plain), [tuple(one) for one in found]
