"""The ways to have vizapp, each to a painted map: a wheel, an editable install, a clone that is not installed at all."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from support.environments import Environment, new_environment, variables_of_a_stranger

EXAMPLE = Path("examples") / "scene-1.jpg"


def used(environment: Environment, project: Path, **variables: str) -> dict:
    """What use.py found when it ran in the user's project."""
    return json.loads(environment.run(environment.python, "use.py", cwd=project, **variables))


def test_from_a_wheel_beside_names_of_the_user(from_wheel: Environment, project: Path) -> None:
    """A script imports its own `model`, `assets` and `tests`, and vizapp, which imports its own."""
    found = used(from_wheel, project)
    assert found["whose"] == ["mine"] * 3
    assert found["painted"] == [40, 60, 3]
    installed = from_wheel.packages / "vizapp"
    assert [Path(file).parent for file in found["files"]] == [installed, installed / "model", installed / "assets"]
    assert not any((from_wheel.packages / name).exists() for name in ("model", "assets", "tests", "bench", "launch.py"))


def test_from_a_wheel_by_its_commands(from_wheel: Environment, project: Path) -> None:
    """In a folder with names of the user: the console script and `python -m vizapp`. No picture of ours is needed."""
    shutil.copy(from_wheel.packages / "vizapp" / "assets" / EXAMPLE, project / "photo.jpg")
    out = project / "out.png"
    said = from_wheel.run(from_wheel.vizapp, "explain", "photo.jpg", "-o", out, cwd=project)
    assert "out.png: rollout" in said
    assert out.read_bytes().startswith(b"\x89PNG")
    for command in ([from_wheel.vizapp], [from_wheel.python, "-m", "vizapp"]):
        assert from_wheel.run(*command, "--version", cwd=project).startswith("vizapp ")


@pytest.mark.parametrize("links", [True, False], ids=["links", "no links"])
def test_editable(
    links: bool,
    clone: Path,
    clone_without_links: Path,
    needs: list[str],
    project: Path,
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """`pip install -e .`: what is edited in the clone is what runs, and the user's names stay the user's."""
    checkout = clone if links else clone_without_links
    if links:
        environment = request.getfixturevalue("editable")
    else:
        environment = new_environment(tmp_path_factory.mktemp("editable") / "venv", [*needs, "setuptools"])
        environment.install("-e", checkout)
    found = used(environment, project)
    assert found["whose"] == ["mine"] * 3
    rooms = [checkout / name for name in ("vizapp", "model", "assets")]
    assert [Path(file).resolve().parent for file in found["files"]] == rooms
    assert str(checkout) not in found["path"], "it would offer `model`, `tests` and `launch` to every program"


@contextmanager
def launched(environment: Environment, checkout: Path, folder: Path) -> Iterator[str]:
    """The address of `python launch.py`, for as long as it runs."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [environment.python, checkout / "launch.py", "--no-browser", "--device", "cpu", "--port", str(port)]
    variables = variables_of_a_stranger(GRADIO_TEMP_DIR=str(folder / "gradio"))
    process = subprocess.Popen(
        command, cwd=folder, env=variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    try:
        said = ""
        for line in process.stdout:
            said += line
            if line.startswith("vizapp: http"):
                break
        assert "vizapp: http" in said, said
        yield said.split()[1]
    finally:
        process.kill()
        process.communicate()


def test_a_space_starts_from_a_clone(space: Environment, clone_without_links: Path, tmp_path: Path) -> None:
    """Nothing but the requirements is installed, and the upload has dropped the links."""
    assert not list(space.packages.glob("vizapp*"))
    with launched(space, clone_without_links, tmp_path) as url:
        page = httpx.get(f"{url}config", timeout=60).json()
    boxes = [part["props"] for part in page["components"] if part["type"] == "dropdown"]
    assert boxes[0]["value"] == "toy"


def test_bench_in_a_clone(space: Environment, clone: Path, tmp_path: Path) -> None:
    """A whole part, in a clone that is not installed, and in which links are links."""
    out = tmp_path / "RESULTS.md"
    said = space.run(space.python, "-m", "bench", "--repeats", 1, "--only", "scenes", "--output", out, cwd=clone)
    assert "| render one scene of 112 x 112 |" in said
    assert said.strip() == out.read_text("utf-8").strip()


def test_ctrl_c_ends_evaluate_with_130(from_wheel: Environment, tmp_path: Path) -> None:
    """As a shell expects, so that a loop over models stops; without a traceback, also from its worker processes.

    Means of what was looked at by then are printed, and called broken off.
    """
    table = tmp_path / "result.csv"
    command = [from_wheel.vizapp, "evaluate", "--set", "one", "--count", "1000000", "--workers", "2", "-o", table]
    process = subprocess.Popen(
        command,
        cwd=tmp_path,
        env=variables_of_a_stranger(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,  # as a terminal has it: one group, and Ctrl-C goes to all of it
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # a parent may ignore it
    )
    try:
        with pytest.raises(subprocess.TimeoutExpired):
            process.communicate(timeout=8)
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130
    assert err.strip() == ""
    assert not out or re.search(r"broken off: \d+ of 1000000 pictures\n$", out.rstrip(" \n") + "\n"), out
    assert not table.exists()
