"""Reports a full disk as a sentence."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from vizapp.errors import VizError

ERRORS = {
    errno.ENOSPC,
    errno.EFBIG,
    getattr(errno, "EDQUOT", errno.ENOSPC),
}  # no space; a limit of the process; a quota


def is_full(error: OSError) -> bool:
    """Tell whether the error says that there is no room left."""
    return error.errno in ERRORS


def full() -> VizError:
    """The error that the visitor and whoever runs the server read."""
    return VizError(
        "The disk of the computer that runs this page has no room left.",
        "Try again in a minute, or with a smaller picture. The owner can set GRADIO_TEMP_DIR to a larger disk.",
    )


@contextmanager
def told_if_full() -> Iterator[None]:
    """Raise `VizError` where the block finds the disk full."""
    try:
        yield
    except OSError as error:
        if is_full(error):
            raise full() from None
        raise
