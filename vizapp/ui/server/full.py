"""A disk without room, in words."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from vizapp.errors import VizError

ERRORS = {
    errno.ENOSPC,
    errno.EFBIG,
    getattr(errno, "EDQUOT", errno.ENOSPC),
}  # no space; a limit of the process; a quota


def is_full(error: OSError) -> bool:
    """Is it about room, and about nothing else?"""
    return error.errno in ERRORS


def full() -> VizError:
    """What a visitor reads, and whoever runs the server."""
    return VizError(
        "The disk of the computer that runs this page has no room left.",
        "Try again in a minute, or with a smaller picture. Whoever runs it can set GRADIO_TEMP_DIR to a larger disk.",
    )


@contextmanager
def room_for(*files: Path) -> Iterator[None]:
    """What is inside writes these files. If it fails, none of them is left, and a lack of room is said as a `VizError`."""
    try:
        yield
    except BaseException as error:
        for file in files:
            file.unlink(missing_ok=True)
        if isinstance(error, OSError) and is_full(error):
            raise full() from None
        raise
