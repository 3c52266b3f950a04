"""New virtual environments that hold a few packages of this one: in a second, without the six gigabytes of torch again."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement

from support.paths import ROOT

LONGEST = 300  # seconds that a program may take on a busy machine


@dataclass(frozen=True)
class Environment:
    """A virtual environment that sees the standard library, what is linked into `borrowed`, and what pip installs in it."""

    folder: Path

    @property
    def python(self) -> Path:
        return self.folder / "bin" / "python"

    @property
    def packages(self) -> Path:
        return next(self.folder.glob("lib/python*/site-packages"))

    @property
    def vizapp(self) -> Path:
        """The console script."""
        return self.folder / "bin" / "vizapp"

    def run(self, *command: object, cwd: Path, **variables: str) -> str:
        """What a program says; `AssertionError` with its errors if it fails."""
        ended = subprocess.run(
            [str(part) for part in command],
            cwd=cwd,
            env=variables_of_a_stranger(**variables),
            capture_output=True,
            text=True,
            timeout=LONGEST,
        )
        assert ended.returncode == 0, f"{ended.stdout}\n{ended.stderr}"
        return ended.stdout

    def install(self, *what: object, **variables: str) -> str:
        """`pip install` in here: what is borrowed counts as installed, what is missing is fetched."""
        pip = (sys.executable, "-m", "pip", "--python", self.python)
        return self.run(*pip, "install", "--no-build-isolation", *what, cwd=self.folder, **variables)


def variables_of_a_stranger(**variables: str) -> dict[str, str]:
    """The variables of this process without those that would show our packages, or our page, to another one."""
    ours = ("PYTHON", "SPACE", "SYSTEM", "GRADIO_", "DISPLAY", "WAYLAND_DISPLAY", "VIRTUAL_ENV")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    return kept | {"HF_HUB_OFFLINE": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PYTHONNOUSERSITE": "1"} | variables


def new_environment(folder: Path, requirements: Iterable[str]) -> Environment:
    """An environment that borrows from this one what `requirements` need, and nothing else: never vizapp itself."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    environment, borrowed = Environment(folder), folder / "borrowed"
    borrowed.mkdir()
    for found in closure(requirements):
        for top in {Path(file).parts[0] for file in found.files or ()} - {"..", "__pycache__"}:
            if not (borrowed / top).exists():
                (borrowed / top).symlink_to(Path(str(found.locate_file(top))))
    (environment.packages / "borrowed.pth").write_text(f"{borrowed}\n")
    return environment


def closure(requirements: Iterable[str]) -> Iterator[Distribution]:
    """The distributions of this environment that satisfy `requirements`, and theirs; what is not here is left to pip."""
    known: set[tuple[str, frozenset[str]]] = set()
    waiting = [Requirement(line) for line in requirements]
    while waiting:
        wanted = waiting.pop()
        key = wanted.name.lower(), frozenset(wanted.extras)
        if key in known:
            continue
        known.add(key)
        try:
            found = distribution(wanted.name)
        except PackageNotFoundError:
            continue
        yield found
        for line in found.requires or ():
            other = Requirement(line)
            if other.marker is None or any(other.marker.evaluate({"extra": one}) for one in ("", *wanted.extras)):
                waiting.append(other)


def copy_of_the_repository(folder: Path, *, links: bool = True) -> Path:
    """What a clone of the working tree would hold; without links, as git on Windows writes it: files that name their target."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout
    for name in sorted(filter(None, listed.split("\0"))):
        source, target = ROOT / name, folder / name
        if not os.path.lexists(source):
            continue  # removed, not yet committed
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, target, follow_symlinks=False)
    for link in (folder / "vizapp" / "model", folder / "vizapp" / "assets"):
        assert link.is_symlink()
        if not links:
            aim = os.readlink(link)
            link.unlink()
            link.write_text(aim)
    return folder
