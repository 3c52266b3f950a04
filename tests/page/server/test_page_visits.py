"""The end of a visit to the page: a closed tab and a silent line end its long run, and no other's."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlparse

import pytest

from support.methods_tab import Gate, jobs
from support.serving import Server
from support.waiting import patience, until
from vizapp.ui.jobs import PROCESSOR


@contextmanager
def listening(url: str) -> Iterator[None]:
    """Read a stream as a browser does, until the end of the block."""
    at = urlparse(url)
    with socket.create_connection((at.hostname, at.port), timeout=patience()) as line:
        line.sendall(f"GET {at.path}?{at.query} HTTP/1.1\r\nhost: {at.netloc}\r\n\r\n".encode())
        assert line.recv(15) == b"HTTP/1.1 200 OK"
        yield


@pytest.fixture(scope="module")
def run(server: Server) -> str:
    """The name of maps."""
    look = {"data": [None, {"picture": "lesson/clutter/3"}, "en"]}
    return str(server.http.post(f"{server.url}gradio_api/run/page_look", json=look).json()["data"][0]["run"])


@contextmanager
def visiting(server: Server, session: str, run: str) -> Iterator[None]:
    """A page with this session, which has asked for long work about maps; the visit ends with the block."""
    api, known = f"{server.url}gradio_api/", server.http.get(f"{server.url}config").json()["dependencies"]
    (work,) = (one["id"] for one in known if one["api_name"] == "page_work")
    asked = {"data": ["chance", run, {"count": 3}, "en"], "fn_index": work, "session_hash": session}
    with listening(f"{api}heartbeat/{session}"):
        server.http.post(f"{api}queue/join", json=asked).raise_for_status()
        with listening(f"{api}queue/data?session_hash={session}"):
            yield


def test_a_closed_tab_ends_its_run_and_no_other(server: Server, run: str, gate: Gate) -> None:
    with visiting(server, "stays", run):
        gate.wait()
        (other,) = jobs("long")
        with visiting(server, "goes", run):
            until(lambda: len(jobs("long")) == 2)
            (mine,) = (one for one in jobs("long") if one is not other)
        until(lambda: mine.ended == "left")
        assert other.ended is None


def test_a_run_ends_when_its_page_falls_silent(
    server: Server,
    run: str,
    gate: Gate,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A laptop was shut: its connections are open, and nothing comes on them."""
    with visiting(server, "sleeps", run):
        gate.wait()
        (job,) = jobs("long")
        first = job.heard
        alive = {"data": [], "session_hash": "sleeps"}
        assert server.http.post(f"{server.url}gradio_api/run/page_alive", json=alive).json()["data"] == [True]
        assert job.heard > first
        assert job.ended is None
        monkeypatch.setattr(PROCESSOR, "silence", 0.2)
        until(lambda: PROCESSOR._clock() - job.heard > PROCESSOR.silence)
        gate.step(1000)
        until(lambda: job.ended == "silent")
