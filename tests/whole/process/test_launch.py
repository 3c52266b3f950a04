"""`python launch.py`, as a process of its own: it starts anywhere, says one line, and ends when it is told to."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
import timm
from safetensors.torch import save_file

from support.checkpoints import save_vit
from support.paths import ROOT
from support.serving import Server
from support.waiting import LONG

LAUNCH = ROOT / "launch.py"
RANDOM_VIT = "timm:test_vit?pretrained=no"
pytestmark = pytest.mark.skipif(os.name != "posix", reason="ends its server by a signal")


def environment(**changes: str) -> dict[str, str]:
    """As of a user who has not set anything, and without a network."""
    ours = ("SPACE", "SYSTEM", "GRADIO_", "DISPLAY", "WAYLAND_DISPLAY", "HF_HUB_OFFLINE")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    return kept | {"HF_HUB_OFFLINE": "1"} | changes


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., subprocess.Popen]]:
    """Run launch.py in a folder that is not its own."""
    running: list[subprocess.Popen] = []

    def run(*options: str, **changes: str) -> subprocess.Popen:
        changes = {"GRADIO_TEMP_DIR": str(tmp_path / "gradio")} | changes
        process = subprocess.Popen(
            [sys.executable, str(LAUNCH), "--device", "cpu", *options],
            cwd=tmp_path,
            env=environment(**changes),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # a parent may ignore it
        )
        running.append(process)
        return process

    yield run
    for process in running:
        process.kill()
        process.communicate()


def first_lines(process: subprocess.Popen, n: int) -> list[str]:
    """What it says first, without what Gradio says on a Space. Who says nothing for long is stopped."""
    lines: list[str] = []
    patience = threading.Timer(240, process.kill)
    patience.start()
    try:
        while len(lines) < n:
            line = process.stdout.readline()
            assert line, f"it ended: {process.stderr.read()}"
            lines += [] if line.startswith("GRADIO_") else [line.rstrip("\n")]
    finally:
        patience.cancel()
    return lines


def config(url: str) -> dict:
    return httpx.get(f"{url}config", timeout=60).json()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def ends(process: subprocess.Popen) -> tuple[str, str]:
    """Ctrl-C; (what it still printed, its errors)."""
    process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=60)
    assert process.returncode == 0
    return said


def test_it_starts_anywhere_finds_a_port_and_ends_on_ctrl_c(
    start: Callable[..., subprocess.Popen], tmp_path: Path
) -> None:
    name = save_vit(tmp_path / "small.safetensors")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        process = start("--no-browser", "--port", str(port), "--model", name)
        busy, ready = first_lines(process, 2)
    found = re.fullmatch(r"vizapp: (http://127\.0\.0\.1:(\d+)/) \u00b7 cpu \u00b7 small \u00b7 Ctrl-C stops it", ready)
    assert found, ready
    assert busy == f"vizapp: port {port} is taken, using {found[2]}"
    assert int(found[2]) > port
    assert httpx.get(found[1], timeout=60).status_code == 200
    boxes = [part["props"] for part in config(found[1])["components"] if part["type"] == "dropdown"]
    assert boxes[0]["value"] == name
    assert boxes[0]["allow_custom_value"] is True, "at home, any model may be named"
    out, err = ends(process)
    assert "Traceback" not in out + err
    with pytest.raises(httpx.ConnectError):
        httpx.get(found[1])
    assert [path.name for path in tmp_path.iterdir() if path.name not in {"small.safetensors", "gradio"}] == []


def test_a_page_that_was_visited_leaves_nothing_open(start: Callable[..., subprocess.Popen]) -> None:
    """In Python's development mode. Tests in one process do not ask: there, what one leaves is told in the middle of another."""
    strict = {"PYTHONDEVMODE": "1", "PYTHONWARNINGS": "error::ResourceWarning"}
    process = start("--no-browser", **strict)
    url = first_lines(process, 1)[0].split()[1]
    with httpx.Client(timeout=LONG) as http:
        assert http.get(url).status_code == 200
        server = Server(url, http)
        picture = (ROOT / "assets" / "examples" / "scene-1.jpg").read_bytes()
        assert "file" in server.analyse(server.upload(picture), "toy")
    gradios = re.compile("unclosed event loop|unclosed <socket.socket fd=\\d+, family=1,")  # of its queue
    left = [line for line in "".join(ends(process)).splitlines() if line.startswith("ResourceWarning: ")]
    assert left, "warnings are told"
    assert [line for line in left if not gradios.search(line)] == []


def test_it_runs_on_a_space(start: Callable[..., subprocess.Popen]) -> None:
    """Address and port come from outside, strangers get listed models only; one line is said, and one of the tools for agents."""
    port = free_port()
    space = {"SYSTEM": "spaces", "SPACE_ID": "somebody/vizapp", "GRADIO_SERVER_NAME": "0.0.0.0"}
    space |= {"GRADIO_SSR_MODE": "False", "GRADIO_MCP_SERVER": "true"}  # as --mcp, which nobody types there
    process = start("--model", RANDOM_VIT, GRADIO_SERVER_PORT=str(port), **space)
    ready, tools = first_lines(process, 2)
    assert f":{port}/ \u00b7 cpu \u00b7 timm:test_vit" in ready
    url = f"http://127.0.0.1:{port}/"
    assert httpx.get(url, timeout=60).status_code == 200
    boxes = [part["props"] for part in config(url)["components"] if part["type"] == "dropdown"]
    assert boxes[0]["allow_custom_value"] is False
    assert tools.endswith("/gradio_api/mcp is for MCP clients (streamable HTTP)")
    asked, takes = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, "application/json, text/event-stream"
    assert '"analyse"' in httpx.post(f"{url}gradio_api/mcp", json=asked, headers={"accept": takes}).text
    out, err = ends(process)
    assert "vizapp: " not in out
    assert "launch.py" not in err, "no error is ours; Gradio misses a package that every Space has"


def test_what_cannot_start_ends_with_2_and_one_line(start: Callable[..., subprocess.Popen]) -> None:
    """At once, because each pays for importing torch; tests/unit/test_cli.py tries more of them in this process."""
    slips = {
        ("--device", "cuda:99"): "The device 'cuda:99' is not on this machine. It has: ",
        ("--model", "timm:vit_tinny_patch16_224"): "Did you mean vit_tiny_patch16_224",
    }
    for options, process in [(options, start("--no-browser", *options)) for options in slips]:
        out, err = process.communicate(timeout=300)
        assert (process.returncode, out) == (2, "")
        assert len(err.splitlines()) == 1
        assert err.startswith("vizapp: ")
        assert slips[options] in err


def test_importing_the_package_is_cheap() -> None:
    """A notebook pays neither for the page nor for timm before it asks for them."""
    heavy = "{'gradio', 'timm', 'torchvision', 'matplotlib.pyplot', 'transformers'}"
    said = subprocess.run(
        [sys.executable, "-c", f"import sys, vizapp; print({heavy} & set(sys.modules))"],
        cwd=ROOT, env=environment(), capture_output=True, text=True, check=True, timeout=300,
    ).stdout  # fmt: skip
    assert said.strip() == "set()"


def test_it_opens_with_the_network_that_knows_photos_once_one_is_here(
    start: Callable[..., subprocess.Popen], tmp_path: Path
) -> None:
    """Without one it opens with toy, and says in a second line what fetches one."""
    caches = {"XDG_CACHE_HOME": str(tmp_path / "cache"), "HF_HOME": str(tmp_path / "hub")}
    ready, told = first_lines(start("--no-browser", "--port", str(free_port()), **caches), 2)
    assert "cpu \u00b7 toy \u00b7" in ready
    assert told.startswith("vizapp: for photos, `vizapp get photos` fetches DeiT-Ti: 23 MB, from the hub")
    deit = tmp_path / "cache" / "vizapp" / "deit.safetensors"
    deit.parent.mkdir(parents=True)
    save_file(timm.create_model("deit_tiny_patch16_224").state_dict(), deit)
    port = free_port()
    process = start("--no-browser", "--public", "--port", str(port), **caches)
    (ready,) = first_lines(process, 1)
    assert "timm:deit_tiny_patch16_224.fb_in1k" in ready
    parts = [part["props"] for part in config(f"http://127.0.0.1:{port}/")["components"] if part["type"] == "image"]
    assert parts[0]["value"]["path"].endswith("lion.jpg")
    out, err = ends(process)
    assert "vizapp: for photos" not in out + err
