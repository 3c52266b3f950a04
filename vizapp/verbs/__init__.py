"""Verbs of the command line, one per file, found by itself: `vizapp NAME` is NAME.py of this folder.

HELP                                            # one line
def add(command: argparse.ArgumentParser)       # its arguments
def run(asked: argparse.Namespace)              # what it does; raises VizError for a slip of the user
What a verb needs it imports in `run`: `vizapp --help` waits for no torch.
"""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType


def verbs() -> dict[str, ModuleType]:
    """Name -> its module, in the order of the names."""
    return {one.name: importlib.import_module(f"{__name__}.{one.name}") for one in pkgutil.iter_modules(__path__)}
