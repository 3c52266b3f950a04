"""Names the argument that was meant where a public function has no such argument: "Did you mean 'method'?" """

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

from vizapp.wording import alike


def unexpected(function: str, name: str, takes: Iterable[str]) -> TypeError:
    """Make Python's own error for an argument that a function does not have, with the closest of those that it takes."""
    takes = list(takes)
    close = alike(name, takes, most=1)
    hint = f"Did you mean '{close[0]}'? " if close else ""
    return TypeError(f"{function}() got an unexpected keyword argument '{name}'. {hint}It takes: {', '.join(takes)}.")


def hinted(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a function so that an unexpected argument raises `unexpected`, and so that what is no `Analysis` is named.

    Its signature and the words of `help` stay. All other errors, also those of its body, pass as they are.
    """

    @wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except (TypeError, AttributeError):
            parameters = inspect.signature(function).parameters
            first = next(iter(parameters.values()))
            given = [*args[:1], *(value for key, value in kwargs.items() if key == first.name)]
            # The class; its name in a file that imports for types alone.
            wanted = getattr(first.annotation, "__name__", first.annotation)
            if given and wanted == "Analysis" and (found := type(given[0]).__name__) != "Analysis":
                makes = "vizapp.analyse(model, picture) makes one."
                raise TypeError(f"{function.__name__}() takes an Analysis, not {found}. {makes}") from None
            takes_any = any(one.kind is one.VAR_KEYWORD for one in parameters.values())
            unknown = None if takes_any else next((one for one in kwargs if one not in parameters), None)
            if unknown is None:
                raise
        raise unexpected(function.__name__, unknown, parameters)

    return wrapped
