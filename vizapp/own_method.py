"""`vizapp.explain(seen, my_callable)`: a method of the user's own, on an analysis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vizapp.analysis import NO_NETWORK, Analysis
from vizapp.core import own_method
from vizapp.core.attention.trace import Query, Relevance
from vizapp.core.target import Target, name_of
from vizapp.errors import VizError


def explain_by(
    seen: Analysis,
    function: Callable[..., Any],
    query: Query | None,
    target: Target | str | None,
    settings: dict[str, Any],
) -> Relevance:
    """`explain` by a callable of the user's own. With a target, the context is that of this class."""
    if not callable(function):
        raise VizError("{got} is no method.", "Give its name, or a callable of your own.", got=repr(function))
    if own_method.takes_trace(function):
        if target is not None:
            raise VizError(
                "{name} is given attention only, so its map is the same for every class.",
                "Leave out the target.",
                name=own_method.name_of(function),
            )
        return own_method.call(function, seen.context, seen.trace, query, settings, None)
    if seen.context is None:
        raise VizError(NO_NETWORK, "Make it with vizapp.analyse, or call the first parameter `trace`.")
    context = seen.context if target is None else seen.of_class(target)
    return own_method.call(
        function, context, seen.trace, query, settings, None if target is None else name_of(context.explained)
    )
