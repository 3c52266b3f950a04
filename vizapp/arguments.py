"""Turns a wrong argument into a sentence, where Python would show a traceback into vizapp's own code.

@in_words                                        # or in_words(function)
def explain(seen: Analysis, ...): ...
explain(3)                                       # VizError: explain takes seen as Analysis, but got int: 3.

Arguments are not checked before the call, so a value of an undeclared type that works is accepted. A `VizError` passes
unchanged. Only when the function fails with another error are its arguments compared with its annotations. If all of them
fit, the fault lies in vizapp or in a function that the caller passed, and the error is raised as it is.
"""

from __future__ import annotations

import inspect
import os
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, wraps
from itertools import islice
from numbers import Integral, Real
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin

from vizapp.errors import VizError

MOST = 100  # elements of a list that are checked
Described = TypeVar("Described", bound=Callable[..., Any])


def in_words(described: Described) -> Described:
    """Wrap a function so that wrong arguments raise `VizError`. Of a class, wrap `__init__` and all public methods."""
    if not isinstance(described, type):
        return _function(described)
    for name, one in list(vars(described).items()):
        if isinstance(one, types.FunctionType) and (name == "__init__" or not name.startswith("_")):
            setattr(described, name, _function(one, described.__name__ + ("" if name == "__init__" else f".{name}")))
    return described


def _function(function: Any, name: str = "") -> Any:
    name = name or function.__name__
    if inspect.isgeneratorfunction(function):

        @wraps(function)
        def going(*given: Any, **named: Any) -> Iterator[Any]:
            try:
                yield from function(*given, **named)
            except VizError:
                raise
            except Exception as error:
                raise _refusal(function, name, given, named) or error from error

        return going

    @wraps(function)
    def told(*given: Any, **named: Any) -> Any:
        try:
            return function(*given, **named)
        except VizError:
            raise
        except Exception as error:
            if refusal := _refusal(function, name, given, named):
                raise refusal from error
            raise

    return told


def _refusal(function: Any, name: str, given: tuple[Any, ...], named: dict[str, Any]) -> VizError | None:
    """The error that names the first wrong argument; None if all of them fit."""
    try:
        bound = inspect.signature(function).bind(*given, **named)
    except TypeError:  # too many or too few arguments: Python's own message is clear
        return None
    for key, value in bound.arguments.items():
        hint = _hint(function, key)
        if not _fits(value, hint):
            return VizError(
                "{function} takes {name} as {kinds}, but got {kind}: {value}.",
                "help(vizapp.{function}) says more.",
                function=name,
                name=key,
                kinds=_said(hint),
                kind=type(value).__name__,
                value=_short(value),
            )
    return None


@cache
def _hint(function: Any, parameter: str) -> Any:
    """The type of a parameter; Any where it has none, or one that is imported for type checkers only."""
    found = inspect.signature(function).parameters[parameter]
    if found.kind in (found.VAR_KEYWORD, found.VAR_POSITIONAL) or found.annotation is found.empty:
        return Any
    try:
        return (
            eval(found.annotation, inspect.unwrap(function).__globals__)
            if isinstance(found.annotation, str)
            else found.annotation
        )
    except (NameError, AttributeError):
        return Any


def _fits(value: Any, hint: Any) -> bool:
    """Whether a value, and what it contains, matches a type."""
    kind, parts = get_origin(hint) or hint, get_args(hint)
    if hint is Any:
        return True
    if kind in (Union, types.UnionType):
        return any(_fits(value, one) for one in parts)
    if kind is Literal:
        return isinstance(value, str | int | None) and value in parts
    if hint is None:
        return value is None
    if kind is Callable:
        return callable(value)
    if kind in (int, float):
        return isinstance(value, Integral if kind is int else Real) and not isinstance(value, bool)
    if not isinstance(kind, type) or getattr(kind, "_is_protocol", False):
        return True
    if not isinstance(value, kind):
        return False
    if not parts or kind is os.PathLike:
        return True
    if isinstance(value, str | bytes):
        return _fits(value[:1], parts[0])
    if isinstance(value, Mapping):
        return all(_fits(key, parts[0]) and _fits(one, parts[-1]) for key, one in value.items())
    if isinstance(value, tuple) and parts[-1] is not ... and kind is tuple:
        return len(value) == len(parts) and all(map(_fits, value, parts))
    if not issubclass(kind, Iterable) or isinstance(value, Iterator):  # looking into an iterator would use it up
        return True
    try:
        return all(_fits(one, parts[0]) for one in islice(cast(Iterable[Any], value), MOST))
    except Exception:  # for example an array with zero dimensions, which cannot be iterated
        return False


def _said(hint: Any) -> str:
    kind, parts = get_origin(hint) or hint, get_args(hint)
    if kind in (Union, types.UnionType):
        return " or ".join(dict.fromkeys(map(_said, parts)))
    if kind is Literal:
        return " or ".join(map(repr, parts))
    if kind is Callable:
        return "a function"
    if hint in (None, type(None)):
        return "None"
    name = "path" if kind is os.PathLike else str(getattr(kind, "__name__", hint))
    if not parts or kind is os.PathLike:
        return name
    return f"{name} of {', '.join(_said(one) for one in parts if one is not ...)}"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 and "\n" not in text else f"{text.splitlines()[0][:60]} ..."
