"""The log of a public server: a line for each request, with nothing about anybody."""

import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from support.pictures import encoded
from support.serving import Server, serving
from support.waiting import until
from vizapp.ui.server.access import AccessLog


@pytest.fixture
def logged(cache: Path) -> Iterator[tuple[Server, io.StringIO]]:
    log = io.StringIO()
    with serving("toy", public=True, log=log) as server:
        yield server, log


def test_a_line_a_request_and_nobody_in_it(logged: tuple[Server, io.StringIO]) -> None:
    server, log = logged
    path = server.upload(encoded(Image.new("RGB", (32, 32), "teal")), "holiday-in-rome.png")
    made = server.analyse(path, "toy")
    payload = server.http.get(made["file"]["url"]).content
    join = {"fn_index": 0, "data": [], "session_hash": "sessionhash1"}
    server.http.post(f"{server.url}gradio_api/queue/join", json=join)
    server.http.get(f"{server.url}health?who=me")
    server.http.get(f"{server.url}nobody/holiday-in-rome.png")
    server.http.get(server.url, headers={"Host": "evil.example"})

    until(lambda: '"path": "/", "status": 403' in log.getvalue())  # a line is written when the answer is out
    text = log.getvalue()
    lines = [json.loads(line) for line in text.splitlines()]
    assert all(set(one) == {"time", "method", "path", "status", "ms", "bytes", "from"} for one in lines)
    seen = {(one["method"], one["path"], one["status"]) for one in lines}
    assert seen >= {
        ("POST", "/gradio_api/upload", 200),
        ("POST", "/gradio_api/call/{api_name}", 200),
        ("GET", "/gradio_api/call/{api_name}/{event_id}", 200),
        ("GET", "/gradio_api/file={path_or_url:path}", 200),
        ("GET", "/health", 200),
        ("GET", "?", 404),
        ("GET", "/", 403),
    }
    fetched = next(one for one in lines if one["path"].startswith("/gradio_api/file="))
    assert fetched["bytes"] == len(payload)
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]+Z", one["time"]) for one in lines)
    assert {one["from"] for one in lines} == {lines[0]["from"]}, "one visitor is one"
    for secret in ("holiday", "rome", "sessionhash1", "127.0.0.1", Path(path).parent.name, "who=me", "evil"):
        assert secret not in text, secret


def test_at_home_nothing_is_logged(server: Server, capfd: Any) -> None:
    server.heard()
    server.http.get(f"{server.url}config")
    assert capfd.readouterr() == ("", "")
    assert server.heard() == ""


def test_each_server_has_its_own_log(server: Server, public: Server, capfd: Any) -> None:
    """Of an event of its queue, for example; nobody else's, and nothing on the terminal of whoever asked for it."""
    for one in (server, public):
        one.heard()
    for one in (server, public):
        assert "error" in one.analyse(one.upload(b"Dear reader"), "toy")
        assert one.heard().count("is not a picture") == 1
    assert "is not a picture" not in server.heard() + public.heard()
    assert capfd.readouterr() == ("", "")


def test_addresses_cannot_be_found_again() -> None:
    """The key goes with the process: nobody who has the log can try all addresses."""

    def told(log: AccessLog) -> str:
        return log._visitor({"client": ("203.0.113.7", 1)})

    one, other = AccessLog(None), AccessLog(None)  # type: ignore[arg-type]
    assert told(one) == told(one) != told(other)
    assert one._visitor({"client": None}) == ""
