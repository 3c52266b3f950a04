"""Converts what is typed in a terminal to Python values: NAME=VALUE of a method's settings, a scale."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, get_args

from vizapp.errors import VizError
from vizapp.wording import Text, alike

if TYPE_CHECKING:
    from vizapp.core.methods import Method


def settings(method: Method, typed: Iterable[str], **given: Any) -> dict[str, Any]:
    """ "fusion=max" -> {"fusion": "max"}, in the types that the method's parameters have.

    given  those that have an option of their own; None for one that was left out
    Raises `VizError` for what is no NAME=VALUE, a setting that the method does not have, and a value of another type.
    """
    own = {name: value for name, value in given.items() if value is not None}
    return own | dict(_setting(method, text) for text in typed)


def scale(text: str) -> Any:
    """The text as a number if it is one, otherwise unchanged."""
    try:
        return float(text)
    except ValueError:
        return text


def _setting(method: Method, text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals or name not in method.parameters:
        names, close = ", ".join(method.parameters), ", ".join(alike(name, method.parameters))
        hint = Text("Write NAME=VALUE; it has: {names}.", names=names)
        if equals and close:
            hint = Text("Did you mean {close}? It has: {has}.", close=close, has=names)
        raise VizError("'{text}' is no setting of {method}.", hint, text=text, method=method.name)
    return name, _value(name, value, method.parameters[name])


def _value(name: str, value: str, parameter: inspect.Parameter) -> Any:
    kinds = {parameter.annotation, *get_args(parameter.annotation)}  # int | None -> int, None, and the union itself
    try:
        if bool in kinds:
            return {"yes": True, "true": True, "no": False, "false": False}[value.lower()]
        for kind in (int, float):
            if kind in kinds:
                return kind(value)
        return value
    except (KeyError, ValueError):
        hint = (
            "It takes yes or no; {default} if not given."
            if bool in kinds
            else "It takes a number; {default} if not given."
        )
        raise VizError(
            "{name}={value} is not possible.", hint, name=name, value=value, default=parameter.default
        ) from None
