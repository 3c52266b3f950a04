"""Follow the Dockerfile on a machine without Docker: the same steps in an empty system, then the page as it would run there.

debootstrap --variant=minbase --include=python3,python3-venv,ca-certificates bookworm BASE
sudo python deploy/rehearse.py BASE --arg TORCH_INDEX=URL

BASE is a folder with a small Debian, in place of python:3.12-slim. Nothing is written into it: each stage is a layer above it.
Needs Linux and root (overlays, chroot). The page then runs as its user, with a read-only root and a tmpfs on /tmp; its
HEALTHCHECK is asked, it is visited, and it is told to stop. By hand: the wheels are large. What differs from Docker: the base,
the network of this machine, and no limits of memory.
"""

import argparse
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).parents[1]
NETWORK = (
    "SSL_",
    "PIP_",
    "REQUESTS_CA",
    "http_proxy",
    "https_proxy",
    "no_proxy",
)  # variables that say how to reach an index
BORROWED = ("/etc/hosts", "/etc/resolv.conf", "/etc/ssl", "/etc/pip.conf")  # files that do
PATIENCE = 240  # seconds until the page must answer


@dataclass
class Stage:
    """A layer above the base, and what the Dockerfile has said of it."""

    root: Path
    env: dict[str, str] = field(default_factory=lambda: {"PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"})
    user: str = "root"
    checks: list[str] = field(default_factory=list)
    starts: list[str] = field(default_factory=list)


def instructions(text: str) -> list[tuple[str, str]]:
    """(FROM, RUN ..., the rest of its line), comments left out. Lines are not continued in our Dockerfile."""
    lines = [line.strip() for line in text.splitlines()]
    return [(line.partition(" ")[0], line.partition(" ")[2]) for line in lines if line and not line.startswith("#")]


def is_left_out(path: str, patterns: list[str]) -> bool:
    """As .dockerignore says: the last pattern that fits the path, or a folder that it lies in, decides."""
    folders = ["/".join(path.split("/")[: n + 1]) for n in range(path.count("/") + 1)]
    left_out = False
    for pattern in patterns:
        bare = pattern.removeprefix("!").removeprefix("**/")
        anywhere = "**/" in pattern
        if any(fnmatch(one.rpartition("/")[2] if anywhere else one, bare) for one in folders):
            left_out = not pattern.startswith("!")
    return left_out


def context(folder: Path) -> list[str]:
    """Files that `COPY .` takes, relative to `folder`."""
    lines = (folder / ".dockerignore").read_text("utf-8").splitlines()
    patterns = [line for line in lines if line and not line.startswith("#")]
    found: list[str] = []
    for top, folders, files in os.walk(folder):
        inside = Path(top).relative_to(folder)
        links = [one for one in folders if (Path(top) / one).is_symlink()]
        folders[:] = [one for one in folders if one not in {".git", "node_modules", *links}]
        found += [(inside / one).as_posix() for one in [*files, *links]]
    return sorted(one for one in found if not is_left_out(one, patterns))


class Rehearsal:
    """Follows a Dockerfile, stage by stage. Everything it mounts is seen by this process and its children only."""

    def __init__(self, base: Path, work: Path, given: dict[str, str]) -> None:
        self.base, self.work, self.given = base.resolve(), work, given
        self.stages: dict[str, Stage] = {}

    def follow(self, text: str) -> Stage:
        """All steps; the last stage."""
        stage = None
        for word, rest in instructions(text):
            print(f"{word} {rest}", flush=True)
            if word == "FROM":
                name = rest.partition(" AS ")[2] or "last"
                stage = self.stages[name] = self._stage(name)
                continue
            assert stage is not None
            getattr(self, f"_{word.lower()}")(stage, rest)
        assert stage is not None
        return stage

    def _stage(self, name: str) -> Stage:
        upper, scratch, root = (self.work / name / part for part in ("upper", "scratch", "root"))
        for folder in (upper, scratch, root):
            folder.mkdir(parents=True)
        mount("-t", "overlay", "overlay", "-o", f"lowerdir={self.base},upperdir={upper},workdir={scratch}", root)
        for kind, where in (("proc", "proc"), ("tmpfs", "tmp")):
            mount("-t", kind, kind, root / where)
        mount("--rbind", "/dev", root / "dev")
        for path in filter(os.path.exists, BORROWED):
            target = root / path.lstrip("/")
            target.mkdir(parents=True, exist_ok=True) if os.path.isdir(path) else target.touch()
            mount("--bind", path, target)
        if not shutil.which("python", path=str(root / "usr/local/bin")):
            (root / "usr/local/bin/python").symlink_to("/usr/bin/python3")
        return Stage(root)

    def _arg(self, stage: Stage, rest: str) -> None:
        stage.env |= {rest: self.given[rest]} if rest in self.given else {}

    def _env(self, stage: Stage, rest: str) -> None:
        for pair in shlex.split(rest):
            name, _, value = pair.partition("=")
            stage.env[name] = value.replace("$PATH", stage.env["PATH"])

    def _copy(self, stage: Stage, rest: str) -> None:
        *options, source, target = rest.split()
        if options:  # --from=
            other = self.stages[options[0].partition("=")[2]].root
            shutil.copytree(other / source.lstrip("/"), stage.root / target.lstrip("/"), symlinks=True)
            return
        for name in context(ROOT):
            to = stage.root / target.lstrip("/") / name
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, to, follow_symlinks=False)

    def _run(self, stage: Stage, rest: str) -> None:
        subprocess.run(inside(stage, ["sh", "-c", rest]), env=stage.env | network(), check=True)

    def _user(self, stage: Stage, rest: str) -> None:
        stage.user = rest

    def _expose(self, stage: Stage, rest: str) -> None:
        """Says something, does nothing."""

    def _healthcheck(self, stage: Stage, rest: str) -> None:
        stage.checks = json.loads(rest.partition("CMD ")[2])

    def _cmd(self, stage: Stage, rest: str) -> None:
        stage.starts = json.loads(rest)


def mount(*what: object) -> None:
    """`mount`, which fails aloud."""
    subprocess.run(["mount", *map(str, what)], check=True)


def network() -> dict[str, str]:
    """How this machine reaches an index."""
    return {name: value for name, value in os.environ.items() if name.startswith(NETWORK)}


def inside(stage: Stage, command: list[str]) -> list[str]:
    """A command in the stage, as its user; nothing of a user's may gain rights."""
    drop = [] if stage.user == "root" else ["--userspec", stage.user]
    return ["setpriv", "--no-new-privs", "chroot", *drop, str(stage.root), *command]


def run(stage: Stage) -> None:
    """Start the page as the image would, with a read-only root; ask, visit and stop it."""
    mount("-o", "remount,ro", stage.root)
    refused = subprocess.run(inside(stage, ["touch", "/venv/written"]), capture_output=True).returncode
    assert refused, "the root is read-only"
    began = time.monotonic()
    page = subprocess.Popen(inside(stage, stage.starts), env=stage.env)
    try:
        while subprocess.run(inside(stage, stage.checks), env=stage.env, capture_output=True).returncode:
            assert page.poll() is None, "the page ended"
            assert time.monotonic() - began < PATIENCE, "HEALTHCHECK never said yes"
            time.sleep(1)
        print(f"healthy after {time.monotonic() - began:.0f} s", flush=True)
        port = stage.starts[stage.starts.index("--port") + 1]
        visit = ["/venv/bin/python", "-c", (ROOT / "deploy/visit.py").read_text("utf-8"), f"http://127.0.0.1:{port}/"]
        subprocess.run(inside(stage, visit), env=stage.env, check=True)
        began = time.monotonic()
        page.send_signal(signal.SIGTERM)
        print(f"SIGTERM: ended with {page.wait(60)} after {time.monotonic() - began:.1f} s")
    finally:
        page.kill()


def main(arguments: list[str]) -> None:
    """Follow the Dockerfile, then run what it made."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("base", type=Path)
    parser.add_argument("--arg", action="append", default=[], metavar="NAME=VALUE", help="as docker build --build-arg")
    asked = parser.parse_args(arguments)
    if here := os.environ.get("REHEARSAL"):
        given = dict(one.split("=", 1) for one in asked.arg)
        run(Rehearsal(asked.base, Path(here), given).follow((ROOT / "Dockerfile").read_text("utf-8")))
        return
    # What is mounted is seen by a second process only, and gone with it: so nothing of this machine is below what is deleted.
    work = tempfile.mkdtemp(dir=asked.base.parent)
    again = ["unshare", "--mount", "--propagation", "private", sys.executable, __file__, *arguments]
    ended = subprocess.run(again, env=os.environ | {"REHEARSAL": work}).returncode
    assert work not in Path("/proc/mounts").read_text("utf-8")
    shutil.rmtree(work)
    raise SystemExit(ended)


if __name__ == "__main__":
    main(sys.argv[1:])
