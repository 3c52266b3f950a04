"""Take a callable of the user as a method: `vizapp.explain(seen, my_callable)` needs no file, no name and no declaration."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any, get_type_hints

import numpy as np
import torch

from vizapp.core.attention.relevance import Relevance
from vizapp.core.attention.trace import AttentionTrace, Query
from vizapp.core.context import ExplainContext
from vizapp.core.methods import Method, method_named
from vizapp.core.modes import normal_tensors
from vizapp.core.setting import no_setting
from vizapp.errors import VizError
from vizapp.model.spec import TokenLayout
from vizapp.wording import Text


def by_name(given: Iterable[object] | object) -> dict[str, Method | Callable[..., Any]]:
    """Name -> method, of names, of what @method made, and of callables; a lone one is a list of one.

    Raises `VizError` for what is none of these, and for two that have one name, since results are told apart by it.
    """
    some = [given] if isinstance(given, str) or callable(given) or not isinstance(given, Iterable) else given
    found: dict[str, Method | Callable[..., Any]] = {}
    for one in some:
        chosen = method_named(one) if isinstance(one, str) else one
        if not callable(chosen):
            raise VizError("{got} is no method.", "Give its name, or a callable of your own.", got=repr(one))
        if not isinstance(chosen, Method):
            takes_trace(chosen)  # which says what is wrong with it
        name = name_of(chosen)
        if found.setdefault(name, chosen) is not chosen:
            raise VizError(
                "Two methods are called {name}, but each result needs a name of its own.",
                "Give yours another one: mine.__name__ = 'mine'.",
                name=name,
            )
    return found


def takes_class(chosen: Method | Callable[..., Any]) -> bool:
    """Tell whether a method is told which class to explain. A callable is, through its context."""
    return chosen.class_specific if isinstance(chosen, Method) else not takes_trace(chosen)


def takes_query(chosen: Method | Callable[..., Any]) -> bool:
    """Tell whether the map of a method depends on which token asks. A callable gets the query, whatever it does with it."""
    return not isinstance(chosen, Method) or (chosen.by_query and "query_index" not in chosen.parameters)


def settings_of(chosen: Method | Callable[..., Any]) -> tuple[str, ...]:
    """The names of the settings that a method takes."""
    return tuple(chosen.parameters if isinstance(chosen, Method) else _takes(chosen))


def check(chosen: Method | Callable[..., Any], settings: Mapping[str, Any]) -> None:
    """Raises `VizError` for settings that a method does not have, and for values of a wrong type."""
    if isinstance(chosen, Method):
        chosen.check(settings)
    else:
        _check_settings(chosen, settings)


def takes_trace(function: Callable[..., Any]) -> bool:
    """Tell whether the first parameter is annotated as `AttentionTrace`, or called `trace` without an annotation.

    Else the callable is given a context. Raises `VizError` for a callable without two positional parameters.
    """
    try:
        parameters = list(inspect.signature(function).parameters.values())
        inspect.signature(function).bind(
            None, None, **{one.name: None for one in parameters if one.kind is one.KEYWORD_ONLY}
        )
    except (TypeError, ValueError):
        raise VizError(
            "{name} cannot be called as a method.",
            "A method takes a trace or a context, a query, and settings of its own: def mine(context, query, *, layer=-1): ...",
            name=name_of(function),
        ) from None
    try:
        hints = get_type_hints(function if inspect.isroutine(function) else type(function).__call__)
    except (NameError, TypeError, AttributeError):  # annotations of a notebook need not resolve
        hints = {}
    first = parameters[0].name
    return hints[first] is AttentionTrace if first in hints else first == "trace"


@normal_tensors()  # else there are no gradients, whatever is switched on
def call(
    function: Callable[..., Any],
    context: ExplainContext | None,
    trace: AttentionTrace,
    query: Query | None,
    settings: dict[str, Any],
    target: int | str | None,
) -> Relevance:
    """Run `function` on the context, or on the trace where that is what it takes, and read what it returns as one map.

    It may return (Tensor (token,), TokenLayout), as methods of vizapp do, or an array or tensor (rows, cols) for one of the
    grids of patches of this network; numbers that are finite. Raises `VizError` for anything else. An exception of `function`
    itself is not caught.
    """
    _check_settings(function, settings)
    layer = settings.get("layer", -1)
    layer = layer if isinstance(layer, int) and not isinstance(layer, bool) else -1
    weights = trace.query(query, layer)
    given = function(trace if takes_trace(function) else context, weights, **settings)
    tokens, layout = _read(given, trace, name_of(function))
    return Relevance.from_tokens(
        tokens,
        layout,
        asked=trace.name_of(query, layer),
        query=weights,
        method=name_of(function),
        settings=settings,
        target=target,
        label="" if target is None or context is None else context.label,
        unit=Text("value"),
        signed=bool((tokens < 0).any()),
        notes=(trace.ledger.lacks,) if trace.ledger.lacks else (),
    )


def _check_settings(function: Callable[..., Any], settings: Mapping[str, Any]) -> None:
    """Raise `VizError` for settings that `function` does not take, and for those that it cannot do without."""
    takes = _takes(function)
    takes_any = any(one.kind is one.VAR_KEYWORD for one in inspect.signature(function).parameters.values())
    for name in settings:
        if name not in takes and not takes_any:
            raise no_setting(name_of(function), name, takes)
    for name, one in takes.items():
        if one.default is one.empty and name not in settings:
            raise VizError(
                "{method} needs the setting '{name}', which has no default.",
                "Give {name}=..., or a default in its definition.",
                method=name_of(function),
                name=name,
            )


def _takes(function: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    """List the settings of a function: the parameters after context and query."""
    _, _, *own = inspect.signature(function).parameters.values()
    return {one.name: one for one in own if one.kind in {one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY}}


def name_of(function: Method | Callable[..., Any]) -> str:
    """The name of a method, of a callable, or of its class."""
    if isinstance(function, Method):
        return function.name
    return str(getattr(function, "__name__", type(function).__name__))


def _read(given: Any, trace: AttentionTrace, name: str) -> tuple[torch.Tensor, TokenLayout]:
    """(token,) finite numbers and what they stand for. Raises `VizError` that says what was got."""
    if isinstance(given, tuple) and len(given) == 2 and isinstance(given[1], TokenLayout):
        values, layout = _numbers(given[0]), given[1]
        if values is not None and values.shape != (layout.n_tokens,):
            raise VizError(
                "{name} returned {shape} values for {layout}.",
                "Return one number per token, (token,), with their layout.",
                name=name,
                shape=tuple(values.shape),
                layout=layout,
            )
    else:
        values, layout = _numbers(given), trace.layout
        if values is not None:
            grids = dict.fromkeys(one.grid for i in range(len(trace.layers)) for one in trace.layouts(i))
            if tuple(values.shape) not in grids:
                raise VizError(
                    "{name} returned an array of {shape}, which is none of this network's grids of patches.",
                    "Return (rows, cols), such as {grid}; or (values (token,), TokenLayout).",
                    name=name,
                    shape=tuple(values.shape),
                    grid=trace.layout.grid,
                )
            values, layout = values.flatten(), TokenLayout((), (values.shape[0], values.shape[1]))
    if values is None:
        raise VizError(
            "{name} returned {got}, which is no map.",
            "Return (values (token,), TokenLayout), or an array (rows, cols) for the grid of patches.",
            name=name,
            got=type(given).__name__,
        )
    if not bool(torch.isfinite(values).all()):
        raise VizError("The map of {name} holds values that are no numbers (NaN or infinity).", name=name)
    return values, layout


def _numbers(given: Any) -> torch.Tensor | None:
    """The values as a real floating-point tensor; None for anything that is not an array of numbers."""
    if isinstance(given, (list, tuple)):
        return None
    if not isinstance(given, torch.Tensor):
        array = np.asarray(given)
        if array.dtype.kind not in "biuf":
            return None
        given = torch.from_numpy(np.array(array, dtype=array.dtype if array.dtype.kind == "f" else np.float64))
    if given.is_complex():
        return None
    return given.detach() if given.is_floating_point() else given.detach().cpu().double()  # MPS has no float64
