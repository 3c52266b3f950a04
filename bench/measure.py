"""How we measure: pairs of runs that alternate, medians, quartiles, and a result that knows its target."""

import math
import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")
Run = Callable[[], object]
BESIDE = "x before"  # the unit of what was measured in another checkout, too, in pairs that alternate


@dataclass(frozen=True)
class Result:
    """One figure of results.json: the median of `values`, and the target that it should not exceed, if there is one."""

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
    def interval(self) -> tuple[float, float] | None:
        """Of the median, 95 % or more, whatever the distribution; None of fewer than six values."""
        n, tail, rank = len(self.values), 2.0 ** -len(self.values), 0
        while tail <= 0.025:
            rank += 1
            tail += math.comb(n, rank) / 2.0**n
        ordered = sorted(self.values)
        return (ordered[rank - 1], ordered[n - rank]) if rank else None

    @property
    def met(self) -> bool | None:
        return None if self.target is None else self.median <= self.target

    def to_json(self) -> dict[str, object]:
        low, high = self.quartiles
        numbers = {"median": self.median, "q1": low, "q3": high, "min": min(self.values), "max": max(self.values)}
        said: dict[str, object] = {"what": self.what, "unit": self.unit}
        said |= {name: round(value, 4) for name, value in numbers.items()}
        said |= {"n": len(self.values), "target": self.target, "met": self.met}
        if self.unit == BESIDE and self.interval:
            said["interval"] = [round(value, 4) for value in self.interval]
        return said


def milliseconds(run: Run) -> float:
    started = time.perf_counter()
    run()
    return 1e3 * (time.perf_counter() - started)


def repeated(run: Run, repeats: int) -> tuple[float, ...]:
    """Milliseconds of each run, after one that does not count."""
    run()
    return tuple(milliseconds(run) for _ in range(repeats))


def in_turns(turn: int, *runs: Callable[[], T]) -> list[T]:
    """What each of `runs` gives, one right after the other: in every other turn, the last goes first.

    Whatever else the machine does slows down all of them. The median of such pairs forgets those where it did not.
    """
    found = [run() for run in (runs[::-1] if turn % 2 else runs)]
    return found[::-1] if turn % 2 else found


def ratios(base: Run, others: Sequence[Run], pairs: int) -> tuple[tuple[float, ...], list[tuple[float, ...]]]:
    """Milliseconds of `base`, and for each of `others` its times over that of the `base` beside it."""
    for run in (base, *others) * 2:
        run()
    plain: list[float] = []
    found: list[list[float]] = [[] for _ in others]
    for turn in range(pairs):
        for i, other in enumerate(others):
            fast, slow = in_turns(turn, lambda: milliseconds(base), lambda other=other: milliseconds(other))
            plain.append(fast)
            found[i].append(slow / fast)
    return tuple(plain), [tuple(one) for one in found]


def over(some: Iterable[float], others: Iterable[float]) -> tuple[float, ...]:
    """What was measured over what was measured beside it."""
    return tuple(one / other for one, other in zip(some, others, strict=True))
