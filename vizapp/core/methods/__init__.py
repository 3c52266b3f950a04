"""Explanation methods: one per file of this folder, found by itself. What is seen, query -> Relevance.

A method is a function `(trace or specimen, query, *, ...) -> (Tensor (token,), TokenLayout)`: one value per token, and what
the tokens stand for. Its keyword-only parameters are its controls, so they must have a type (`Literal[...]`, int, float,
bool) and a default. If its first parameter is a `Specimen`, it needs the network; if an `AttentionTrace`, it does not.
`@method` states its paper, its unit, and what it can do.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from numbers import Integral, Real
from typing import Any, Literal, get_args, get_origin, get_type_hints

import torch

from model.spec import TokenLayout
from vizapp.core.normal import normal_tensors
from vizapp.core.specimen import Specimen
from vizapp.core.trace import AttentionTrace, Query, Relevance
from vizapp.errors import VizError

MethodFunction = Callable[..., tuple[torch.Tensor, TokenLayout]]


@dataclass(frozen=True)
class Method:
    """An explanation method and what it says about itself.

    unit            settings -> what one value is a share of
    class_specific  does its map depend on the class that is explained?
    signed          can values be below zero, where they speak against the class?
    by_query        does its map depend on the query?
    needs_gradient  does it run backward through the network? Then the network must let gradients through
    why_not         trace -> why it means nothing for such a network, in words; "" where it does
    """

    name: str
    function: MethodFunction
    paper: str
    unit: Callable[[dict[str, Any]], str]
    class_specific: bool
    signed: bool
    by_query: bool
    needs_gradient: bool
    _why_not: Callable[[AttentionTrace], str]

    @cached_property
    def parameters(self) -> dict[str, inspect.Parameter]:
        """Keyword-only parameters, by name, with their resolved types as annotation."""
        hints = get_type_hints(self.function)
        return {
            name: parameter.replace(annotation=hints[name])
            for name, parameter in inspect.signature(self.function).parameters.items()
            if parameter.kind is inspect.Parameter.KEYWORD_ONLY
        }

    @cached_property
    def needs_network(self) -> bool:
        """Is a trace not enough?"""
        first = next(iter(inspect.signature(self.function).parameters))
        return get_type_hints(self.function)[first] is Specimen

    def why_not(self, trace: AttentionTrace) -> str:
        """Why this method means nothing for the network that `trace` was made by; "" where it means something."""
        if self.class_specific and trace.logits is None:
            return (
                "the network has no classifier, so there is no class to explain; if it has one, name its classes with "
                "vizapp.describe(net, labels=...)"
            )
        return self._why_not(trace)

    def check(self, settings: Mapping[str, Any]) -> None:
        """Raises `VizError` for settings it does not have, and for values of a wrong type."""
        for name, value in settings.items():
            if name not in self.parameters:
                has = ", ".join(self.parameters) or "no settings"
                raise VizError(f"{self.name} has no setting '{name}'.", f"It has: {has}.")
            _check_choice(name, value, self.parameters[name].annotation)

    @normal_tensors()  # else there are no gradients, whatever is switched on
    def __call__(self, seen: Specimen | AttentionTrace, query: Query | None = None, **settings: Any) -> Relevance:
        """Run on what is `seen` for `query` (see `AttentionTrace.query`). Raises `VizError` for settings it does not have."""
        self.check(settings)
        settings = {name: int(one) if _is_integer(one) else one for name, one in settings.items()}  # of numpy, too
        trace = seen.trace if isinstance(seen, Specimen) else seen
        if self.needs_network and not isinstance(seen, Specimen):
            raise VizError(f"{self.name} needs the network, and a trace holds none.", "Use vizapp.explain(seen, ...).")
        if query is not None and not self.by_query:
            raise VizError(f"The map of {self.name} is the same for all queries.", "Leave out the query.")
        if reason := self.why_not(trace):
            raise VizError(f"{self.name} means nothing here: {reason}.", "Choose another method.")
        settings = {name: parameter.default for name, parameter in self.parameters.items()} | settings
        if "layer" in settings:
            trace.layer(settings["layer"])
            settings["layer"] %= len(trace.layers)  # -1 becomes the number that a reader of the result wants to know
        layer = settings.get("layer", -1)
        weights = trace.query(query, layer)
        tokens, layout = self.function(seen if self.needs_network else trace, weights, **settings)
        target = seen.explained if self.class_specific and isinstance(seen, Specimen) else None
        return Relevance.from_tokens(
            tokens,
            layout,
            asked=trace.name_of(query, layer) if self.by_query else "",
            query=weights,
            method=self.name,
            settings=settings,
            target=target,
        )


def within(low: float, high: float, **values: float) -> None:
    """Raises `VizError` for a setting that is not from `low` to `high`."""
    for name, value in values.items():
        if not low <= value <= high:
            raise VizError(f"{name}={value} is not possible.", f"It goes from {low:g} to {high:g}.")


def means_something(trace: AttentionTrace) -> str:
    """Nothing is in the way."""
    return ""


def no_chain(trace: AttentionTrace) -> str:
    """Why layers cannot be followed one after the other."""
    return trace.no_chain


def one_grid(trace: AttentionTrace) -> str:
    """Why there are layers that the classifier could not read."""
    if not trace.one_grid:
        return "its layers have grids of their own, so the classifier cannot read each of them"
    return trace.no_chain


def method(
    *,
    paper: str,
    unit: Callable[[dict[str, Any]], str],
    class_specific: bool = False,
    signed: bool = False,
    by_query: bool = True,
    needs_gradient: bool | None = None,
    why_not: Callable[[AttentionTrace], str] = means_something,
) -> Callable[[MethodFunction], Method]:
    """Declare a function to be the method of its own name; see `Method`. Class-specific ones need gradients unless said."""
    gradient = class_specific if needs_gradient is None else needs_gradient

    def declare(function: MethodFunction) -> Method:
        return Method(function.__name__, function, paper, unit, class_specific, signed, by_query, gradient, why_not)

    return declare


@cache
def methods() -> dict[str, Method]:
    """Every method in this folder, by name."""
    found: dict[str, Method] = {}
    for module in pkgutil.iter_modules(__path__):
        for value in vars(importlib.import_module(f"{__name__}.{module.name}")).values():
            if isinstance(value, Method):
                found[value.name] = value
    return found


def method_named(name: str) -> Method:
    if name not in methods():
        raise VizError(f"There is no method '{name}'.", f"Choose one of: {', '.join(methods())}.")
    return methods()[name]


def _is_integer(value: object) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def _check_choice(name: str, value: object, annotation: object) -> None:
    """Is `value` one of the choices of a Literal, or a number where a number is wanted?"""
    if get_origin(annotation) is Literal:
        fits, wanted = value in get_args(annotation), f"one of: {', '.join(map(str, get_args(annotation)))}"
    elif annotation is float:
        fits, wanted = isinstance(value, Real) and not isinstance(value, bool), "a number"
    else:
        kinds = get_args(annotation) or (annotation,)  # int | None -> (int, NoneType)
        fits = isinstance(value, tuple(Integral if kind is int else kind for kind in kinds))
        fits &= bool in kinds or not isinstance(value, bool)
        wanted = " or ".join("nothing" if kind is type(None) else kind.__name__ for kind in kinds)
    if not fits:
        raise VizError(f"{name}={value!r} is not possible.", f"Choose {wanted}.")
