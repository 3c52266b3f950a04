"""Servers as programs find them: at home and in public, for agents, too."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from gradio_client import Client

from ui.conftest import Server, serving

ROOT = Path(__file__).parents[3]
MCP = importlib.util.find_spec("mcp") is not None
SCENE = ROOT / "assets" / "examples" / "scene-1.jpg"


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
    """Gradio's own client."""
    one = Client(home.url, verbose=False, download_files=str(tmp_path_factory.mktemp("downloads")))
    yield one
    one.close()
