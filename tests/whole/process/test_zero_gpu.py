"""On ZeroGPU each step is a process of its own, and everything is as it is anywhere else: numbers, words, order, ends."""

import importlib.util
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import pytest

from support.paths import ROOT
from support.serving import Server
from support.waiting import until
from support.zero_gpu import Lender, lending
from vizapp.ui import zero_gpu
from vizapp.ui.server.address import any_port

SCENE = ROOT / "assets" / "examples" / "scene-1.jpg"
sys.path.insert(0, str(ROOT / "deploy"))
from visit import Visit  # noqa: E402

pytestmark = pytest.mark.skipif(
    os.name != "posix" or importlib.util.find_spec("spaces") is None, reason="needs a fork and the package `spaces`"
)

BEGIN = """
import torch
before = torch.cuda.is_initialized()
import json, os, threading, time
import vizapp, vizapp.pipeline as pipeline
from vizapp.analysis import Request
from vizapp.errors import VizError
from vizapp.ui import zero_gpu
from vizapp.ui.app import open_session
from vizapp.ui.jobs import Stopped
picture = "assets/examples/scene-1.jpg"
request = Request(picture, "toy", "as_trained")
session = open_session("toy", device="cpu", public=True)
found = {"initialised": [before, torch.cuda.is_initialized()], "here": os.getpid()}
def in_a_thread(work):
    # As Gradio does it: spaces' emulation of CUDA holds for the first thread only.
    said = {}
    def run():
        try:
            said["made"] = work()
        except BaseException as error:
            said["error"] = error
    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if "error" in said:
        raise said["error"]
    return said["made"]
"""
NUMBERS = """
def work():
    seen = session.analysis(request)
    here = pipeline.analyse(pipeline.load("toy", "cpu"), picture)
    there = zero_gpu.computing(request)
    names = ["chefer", "attention"]
    one, two = vizapp.compare(seen, names, steps=2, **there), vizapp.compare(here, names, steps=2)
    found["device"] = seen.context.model.device
    found["same"] = [
        bool(torch.equal(seen.trace.logits, here.trace.logits)),
        all(torch.equal(seen.trace.layers[i].map(0), here.trace.layers[i].map(0)) for i in range(len(here.trace.layers))),
        all((one.maps[name].scores == two.maps[name].scores).all() for name in two.maps),
        all(one.curves[name].areas == two.curves[name].areas for name in two.curves),
    ]
    try:
        there["explain"](seen, "legrad", start_layer=99)
    except VizError as error:
        found["error"] = [error.message, error.hint]
    found["maps"] = sorted(two.maps)
    found["after"] = torch.cuda.is_initialized()
in_a_thread(work)
"""
ORDER = """
from vizapp.core.pauses import may_pause
other = Request("assets/screenshots/methods.png", "toy", "as_trained")
order, asked = [], threading.Event()
def on_progress(what, share):
    may_pause()
    order.append(what if isinstance(what, str) and " " not in what else "curves")
    if len(order) == 1:
        def look():
            asked.set()
            session.analysis(other)
            order.append("MAP")
        threads.append(threading.Thread(target=look))
        threads[0].start()
        asked.wait()
        while not any(job.priority == "map" for job in session.processor._all()):  # until it stands in the queue
            time.sleep(0.01)
    if len(order) == 4:
        session.stop("me")
threads = []
def long():
    seen = session.analysis(request)
    return vizapp.compare(seen, ["chefer", "legrad", "grad_cam"], on_progress=on_progress, **zero_gpu.computing(request))
try:
    in_a_thread(lambda: session.run(long, "me", priority="long", about=request))
except Stopped as end:
    found["why"] = end.why
threads[0].join()
found["order"] = order
print(json.dumps(found), flush=True)
"""
SERVE = """
input()  # until what was asked for is counted
import runpy, sys
sys.argv = ["launch.py"]
runpy.run_path("launch.py", run_name="__main__")
"""


@contextmanager
def running(command: list[str], variables: dict[str, str], said: IO[str]) -> Iterator[subprocess.Popen[str]]:
    """Run a program, and afterwards end it with its forked workers, which would outlive it and hold its output open."""
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env=variables,
        stdin=subprocess.PIPE,
        stdout=said,
        stderr=said,
        text=True,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def test_what_is_computed_over_there_is_the_same_and_the_page_is_served_there(tmp_path: Path) -> None:
    """In one process, as it takes long to start: a program, and then the page, as a Space starts it."""
    port = any_port("127.0.0.1")
    command = [sys.executable, str(ROOT / "tests" / "support" / "zero_gpu.py"), BEGIN + NUMBERS + ORDER + SERVE]
    variables = {"SPACE_ID": "somebody/vizapp", "GRADIO_SERVER_PORT": str(port), "HF_HUB_OFFLINE": "1"}
    variables |= {"GRADIO_MCP_SERVER": "true"}  # as --mcp, which nobody types there
    variables |= {"PYTHONPATH": str(ROOT), "HOME": str(tmp_path), "GRADIO_TEMP_DIR": str(tmp_path / "gradio")}
    log = tmp_path / "said"
    with (
        lending() as lender,
        log.open("w") as said,
        running(command, os.environ | lender.variables | variables | {"OMP_NUM_THREADS": "1"}, said) as process,
    ):

        def line(begins: str) -> str:
            """The first line that begins so, as soon as it is said."""

            def all_of_them() -> list[str]:
                assert process.poll() is None, log.read_text()
                return [one for one in log.read_text().splitlines() if one.startswith(begins)]

            until(lambda: bool(all_of_them()), log.read_text)
            return all_of_them()[0]

        of_the_program(json.loads(line("{")), lender)
        before = len(lender.of("/schedule"))
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()
        assert " cpu " in line("vizapp: http"), "what stands here computes on the CPU, whatever CUDA is emulated"
        until(lambda: "/gradio_api/mcp is for MCP clients (streamable HTTP)" in log.read_text(), log.read_text)
        of_the_page(f"http://127.0.0.1:{port}", lender, before)


def of_the_program(found: dict[str, Any], lender: Lender) -> None:
    """To the last bit: attention, logits, maps and curves; a refusal with its words; and its process never opens CUDA."""
    assert found["same"] == [True] * 4
    assert found["device"] == "cpu", "what is kept here"
    assert found["initialised"] == [False, False]
    assert found["after"] is False
    assert "99" in " ".join(found["error"]), found["error"]
    workers = {query["pid"] for query in lender.of("/allow")}
    assert workers
    assert str(found["here"]) not in workers, "another process did it"
    seconds = [int(query["durationSeconds"]) for query in lender.of("/schedule")]
    # Of chefer; attention is at hand, as are baselines
    one, every = [zero_gpu.SECONDS["quick"]], [zero_gpu.SECONDS["curves"]]
    numbers = [zero_gpu.SECONDS["look"], *one, *every * len(found["maps"]), *one]
    assert seconds[: len(numbers)] == numbers
    until(lambda: len(lender.of("/release")) == len(seconds), lambda: "each GPU is given back")
    assert found["order"].index("MAP") <= 2, found["order"]
    assert found["why"] == "stopped"
    assert len(found["order"]) < 6, "it did not run to its end"


def of_the_page(url: str, lender: Lender, before: int) -> None:
    """Visited as by a browser: a look and a comparison, each step on a GPU of its own; and by an agent."""
    visit = Visit(url)
    assert visit.look()
    heading = visit.compare("chefer")
    asked = len(lender.of("/schedule"))
    picture = visit.http.post(f"{url}/gradio_api/upload", files={"files": ("a.jpg", SCENE.read_bytes())}).json()
    made = Server(f"{url}/", visit.http).ask("explain", picture=picture[0], method="legrad")
    tools, takes = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, "application/json, text/event-stream"
    assert '"analyse"' in visit.http.post(f"{url}/gradio_api/mcp", json=tools, headers={"accept": takes}).text
    visit.http.close()
    assert "values" in made, "a program is lent the same"
    lent = [int(query["durationSeconds"]) for query in lender.of("/schedule")]
    assert lent[asked:] == [zero_gpu.SECONDS["look"], zero_gpu.SECONDS["quick"]]
    assert "Left out" not in heading
    assert len(lender.of("/startup-report")) == 1, "ZeroGPU hears that there is something to lend a GPU to"
    assert lent[before] == zero_gpu.SECONDS["look"]
    assert lent[before:].count(zero_gpu.SECONDS["curves"]) >= 2, "one for each map"
