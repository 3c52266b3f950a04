"""/health and /ready, and what is seen of the page before it is opened."""

import io
import re
import threading
from pathlib import Path

import pytest
from PIL import Image
from starlette.responses import PlainTextResponse
from starlette.testclient import TestClient

from support.english import PAGE
from support.serving import Server, serving
from vizapp.ui.jobs import Job, Processor
from vizapp.ui.limits import Limits
from vizapp.ui.server.health import Health


def test_a_page_that_runs_is_healthy_and_ready(server: Server, tmp_path: Path) -> None:
    assert server.http.get(f"{server.url}health").json() == {"alive": True}
    assert server.http.get(f"{server.url}ready").json() == {"ready": True, "why": []}
    assert server.http.head(f"{server.url}ready").status_code == 200
    client = TestClient(Health(PlainTextResponse("page"), str(tmp_path)))
    assert client.get("/healthy").text == client.post("/health").text == "page"


def test_a_full_queue_is_not_ready(tmp_path: Path) -> None:
    processor, go = Processor(Limits(in_all={"map": 3, "ask": 0, "long": 0})), threading.Event()
    client = TestClient(Health(PlainTextResponse("page"), str(tmp_path), processor, least_disk=0))
    threads = [threading.Thread(target=processor.run, args=(Job(), go.wait)) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        while processor.has_room():  # one runs, two come to wait
            pass
        answer = client.get("/ready")
        assert (answer.status_code, answer.json()["why"]) == (503, ["the queue is full"])
        assert client.get("/health").status_code == 200, "it is not to be restarted for that"
    finally:
        go.set()
        for thread in threads:
            thread.join()
    assert client.get("/ready").status_code == 200


@pytest.mark.parametrize(
    ("folder", "least", "why"), [(".", 2**62, "the disk is full"), ("gone", 0, "the folder of uploads cannot be used")]
)
def test_without_a_disk_it_is_not_ready(tmp_path: Path, folder: str, least: int, why: str) -> None:
    client = TestClient(Health(PlainTextResponse("page"), str(tmp_path / folder), Processor(), least_disk=least))
    answer = client.get("/ready")
    assert (answer.status_code, answer.json()) == (503, {"ready": False, "why": [why]})


def meta(html: str) -> dict[str, str]:
    html = re.sub(r"<!--.*?-->", "", html, flags=re.DOTALL)
    return dict(re.findall(r'<meta\s+(?:name|property)="([\w:]+)"\s+content="([^"]*)"', html))


def test_a_link_has_a_title_a_description_a_picture_and_our_icon(server: Server) -> None:
    said = meta(server.http.get(server.url).text)
    assert said["og:title"] == PAGE["window"]
    assert said["og:description"].startswith(PAGE["description"][:40])
    answer = server.http.get(server.url + said["og:image"])
    assert answer.headers["content-type"] == "image/png"
    assert Image.open(io.BytesIO(answer.content)).size == (1200, 630)
    answer = server.http.get(f"{server.url}favicon.ico")
    assert answer.headers["content-type"].startswith("image/svg+xml")
    assert "<svg" in answer.text


def test_a_space_names_the_whole_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPACE_HOST", "someone-vizapp.hf.space")
    with serving("toy") as running:
        assert meta(running.http.get(running.url).text)["og:image"] == "https://someone-vizapp.hf.space/card.png"
