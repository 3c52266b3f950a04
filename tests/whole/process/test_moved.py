"""Modules that were moved are imported by their old names, too, for one version (vizapp/moved.py)."""

import importlib
import subprocess
import sys
import warnings

from vizapp.moved import MOVED


def test_old_names_hand_over_the_same_module_and_warn() -> None:
    wrong = []
    for old, now in MOVED.items():
        sys.modules.pop(old, None)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            found = importlib.import_module(old)
        if found is not importlib.import_module(now) or found.__spec__ is None or found.__spec__.name != now:
            wrong.append(f"{old} is not {now}")
        if [one.category for one in said] != [DeprecationWarning] or now not in str(said[0].message):
            wrong.append(f"{old} says {[str(one.message) for one in said]}")
    assert wrong == []


def test_the_warning_names_the_line_of_the_user() -> None:
    """Python shows this warning by default only for a line of the program that is run."""
    code = "from vizapp.taught import teach; from vizapp import taught; print(taught.teach is teach)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=300)
    assert done.stdout == "True\n"
    assert done.stderr.count("DeprecationWarning: vizapp.taught is called vizapp.pipeline.teaching now") == 1
