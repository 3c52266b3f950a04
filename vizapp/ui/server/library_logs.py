"""Silences what Pillow says of a stranger's file. The log has one line of ours for each.

Pillow reports through Python's `warnings` and `logging`. They are filtered once, when a server starts, and not in
`vizapp.picture`, which other programs import: it must not change their settings.
"""

import logging
import warnings


def hush() -> None:
    """Silence Pillow about the pictures that this process reads from now on. Its exceptions are raised as before."""
    warnings.filterwarnings("ignore", module=r"PIL\.")
    logging.getLogger("PIL").setLevel(logging.CRITICAL)
