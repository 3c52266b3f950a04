"""Each bench runs, as small as it can be, and nobody looks at its figures. One that needs what is not here says so, and skips."""

import importlib
import io
import os
import re
import runpy
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, nullcontext, redirect_stdout
from functools import cache, partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from bench import server
from support.serving import serving

BENCH = Path(server.ROOT) / "bench"
TINY = "timm:vit_tiny_patch16_224?pretrained=no"
QUICK = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
# What runs as a program, or as a part of `python -m bench`.
RUNS = re.compile(r'^def measure\(|__name__ == "__main__"', re.MULTILINE)
BENCHES = {path.stem for path in BENCH.glob("*.py") if RUNS.search(path.read_text("utf-8"))} - {"__main__"}
# Those that open pages share one browser; the others that need one start their own.
PAGES = {"alone", "eight_bits", "page", "slow", "visitors"}
SERVED = {"crowd", "launch", "memory", "page", "slow", "soak", "visitors"}  # by the server of these tests
BRIEF = SimpleNamespace(perf_counter=time.perf_counter, sleep=lambda seconds: time.sleep(min(seconds, 0.1)))
BESIDE = {"peers": "capture", "yardstick": "page"}  # those that are a part of another one


class Small:
    """Benches with other constants than their own, for as long as a test lasts."""

    def __init__(self, patch: pytest.MonkeyPatch, folder: Path) -> None:
        self.patch, self.folder = patch, folder

    def of(self, name: str, **constants: Any) -> Any:
        """A bench with these constants."""
        bench = importlib.import_module(f"bench.{name}")
        for constant, value in constants.items():
            self.patch.setattr(bench, constant, value)
        return bench

    def main(self, name: str, *arguments: str, **constants: Any) -> None:
        """As a program."""
        self.patch.setattr(sys, "argv", [f"bench.{name}", *arguments])
        self.of(name, **constants).main()

    def copy(self, path: Path) -> Path:
        """Of a file that a bench writes into."""
        (self.folder / path.name).write_bytes(path.read_bytes())
        return self.folder / path.name


def capture(small: Small) -> list[Any]:
    """Those of other libraries are as deep as ever, but narrow."""
    narrow = {"hidden_size": 48, "intermediate_size": 96}
    peers = small.of("peers")
    small.of("peers", ViTConfig=partial(peers.ViTConfig, **narrow))
    small.of("peers", ViT=lambda real=peers.ViT, **sizes: real(**sizes | {"dim": 48, "mlp_dim": 96}))
    bench = small.of("capture", MODEL=TINY, PASSES=1)
    return [*bench.measure(1), *bench.beside(server.ROOT, 1)]


def eight_bits(small: Small) -> None:
    """Each page is opened once: the pair that counts is the one before it."""
    bench = small.of("eight_bits", OUTPUT=small.folder / "results.json")
    photos = {"a": server.ROOT / "assets/examples/scene-1.jpg"}
    small.main("eight_bits", *"--model toy --pairs 1".split(), photographs=lambda: photos, timed=cache(bench.timed))


def equal(small: Small) -> None:
    """A checkout beside itself, of one network and two methods."""
    bench = small.of("equal")
    toy = bench.networks()["toy"]
    small.of("equal", networks=lambda: {"toy": toy}, maps=partial(bench.maps, names=["chefer", "rollout"]))
    bench.dump(small.folder / "now.npz")
    with np.load(small.folder / "now.npz") as found:
        assert bench.differences(dict(found), dict(found)) == []


def fewer_methods(small: Small) -> None:
    """One quick and one slow."""
    bench = small.of("methods", FEWEST=1)
    few = {name: one for name, one in bench.methods().items() if name in {"rollout", "occlusion"} or one.baseline}
    arguments = ("--models", "toy", "--count", "2", "--photographs", "", "--output", "results.json")
    small.main("methods", *arguments, methods=lambda: few)


def overlays(small: Small) -> None:
    bench = small.of("overlays")
    few = {name: one for name, one in bench.methods().items() if name in {"rollout", "chefer"}}
    small.main("overlays", "--model", "toy", "--output", "few.jpg", PHOTOS=bench.PHOTOS[:1], methods=lambda: few)


def launch(small: Small) -> list[Any]:
    """What is imported for comparison is small."""
    heavy = re.compile(r"import torch(, gradio)?|\.analyse")

    def run(command: list[str], **how: Any) -> Any:
        return subprocess.run([*command[:-1], heavy.sub("", command[-1])], **how)

    return small.of("launch", subprocess=SimpleNamespace(run=run)).measure(1)


def page(small: Small) -> list[Any]:
    """The bare page is served by this process: another one would import Gradio first."""
    bench, bare = small.of("page", EVENTS=2), small.of("yardstick")
    of_ours = bench.running

    @contextmanager
    def running(model: str, root: Path = server.ROOT, program: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
        if not program:
            with of_ours(model) as one:
                yield one
            return
        served: list[Any] = []
        small.patch.setattr(bare.gr.Blocks, "block_thread", lambda page: served.append(page))
        small.main("yardstick", *program[2:], "--port", str(server.unused_port()))
        try:
            yield served[0].local_url, None
        finally:
            served[0].close(verbose=False)

    small.of("page", running=running)
    return [*bench.measure_page("toy", "toy", 1), *bench.beside_page(server.ROOT, "toy", "toy", 1)]


def scale(small: Small) -> list[Any]:
    """What measures the peaks in processes of its own does it in this one."""

    def run(command: list[str], **how: Any) -> Any:
        small.patch.setattr(sys, "argv", command[2:])
        with redirect_stdout(io.StringIO()) as said:
            runpy.run_module(command[2], run_name="__main__")
        return SimpleNamespace(stdout=said.getvalue())

    here = SimpleNamespace(run=run, PIPE=subprocess.PIPE)
    small_one = {"TARGETS": {112: (None, None)}, "MORE_AT": 112, "TILES": [(None, 64)]}
    return small.of("scale", **small_one, MODEL=f"{TINY}&size={{size}}", subprocess=here).measure(1)


def slow(small: Small) -> list[Any]:
    """Without the seconds in which nothing is to come, and one network for a slow machine; all visits are one page."""
    bench = small.of("slow", FAST_3G=QUICK, SLOWER=1, UPLOADS=2, EVENTS=4, LARGE="toy")
    small.patch.setattr(bench.Page, "wait_for_timeout", lambda page, wait: None)
    of_toy, visited, goto = bench.slow_machine, bench.visited, bench.Page.goto
    small.of("slow", slow_machine=lambda *given: of_toy(*given) if given[-1] == "toy" else [])
    visits = list[Any]()

    def once(page: Any, *given: Any, **how: Any) -> None:
        if page.url == "about:blank":
            goto(page, *given, **how)

    with ExitStack() as stack:

        @contextmanager
        def the_one(browser: Any) -> Iterator[Any]:
            if not visits:
                visits.append(stack.enter_context(visited(browser)))
            yield visits[0]

        small.patch.setattr(bench.Page, "goto", once)
        return small.of("slow", visited=the_one).measure(1)


def soak(small: Small) -> list[Any]:
    """The steps are counted in the server of these tests."""
    from vizapp.ui.jobs import Processor

    small.patch.setattr(Processor, "_step", Processor._step)  # put back in the end
    bench = small.of("soak", FULL=2, LOOKING=1, time=BRIEF)
    bench.probe()
    return bench.measure(1, 0.01)


def teaching(small: Small) -> None:
    bench = small.of("teaching")
    pages = {name: small.copy(getattr(bench, name)) for name in ("PAGE", "THREE")}
    small.of("pictures", PHOTOGRAPHS={"gradio": bench.pictures.PHOTOGRAPHS["gradio"][:2]})
    small.main("teaching", "--scenes", "2", "--model", "toy", **pages, RESAMPLED=20)


def timm_names(small: Small) -> None:
    bench = small.of("timm_names", TABLE=small.folder / "timm.csv")
    small.patch.setattr(bench.timm, "list_models", lambda: ["vit_tiny_patch16_224", "resnet18"])
    small.main("timm_names")


def visitors(small: Small) -> None:
    """One visitor, whose own click ends the run: without a second one, and without a silence, which lasts half a minute."""
    bench = small.of("visitors", QUIET_FOR=0.2, QUIET=99.0, time=BRIEF)
    took = list[float]()
    with bench.running("toy") as (url, process), bench.browser_running() as browser:
        rest = bench.Watcher(process.pid).until_quiet
        assert bench.ended(browser, url, rest, lambda page: took.append(page.evaluate(bench.LESSON))) >= 0
    assert took > [0]


def one_fault(small: Small) -> None:
    """As a process: a fault is looked for in forks of it, which must not know the modules of these tests."""
    output = small.folder / "results.json"
    found = ["--results", str(small.folder / "planted.jsonl"), "--output", str(output)]
    program = "from bench import planted; planted.HEAVY = ('torch', 'timm'); planted.main()"  # what these tests import
    subprocess.run([sys.executable, "-c", program, "near-turned", "--near", *found], cwd=server.ROOT, check=True)
    assert "test_metrics.py" in output.read_text("utf-8")
    assert "1 were tried" in output.with_name("RESULTS.md").read_text("utf-8")


SMOKE: dict[str, Callable[[Small], object]] = {
    "alone": lambda small: small.of("alone", NETWORKS={"toy": "toy"}, WATCHED=0.2).measure(1),
    "browser": lambda small: small.of("browser", PAIRS=1).measure(1),
    "capture": capture,
    "coverage": lambda small: small.main("coverage", "vit_tiny_patch16_224"),
    "crowd": lambda small: small.of("crowd", SIZES=(2,), ALONE=1).measure(1),
    "eight_bits": eight_bits,
    "equal": equal,
    "heads": lambda small: small.of("heads", PICTURES=2, MODEL=TINY).measure(1),
    "launch": launch,
    "listening": lambda small: small.of("listening", MODELS={"small": TINY}).measure(1),
    "memory": lambda small: small.of(
        "memory", PICTURES=1, IDLE=0.1, IMPORTS="print('there', flush=True); input()"
    ).measure(1),
    "methods": fewer_methods,
    "overlays": overlays,
    "page": page,
    "planted": one_fault,
    "precision": lambda small: small.main(
        "precision", *"--only toy --pictures 1 --half 1 --methods rollout".split(), OUTPUT=small.folder / "results.json"
    ),
    "processors": lambda small: small.main("processors", "ViTImageProcessor"),
    "scale": scale,
    "scenes": lambda small: small.of("scenes").measure(1),
    "sheet": lambda small: small.main("sheet", "-o", "sheet.html"),
    "slow": slow,
    "soak": soak,
    "start": lambda small: small.of("start", BEFORE="HEAD").measure(1),
    "suite": lambda small: small.of("suite", COMMANDS={"pytest --version": 1.0}).measure(1),
    "teaching": teaching,
    "timm_names": timm_names,
    "visitors": visitors,
}


def needs(bench: str) -> str:
    """What a bench needs and this machine has not; "": nothing."""
    if bench == "browser" and not importlib.import_module("bench.browser").ORT.exists():
        return "onnxruntime-web is not here: npm install --no-save onnxruntime-web"
    if bench in PAGES and not importlib.import_module("bench.sheet").found_chromium():
        return "no Chromium here"
    if bench in {"eight_bits", "overlays", "teaching"} and not importlib.util.find_spec("skimage"):
        return "scikit-image is not here"
    return ""


@pytest.fixture(scope="module")
def toy(cache: Path) -> Iterator[tuple[str, Any]]:
    """A server for all that would start one of their own: address and process, which is this one."""
    with serving("toy") as running:
        yield running.url, SimpleNamespace(pid=os.getpid())


@pytest.fixture(scope="module")
def chromium() -> Iterator[tuple[ThreadPoolExecutor, Any]]:
    """A browser for all benches that open pages, and its thread: Playwright may be at work in that of the tests."""
    bench, stack = importlib.import_module("bench.page"), ExitStack()
    camera = importlib.import_module("bench.alone").CAMERA
    with ThreadPoolExecutor(1) as thread:
        yield thread, thread.submit(stack.enter_context, bench.browser_running(*camera)).result()
        thread.submit(stack.close).result()


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Small]:
    threads, states = torch.get_num_threads(), torch.get_rng_state()
    monkeypatch.chdir(tmp_path)
    yield Small(monkeypatch, tmp_path)
    torch.set_num_threads(threads)
    torch.set_rng_state(states)


def test_each_bench_has_such_a_run() -> None:
    assert SMOKE.keys() | BESIDE.keys() == BENCHES


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("bench", sorted(SMOKE))
def test_it_runs(bench: str, small: Small, request: pytest.FixtureRequest) -> None:
    if lacking := needs(bench):
        pytest.skip(lacking)
    if bench in SERVED:
        its = small.of(bench)
        begin = its.running if hasattr(its, "running") else None

        @contextmanager
        def running(model: str, *given: Any, **how: Any) -> Iterator[tuple[str, Any]]:
            if how.get("program"):  # no page of ours
                assert begin
                with begin(model, *given, **how) as other:
                    yield other
            else:
                yield request.getfixturevalue("toy")

        @contextmanager
        def started(model: str) -> Iterator[tuple[str, float]]:
            yield request.getfixturevalue("toy")[0], 1.0

        for name, one in {"running": running, "started": started}.items():
            if hasattr(its, name):
                small.patch.setattr(its, name, one)
    if bench in PAGES:
        thread, browser = request.getfixturevalue("chromium")

        small.of(bench, browser_running=lambda *more: nullcontext(browser))
        results = thread.submit(SMOKE[bench], small).result()
        thread.submit(lambda: [context.close() for context in browser.contexts]).result()
    else:
        with ThreadPoolExecutor(1) as threads:
            results = threads.submit(SMOKE[bench], small).result()
    if isinstance(results, list):
        assert results
        assert all(one.to_json()["what"] for one in results)
