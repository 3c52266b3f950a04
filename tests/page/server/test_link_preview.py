"""What is seen of the page before it is opened."""

import io
import re

import pytest
from PIL import Image

from support.serving import Server, serving
from vizapp.ui.words.en import PAGE


def meta(html: str) -> dict[str, str]:
    html = re.sub(r"<!--.*?-->", "", html, flags=re.DOTALL)
    return dict(re.findall(r'<meta\s+(?:name|property)="([\w:]+)"\s+content="([^"]*)"', html))


def test_a_link_has_a_title_a_description_and_a_picture(server: Server) -> None:
    said = meta(server.http.get(server.url).text)
    assert said["og:title"] == PAGE["window"]
    assert said["og:description"].startswith(PAGE["description"][:40])
    answer = server.http.get(server.url + said["og:image"])
    assert answer.headers["content-type"] == "image/png"
    assert Image.open(io.BytesIO(answer.content)).size == (1200, 630)


def test_a_space_names_the_whole_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPACE_HOST", "someone-vizapp.hf.space")
    with serving("toy") as running:
        assert meta(running.http.get(running.url).text)["og:image"] == "https://someone-vizapp.hf.space/card.png"


def test_the_icon_is_ours(server: Server) -> None:
    answer = server.http.get(f"{server.url}favicon.ico")
    assert answer.headers["content-type"].startswith("image/svg+xml")
    assert "<svg" in answer.text
