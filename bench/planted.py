"""Does anything notice? Plants one fault after the other in a copy of the tree, and runs tests until one fails:

    python -m bench.planted                      all forty (hours); goes on where it was stopped
    python -m bench.planted --near               with the tests of the fault's own room alone (a minute for each)
    python -m bench.planted NAME ... --also tests/test_a.py tests/core/test_b.py      these faults, with these tests
    python -m bench.planted --table              only write what was found so far into bench/results.json and RESULTS.md

First those tests of the gate that are nearest to the room, then the rest of the gate, then tests/whole, again the nearest first;
each until one fails. In the end all tests that have failed are run in a copy without any fault: one that
fails there, too, tells nothing, is left out, and the others are asked again. A line for each run goes into build/planted.jsonl,
which git does not keep.
"""

import argparse
import hashlib
import importlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pytest

from bench import pages
from bench.planted_faults import FAULTS, NEAREST, Fault
from bench.results import FILE

ROOT = Path(__file__).parents[1]
MADE = (".js", ".mjs", ".ts", ".css")  # sources of a bundle, in these folders
BUNDLED = ("vizapp/ui/viewer/", "vizapp/ui/link/", "vizapp/ui/incoming/", "vizapp/browser/", "vizapp/vocabulary.js")
FAILED = re.compile(r"^(?:FAILED|ERROR) (tests/.+?)(?: - .*)?$", re.MULTILINE)
HEAVY = (
    "torch",
    "timm",
    "gradio",
    "matplotlib.figure",
    "cv2",
    "PIL.Image",
    "safetensors.torch",
    "scipy.stats",
    "transformers",
)
IN_NODE = "tests/page/test_js.py::test_the_tests_of_the_viewer_pass_in_node"  # which runs all of tests/js
LIMIT = 3600  # seconds for one run of tests


@dataclass(frozen=True)
class Run:
    """What one run of tests said of a fault.

    key    of the fault's own text: another text is another fault
    stage  which tests: "near", "rest", and the same of "whole"; or "also"
    tests  files that were named, () for all of them
    by     the test that failed; "" where none did
    """

    fault: str
    key: str
    stage: str
    tests: tuple[str, ...]
    by: str
    seconds: float


def key_of(fault: Fault) -> str:
    """Changes with what is planted."""
    return hashlib.sha256("\n".join((fault.file, fault.before, fault.after)).encode()).hexdigest()[:12]


def plant(tree: Path, fault: Fault) -> None:
    """Put a fault into a tree, and make its bundles anew. Ends the program where the line is not there, or there twice."""
    file = tree / fault.file
    text = file.read_bytes().decode()
    if (count := text.count(fault.before)) != 1:
        raise SystemExit(f"{fault.file} has this {count} times, not once: {fault.before}")
    file.write_bytes(text.replace(fault.before, fault.after).encode())
    if file.suffix in MADE and fault.file.startswith(BUNDLED):
        subprocess.run(["npm", "run", "--silent", "build"], cwd=tree, check=True, capture_output=True)


@contextmanager
def planted(tree: Path, fault: Fault) -> Iterator[None]:
    """A tree with a fault in it, and then as it was, to the times of its files: Python's compiled ones hold."""
    before = {one: (one.read_bytes(), one.stat()) for one in (tree / fault.file, *tree.glob("vizapp/**/bundle.js"))}
    try:
        plant(tree, fault)
        yield
    finally:
        for one, (content, seen) in before.items():
            one.write_bytes(content)
            os.utime(one, ns=(seen.st_atime_ns, seen.st_mtime_ns))


@contextmanager
def copied() -> Iterator[Path]:
    """A copy of the working tree; node_modules and what lies beside the tree are linked."""
    with tempfile.TemporaryDirectory(prefix="planted-") as folder:
        tree = Path(folder) / "tree"
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT,
            capture_output=True,
            check=True,
        )
        for name in filter(None, listed.stdout.decode().split("\0")):
            if (
                os.path.lexists(ROOT / name) and name != "node_modules"
            ):  # which git tracks nowhere, but a link is no folder to it
                (tree / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, tree / name, follow_symlinks=False)
        for name, at in ((ROOT / "node_modules", tree), (ROOT.parent / "shared", tree.parent)):
            if name.exists():
                (at / name.name).symlink_to(name)
        yield tree


def failing(tree: Path, tests: Sequence[str], *, stage: str, but: Iterable[str] = ()) -> list[str]:
    """The tests that fail, until one does: of these files, or of a run; at "sound", all that do."""
    scripts = [one for one in tests if one.endswith(".js")]
    if (
        scripts
        and subprocess.run(
            ["node", "--no-concurrent-recompilation", "--test", *scripts], cwd=tree, capture_output=True
        ).returncode
    ):
        return [IN_NODE]
    if scripts and len(scripts) == len(tests):
        return []
    tests = [one for one in tests if one not in scripts]
    command = ["-q", "-rfE", "-p", "no:cacheprovider", "-W", "ignore::pytest.PytestAssertRewriteWarning", *tests]
    command += ["-n", "0"] if tests else ["tests/whole"] * stage.endswith("whole")
    command += ["-x"] * (stage != "sound") + [f"--deselect={name}" for name in but]
    code, said = in_a_fork(tree, command)
    if code not in (0, 1, 2, 5):  # 2: a file that cannot be imported; 5: no test is left
        raise SystemExit(said)
    return FAILED.findall(said)


def is_ours(path: str) -> bool:
    """Does a file or folder belong to the tree that is copied?"""
    return Path(path).absolute().is_relative_to(ROOT) and "site-packages" not in path


def in_a_fork(tree: Path, command: list[str]) -> tuple[int, str]:
    """pytest in a process that has torch and the like already: to import them takes longer than most tests."""
    with tempfile.TemporaryFile() as said:
        sys.stdout.flush()
        if child := os.fork():
            _, status = os.waitpid(child, 0)
            said.seek(0)
            return os.waitstatus_to_exitcode(status), said.read().decode(errors="replace")
        try:
            signal.alarm(LIMIT)
            for number in (1, 2):
                os.dup2(said.fileno(), number)
            os.environ["PYTHONPATH"] = str(tree)
            sys.path[:] = [str(tree), *(one for one in sys.path if not is_ours(one or "."))]
            for name in [name for name, one in sys.modules.items() if is_ours(getattr(one, "__file__", None) or "/")]:
                del sys.modules[name]
            os.chdir(tree)
            code = int(pytest.main(command))
            sys.stdout.flush()
        except BaseException:
            traceback.print_exc()
            code = 70
        os._exit(code)


def stages(fault: Fault, near: bool) -> dict[str, tuple[str, ...]]:
    """The runs of a fault, in their order: which tests."""
    short, whole = NEAREST[fault.room]
    order = {"near": short, "rest": (), "near whole": whole, "rest whole": ()}
    return {stage: tuple(f"tests/{one}" for one in tests) for stage, tests in order.items() if tests or not near}


def read(file: Path) -> list[Run]:
    """The runs so far, of faults as they are now, and which tests fail without any; what these found is not believed."""
    lines = file.read_text("utf-8").splitlines() if file.exists() else []
    runs = [Run(**{**told, "tests": tuple(told["tests"])}) for told in map(json.loads, lines)]
    unsound = {one.by for one in runs if one.stage == "sound"}
    return [
        one
        for one in runs
        if one.stage == "sound"
        or (one.fault in FAULTS and one.key == key_of(FAULTS[one.fault]) and one.by not in unsound)
    ]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.planted", description=str(__doc__).partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="of faults (all)")
    parser.add_argument("--near", action="store_true", help="the tests of the fault's own room alone")
    parser.add_argument("--short", action="store_true", help="the gate alone")
    parser.add_argument("--also", nargs="+", default=[], metavar="FILE", help="these tests, in place of all others")
    parser.add_argument("--again", action="store_true", help="also faults that were found, as if nothing were known")
    parser.add_argument("--table", action="store_true", help="only write the page")
    parser.add_argument("--results", type=Path, default=ROOT / "build" / "planted.jsonl")
    parser.add_argument("--output", type=Path, default=FILE)
    told = parser.parse_args()
    if unknown := set(told.names) - FAULTS.keys():
        raise SystemExit(f"There is no fault {', '.join(sorted(unknown))}. There are: {', '.join(FAULTS)}.")
    if not told.table:
        search(told)
    write(told.output, read(told.results))


def search(told: argparse.Namespace) -> None:
    """Plant each that nothing has found yet, and keep what is said of it; then see that the tests pass without any of them."""
    told.results.parent.mkdir(exist_ok=True)
    for name in HEAVY:
        with suppress(ImportError):
            importlib.import_module(name)
    with copied() as tree:
        found = {one.by for name in told.names or FAULTS for one in tried(tree, name, told) if one.by}
        unsound = failing(tree, sorted(found), stage="sound") if found else []
    for test in unsound:
        keep(told.results, Run("", "", "sound", (), test, 0))
        print(f"fails without any fault, so it tells nothing: {test}", flush=True)
    if unsound:
        told.again = False
        search(told)


def tried(tree: Path, name: str, told: argparse.Namespace) -> Iterator[Run]:
    """The runs of one fault, until a test finds it; none where one has."""
    runs = read(told.results)
    unsound = [one.by for one in runs if one.stage == "sound"]
    known = [] if told.again else [one for one in runs if one.fault == name]
    done = {(one.stage, one.tests) for one in known if not one.by}
    left = {"also": tuple(told.also)} if told.also else stages(FAULTS[name], told.near)
    left = {stage: tests for stage, tests in left.items() if (stage, tests) not in done}
    if told.short:
        left = {stage: tests for stage, tests in left.items() if "whole" not in stage}
    if not left or any(one.by for one in known):
        return
    with planted(tree, FAULTS[name]):
        for stage, tests in left.items():
            started = time.monotonic()
            by = next(iter(failing(tree, tests, stage=stage, but=unsound)), "")
            one = Run(name, key_of(FAULTS[name]), stage, tests, by, time.monotonic() - started)
            keep(told.results, one)
            print(f"{name}, {stage}, {one.seconds:.0f} s: {by or 'nothing'}", flush=True)
            yield one
            if by:
                break


def keep(results: Path, run: Run) -> None:
    """A line more."""
    with results.open("a", encoding="utf-8") as file:
        file.write(json.dumps(asdict(run)) + "\n")


def content(runs: Iterable[Run]) -> dict[str, Any]:
    """Of each fault: what a user would see, which test says so, and after how many seconds; None: it was not tried."""
    of = {name: [one for one in runs if one.fault == name] for name in FAULTS}
    found = {name: next((one.by for one in reversed(some) if one.by), "") for name, some in of.items()}
    return {
        "faults": [
            {
                "fault": name,
                "room": fault.room,
                "seen": fault.seen,
                "by": found[name].removeprefix("tests/"),
                "new": bool(found[name]) and fault.is_new,  # a test was written for it: not all others were asked first
                "missed": "" if found[name] else fault.excuse or missed(of[name]),
                "seconds": round(sum(run.seconds for run in of[name])) if of[name] else None,
            }
            for name, fault in FAULTS.items()
        ]
    }


def missed(runs: Iterable[Run]) -> str:
    """Which tests found nothing, as far as they were run."""
    asked = sorted({one.removeprefix("tests/") for run in runs for one in run.tests or (f"{run.stage} of all",)})
    return f"nothing; asked were {', '.join(asked)}" if asked else "not tried"


def write(output: Path, runs: Iterable[Run]) -> None:
    """Put them into results.json, and make RESULTS.md anew."""
    pages.keep("planted", content(runs), output)


if __name__ == "__main__":
    main()
