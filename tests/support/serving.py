"""One server and one browser for all tests of the page. The models are small seeded checkpoints; nothing is downloaded."""

import json
import os
import shutil
import socket
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import numpy as np
import pytest
from PIL import Image

from support.checkpoints import save_vit
from support.viz import Viz
from support.waiting import half, patience, until

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
NO_BROWSER = (
    "no Chromium or Chrome here: install one, or run `playwright install chromium`, or set VIZAPP_CHROMIUM to its path"
)
# A camera that Chromium pretends to have.
CAMERA = ("--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream")
# In a container there is no sandbox and no GPU; the rest keeps the browser itself from asking the network for anything.
QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # All pages of one visitor are in one process, which keeps what it has read of their code: a third of what opening one costs.
    "--process-per-site",
)

# Forget what pages keep. The deletion waits until none has the database open.
FORGOTTEN = """() => new Promise((done, failed) => {
  localStorage.clear();
  const deletion = indexedDB.deleteDatabase('vizapp');
  deletion.onsuccess = done;
  deletion.onerror = () => failed(deletion.error);
})"""


def chromium_path() -> str | None:
    """Where Chromium or Chrome is; None: nowhere that is known."""
    return os.environ.get("VIZAPP_CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)


class Log:
    """What one server says: no other server's lines, and none on the terminal of the tests."""

    def __init__(self) -> None:
        self._parts: deque[str] = deque()

    def write(self, text: str) -> None:
        self._parts.append(text)

    def flush(self) -> None:
        """There is nothing to wait for."""

    def taken(self) -> str:
        """All that has come since this was asked last."""
        return "".join(self._parts.popleft() for _ in range(len(self._parts)))


@dataclass(frozen=True)
class Server:
    """The page, and how to talk to it without a browser."""

    url: str
    http: httpx.Client
    log: Log = field(default_factory=Log)

    def heard(self) -> str:
        """What the server has said since this was asked last."""
        return self.log.taken()

    def upload(self, data: bytes, name: str = "picture.png") -> str:
        """Hand over a file as the page does; where the server put it."""
        answer = self.http.post(f"{self.url}gradio_api/upload", files={"files": (name, data)})
        answer.raise_for_status()
        return answer.json()[0]

    def analyse(self, path: str | None, model: str, fit: str = "as_trained") -> dict[str, Any]:
        """What the event of the page answers: {"file": ..., "bytes": ...}, or {"error": ...}."""
        picture = {"path": path, "meta": {"_type": "gradio.FileData"}}
        asked = self.http.post(f"{self.url}gradio_api/call/look", json={"data": [picture, model, fit]})
        return self._answer("look", asked)

    def ask(self, endpoint: str, **given: Any) -> dict[str, Any]:
        """What an endpoint for programs answers to arguments by name, as curl asks: its JSON, or {"error": ...}."""
        asked = self.http.post(f"{self.url}gradio_api/call/v2/{endpoint}", json=given)
        if asked.status_code != 200:
            return asked.json() | {"status": asked.status_code}
        return self._answer(f"v2/{endpoint}", asked)

    def _answer(self, call: str, asked: httpx.Response) -> dict[str, Any]:
        said = self.http.get(f"{self.url}gradio_api/call/{call}/{asked.json()['event_id']}").text
        event, data = (line.partition(": ")[2] for line in said.strip().split("\n")[-2:])
        answer = httpx.Response(200, text=data).json()
        return answer[0] if event == "complete" else answer

    def payload(self, data: bytes, model: str, fit: str = "as_trained") -> bytes:
        """Upload a picture, analyse it, and fetch the file that the browser would read."""
        answer = self.analyse(self.upload(data), model, fit)
        assert "error" not in answer, answer
        return self.http.get(answer["file"]["url"]).content


@contextmanager
def serving(model: str, mcp: bool = False, log: Any = None, **options: Any) -> Iterator[Server]:
    """Serve the page as `vizapp serve` does, in a thread, on a free port; for agents, too, if `mcp` says so."""
    from vizapp.server import address
    from vizapp.ui.app import build, launch

    page, log = build(model, device="cpu", **options), log or Log()
    try:
        inside = [*address.offer(page), *(_tools(page) if mcp else ())]
        url = launch(page, host="127.0.0.1", inside=inside, log=log, **options)
        until(lambda: not any(one.name == "first maps" for one in threading.enumerate()))
        with httpx.Client(timeout=half()) as http:
            yield Server(url, http, log)
    finally:
        page.close(verbose=False)
        _let_go()


def _let_go() -> None:
    """FastAPI keeps the functions of every server that there was in caches of its own, and they keep a page each: 20 MB."""
    for one in vars(sys.modules["fastapi.dependencies.models"]).values():
        if hasattr(one, "cache_clear"):
            one.cache_clear()


def _tools(page: Any) -> list[Any]:
    from vizapp.ui.programs import tools  # needs a package of its own

    return [tools.served(page)]


@pytest.fixture(autouse=True)
def _nothing_is_left_to_compute() -> Iterator[None]:
    """One processor computes for all servers of a process: what one test has asked for is over before the next begins."""
    until(lambda: not _jobs())
    yield
    if _jobs():
        sys.modules["vizapp.ui.jobs"].PROCESSOR.end("left", lambda job: True)
        until(lambda: not _jobs())


def _jobs() -> list[Any]:
    jobs = sys.modules.get("vizapp.ui.jobs")  # not imported: nothing computes
    return jobs.PROCESSOR._all() if jobs else []


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder where Gradio keeps its files: a fresh one, and no network for anybody."""
    folder = tmp_path_factory.mktemp("gradio")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GRADIO_TEMP_DIR", str(folder))
        patch.setenv("HF_HUB_OFFLINE", "1")
        yield folder


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> SimpleNamespace:
    """Names for `vizapp.load`: with registers (the page's own), without CLS, wide, and one that shows all of a picture."""
    folder = tmp_path_factory.mktemp("models")
    return SimpleNamespace(
        registers=save_vit(folder / "registers.safetensors", reg_tokens=2),
        average=save_vit(folder / "average.safetensors", seed=1, class_token=False, global_pool="avg"),
        wide=save_vit(folder / "wide.safetensors", seed=2, img_size=(32, 48)),
        noted=save_vit(folder / "noted.safetensors", seed=3, notes=("The weights are random.",)),
    )


@pytest.fixture(scope="session")
def server(cache: Path, models: SimpleNamespace) -> Iterator[Server]:
    with serving(models.registers) as running:
        for thread in threading.enumerate():
            if thread.name == "first maps":  # made beside the tests, whose analyses some of them count
                thread.join(half())
        yield running


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """A headless Chromium, wherever there is one."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="playwright is not installed: pip install -e '.[test]'"
    )
    with playwright.sync_playwright() as running:
        try:
            chromium = running.chromium.launch(executable_path=chromium_path(), args=list(QUIET))
        except playwright.Error:
            (pytest.fail if os.environ.get("VIZAPP_NEEDS_BROWSER") else pytest.skip)(NO_BROWSER)
        playwright.expect.set_options(timeout=1000 * half())
        yield Patient(chromium)
        chromium.close()


class Patient:
    """A browser whose pages wait as long as all tests do, and whose visitors want no motion unless a test says so."""

    def __init__(self, browser: Any) -> None:
        self.browser = browser

    def __getattr__(self, name: str) -> Any:
        return getattr(self.browser, name)

    def new_context(self, **options: Any) -> Any:
        context = self.browser.new_context(**{"reduced_motion": "reduce"} | options)
        context.set_default_timeout(1000 * half())
        return context

    def new_page(self, **options: Any) -> Any:
        page = self.browser.new_page(**options)
        page.set_default_timeout(1000 * half())
        return page


def come(browser: Any, url: str, query: str = "", **options: Any) -> Viz:
    """A visitor (`browser.new_context`) of a page, with its first maps: to be closed by `viz.page.context`."""
    viz = Viz(browser.new_context(**options).new_page(), url)
    viz.page.goto(url + query)
    viz.wait_for_maps()
    return viz


@pytest.fixture(scope="session")
def context(browser: Any, server: Server) -> Any:
    """The window of one visitor who comes back: what the page is made of is fetched and read once."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    context.new_page().goto(f"{server.url}gradio_api/app_id")
    return context


@pytest.fixture
def visit(browser: Any, context: Any, server: Server) -> Iterator[Callable[..., Viz]]:
    """Open the page and wait for the first maps; with options, as another visitor (`browser.new_context`)."""
    visitors: list[Viz] = []

    def open_page(query: str = "", **options: Any) -> Viz:
        visitor = Viz((browser.new_context(**options) if options else context).new_page(), server.url)
        visitors.append(visitor)
        visitor.page.goto(server.url + query)
        visitor.wait_for_maps()
        return visitor

    yield open_page
    is_shared = any(visitor.page.context is context for visitor in visitors)
    for visitor in visitors:
        visitor.page.close() if visitor.page.context is context else visitor.page.context.close()
    if is_shared:  # what pages keep in a browser is not for the next test
        context.pages[0].evaluate(FORGOTTEN)
    for visitor in visitors:
        assert visitor.errors == [], "the browser's console must stay free of errors"
        assert visitor.foreign == [], "the page must ask nobody but its own server"


@pytest.fixture
def viz(visit: Callable[..., Viz]) -> Viz:
    """The page with its first maps, at 1280 x 800."""
    return visit()


@pytest.fixture(scope="session")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> SimpleNamespace:
    """Pictures to upload: two landscapes and a square, each different."""
    folder = tmp_path_factory.mktemp("pictures")
    sizes = {"landscape": (60, 96), "other": (70, 90), "square": (64, 64)}
    paths = {}
    for seed, (name, (height, width)) in enumerate(sizes.items()):
        noise = np.random.default_rng(seed).integers(0, 256, (height // 4, width // 4, 3), dtype=np.uint8)
        paths[name] = folder / f"{name}.png"
        Image.fromarray(noise).resize((width, height)).save(paths[name])
    return SimpleNamespace(**paths)


@contextmanager
def asking(url: str, what: Any, **headers: str) -> Iterator[None]:
    """Ask for something as JSON, read no answer, and hang up at the end of the block."""
    at, body = httpx.URL(url), json.dumps(what)
    heads = {
        "host": at.netloc.decode(),
        "content-type": "application/json",
        "content-length": str(len(body)),
        **headers,
    }
    text = "".join(
        [f"POST {at.path} HTTP/1.1\r\n", *(f"{one}: {said}\r\n" for one, said in heads.items()), "\r\n", body]
    )
    with socket.create_connection((at.host, at.port), timeout=patience()) as line:
        line.sendall(text.encode())
        yield


def page_of(server: Server) -> Any:
    """The `gr.Blocks` that this server serves; other servers of the process have theirs."""
    from vizapp.ui.server import folder

    served = {one["id"] for one in server.http.get(f"{server.url}config").json()["components"]}
    return next(page for one in folder.current()._pages if (page := one()) is not None and served <= set(page.blocks))
