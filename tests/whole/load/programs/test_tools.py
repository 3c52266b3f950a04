"""The endpoints as MCP tools: a client of the `mcp` package against a real server, over HTTP."""

import asyncio
import base64
import importlib
import importlib.util
import json
import re
import threading
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import httpx
import pytest

from support.programs import SCENE
from support.serving import Server, asking, serving
from support.together import together
from support.waiting import awaited, until
from vizapp import cli
from vizapp.ui.jobs import PROCESSOR, Job
from vizapp.ui.server import folder
from vizapp.ui.server.ledger import Owner

mcp = pytest.importorskip("mcp")
from mcp.client.streamable_http import streamable_http_client  # noqa: E402

INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}
TAKES = {"accept": "application/json, text/event-stream"}
NEWEST = "2026-07-28"  # the protocol without a handshake
newest = pytest.mark.skipif(not hasattr(mcp, "Client"), reason="mcp 1 does not speak the protocol without a handshake")
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}


def with_client(server: Server, do: Callable[[Any], Coroutine[Any, Any, Any]]) -> Any:
    """What `do` makes of a client that has introduced itself, by the names of the protocol: versions of `mcp` have their own."""

    async def run() -> Any:
        async with (
            streamable_http_client(f"{server.url}gradio_api/mcp") as (read, write, *_),
            mcp.ClientSession(read, write) as session,
        ):
            await session.initialize()
            return (await do(session)).model_dump(by_alias=True)

    return awaited(run())


def call(server: Server, name: str, **given: Any) -> Any:
    """The result of a tool."""
    return with_client(server, lambda session: session.call_tool(name, given))


def test_the_tools_are_the_endpoints_and_say_what_they_take(home: Server) -> None:
    """No event of the page is among them. Each tool describes all its arguments and its answer."""
    found = {one["name"]: one for one in with_client(home, lambda session: session.list_tools())["tools"]}
    info = home.http.get(f"{home.url}gradio_api/info").json()["named_endpoints"]
    assert sorted(f"/{name}" for name in found) == sorted(info)
    for name, one in found.items():
        known = [part["parameter_name"] for part in info[f"/{name}"]["parameters"]]
        schema = one["inputSchema"]
        assert list(schema["properties"]) == known
        assert schema["required"] == ["picture"]
        assert all(part["description"] for part in schema["properties"].values())
        assert "Returns JSON: model, fit, grid" in one["description"]


def test_an_agent_is_told_how_a_picture_is_sent(home: Server) -> None:
    """Before it calls anything; at the address that is told, an upload is answered with what the tools take."""

    async def run() -> str:
        async with (
            streamable_http_client(f"{home.url}gradio_api/mcp") as (read, write, *_),
            mcp.ClientSession(read, write) as session,
        ):
            return (await session.initialize()).instructions

    told = awaited(run())
    assert "data:image/png;base64" in told
    address, field = re.search(r"curl -F (\w+)=@\S+ (http\S+)", told).group(2, 1)
    (path,) = home.http.post(address, files={field: SCENE.read_bytes()}).json()
    assert not call(home, "predict", picture=path)["isError"]


def test_a_tool_answers_what_the_endpoint_answers(home: Server) -> None:
    """Structured, the same as text, and its picture as one; its files are where it says."""
    path = home.upload(SCENE.read_bytes())
    result = call(home, "explain", picture=path, method="chefer", target="cup")
    plain = home.ask("explain", picture=path, method="chefer", target="cup")
    answer = result["structuredContent"]
    assert not result["isError"]
    assert json.loads(result["content"][0]["text"]) == answer
    for one in (answer, plain):
        files = one.pop("files")
        assert home.http.get(files["overlay"]["url"]).content == Path(files["overlay"]["path"]).read_bytes()
    assert answer == plain
    assert base64.b64decode(result["content"][1]["data"])[:4] == b"\x89PNG"


def test_a_comparison_says_how_far_it_is(home: Server) -> None:
    told: list[tuple[float, str]] = []

    async def on_progress(share: float, total: float, what: str) -> None:
        told.append((share, what))

    given = {"picture": home.upload(SCENE.read_bytes()), "methods": ["rollout"], "steps": 2}
    result = with_client(home, lambda session: session.call_tool("compare", given, progress_callback=on_progress))
    assert not result["isError"]
    assert [what for _, what in told[:3]] == ["rollout", "random", "centre"]
    assert [share for share, _ in told] == sorted(share for share, _ in told)


def test_a_slip_is_a_result_in_words(public: Server) -> None:
    """A path of the machine, a private event of the page, nothing, a wrong type."""
    path = public.upload(SCENE.read_bytes())
    for name, given, words in (
        ("predict", {"picture": "/etc/passwd"}, "This picture is not here, or not any more. Upload it to"),
        ("look", {"picture": path}, "There is no tool 'look'. There are: analyse, compare, explain, predict."),
        ("predict", {}, "predict needs picture."),
        ("predict", {"picture": path, "top": "many"}, "top = 'many' is not possible. It takes a whole number."),
    ):
        result = call(public, name, **given)
        assert result["isError"]
        assert words in result["content"][0]["text"]


def test_fifty_callers_at_once_lock_nobody_out(public: Server) -> None:
    """More than there are threads: all get an answer, and the page has its own the while."""
    path = public.upload(SCENE.read_bytes())
    gate, ended = threading.Event(), threading.Event()
    holder = threading.Thread(target=lambda: (PROCESSOR.run(Job(), gate.wait), ended.set()))
    holder.start()

    async def run() -> list[Any]:
        message = {"method": "tools/call", "params": {"name": "predict", "arguments": {"picture": path}}}
        limits = httpx.Limits(max_connections=60)
        async with httpx.AsyncClient(timeout=60, headers=TAKES, limits=limits) as http:
            asked = [
                asyncio.create_task(http.post(f"{public.url}gradio_api/mcp", json=LIST | message)) for _ in range(50)
            ]
            # The holder, and forty: as many as are let in at once
            while len(PROCESSOR._all()) + sum(one.done() for one in asked) < 41:
                await asyncio.sleep(0.01)
            assert (await http.get(f"{public.url}health")).status_code == 200
            assert (await http.get(f"{public.url}theme.css")).status_code == 200
            gate.set()
            return [one.text for one in await asyncio.gather(*asked)]

    try:
        answers = awaited(run())
    finally:
        gate.set()
        holder.join()
    assert ended.is_set()
    told = ["probability" in one or "Too many visitors wait" in one for one in answers]
    assert told == [True] * 50
    assert sum("probability" in one for one in answers) >= 20


def ending(server: Server, asked: dict[str, Any] | None = None, **headers: str) -> str:
    """How the run of a client ends that asks for a long comparison, and hangs up."""
    given = {"picture": server.upload(SCENE.read_bytes()), "steps": 64}
    message = {"method": "tools/call", "params": {"name": "compare", "arguments": given, **(asked or {})}}

    running: list[Job] = []
    with asking(f"{server.url}gradio_api/mcp", LIST | message, **TAKES, **headers):
        until(lambda: running.extend(job for job in PROCESSOR._all() if job.priority == "long") or running)
    until(lambda: not PROCESSOR._all())
    return running[0].ended


def test_who_hangs_up_is_computed_for_no_longer(home: Server) -> None:
    """The comparison of a client that goes ends at its next step."""
    # mcp 1.24 does not tell us of it, 1.30 and 2 do; else the run ends as one that nobody listens to, ten seconds later.
    assert ending(home) in ("left", "unheard")
    assert PROCESSOR._all() == []


@newest
def test_who_hangs_up_without_a_handshake_is_computed_for_no_longer(home: Server) -> None:
    known = {"protocolVersion": NEWEST, "clientCapabilities": {}}
    about = {f"io.modelcontextprotocol/{name}": value for name, value in known.items()}
    headers = {"mcp-protocol-version": NEWEST, "mcp-method": "tools/call", "mcp-name": "compare"}
    assert ending(home, {"_meta": about}, **headers) == "left"


@newest
def test_a_client_without_a_handshake_gets_the_same(public: Server) -> None:
    """What the tools are for, progress, answers, and a slip in words; files are those of its address."""
    told: list[str] = []

    async def on_progress(share: float, total: float, what: str) -> None:
        told.append(what)

    async def run() -> Any:
        async with mcp.Client(f"{public.url}gradio_api/mcp") as client:
            assert client.protocol_version == NEWEST
            assert f"curl -F files=@photo.jpg {public.url}gradio_api/upload" in client.instructions
            names = [one.name for one in (await client.list_tools()).tools]
            slip = await client.call_tool("predict", {"picture": "/etc/passwd"})
            given = {"picture": path, "methods": ["rollout"], "steps": 2}
            compared = await client.call_tool("compare", given, progress_callback=on_progress)
            explained = await client.call_tool("explain", {"picture": path, "method": "rollout"})
            return names, *(one.model_dump(by_alias=True) for one in (slip, compared, explained))

    path = public.upload(SCENE.read_bytes())
    names, slip, compared, explained = awaited(run())
    assert names == ["analyse", "compare", "explain", "predict"]
    assert slip["isError"]
    assert "This picture is not here, or not any more. Upload it to" in slip["content"][0]["text"]
    assert not compared["isError"]
    assert told[:3] == ["rollout", "random", "centre"]
    answer = explained["structuredContent"]
    assert json.loads(explained["content"][0]["text"]) == answer
    overlay = Path(answer["files"]["overlay"]["path"])
    assert base64.b64decode(explained["content"][1]["data"]) == overlay.read_bytes()
    assert {one.address for one in folder.current()._ledger.files[overlay].owners} == {"127.0.0.1"}


def test_files_belong_to_who_asked(public: Server) -> None:
    """So that the limits of the disk are those of a visitor, also behind a proxy."""
    path = public.upload(SCENE.read_bytes())
    message = {
        "method": "tools/call",
        "params": {"name": "explain", "arguments": {"picture": path, "method": "legrad"}},
    }
    headers = TAKES | {"x-forwarded-for": "8.8.8.8"}
    said = public.http.post(f"{public.url}gradio_api/mcp", json=LIST | message, headers=headers).text
    answer = json.loads(next(line for line in said.splitlines() if line.startswith("data: "))[6:])
    overlay = answer["result"]["structuredContent"]["files"]["overlay"]["path"]
    files = folder.current()
    assert files._ledger.files[Path(overlay)].owners == {Owner("8.8.8.8")}


def test_without_it_nothing_is_there_whatever_variable_is_set(
    server: Server, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path in ("gradio_api/mcp", "gradio_api/mcp/", "gradio_api/mcp/sse", "gradio_api/mcp/schema"):
        assert server.http.post(f"{server.url}{path}", json=INITIALIZE, headers=TAKES).status_code in (404, 405)
        assert b"tools" not in server.http.get(f"{server.url}{path}", headers=TAKES).content
    # Of sixty calls at once, forty time out there.
    monkeypatch.setenv("GRADIO_MCP_SERVER", "True")
    with serving("toy") as running:
        assert running.http.post(f"{running.url}gradio_api/mcp/", json=LIST, headers=TAKES).status_code in (404, 405)


def test_the_guard_and_the_bounds_stand_before_it(public: Server) -> None:
    """Other names, pages of other servers, methods that hold a line, bodies that are too large."""
    at = f"{public.url}gradio_api/mcp"
    assert public.http.post(at, json=LIST, headers=TAKES).status_code == 200
    assert public.http.post(at, json=LIST, headers=TAKES | {"host": "evil.example"}).status_code == 403
    assert public.http.post(at, json=LIST, headers=TAKES | {"origin": "http://evil.example"}).status_code == 403
    assert public.http.get(at, headers=TAKES).status_code == 405
    assert public.http.delete(at).status_code == 405
    assert public.http.post(at, content=b"[" * 2 * 2**20, headers=TAKES).status_code == 413
    assert public.http.post(at, content=b"{", headers=TAKES | {"content-type": "application/json"}).status_code == 400


@together("body", [b"[" * 15_000, b'{"a":' * 990, b"[[],{}," * 100, b"\xff", b""])
def test_json_without_an_end_is_refused_in_words(public: Server, body: bytes, capsys: pytest.CaptureFixture) -> None:
    """500, and a traceback for each, in which Python counts its own calls."""
    public.heard(), capsys.readouterr()
    asked = {"content": body, "headers": TAKES | {"content-type": "application/json"}}
    answer = public.http.post(f"{public.url}gradio_api/mcp", **asked)
    assert answer.status_code == 400
    assert "This is no JSON that can be read." in answer.json()["error"]["message"]
    said = public.http.post(f"{public.url}gradio_api/call/v2/predict", **asked)
    assert (said.status_code, "an object of JSON" in said.text) == (422, True)
    assert "Traceback" not in public.heard() + capsys.readouterr().err


def test_brackets_in_a_text_are_no_nesting(home: Server) -> None:
    """As deep as answers are, and a sentence that has some."""
    result = call(home, "predict", picture="[]{}" * 500 + "[" * 40)
    assert "This picture is not here" in result["content"][0]["text"]


def test_a_package_that_cannot_be_imported_is_said_in_words(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    """As mcp 1.21 beside pydantic 2.14, which it reaches into."""
    real = importlib.import_module

    def broken(name: str, *more: Any) -> Any:
        if name.partition(".")[0] == "mcp":
            raise ImportError("cannot import name 'eval_type_backport'")
        return real(name, *more)

    monkeypatch.setattr(importlib, "import_module", broken)
    assert cli.main(["serve", "--mcp"]) == 2
    said = capsys.readouterr().err
    assert "(ImportError: cannot import name 'eval_type_backport'). pip install --upgrade 'vizapp[mcp]'" in said


def test_without_the_package_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    """Before anything is loaded."""
    real = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *more: None if name == "mcp" else real(name, *more))
    assert cli.main(["serve", "--mcp"]) == 2
    said = capsys.readouterr().err
    assert said == "vizapp: Tools for agents need the package mcp, which is not installed. pip install 'vizapp[mcp]'\n"
