"""The ways to have vizapp, each to a painted map: a wheel, an editable install, a clone that is not installed at all."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
import timm
from safetensors.torch import save_file

from support.environments import Environment, new_environment, variables_of_a_stranger
from support.waiting import until


def used(environment: Environment, project: Path, **variables: str) -> dict:
    """What use.py found when it ran in the user's project."""
    return json.loads(environment.run(environment.python, "use.py", cwd=project, **variables))


def test_from_a_wheel_by_its_commands(from_wheel: Environment, project: Path) -> None:
    """In a folder with names of the user: the console script and `python -m vizapp`. What else a wheel does: below."""
    assert not any((from_wheel.packages / name).exists() for name in ("model", "assets", "tests", "bench", "launch.py"))
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
    """The line of `python launch.py` on a Space, for as long as it runs. It ends on Ctrl-C, and says nothing more of its own."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    space = {"SYSTEM": "spaces", "SPACE_ID": "somebody/vizapp", "GRADIO_SERVER_NAME": "0.0.0.0"}
    space |= {"GRADIO_SSR_MODE": "False", "GRADIO_SERVER_PORT": str(port), "GRADIO_TEMP_DIR": str(folder / "gradio")}
    variables = variables_of_a_stranger(**space, XDG_CACHE_HOME=str(folder / "cache"), HF_HOME=str(folder / "hub"))
    process = subprocess.Popen(
        [environment.python, checkout / "launch.py", "--device", "cpu"],
        cwd=folder,
        env=variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # a parent may ignore it
    )
    try:
        said = ""
        for line in process.stdout:
            said += line
            if line.startswith("vizapp: http"):
                break
        assert f":{port}/ " in said, said
        yield line
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=60)
        assert process.returncode == 0
        assert "vizapp: " not in rest
        assert "launch.py" not in rest, "no error is ours; Gradio misses a package that every Space has"
    finally:
        process.kill()
        process.communicate()


def test_a_space_starts_from_a_clone(space: Environment, clone_without_links: Path, tmp_path: Path) -> None:
    """Nothing but the requirements is installed, and the upload has dropped the links.

    Address and port come from outside, and strangers get listed models only. It opens with the network that knows photos, as
    that is here.
    """
    assert not list(space.packages.glob("vizapp*"))
    deit = tmp_path / "cache" / "vizapp" / "deit.safetensors"
    deit.parent.mkdir(parents=True)
    save_file(timm.create_model("deit_tiny_patch16_224").state_dict(), deit)
    with launched(space, clone_without_links, tmp_path) as ready:
        assert " \u00b7 cpu \u00b7 timm:deit_tiny_patch16_224.fb_in1k" in ready
        url = f"http://127.0.0.1:{ready.split()[1].rpartition(':')[2]}"
        assert httpx.get(url, timeout=60).status_code == 200
        page = httpx.get(f"{url}config", timeout=60).json()
    boxes = [part["props"] for part in page["components"] if part["type"] == "dropdown"]
    assert boxes[0]["value"] == "timm:deit_tiny_patch16_224.fb_in1k"
    assert boxes[0]["allow_custom_value"] is False
    pictures = [part["props"] for part in page["components"] if part["type"] == "image"]
    assert pictures[0]["value"]["path"].endswith("lion.jpg")


def test_bench_in_a_clone(space: Environment, clone: Path, tmp_path: Path) -> None:
    """A whole part, in a clone that is not installed, and in which links are links."""
    out = tmp_path / "results.json"
    said = space.run(space.python, "-m", "bench", "--repeats", 1, "--only", "scenes", "--output", out, cwd=clone)
    for text in (said, out.with_name("RESULTS.md").read_text("utf-8")):
        assert "| render one scene of 112 x 112 |" in text
    assert "render one scene of 112 x 112" in out.read_text("utf-8")


def test_ctrl_c_ends_evaluate_with_130(from_wheel: Environment, tmp_path: Path) -> None:
    """As a shell expects, so that a loop over models stops; without a traceback, also from its worker processes.

    It comes when something is kept of it. Means of what was looked at by then are printed, and called broken off.
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
        kept = table.with_name("result.csv.part")
        until(lambda: process.poll() is not None or (kept.exists() and kept.stat().st_size > 0))
        assert process.poll() is None
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130
    first, *on_its_way = err.strip().splitlines()
    assert "1 sets of up to 1000000 pictures" in first, "what it was going to do"
    assert [one for one in on_its_way if not re.fullmatch(r"toy on one: \d+ of 1000000, \d+ s left", one)] == []
    assert re.search(r"broken off: \d+ of 1000000 pictures\n$", out.rstrip(" \n") + "\n"), out
    assert not table.exists()


DESKTOP = "libGL.so.1 libEGL.so.1 libgthread-2.0.so.0 libglib-2.0.so.0 libxcb.so.1 libX11.so.6 libXext.so.6".split()
LOADS = "import ctypes, sys\nfor name in sys.argv[1:]:\n    try: print(ctypes.CDLL(name))\n    except OSError: pass\n"
WHOLE = """
import runpy
runpy.run_path("use.py")
import vizapp.ui.app
from vizapp.browser import html, in_notebook
from vizapp.cli import main
vizapp.ui.app.build("toy", device="cpu")
assert all((html.app(), html.worker(), html.unpack(), html.style(), in_notebook._style()))
assert main(["explain", "photo.jpg", "-o", "out.png"]) == 0
"""  # every script and style that Python sends is read: what a wheel leaves out is found


@pytest.fixture
def hidden(tmp_path: Path) -> dict[str, str]:
    """Variables under which no program can load a library of a desktop: a file that is none stands before it on the way."""
    folder = tmp_path / "hidden"
    folder.mkdir()
    for name in DESKTOP:
        (folder / name).write_text("not a library")
    return {"LD_LIBRARY_PATH": str(folder)}


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has these libraries to hide")
def test_without_a_desktop_it_builds_its_page_and_paints(
    from_wheel: Environment, hidden: dict[str, str], project: Path
) -> None:
    """With what pyproject.toml declares. A script imports its own `model`, `assets` and `tests`, and vizapp those of vizapp."""
    loaded = from_wheel.run(from_wheel.python, "-c", LOADS, *DESKTOP, cwd=project, **hidden)
    assert loaded == "", "they are hidden indeed"
    installed = from_wheel.packages / "vizapp"
    shutil.copy(installed / "assets" / "examples" / "scene-1.jpg", project / "photo.jpg")
    said = from_wheel.run(from_wheel.python, "-c", WHOLE, cwd=project, **hidden)
    assert "out.png: rollout" in said
    assert (project / "out.png").read_bytes().startswith(b"\x89PNG")
    found = json.loads(said.partition("\n")[0])
    assert found["whose"] == ["mine"] * 3
    assert found["painted"] == [40, 60, 3]
    assert [Path(file).parent for file in found["files"]] == [installed, installed / "model", installed / "assets"]
