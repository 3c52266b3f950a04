"""What strangers send to the questions of the page: wrong kinds, work without end, the work and the files of others."""

import base64
import threading
from typing import Any

import cv2
import numpy as np
import pytest

import vizapp
from support.layer_payloads import seen_by
from support.page_calls import asked
from support.serving import Server
from support.waiting import until
from vizapp.analysis import AS_TRAINED, Request
from vizapp.errors import VizError
from vizapp.server.calls import Calls
from vizapp.server.glance import glanced
from vizapp.ui.jobs import PROCESSOR
from vizapp.ui.link import Links
from vizapp.ui.server import folder
from vizapp.ui.session import Session


@pytest.fixture(scope="module")
def run(public: Server) -> str:
    return asked(public, "look", None, {"picture": "lesson/clutter/3", "model": "toy"}, "en")["run"]


def test_wrong_kinds_and_work_without_end_are_refused_in_a_line(public: Server, run: str) -> None:
    works = [("explain", {"method": one}, "a text") for one in (None, 7, [[]])]
    works += [
        ("explain", {"method": "rollout", "settings": one}, "an object") for one in (None, 7, [[]], {"rollout": 3})
    ]
    for value, said in {"x" * 41: "too many letters", "x": "Choose a number", 1e300: "It goes from"}.items():
        works.append(("judge", {"method": "rollout", "settings": {"rollout": {"skip_weight": value}}}, said))
    works += [
        ("explain", {"method": "rollout", "settings": {"rollout": {"skip_weight": []}}}, "or null"),
        ("explain", {"method": "rollout", "settings": {"rollout": {"x" * 5000: 1}}}, "has no setting"),
        ("explain", {"method": "legrad", "settings": {"legrad": {"start_layer": "0"}}}, "a whole number from 1 on"),
        ("judge", {"method": "rollout", "empty": "no"}, "one of mean, blur"),
        ("chance", {"count": 1, "from": -1}, "from 0 to 19"),
    ]
    works += [("explain", {"method": "chefer", "sentence": one}, "a text") for one in (None, 7, [])]
    works += [("files", {"methods": one}, "a list, each a text") for one in (None, "x", [1])]
    works += [("files", {"file": one}, "one of csv, png, npz") for one in (None, "exe", "../x")]
    works += [("files", {"width": one}, "from 800 to 3600") for one in (0, -1, 10**300)]
    works += [("files", {"other": one}, "an object") for one in (7, "x", [])]
    works += [
        ("files", {"width": 801}, "Nothing on this page asks"),
        ("files", {"other": {"target": "x"}}, "a whole number"),
        ("files", {"other": {"sentence": "x" * 201}}, "Write 200 at most"),
        ("forget", {"methods": ["nothing"]}, "There is no method"),
    ]
    works += [(call, {"methods": ["rollout", "rise"]}, "too long") for call in ("files", "forget")]
    works += [("chance", {"count": one}, "a whole number") for one in ("x", None, 1.5, 1e300)]
    works += [("chance", {"count": one}, "from 1 to 5") for one in (0, -5, 6, 10**300)]
    works += [
        ("judge", {"target": "taught " + "9" * 5000}, "a whole number"),
        ("explain", {"method": "rise"}, "too long"),
    ]
    calls: list[tuple[tuple[Any, ...], str]] = [(("work", call, run, what, "en"), said) for call, what, said in works]
    calls += [(("look", None, one, "en"), "an object") for one in (None, 7, "x", [[]])]
    calls += [(("settings", "rollout", one, "en"), "an object") for one in (None, 7, [[]])]
    calls += [
        (("settings", "rise", {}, "en"), "too long"),
        (("settings", "rollout", {"layer": "x"}, "en"), "from 1 on"),
    ]
    calls += [(("glance", one, {}, "en"), "There is no picture") for one in (None, 7, "", {})]
    calls += [(("glance", "data:image/png;base64,!", {}, "en"), "no base64")]
    calls += [(("glance", {"path": "/etc/passwd"}, {}, "en"), "not here")]
    calls += [
        (("weights", one, "en"), "takes no weights") for one in (None, "/etc/passwd", {"path": "/etc/passwd"}, [])
    ]
    calls += [(("fetch", "", "en"), "Nothing on this page asks"), (("fetch", 7, "en"), "a text")]
    calls += [(("work", one, run, {}, "en"), "one of") for one in (None, [], "no")]
    calls += [(("work", "classes", [], {}, "en"), "a text"), (("work", "judge", run, [], "en"), "an object")]
    public.heard()
    assert {str(call)[:80]: answer for call, said in calls if said not in (answer := str(asked(public, *call)))} == {}
    assert asked(public, "look", None, {"picture": "lesson/clutter/" + "9" * 5000}, "en")["said"]
    assert all(len(one) <= 2000 and one.startswith(("vizapp: ", "{")) for one in public.heard().splitlines())


def test_who_has_no_session_stops_nobody(public: Server, run: str) -> None:
    (work := threading.Thread(target=asked, args=(public, "work", "chance", run, {"count": 3}, "en"))).start()
    until(lambda: any(one.priority == "long" for one in PROCESSOR._all()))
    assert [asked(public, one)["stopped"] for one in ("stop", "give_up", "stop_fetching")] == [False] * 3
    work.join()


def test_a_pickle_that_was_sent_is_not_opened_by_the_page() -> None:
    (folder.current().path / "mine.pth").write_bytes(b"PK\3\4")
    calls = Calls(session := Session(["toy"], ""), Links(session, Request("a.png", "toy", AS_TRAINED)))
    with pytest.raises(VizError, match="An uploaded file is opened only if it is safetensors"):
        calls.look(None, {"model": f"file:{folder.current().path}/mine.pth?arch=vit_tiny"}, "en")


def test_a_frame_is_looked_at_as_python_does(public: Server) -> None:
    """Rows of all layers and heads, in their order; a network whose layers differ is refused in a sentence."""
    picture = np.random.default_rng(0).integers(0, 256, (90, 120, 3), dtype=np.uint8)
    encoded = cv2.imencode(".png", picture[..., ::-1])[1].tobytes()
    frame = f"data:image/png;base64,{base64.b64encode(encoded).decode()}"
    found = asked(public, "glance", frame, {"model": "toy"}, "en")
    seen = vizapp.analyse(vizapp.load("toy"), picture)
    expected = np.stack([layer.map().numpy()[:, 0] for layer in seen.trace.layers])
    rows = np.frombuffer(base64.b64decode(found["rows"]), np.float16).reshape(expected.shape)
    np.testing.assert_allclose(rows, expected, atol=1e-3)
    assert [found["layers"], found["heads"], found["query"]] == [*expected.shape[:2], "cls"]
    assert found["window"] == pytest.approx([1 / 8, 0, 7 / 8, 1], abs=0.005)
    with pytest.raises(VizError, match="differ in their patches or heads"):
        glanced(seen_by("swin"))
