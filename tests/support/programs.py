"""Servers as programs find them: at home and in public, for agents, too."""

import importlib.util
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from gradio_client import Client

from support.paths import ROOT
from support.queue_jobs import busy
from support.serving import Server, serving
from support.waiting import half
from vizapp.ui.jobs import PROCESSOR
from vizapp.ui.limits import Limits

MCP = importlib.util.find_spec("mcp") is not None
SCENE = ROOT / "assets" / "examples" / "scene-1.jpg"


@contextmanager
def crowded() -> Iterator[None]:
    """The queue is full: somebody computes, and nobody else has a place."""
    with busy(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(PROCESSOR, "limits", Limits(in_all={"map": 1, "ask": 1, "long": 1}))
        yield


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
