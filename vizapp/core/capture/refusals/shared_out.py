"""Say of layers that share each key out among the queries: their softmax runs over queries, so a query's weights have any sum."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from torch import Tensor

from vizapp.wording import Text, few

SAME = 1e-2  # of 1: wider than what rounding in half precision leaves of a sum


class Mapped(Protocol):
    """A call of which the map was kept, or is told by q and k, whose softmax is over keys."""

    @property
    def title(self) -> str: ...
    @property
    def matrix(self) -> Tensor | None: ...


def said_of_shared_out(calls: Iterable[Mapped]) -> Text | None:
    """Say what must be said with the maps of such layers; None where there are none."""
    names = [one.title for one in calls if one.matrix is not None and _is_shared_out(one.matrix)]
    if not names:
        return None
    return Text(
        "The softmax of {names} runs over the queries, not over the keys: what a patch gives sums to 1 over all that look at "
        "it, and the weights of one query have another sum. They are shown as the network applies them.",
        names=few(names),
    )


def _is_shared_out(matrix: Tensor) -> bool:
    # Rows are asked, too: of a doubly stochastic map (Sinkhorn) both sums are 1, and it is a map like any other.
    rows, columns = ((matrix.float().sum(axis) - 1).abs().max() for axis in (-1, -2))
    return bool(columns < SAME < rows)
