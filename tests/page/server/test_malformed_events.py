"""Calls that no page makes: a line on the terminal, words in the answer, and no traceback. Found by tests/whole/fuzz."""

import json
from typing import Any

import gradio as gr
import httpx
import pytest

from support import hostile
from support.serving import Server
from support.waiting import patience
from vizapp.ui.limits import TURNED_AWAY
from vizapp.ui.server import folder
from vizapp.ui.server.sessions import LONGEST
from vizapp.ui.server.start import launch
from vizapp.ui.terminal import LONGEST as LONGEST_LINE
from vizapp.ui.terminal import tell


def events(public: Server) -> list[dict[str, Any]]:
    return public.http.get(f"{public.url}config").json()["dependencies"]


def post(public: Server, path: str, asked: Any) -> Any:
    kind = {"content-type": "application/json"}
    return public.http.post(f"{public.url}gradio_api/{path}", content=json.dumps(asked), headers=kind)


def refused(public: Server, capsys: Any, asked: dict[str, Any]) -> str:
    """The answer. Asserts that the terminal shows some lines, all of them the server's own and no traceback."""
    public.heard(), capsys.readouterr()
    answer = post(public, "run/predict", {"session_hash": "stray", **asked})
    lines = [line for line in (public.heard() + capsys.readouterr().err).splitlines() if not line.startswith("{")]
    assert lines
    assert all(line.startswith("vizapp: ") for line in lines), lines
    assert answer.status_code == 500
    return str(answer.json()["error"])


def test_an_event_without_a_function_is_not_called(public: Server, capsys: Any) -> None:
    bare = next(one for one in events(public) if not one["backend_fn"])
    said = refused(public, capsys, {"fn_index": bare["id"], "data": [None] * len(bare["inputs"])})
    assert "Nothing on this page asks for that" in said


@pytest.mark.parametrize("name", ["look", "open_lesson", "run"])
@pytest.mark.parametrize("odd", [None, 7, [], {}])
def test_a_value_of_another_kind_than_an_event_takes_is_named(public: Server, capsys: Any, name: str, odd: Any) -> None:
    """`null` in the place of a model or of a width ended in a traceback: each event says by its types what it takes."""
    asked = next(one for one in events(public) if one["api_name"] == name)
    parts = {one["id"]: one["props"] for one in public.http.get(f"{public.url}config").json()["components"]}
    data = [parts[one].get("value") for one in asked["inputs"]]
    data[{"look": 1, "open_lesson": 0, "run": 5}[name]] = odd
    said = refused(public, capsys, {"fn_index": asked["id"], "data": data})
    assert ("not possible. It takes a " if odd is None else "") in said
    assert said


@pytest.mark.parametrize("name", ["take", "open_link"])
@pytest.mark.parametrize("path", ["x" * 900_000, "a\0b", "/etc/passwd"])
def test_a_file_in_the_data_of_an_event_is_refused_in_a_line(public: Server, capsys: Any, name: str, path: str) -> None:
    """Gradio looks for files in it, at any depth, and printed a line of 900,042 characters of one."""
    asked = next(one for one in events(public) if one["api_name"] == name)
    odd: Any = {"path": path, "meta": {"_type": "gradio.FileData"}}
    said = refused(
        public, capsys, {"fn_index": asked["id"], "data": [None] * len(asked["inputs"]), "event_data": [odd]}
    )
    assert "Nothing on this page asks for that" in said


def test_a_slip_of_ours_is_told_in_lines_as_long_as_was_promised(
    public: Server, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slip(*given: Any) -> Any:
        raise RuntimeError("y" * 900_000)

    monkeypatch.setattr("vizapp.ui.link.Links.open", slip)
    asked = next(one for one in events(public) if one["api_name"] == "open_link")
    public.heard(), capsys.readouterr()
    answer = post(public, "run/predict", {"fn_index": asked["id"], "data": [None], "session_hash": "stray"})
    assert "The server failed to do this. Its terminal says why." in answer.json()["error"]
    said = public.heard() + capsys.readouterr().err
    assert "RuntimeError: yyy" in said
    assert max(map(len, said.splitlines())) <= LONGEST_LINE


def test_the_host_that_a_request_names_is_told_to_nobody_else(small: gr.Blocks) -> None:
    """Gradio kept the first answer to `info` for everybody, with `Client("http://evil.example")` in it."""
    with small:
        gr.api(lambda: "x", api_name="ask")
    paths = ("gradio_api/info", "gradio_api/info?page=", "gradio_api/openapi.json", "config", "")
    try:
        url = launch(small, host="127.0.0.1", public=True)
        with httpx.Client(base_url=url, timeout=patience()) as http:
            for path in paths:
                assert http.get(path, headers={"X-Forwarded-Host": "evil.example"}).is_success
            assert [path for path in paths if "evil.example" in http.get(path).text] == []
            assert list(http.get(paths[0]).json()["named_endpoints"]) == ["/ask"]
    finally:
        small.close(verbose=False)


@pytest.mark.parametrize("number", [-1, 10**6, 2**70])
def test_events_and_components_that_there_are_not(public: Server, number: int) -> None:
    asked = {"fn_index": number, "data": [], "session_hash": "stray"}
    for path in ("run/predict", "queue/join"):
        assert post(public, path, asked).status_code == 422
    asked = {"component_id": number, "fn_name": "ask", "data": [], "session_hash": "stray"}
    assert post(public, "component_server", asked).status_code == 422


def test_a_session_without_a_name_harms_no_queue(public: Server, capsys: Any) -> None:
    """Its answers have nobody to go to."""
    public.heard(), capsys.readouterr()
    asked = [
        (one["id"], {"fn_index": one["id"], "data": [None] * 3, "session_hash": ""}) for one in events(public)[:12]
    ]
    assert {
        number: status for number, one in asked if (status := post(public, "queue/join", one).status_code) != 200
    } == {}
    assert "Traceback" not in public.heard() + capsys.readouterr().err


def test_a_session_that_nobody_has_is_told_nothing(public: Server) -> None:
    """Gradio finds out when it has begun to answer; its server then printed a traceback, and hung up."""
    with public.http.stream(
        "GET", f"{public.url}gradio_api/queue/data?session_hash=nobody", timeout=patience()
    ) as answer:
        answer.read()
    assert answer.status_code == 200


def test_an_address_with_control_characters_is_none(public: Server, capsys: Any) -> None:
    """The heartbeat of a session with such a name used to fail when the visitor left."""
    for path in ("heartbeat/x%0D%0A", "heartbeat/%00", "file=a%1F.png", "upload_progress/%7F"):
        assert public.http.get(f"{public.url}gradio_api/{path}", timeout=patience()).status_code == 404


def test_an_endpoint_that_there_is_not(public: Server, capsys: Any) -> None:
    """500 and a traceback, for each."""
    for path in ("call/nosuch", "run/nosuch", "api/nosuch", "call/v2/nosuch"):
        public.heard(), capsys.readouterr()
        answer = post(public, path, {"data": []})
        assert answer.status_code == 404
        assert "There is no endpoint" in answer.text
        assert "Traceback" not in public.heard() + capsys.readouterr().err


def test_what_is_quoted_stays_on_its_line(public: Server, capsys: Any) -> None:
    """A stranger could forge lines of the log, and send control sequences to the terminal of whoever reads it."""
    path = public.upload(b"no picture")
    odd = 'x\n{"time": "fake"}\x1b[2J\u202e' + "y" * 5000
    public.heard(), capsys.readouterr()
    asks: list[dict[str, Any]] = [{"model": odd}, {"method": odd}, {"method": "rollout", "settings": {odd: 1}}]
    for ask in asks:
        assert "error" in public.ask("explain", picture=path, **ask)
    said = public.heard() + capsys.readouterr().err
    assert "fake" in said
    for line in said.splitlines():
        assert line.startswith(("vizapp: ", '{"time": "20')), line
        assert len(line) < 2500
        assert line.isprintable()


def test_what_a_library_says_of_a_picture_is_not_in_the_log(public: Server, capfd: Any) -> None:
    """libtiff wrote a line for each row of a fax, past Python: 48,971 for 146 kB."""
    path = public.upload(hostile.fax(300), "fax.tif")
    public.heard(), capfd.readouterr()
    public.analyse(path, "toy")
    lines = (public.heard() + capfd.readouterr().err).splitlines()
    assert [line for line in lines if not line.startswith(("vizapp: ", "{"))] == []


def test_a_line_is_what_it_was(capsys: Any) -> None:
    tell("'caf\u00e9 1.png' cannot be read.")
    tell("a\r\nb\tc\x00\x9b")
    assert capsys.readouterr().err == "vizapp: 'caf\u00e9 1.png' cannot be read.\nvizapp: a\\r\\nb\\tc\\x00\\x9b\n"


def test_a_long_name_of_a_session_is_refused_at_every_door(public: Server, capsys: Any) -> None:
    """Gradio, its queue and our session each kept such names: a megabyte for each of thousands."""
    name, data = "n" * (LONGEST + 1), [None, "toy", "as_trained"]
    look = next(one for one in events(public) if one["api_name"] == "look")
    part = next(one for one in public.http.get(f"{public.url}config").json()["components"])
    called: dict[str, Any] = {"data": data, "session_hash": name}
    component = {"component_id": part["id"], "fn_name": "ask", "data": [], "session_hash": name}
    for path, asked in (
        ("queue/join", called | {"fn_index": look["id"]}),
        ("run/predict", called | {"fn_index": look["id"]}),
        ("run/look", called),
        ("api/look", called),
        ("call/look", called),
        ("component_server", component),
    ):
        answer = post(public, path, asked)
        assert answer.status_code == 422, path
        assert f"at most {LONGEST} characters, not {len(name)}" in answer.text
    for path in (f"queue/data?session_hash={name}", f"heartbeat/{name}", f"upload_progress?a=b&upload_id={name}"):
        assert public.http.get(f"{public.url}gradio_api/{path}", timeout=patience()).status_code == 414
    assert public.http.post(f"{public.url}gradio_api/upload?upload_id={name}").status_code == 414
    for asked in ({"event_id": "e"}, {"event_id": "e", "fn_index": 0}):
        for path in ("cancel", "reset"):
            assert post(public, path, {"session_hash": name, **asked}).status_code in (200, 422)
    assert not [one for one in kept() if len(one) > LONGEST]
    assert "Traceback" not in public.heard() + capsys.readouterr().err


def test_a_name_as_long_as_may_be_is_taken(public: Server) -> None:
    name = "n" * LONGEST
    look = next(one["id"] for one in events(public) if one["api_name"] == "look")
    assert post(
        public, "run/predict", {"fn_index": look, "data": [None, "toy", "as_trained"], "session_hash": name}
    ).is_success
    assert name in kept()


def kept() -> list[str]:
    """The names of all sessions, wherever some are remembered."""
    found = list(TURNED_AWAY)
    for page in filter(None, (one() for one in folder.current()._pages)):
        queue, states = page._queue, page.state_holder
        found += [*states.session_data, *states.time_last_used]
        found += [*queue.pending_messages_per_session, *queue.pending_event_ids_session]
    for session in filter(None, (one() for one in folder.current()._staged)):
        found += session.__self__._visitors
    return found


def test_a_program_leaves_no_name_behind(public: Server) -> None:
    """Gradio kept the time of each call's session for ever. The queue's entries are dropped after a minute."""
    states = [page.state_holder for page in filter(None, (one() for one in folder.current()._pages))]
    before = [dict(one.time_last_used) for one in states]
    for _ in range(3):
        assert "error" in public.ask("predict", picture="nowhere")
    assert [one.time_last_used for one in states] == before


def test_an_address_that_is_too_long(public: Server) -> None:
    for path in ("gradio_api/file=/" + "a/" * 3000, "config?" + "a" * 5000):
        assert public.http.get(f"{public.url}{path}").status_code == 414
