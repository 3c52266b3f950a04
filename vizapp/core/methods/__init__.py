"""Explanation methods: one per file of this folder, found by itself. trace, query -> Relevance.

A method is a function `(trace, query, *, ...) -> (Tensor (token,), TokenLayout)`: one value per token, and what the tokens
stand for. Its keyword-only parameters are its controls, so they must have a type (`Literal[...]`, int, float, bool) and a
default; `@method` states its paper and its unit.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from numbers import Real
from typing import Any, Literal, get_args, get_origin, get_type_hints

import torch

from model.spec import TokenLayout
from vizapp.core.trace import AttentionTrace, Query, Relevance
from vizapp.errors import VizError

MethodFunction = Callable[..., tuple[torch.Tensor, TokenLayout]]


@dataclass(frozen=True)
class Method:
    """An explanation method and what it says about itself."""

    name: str
    function: MethodFunction
    paper: str
    unit: Callable[[dict[str, Any]], str]  # settings -> what one value is a share of

    @cached_property
    def parameters(self) -> dict[str, inspect.Parameter]:
        """Keyword-only parameters, by name, with their resolved types as annotation."""
        hints = get_type_hints(self.function)
        return {
            name: parameter.replace(annotation=hints[name])
            for name, parameter in inspect.signature(self.function).parameters.items()
            if parameter.kind is inspect.Parameter.KEYWORD_ONLY
        }

    def __call__(self, trace: AttentionTrace, query: Query | None = None, **settings: Any) -> Relevance:
        """Run on `trace` for `query` (see `AttentionTrace.query`). Raises `VizError` for settings it does not have."""
        parameters = self.parameters
        for name, value in settings.items():
            if name not in parameters:
                raise VizError(f"{self.name} has no setting '{name}'.", f"It has: {', '.join(parameters)}.")
            _check_choice(name, value, parameters[name].annotation)
        settings = {name: parameter.default for name, parameter in parameters.items()} | settings
        if "layer" in settings:
            trace.layer(settings["layer"])
            settings["layer"] %= len(trace.layers)  # -1 becomes the number that a reader of the result wants to know
        layer = settings.get("layer", -1)
        weights = trace.query(query, layer)
        tokens, layout = self.function(trace, weights, **settings)
        asked = trace.name_of(query, layer)
        return Relevance.from_tokens(tokens, layout, asked=asked, query=weights, method=self.name, settings=settings)


def method(*, paper: str, unit: Callable[[dict[str, Any]], str]) -> Callable[[MethodFunction], Method]:
    """Declare a function to be the method of its own name."""

    def declare(function: MethodFunction) -> Method:
        return Method(function.__name__, function, paper, unit)

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


def _check_choice(name: str, value: object, annotation: object) -> None:
    """Is `value` one of the choices of a Literal, or a number where a number is wanted?"""
    if get_origin(annotation) is Literal:
        fits, wanted = value in get_args(annotation), f"one of: {', '.join(map(str, get_args(annotation)))}"
    elif annotation is float:
        fits, wanted = isinstance(value, Real) and not isinstance(value, bool), "a number"
    else:
        kinds = get_args(annotation) or (annotation,)  # int | None -> (int, NoneType)
        fits = isinstance(value, kinds) and (bool in kinds or not isinstance(value, bool))
        wanted = " or ".join("nothing" if kind is type(None) else kind.__name__ for kind in kinds)
    if not fits:
        raise VizError(f"{name}={value!r} is not possible.", f"Choose {wanted}.")
