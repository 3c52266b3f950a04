"""The queue from outside: it cannot be filled by those who do not listen, nothing computes beside it, and nobody is mixed up."""

import io
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import numpy as np
import pytest
from gradio.blocks import BlocksConfig
from gradio.state_holder import SessionState
from PIL import Image
from torch.nn.modules.module import register_module_forward_pre_hook

from support.queue_jobs import busy
from support.serving import Server, asking, page_of
from support.waiting import patience, until
from vizapp import pipeline
from vizapp.ui import jobs, zero_gpu
from vizapp.ui.jobs import PROCESSOR
from vizapp.ui.limits import Limits
from vizapp.ui.server import queue_entry
from vizapp.ui.server.listeners import LISTENERS
from vizapp.ui.viewer import ask
from vizapp.ui.viewer.payload import pack
from vizapp.ui.words import words_for

CROWD = 24

API = "gradio_api/"
LONG_RUNS = {"run", "run_sanity"}  # events that each language has


def picture(seed: int) -> bytes:
    """Some picture that no other seed has."""
    stream, noise = io.BytesIO(), np.random.default_rng(seed).integers(0, 256, (24, 32, 3), dtype=np.uint8)
    Image.fromarray(noise).save(stream, "PNG")
    return stream.getvalue()


@pytest.fixture
def looks(server: Server, models: SimpleNamespace) -> dict[str, Any]:
    """What the page sends to look at a picture."""
    config = server.http.get(f"{server.url}config").json()
    event = next(one["id"] for one in config["dependencies"] if one["api_name"] == "look")
    path = server.upload(picture(0))
    return {
        "fn_index": event,
        "data": [{"path": path, "meta": {"_type": "gradio.FileData"}}, models.registers, "as_trained"],
    }


def test_runs_that_nobody_listens_to_hold_nobody_up(
    server: Server, looks: dict[str, Any], models: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """33 POSTs without a listener locked everybody out for a minute; 80 do not, and none of them is computed."""
    # Else the first are dropped on a slow machine before the last has come
    monkeypatch.setattr(PROCESSOR, "grace", patience())
    with busy():
        for number in range(80):
            asked = looks | {"session_hash": f"deaf{number}", "data": [*looks["data"][:2], "squash"]}
            server.http.post(f"{server.url}{API}queue/join", json=asked).raise_for_status()
        until(lambda: len(PROCESSOR._waiting) == Limits().unheard)
    assert server.http.get(f"{server.url}ready").status_code == 200
    computed, real = list[object](), zero_gpu.analyse
    monkeypatch.setattr(zero_gpu, "analyse", lambda *asked: computed.append(asked) or real(*asked))
    assert server.payload(picture(1), models.registers)
    assert len(computed) == 1, "the one that somebody listened to"
    # The one that was listened to may end a moment after its answer was read.
    until(lambda: sum(not job.asker.is_there() for job in PROCESSOR._all()) <= Limits().unheard)
    assert all(job.worked == 0 and not job.has_begun for job in PROCESSOR._all())


def test_a_visitor_who_hangs_up_has_no_place_any_more(
    server: Server, looks: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Else they are dropped on a slow machine before they are counted
    monkeypatch.setattr(PROCESSOR, "grace", patience())
    with busy():
        asked = looks | {"session_hash": "leaves"}
        server.http.post(f"{server.url}{API}queue/join", json=asked).raise_for_status()
        with httpx.Client() as other, other.stream("GET", f"{server.url}{API}queue/data?session_hash=leaves"):
            until(lambda: LISTENERS.has("leaves"))
            until(lambda: [job.asker.is_there() for job in PROCESSOR._waiting] == [True])
        until(lambda: not LISTENERS.has("leaves"))
        assert PROCESSOR._counted() == [PROCESSOR._running]
        with asking(f"{server.url}{API}run/look", {"data": looks["data"]}):  # directly
            until(lambda: len(PROCESSOR._counted()) == 2)
        until(lambda: len(PROCESSOR._all()) == 3 and PROCESSOR._counted() == [PROCESSOR._running])


def test_what_nobody_comes_for_is_forgotten(
    server: Server, looks: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Gradio keeps the answer, and the name, of every event whose stream nobody opens."""
    monkeypatch.setattr(PROCESSOR, "grace", 0.1)
    queue: Any = page_of(server)._queue
    for number in range(5):
        server.http.post(f"{server.url}{API}queue/join", json=looks | {"session_hash": f"gone{number}"})
    until(lambda: not PROCESSOR._all() and not queue.event_ids_to_events)
    monkeypatch.setattr(queue_entry, "KEEP", 1e-9)  # seconds: less than it takes until the next one comes

    def are_forgotten() -> bool:
        """Forgotten at an event of somebody else, once the five have been ended."""
        server.payload(picture(2), looks["data"][1])
        kept = [*queue.pending_messages_per_session, *queue.pending_event_ids_session]
        return not [one for one in kept if one.startswith("gone")]

    until(are_forgotten)


def test_a_job_knows_for_whom_it_is(server: Server, looks: dict[str, Any]) -> None:
    """By the address that a proxy wrote down; the proxy's own is nobody's share, or its visitors would lock each other out."""
    asked = {"data": looks["data"], "session_hash": "known"}
    with busy(), ThreadPoolExecutor(4) as threads:
        for said in ("8.8.8.8", "10.0.0.7, 2001:4860::1", "10.0.0.7", ""):
            head = {"x-forwarded-for": said} if said else {}
            threads.submit(server.http.post, f"{server.url}{API}run/look", json=asked, headers=head)
        until(lambda: len(PROCESSOR._waiting) == 4)
        askers = [job.asker for job in PROCESSOR._waiting]
        assert {one.session for one in askers} == {"known"}
        assert sorted(one.address for one in askers) == ["", "", "2001:4860::/64", "8.8.8.8"]
        assert all(one.is_there() for one in askers)
        PROCESSOR.end("left", lambda job: job.asker.session == "known")


def test_nothing_computes_beside_the_queue(
    server: Server, models: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every event of the page, asked directly and through the queue, and every question that the viewer asks."""
    inside, outside = set[tuple[str, str]](), set[str]()

    def computes(what: str) -> None:
        job = jobs._current.get()
        inside.add((job.priority, what)) if job else outside.add(what)

    def see(module: Any, given: Any) -> None:
        computes("network")

    def seen(name: str, real: Any) -> Any:
        def answer(*given: Any) -> Any:
            computes(name)
            return real(*given)

        return answer

    for name, kind in ask.kinds().items():
        monkeypatch.setattr(kind, "answer", seen(name, kind.answer))
    config = server.http.get(f"{server.url}config").json()
    values = {part["id"]: part["props"].get("value") for part in config["components"]}
    named = {part["props"].get("elem_id"): part["id"] for part in config["components"]}
    shown = {"path": server.upload(picture(3)), "meta": {"_type": "gradio.FileData"}}
    for part in config["components"]:
        if part["props"].get("elem_id") == "picture":
            values[part["id"]] = shown
        elif part["type"] == "checkboxgroup":
            values[part["id"]] = (values[part["id"]] or [])[:1]
    events, long = list[Any](), set[tuple[str, str]]()
    for event in (one for one in config["dependencies"] if one["backend_fn"]):
        name = event["api_name"].rstrip("_0123456789")
        kind = (name, event["targets"][0][1] if event["targets"] else "")
        if kind not in long:
            events.append(event)
        if name in LONG_RUNS:
            long.add(kind)
    assert {name for name, _ in long} == LONG_RUNS
    run = server.analyse(server.upload(picture(4)), models.registers)["run"]
    hook = register_module_forward_pre_hook(see)
    asked = 0
    try:
        for event in events * 2:  # the first time, nothing is chosen
            asked += 1
            what = {"fn_index": event["id"], "data": [values.get(part) for part in event["inputs"]]}
            server.http.post(f"{server.url}{API}run/predict", json=what | {"session_hash": "walks"})
        for kind in ask.kinds():
            door = {
                "data": [kind, run, None],
                "component_id": named["viewer"],
                "session_hash": "walks",
                "fn_name": "ask",
            }
            assert server.http.post(f"{server.url}{API}component_server", json=door).status_code == 200
        assert "file" in server.analyse(server.upload(picture(5)), models.registers)
    finally:
        hook.remove()
    assert asked > 40
    assert outside == set()
    assert inside >= {("map", "network"), ("long", "network"), *(("ask", kind) for kind in ask.kinds())}


def test_questions_take_their_own_places(server: Server, models: SimpleNamespace) -> None:
    """60 connections that asked for sinks made maps take 5 s instead of 0.1 s."""
    run = server.analyse(server.upload(picture(6)), models.registers)["run"]
    config = server.http.get(f"{server.url}config").json()
    viewer = next(part["id"] for part in config["components"] if part["props"].get("elem_id") == "viewer")
    door = {"data": ["sinks", run, None], "component_id": viewer, "session_hash": "asks", "fn_name": "ask"}
    path, most = server.upload(picture(7)), Limits().in_all["ask"]
    with (
        httpx.Client(timeout=120, limits=httpx.Limits(max_connections=None)) as http,
        ThreadPoolExecutor(81) as threads,
    ):
        with busy():
            asked = [threads.submit(http.post, f"{server.url}{API}component_server", json=door) for _ in range(80)]
            until(lambda: len(PROCESSOR._waiting) == most)
            mapped = threads.submit(server.analyse, path, models.registers)
            until(lambda: len(PROCESSOR._waiting) == most + 1)
            assert min(PROCESSOR._waiting, key=lambda job: job.order).priority == "map"
        assert "file" in mapped.result(60)
        answers = [one.result(120).json() for one in asked]
    assert sorted(map(list, answers)) == [["full"]] * (80 - most) + [["sinks"]] * most


def test_a_crowd_gets_what_each_gets_alone(server: Server, models: SimpleNamespace, tmp_path: Path) -> None:
    """Distinct pictures at once: no error, none mixed up, every map to the last bit what it is alone."""

    def visit(seed: int) -> bytes:
        with httpx.Client(timeout=120) as http:
            return Server(server.url, http).payload(picture(seed), models.registers)

    def alone(seed: int) -> bytes:
        path = tmp_path / f"{seed}.png"
        path.write_bytes(picture(seed))
        words, seen = words_for("en"), pipeline.analyse(pipeline.load(models.registers, "cpu"), str(path))
        return pack(seen, None, words.translate, words["page"]["caution_scenes"])

    seeds = range(100, 100 + CROWD)
    with ThreadPoolExecutor(CROWD) as threads:
        together = list(threads.map(visit, seeds))
    assert len(set(together)) == CROWD
    differ = [_difference(alone(seed), found) for seed, found in zip(seeds, together, strict=True)]
    assert differ == [""] * CROWD


def test_a_new_session_costs_next_to_nothing_and_a_failed_look_leaves_our_picture(
    server: Server, monkeypatch: pytest.MonkeyPatch, looks: dict[str, Any]
) -> None:
    """Gradio described every component for each new name: 22 ms in the thread that serves everybody, and 270 kB."""
    page = page_of(server)
    described = [0]

    def counted(*given: Any, real: Any = BlocksConfig.config_for_block, **named: Any) -> Any:
        described[0] += 1
        return real(*given, **named)

    monkeypatch.setattr(BlocksConfig, "config_for_block", staticmethod(counted))
    made = [SessionState(page) for _ in range(20)]
    assert described == [0]
    assert not any(one for state in made for one in state.config_values.values())
    assert len(server.http.get(f"{server.url}config").json()["components"]) == len(page.blocks)
    # With an empty stage, Gradio replaced our picture by a plain `gr.Image` for this visitor, which accepted any path.
    picture_part, *_ = [  # that of the page in English; each language has its own
        part for part in page.blocks.values() if part.elem_id == "picture" and part.preprocess.__name__ == "path_of"
    ]
    followers = [one for one in page.fns.values() if picture_part in one.outputs and one.trigger_only_on_failure]
    assert followers
    for one in followers:
        asked = {"fn_index": one._id, "data": [*looks["data"], None], "session_hash": "fails"}
        assert server.http.post(f"{server.url}{API}run/predict", json=asked).status_code == 200
    assert page.state_holder["fails"][picture_part._id] is picture_part


def _difference(one: bytes, other: bytes) -> str:
    """Where two payloads begin to differ, with what stands there; "" if they do not."""
    if one == other:
        return ""
    at = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return f"{len(one)} and {len(other)} bytes, from {at}: {one[at - 40 : at + 40]!r}, {other[at - 40 : at + 40]!r}"
