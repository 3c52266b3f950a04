"""Checks the names of files that a picture or film is written to."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from vizapp.errors import VizError
from vizapp.wording import Text


def check_ending(path: Path, endings: Sequence[str], refusal: Text) -> None:
    """Raise `VizError`, which begins with `refusal`, for a name with none of the endings."""
    if path.suffix.lower() not in endings:
        raise VizError(refusal, "End the name with one of: {suffixes}.", suffixes=", ".join(endings))
