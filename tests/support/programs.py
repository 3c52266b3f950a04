"""Servers as programs find them: at home and in public, for agents, too."""

import importlib.util
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from gradio_client import Client

from support.paths import ROOT
from support.serving import Server, serving
from support.waiting import half, until
from vizapp.errors import VizError
from vizapp.ui.jobs import PROCESSOR, Job

MCP = importlib.util.find_spec("mcp") is not None
SCENE = ROOT / "assets" / "examples" / "scene-1.jpg"


@contextmanager
def crowded() -> Iterator[None]:
    """The queue is full: somebody computes, and as many wait as may."""
    gate = threading.Event()

    def wait() -> None:
        with suppress(VizError):
            PROCESSOR.run(Job(), gate.wait)

    threads = list[threading.Thread]()
    try:
        while PROCESSOR.has_room():
            assert len(threads) < 500
            threads.append(threading.Thread(target=wait))
            threads[-1].start()
            until(lambda: len(PROCESSOR._all()) >= len(threads) or not PROCESSOR.has_room())
        yield
    finally:
        gate.set()
        for one in threads:
            one.join()


@pytest.fixture(scope="session")
def home(cache: Path) -> Iterator[Server]:
    with serving("toy", mcp=MCP) as running:
        yield running


@pytest.fixture(scope="session")
def public(cache: Path) -> Iterator[Server]:
    with serving("toy", mcp=MCP, public=True) as running:
        yield running


@pytest.fixture(scope="session")
def client(home: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Gradio's own client. It leaves an empty folder among the machine's temporary ones for each file it fetches."""
    folder = str(tmp_path_factory.mktemp("downloads"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tempfile, "tempdir", folder)
        one = Client(home.url, verbose=False, download_files=folder, httpx_kwargs={"timeout": half()})
        yield one
        one.close()
