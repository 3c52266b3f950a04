"""Fuzzers, in a process of their own: -m support.fuzz.child FOLDER NAME:FIRST:COUNT ... What it begins is on stdout, as JSON."""

import importlib
import io
import json
import os
import random
import resource
import sys
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any


class Heard(io.StringIO):
    """The terminal: what is printed there by any thread, until somebody takes it."""

    def take(self) -> str:
        said = self.getvalue()
        self.seek(0)
        self.truncate()
        return said


def main(folder: str, *asked: str) -> None:
    """Of each fuzzer that is `asked` for, as NAME:FIRST:COUNT, cases FIRST to FIRST + COUNT."""
    told = os.fdopen(os.dup(1), "w", buffering=1)

    def tell(**what: Any) -> None:
        print(json.dumps(what), file=told)

    terminal = sys.stderr = Heard()
    sys.stdout = Heard()
    warnings.simplefilter("ignore")
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for one in asked:
        name, first, count = one.split(":")
        tell(prepares=name)
        run(name, range(int(first), int(first) + int(count)), Path(folder, name), terminal, tell)
    tell(over=True)
    os._exit(0)  # threads of a server, pools: what is left of it ends with the process


def run(name: str, seeds: range, folder: Path, terminal: Heard, tell: Callable[..., None]) -> None:
    """One fuzzer, in a folder of its own."""
    folder.mkdir()
    os.chdir(folder)
    fuzzer = importlib.import_module(f"support.fuzz.{name}")
    case = fuzzer.prepare(folder)
    before = resource.getrlimit(resource.RLIMIT_AS)
    if fuzzer.MEMORY and sys.platform == "linux":  # others bound no addresses
        resource.setrlimit(resource.RLIMIT_AS, (fuzzer.MEMORY, before[1]))
    terminal.take()
    tell(ready=True)
    for seed in seeds:
        tell(begin=seed)
        # What is tried is told before, so that a death or a hang has a description, too.
        slip = ""
        try:
            case(random.Random(f"{name} {seed}"), lambda what: tell(tries=what[:2000]))
        except fuzzer.ALLOWED as error:
            if not str(error).strip():
                slip = f"{type(error).__name__} without words"
        except BaseException:
            slip = traceback.format_exc()
        said = terminal.take()
        sys.stdout.take()
        if "Traceback (most recent call last)" in said:
            slip += f"\non the terminal:\n{said}"
        if slip:
            tell(slip=slip[-6000:])
    resource.setrlimit(resource.RLIMIT_AS, before)


if __name__ == "__main__":
    main(*sys.argv[1:])
