"""Names of files that a picture or a film can be written to."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from vizapp.errors import VizError
from vizapp.wording import Text


def check_ending(path: Path, endings: Sequence[str], refusal: Text) -> None:
    """Raises `VizError`, which begins with `refusal`, for a name that ends on none of them."""
    if path.suffix.lower() not in endings:
        raise VizError(refusal, "End the name with one of: {suffixes}.", suffixes=", ".join(endings))
