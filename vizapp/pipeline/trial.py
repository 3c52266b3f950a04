"""Measures maps by deletion and insertion, and random orders of the patches beside them, until chance is out of reach."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from vizapp.analysis import Analysis
from vizapp.core.attention.relevance import Relevance
from vizapp.core.context import ExplainContext
from vizapp.core.methods import baseline_names
from vizapp.core.trust.chance import is_lost
from vizapp.core.trust.faithfulness import Curves, coarse
from vizapp.vocabulary import ORDERS_AT_ONCE, Empty
from vizapp.wording import Text

Progress = Callable[[str, float], None]
RANDOM = "random"  # the baseline for chance


@dataclass
class Trial:
    """Deletion and insertion, measured of one map after the other; `tried` are those that are measured before chance."""

    context: ExplainContext
    steps: int | Sequence[float]
    empty: Empty
    curves: Callable[..., Sequence[Curves]]
    on_progress: Progress
    tried: Sequence[str]
    orders: int
    _ends: tuple[float, float] | None = None  # the same for every map

    def of_maps(self, maps: Mapping[str, Relevance]) -> dict[str, Curves]:
        """Curves of each map, but for chance."""
        found: dict[str, Curves] = {}
        for number, name in enumerate(self.tried):
            [found[name]] = self._areas_of([maps[name].scores], self.steps, name, number)
        return found

    def of_random(
        self, order: Callable[[int], np.ndarray], patches: int, measured: Mapping[str, Curves]
    ) -> list[Curves]:
        """Curves of random orders of so many patches, until no map can be better than chance any more."""
        informed = [one for name, one in measured.items() if name not in baseline_names()]
        drawn: list[Curves] = []
        at = self.steps if self.orders == 1 else coarse(self.steps, patches)
        while len(drawn) < self.orders and not is_lost(informed, drawn, self.orders):
            some = [order(number) for number in range(len(drawn), min(len(drawn) + ORDERS_AT_ONCE, self.orders))]
            drawn += self._areas_of(some, at, RANDOM, len(self.tried) + len(drawn) // ORDERS_AT_ONCE)
        return drawn

    def _areas_of(
        self, some: Sequence[np.ndarray], at: int | Sequence[float], name: str, done: int
    ) -> Sequence[Curves]:
        batches = -(-self.orders // ORDERS_AT_ONCE)
        share = 0.5 + done / (len(self.tried) + batches) / 2
        self.on_progress(Text("deletion and insertion of {name}", name=name), share)
        found = curves_of_maps(self.context, some, at, self.empty, self.curves, self._ends)
        self._ends = float(found[0].deletion[0]), float(found[0].deletion[-1])
        return found


def curves_of_maps(
    context: ExplainContext,
    some: Sequence[np.ndarray],
    at: int | Sequence[float],
    empty: Empty,
    curves: Callable[..., Sequence[Curves]],
    ends: tuple[float, float] | None = None,
) -> Sequence[Curves]:
    """Measure maps of the picture of a context by `curves`: `curves_of`, or the same in another process."""
    model, pixels = context.model, context.pixels.to(context.model.device)
    return curves(model.net, pixels, some, context.explained, at, empty, model.activation, ends, context.trace.cells)


def order_of(explain: Callable[..., Relevance], seen: Analysis, first: Relevance, number: int) -> Relevance:
    """Random order `number`: 0 is the map that is shown, others use the seeds after its own."""
    return explain(seen, RANDOM, target=None, seed=int(first.settings.get("seed", 0)) + number) if number else first
