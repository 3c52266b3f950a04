"""Tests whether a map changes when the network's weights are randomised: the sanity checks of Adebayo et al. 2018.

sanity(vizapp.analyse("toy", "photo.jpg"), ["rollout", "chefer"]).correlation     # method -> (stages,)
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from vizapp.analysis import Analysis
from vizapp.core import callable_method
from vizapp.core.attention.trace import Query
from vizapp.core.capture.forward import capture
from vizapp.core.context import ExplainContext
from vizapp.core.methods import Method
from vizapp.core.pauses import may_pause
from vizapp.core.target import Target
from vizapp.core.trust.agreement import rank_correlation
from vizapp.core.trust.randomisation import randomised
from vizapp.errors import VizError
from vizapp.pipeline.comparison import NO_SETTINGS, Chosen, Methods, Progress, Settings, check_settings
from vizapp.wording import Text, columns


@dataclass(frozen=True, eq=False)
class Sanity:
    """The result of `sanity`: rank correlation of each map with that of the partly randomised network.

    Attributes
    ----------
    stages
        ("classifier", "+ layer 12", ...), counting layers from 1; each stage also randomises all parts named before it
    correlation
        method -> (stages,), -1 to 1; near 1, the map does not depend on the randomised parts
    """

    stages: tuple[str, ...]
    correlation: Mapping[str, np.ndarray]

    def __str__(self) -> str:
        return columns(
            {"randomised": str(stage)} | {name: float(found[index]) for name, found in self.correlation.items()}
            for index, stage in enumerate(self.stages)
        )


def sanity(
    seen: Analysis,
    names: Methods,
    *,
    query: Query | None = None,
    target: Target | str | None = None,
    seed: int = 0,
    settings: Settings = NO_SETTINGS,
    on_progress: Progress = lambda what, share: None,
) -> Sanity:
    """Randomise the classifier, then layer after layer from the top, and make the maps again (Adebayo et al. 2018).

    Each stage explains the same class, whatever its probability then is. Methods without a map for this network are left out.
    Names, query and settings as for `compare`.

    Examples
    --------
    >>> found = vizapp.sanity(vizapp.analyse("toy", "example"), ["rollout"])
    >>> found.stages[0]
    'classifier'
    """
    chosen = callable_method.by_name(names)
    check_settings(settings, chosen)
    seen.trace.query(query)  # raises `VizError` for one that there is not
    context = seen.of_class(target).ready()
    before = {name: _scores(one, context, query, settings.get(name, {})) for name, one in chosen.items()}
    depth = len(seen.trace.layers)
    found: dict[str, list[float]] = {name: [] for name, one in before.items() if one is not None}
    for blocks in range(depth + 1):
        on_progress(
            Text("classifier") if blocks == 0 else Text("layer {layer}", layer=depth - blocks + 1), blocks / (depth + 1)
        )
        model = randomised(context, blocks, seed)
        forgetful = replace(context, model=model, trace=capture(model, context.pixels), norms=None)
        for name in found:
            may_pause()
            after, own = _scores(chosen[name], forgetful, query, settings.get(name, {})), before[name]
            assert own is not None
            found[name].append(np.nan if after is None else _left(own, after))
    stages = (Text("classifier"), *(Text("+ layer {layer}", layer=layer) for layer in range(depth, 0, -1)))
    return Sanity(stages, {name: np.array(values) for name, values in found.items()})


def _left(own: np.ndarray, after: np.ndarray) -> float:
    """Rank correlation of the two maps; 0 if the second has become constant."""
    return float(np.nan_to_num(rank_correlation([own, after])[0, 1]))


def _scores(
    method: Chosen, context: ExplainContext, query: Query | None, settings: Mapping[str, Any]
) -> np.ndarray | None:
    query = query if callable_method.takes_query(method) else None
    try:
        if isinstance(method, Method):
            return method(context, query, **settings).scores
        return callable_method.call(method, context, context.trace, query, dict(settings), None).scores
    except VizError:
        return None
