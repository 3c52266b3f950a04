"""Calls that no page makes: a line on the terminal, words in the answer, and no traceback. Found by tests/fuzz/endpoints.py."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from ui.conftest import Server


def events(public: Server) -> list[dict[str, Any]]:
    return public.http.get(f"{public.url}config").json()["dependencies"]


def post(public: Server, path: str, asked: Any) -> Any:
    kind = {"content-type": "application/json"}
    return public.http.post(f"{public.url}gradio_api/{path}", content=json.dumps(asked), headers=kind)


def refused(public: Server, capsys: Any, asked: dict[str, Any]) -> str:
    """What is answered; on the terminal there are lines, and all of them ours."""
    capsys.readouterr()
    answer = post(public, "run/predict", {"session_hash": "stray", **asked})
    lines = [line for line in capsys.readouterr().err.splitlines() if not line.startswith("{")]
    assert lines
    assert all(line.startswith("vizapp: ") for line in lines), lines
    assert answer.status_code == 500
    return str(answer.json()["error"])


def test_an_event_without_a_function_is_not_called(public: Server, capsys: Any) -> None:
    bare = next(one for one in events(public) if not one["backend_fn"])
    said = refused(public, capsys, {"fn_index": bare["id"], "data": [None] * len(bare["inputs"])})
    assert "Nothing on this page asks for that" in said


@pytest.mark.parametrize(
    "data",
    [[], [3, "toy", "as_trained"], [["x"], "toy", "as_trained"], [{"path": {}}, "toy", "as_trained"]],
)
def test_values_that_no_component_holds_are_not_taken(public: Server, capsys: Any, data: list[Any]) -> None:
    number = next(one["id"] for one in events(public) if one["api_name"] == "look")
    assert "Nothing on this page asks for that" in refused(public, capsys, {"fn_index": number, "data": data})


def test_a_choice_that_is_not_in_the_list_is_one_line(public: Server, capsys: Any) -> None:
    number = next(one["id"] for one in events(public) if one["api_name"] == "look")
    assert "not in the list" in refused(public, capsys, {"fn_index": number, "data": [None, "nobody", "as_trained"]})


@pytest.mark.parametrize("number", [-1, 10**6, 2**70])
def test_events_and_components_that_there_are_not(public: Server, number: int) -> None:
    asked = {"fn_index": number, "data": [], "session_hash": "stray"}
    for path in ("run/predict", "queue/join"):
        assert post(public, path, asked).status_code == 422
    asked = {"component_id": number, "fn_name": "ask", "data": [], "session_hash": "stray"}
    assert post(public, "component_server", asked).status_code == 422


def test_nan_in_what_is_refused_is_not_quoted(public: Server) -> None:
    """FastAPI quotes a body that it cannot read, and JSON has no NaN."""
    assert post(public, "run/predict", {"data": math.nan}).status_code == 422


def test_a_session_without_a_name_harms_no_queue(public: Server, capsys: Any) -> None:
    """Its answers have nobody to go to."""
    capsys.readouterr()
    asked = [
        (one["id"], {"fn_index": one["id"], "data": [None] * 3, "session_hash": ""}) for one in events(public)[:12]
    ]
    assert {
        number: status for number, one in asked if (status := post(public, "queue/join", one).status_code) != 200
    } == {}
    assert "Traceback" not in capsys.readouterr().err


def test_a_session_that_nobody_has_is_told_nothing(public: Server) -> None:
    """Gradio finds out when it has begun to answer; its server then printed a traceback, and hung up."""
    with public.http.stream("GET", f"{public.url}gradio_api/queue/data?session_hash=nobody", timeout=10) as answer:
        answer.read()
    assert answer.status_code == 200


def test_an_address_with_control_characters_is_none(public: Server, capsys: Any) -> None:
    """A visitor's sign of life under such a name failed when the visitor left."""
    for path in ("heartbeat/x%0D%0A", "heartbeat/%00", "file=a%1F.png", "upload_progress/%7F"):
        assert public.http.get(f"{public.url}gradio_api/{path}", timeout=5).status_code == 404


def test_a_shelf_is_asked_for_what_it_does_not_hold(public: Server, capsys: Any) -> None:
    shelf = next(one["id"] for one in events(public) if one["api_name"].startswith("chosen"))
    for index in ("x", -1, 10**6, None, [0]):
        capsys.readouterr()
        post(public, "run/predict", {"fn_index": shelf, "data": [index], "session_hash": "stray"})
        assert "Traceback" not in capsys.readouterr().err
