"""The one kind of error that a person reads: what was expected, what was got, and what to do about it."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from vizapp.wording import Text


class VizError(ValueError):
    """A slip that its reader can mend: shown on the page, printed by the command line, never as a traceback.

    VizError("There is no method '{name}'.", "Choose one of: {names}.", name=name, names=", ".join(known))

    `message` says what was expected and what was got instead; `hint` says what to do. `str()` joins them. Both are `Text`,
    made from constant strings with {braces}: the page can say them in another language. Words that are chosen inside a
    sentence would not be translated: two sentences, or a `Text` as a value.
    """

    def __init__(self, message: str, hint: str = "", /, **values: Any) -> None:
        self.message, self.hint = (one if isinstance(one, Text) else Text(one, **values) for one in (message, hint))
        super().__init__(self.message, self.hint)

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


@contextmanager
def writing(path: Path, *others: type[Exception]) -> Iterator[None]:
    """Say why `path` cannot be written: the system's reason, or that of `others`, which a library raises instead."""
    kinds: tuple[type[Exception], ...] = (OSError, *others)
    try:
        yield
    except kinds as error:
        why = getattr(error, "strerror", None) or str(error)
        raise VizError("'{path}' cannot be written: {why}.", "Choose another folder.", path=path, why=why) from error


def check_ending(path: Path, endings: Collection[str], refusal: Text) -> None:
    """Raise `VizError`, which begins with `refusal`, for a name with none of the endings."""
    if path.suffix.lower() not in endings:
        raise VizError(refusal, "End the name with one of: {suffixes}.", suffixes=", ".join(endings))


class NotDownloaded(VizError):
    """Weights are not here, and could not be fetched. What else there is depends on who asks: strangers have no files here."""


class NotEnoughMemory(VizError):
    """More memory is needed than is free. Code that keeps what can be made again may let it go, and try once more."""
