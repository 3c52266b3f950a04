"""Turns a wrong argument, or one that there is not, into a sentence, where Python would show a traceback into vizapp's own code.

@in_words                                        # or in_words(function)
def explain(seen: Analysis, ...): ...
explain(3)                                       # VizError: explain takes seen as Analysis, but got int: 3.
explain(seen, methd="rollout")                   # VizError: ... Did you mean method?

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
from vizapp.wording import Text, alike

MOST = 100  # elements of a list that are checked
Described = TypeVar("Described", bound=Callable[..., Any])


Elsewhere = Callable[[str, str], VizError | None]


def nowhere(function: str, name: str) -> None:
    """Give None: no function is known that takes the argument."""


def in_words(described: Described, elsewhere: Elsewhere = nowhere) -> Described:
    """Wrap a function so that wrong arguments raise `VizError`. Of a class, wrap `__init__` and all public methods.

    elsewhere  function, argument that it has not -> the error that says which function takes it, if one does
    """
    if not isinstance(described, type):
        return _function(described, elsewhere=elsewhere)
    for name, one in list(vars(described).items()):
        if isinstance(one, types.FunctionType) and (name == "__init__" or not name.startswith("_")):
            setattr(described, name, _function(one, described.__name__ + ("" if name == "__init__" else f".{name}")))
    return described


def _function(function: Any, name: str = "", elsewhere: Elsewhere = nowhere) -> Any:
    name = name or function.__name__

    def better(error: Exception, given: tuple[Any, ...], named: dict[str, Any]) -> Exception:
        """Give the error that the caller reads in place of this one."""
        if isinstance(error, VizError):  # of a function that hands on what it does not know
            return (error.strange in named and elsewhere(name, error.strange)) or error
        return _strange(function, name, named, elsewhere) or _refusal(function, name, given, named) or error

    if inspect.isgeneratorfunction(function):

        @wraps(function)
        def going(*given: Any, **named: Any) -> Iterator[Any]:
            try:
                yield from function(*given, **named)
            except Exception as error:
                if (said := better(error, given, named)) is error:
                    raise
                raise said from error

        return going

    @wraps(function)
    def told(*given: Any, **named: Any) -> Any:
        try:
            return function(*given, **named)
        except Exception as error:
            if (said := better(error, given, named)) is error:
                raise
            raise said from error

    return told


def no_argument(function: str, name: str, takes: Iterable[str]) -> VizError:
    """The error for an argument that a function does not have. Its attribute `strange` is the name."""
    known, close = ", ".join(takes), ", ".join(alike(name, takes))
    hint = Text("It takes: {known}.", known=known)
    if close:
        hint = Text("Did you mean {close}? It takes: {known}.", close=close, known=known)
    error = VizError("{function} has no argument '{name}'.", hint, function=function, name=name)
    error.strange = name
    return error


def _strange(function: Any, name: str, named: dict[str, Any], elsewhere: Elsewhere) -> VizError | None:
    """The error that names the first argument which the function does not have; None if it has all of them."""
    parameters = inspect.signature(function).parameters.values()
    takes = [one.name for one in parameters if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)]
    if any(one.kind is one.VAR_KEYWORD for one in parameters):
        return None
    unknown = next((key for key in named if key not in takes), None)
    if unknown is None:
        return None
    return elsewhere(name, unknown) or no_argument(name, unknown, [one for one in takes if one != "self"])


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
                "vizapp.analyse(model, picture) makes one."
                if "Analysis" in _said(hint)
                else "help(vizapp.{function}) says more.",
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
    """Tell whether a value, and what it contains, matches a type."""
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
