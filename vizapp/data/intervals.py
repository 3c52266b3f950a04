"""95 % intervals of means. This is the one place that decides which interval a kind of number gets.

hit    1 or 0 for a picture: Wilson's interval of a share (Wilson 1927)
share  a number from 0 to 1 (shares, areas under curves): Wilson's interval with the measured spread, by `bounded`
times  not below 0 (1 is chance): Student's t, cut off at 0
""  anything: Student's t

Student's interval of three shares can reach from -0.4 to 1.4. `bounded` never leaves [0, 1]. For samples of 3 from five beta
distributions (docs/lab-notes.md, 2026-11-22, names them; no others were tried) it covers the true mean in 92 to 96 % of cases,
Student's in 85 to 94 %, the percentile bootstrap in 65 to 75 %: of three pictures a bootstrap can draw only ten different
samples, all between the smallest and the largest value. `bounded` is also deterministic, so the same run gives the same file.
"""

import math
from dataclasses import dataclass

import numpy as np

Z = 1.959964  # the 97.5 % quantile of the normal distribution
FEW = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179)  # see `student`


@dataclass(frozen=True)
class Interval:
    """A mean and the ends of its 95 % confidence interval."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.mean:.3f}"

    @property
    def written(self) -> str:
        """The text for tables: "0.812 [0.40, 0.97]"; without brackets for one picture, "-" for none."""
        if math.isnan(self.mean):
            return "-"
        return f"{self.mean:.3f}" + ("" if math.isnan(self.low) else f" [{self.low:.2f}, {self.high:.2f}]")


def interval_of(kind: str, count: float, total: float, squares: float) -> Interval:
    """The interval of a mean, from the sums of `count` numbers and of their squares; NaN if `count` is 0.

    kind  as `vizapp.core.measure.Measure.format` has it: "hit", "share", "area", "times"; "" for any number
    """
    if count == 0:
        return Interval(math.nan, math.nan, math.nan)
    if kind == "hit":
        return wilson(total, count)
    if kind in ("share", "area"):
        return bounded(count, total, squares)
    found = unbounded(count, total, squares)
    return Interval(found.mean, max(0.0, found.low), found.high) if kind == "times" and found.mean >= 0 else found


def wilson(hits: float, count: float, z: float = Z) -> Interval:
    """95 % interval of a share of hits (Wilson 1927), which stays within 0 and 1."""
    return _score(hits / count, z**2 / count)


def bounded(count: float, total: float, squares: float) -> Interval:
    """95 % interval of the mean of numbers from 0 to 1, which stays within 0 and 1.

    Solves Wilson's equation |mean - m| = t sd(m) / sqrt(n) for m, with sd(m)^2 = phi m (1 - m). phi is 1 for numbers that are 0
    or 1 and less for all others; it is estimated as sd^2 / (mean (1 - mean)), as in quasi-likelihood (Wedderburn 1974). If all
    numbers are 0, or all 1, phi cannot be estimated and is set to 1: three zeros have [0, 0.86]. Three equal numbers close to
    zero, whose spread is measured to be 0, have an interval without width. For many numbers it approaches Student's interval.
    """
    found = unbounded(count, total, squares)
    if count < 2:
        return found
    mean, between = found.mean, found.mean * (1 - found.mean)
    spread = _spread(count, total, squares)
    if mean < 0 or mean > 1 or spread > between * count / (count - 1) * (1 + 1e-9) + 1e-12:
        return found  # the numbers are not from 0 to 1, whatever their measure declares
    phi = spread / between if between > 1e-12 else 1.0
    return _score(mean, student(round(count) - 1) ** 2 * phi / count)


def unbounded(count: float, total: float, squares: float) -> Interval:
    """The 95 % interval of Student's t."""
    mean = total / count if count else math.nan
    if count < 2:
        return Interval(mean, math.nan, math.nan)
    half = student(round(count) - 1) * math.sqrt(_spread(count, total, squares) / count)
    return Interval(mean, mean - half, mean + half)


def mean_of(values: np.ndarray, kind: str = "") -> Interval:
    """The mean of some values (n,), with its interval; `kind` as for `interval_of`."""
    return interval_of(kind, len(values), float(values.sum()), float((values**2).sum()))


def student(freedom: int) -> float:
    """The 97.5 % quantile of Student's t; for more than 12 degrees of freedom by Cornish and Fisher (1937)."""
    if freedom <= len(FEW):
        return FEW[freedom - 1]
    first = (Z**3 + Z) / 4
    second = (5 * Z**5 + 16 * Z**3 + 3 * Z) / 96
    return Z + first / freedom + second / freedom**2


def _spread(count: float, total: float, squares: float) -> float:
    """The variance, with n - 1."""
    return max(0.0, squares / count - (total / count) ** 2) * count / max(count - 1, 1)


def _score(mean: float, width: float) -> Interval:
    """The two m for which (mean - m)^2 = width m (1 - m)."""
    middle = (mean + width / 2) / (1 + width)
    half = math.sqrt(width * mean * (1 - mean) + width**2 / 4) / (1 + width)
    return Interval(mean, max(0.0, middle - half), min(1.0, middle + half))
