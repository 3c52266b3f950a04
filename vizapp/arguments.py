"""Names the argument that was meant where a public function has no such argument: "Did you mean 'method'?" """

from __future__ import annotations

import inspect
from collections.abc import Iterable
from functools import wraps
from typing import Any

from vizapp.wording import alike


def unexpected(function: str, name: str, takes: Iterable[str]) -> TypeError:
    """Make Python's own error for an argument that a function does not have, with the closest of those that it takes."""
    takes = [one for one in takes if one != "self"]
    close = alike(name, takes, most=1)
    hint = f"Did you mean '{close[0]}'? " if close else ""
    return TypeError(f"{function}() got an unexpected keyword argument '{name}'. {hint}It takes: {', '.join(takes)}.")


def hinted(public: Any) -> Any:
    """Wrap a function so that an unexpected argument raises `unexpected`; of a class, wrap its `__init__`.

    The signature and the words of `help` stay. All other errors, also those of its body, pass as they are.
    """
    if isinstance(public, type):
        public.__init__ = _hinted(public.__init__, public.__name__)  # type: ignore[misc]
        return public
    return _hinted(public, public.__name__)


def _hinted(function: Any, name: str) -> Any:
    @wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except TypeError:
            parameters = inspect.signature(function).parameters
            takes_any = any(one.kind is one.VAR_KEYWORD for one in parameters.values())
            unknown = None if takes_any else next((one for one in kwargs if one not in parameters), None)
            if unknown is None:
                raise
        raise unexpected(name, unknown, parameters)

    return wrapped
