"""Verbs of the command line, one per file, found by itself: `vizapp NAME` is NAME.py of this folder.

HELP                                            # one line
def add(command: argparse.ArgumentParser)       # its arguments
def run(asked: argparse.Namespace)              # what it does; raises VizError for a slip of the user
What a verb needs it imports in `run`: `vizapp --help` waits for no torch.
"""

from types import ModuleType

from vizapp.registry import modules_in


def verbs() -> dict[str, ModuleType]:
    """Name -> its module, in the order of the names."""
    return modules_in(__name__)
