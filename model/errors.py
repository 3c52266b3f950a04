"""The one kind of error that a person reads: what was expected, what came, and what to do about it.

It is defined here, because `model` may not import `vizapp`; `vizapp.errors` gives the same class its public home.
"""

from __future__ import annotations


class VizError(Exception):
    """A slip that its reader can mend: shown on the page, printed by the command line, never as a traceback.

    `message` says what was expected and what came instead; `hint` says what to do. `str()` joins them.
    """

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message, hint)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()
