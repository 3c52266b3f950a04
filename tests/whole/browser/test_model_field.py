"""The model field in a browser: suggestions as one types, what submits and what does not, what was looked at before."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from playwright.sync_api import expect

from support import hub
from support.serving import Server
from support.viz import Viz
from support.waiting import patience
from vizapp.model import downloads
from vizapp.model import timm_names as table
from vizapp.ui import zero_gpu

ONE_PAGE = "as it opened"

FIELD = "#model input"
RING = """() => {
  const found = document.activeElement;
  const isRing = (one) => one && getComputedStyle(one).outline.endsWith("solid 3px");
  if (!found.closest(".drawer")) return null;
  return { is: found.outerHTML, ring: [found, found.closest("label"), found.closest(".wrap")].some(isRing) };
}"""
LIST = "#model ul[role=listbox] li, ul[role=listbox] li"


def typed(viz: Viz, text: str) -> list[str]:
    """What the list shows after that was typed."""
    viz.drawer("model-chip")
    viz.page.focus(FIELD)  # no click: a list that is open may lie over it
    viz.painted()  # what stood there is selected
    viz.page.keyboard.press("ControlOrMeta+a")
    viz.page.keyboard.type(text)
    viz.painted()
    return [one.replace("\u2713", "").strip() for one in viz.page.locator(LIST).all_inner_texts()]


def only(viz: Viz, part: str) -> None:
    """Until the list shows names with this part, and no others: what was typed before may still stand there."""
    viz.page.wait_for_function(
        """([list, part]) => {
          const found = [...document.querySelectorAll(list)];
          return found.length > 0 && found.every((one) => one.innerText.includes(part));
        }""",
        arg=[LIST, part],
    )


def asked_for(viz: Viz) -> list[str]:
    return [one for one in viz.requests if "queue/join" in one or "/run/" in one]


def test_names_are_suggested_in_the_browser_and_half_a_word_is_not_submitted(viz: Viz) -> None:
    before = viz.page.locator(FIELD).input_value()
    viz.requests.clear()
    typed(viz, "deit_s")
    only(viz, "deit_s")
    expect(viz.page.locator(LIST).get_by_text("deit_small_patch16_224 \u00b7 22.1 M \u2193")).to_be_visible()
    assert viz.requests == [], "the server is not asked"
    typed(viz, "swin_t")
    only(viz, "swin_t")
    viz.page.keyboard.press("Escape")

    # The first letter draws sixty of 640: all of them took half a second.
    viz.drawer("model-chip")
    viz.page.click(FIELD)
    viz.page.keyboard.press("ControlOrMeta+a")
    viz.page.evaluate(
        """async (field) => {
          const input = document.querySelector(field);
          input.value = "v";
          input.dispatchEvent(new Event("input", { bubbles: true }));
          input.dispatchEvent(new KeyboardEvent("keydown", { key: "v", bubbles: true }));
          await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
        }""",
        FIELD,
    )
    assert viz.page.locator(LIST).count() <= 61
    viz.page.evaluate("document.activeElement.blur()")

    # By Tab, by a click elsewhere, after Escape: what was chosen before stands there again, and nothing is asked for.
    for leave in (
        lambda: viz.page.keyboard.press("Tab"),
        lambda: viz.page.mouse.click(5, 400),
        lambda: (viz.page.keyboard.press("Escape"), viz.page.keyboard.press("Tab")),
    ):
        typed(viz, "vit_tin")
        viz.requests.clear()
        leave()
        expect(viz.page.locator(FIELD)).to_have_value(before)
        viz.idle()  # a choice would come to its end
        viz.page.evaluate("fetch('/health?later')")
        viz.until(lambda: any("health?later" in one for one in viz.requests))
        assert asked_for(viz) == []


def test_enter_takes_the_name_that_was_typed_or_says_why_not(viz: Viz) -> None:
    """It lies within samvit_base_patch16_224, whose weights are random. Without a network there is neither: the stage stays."""
    before, grid = viz.page.locator(FIELD).input_value(), viz.js("payload.grid")
    typed(viz, "vit_base_patch16_224")
    viz.page.keyboard.press("Enter")
    expect(viz.page.get_by_text("The weights of vit_base_patch16_224 could not be downloaded")).to_be_visible()
    expect(viz.page.locator(FIELD)).to_have_value(before)
    viz.idle()  # that the choice is taken back is a choice, too
    viz.drawer("model-chip")
    viz.page.locator(FIELD).fill("vit_tinny_patch16_224")
    viz.page.locator(FIELD).press("Enter")
    expect(viz.page.get_by_text("Did you mean timm:vit_tiny_patch16_224")).to_be_visible()
    expect(viz.page.locator(FIELD)).to_have_value(before)
    assert viz.js("payload.grid") == grid


def test_a_name_is_asked_for_while_the_one_before_is_on_its_way(
    viz: Viz, models: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And replaces it, if that was slow or fails. By itself Gradio waits for the first answer, or drops the second choice."""
    analyse, begun, end = zero_gpu.analyse, threading.Event(), threading.Event()

    def held(model: Any, *given: Any) -> Any:
        begun.set()
        assert end.wait(patience())
        return analyse(model, *given)

    monkeypatch.setattr(zero_gpu, "analyse", held)
    viz.choose_model(models.average, wait=False)
    viz.until(begun.is_set)
    with viz.page.expect_request(lambda one: "queue/join" in one.url and models.wide in (one.post_data or "")):
        viz.choose_model(models.wide, wait=False)
    end.set()
    viz.wait_for_maps()
    assert viz.js("payload.grid") == [4, 6]


def test_the_keyboard_is_seen_in_the_drawers(viz: Viz) -> None:
    """Each control has a ring, of its own or around it."""
    ringless, seen = [], 0
    for opener in ("model-chip", "plus"):
        viz.drawer(opener)
        viz.page.locator(".drawer.is-open").locator("input, button").first.focus()
        for _ in range(8):
            viz.page.keyboard.press("Tab")
            at = viz.page.evaluate(RING)
            seen += at is not None
            ringless += [at["is"]] if at and not at["ring"] else []
        viz.page.keyboard.press("Escape")
    assert seen > 5
    assert not ringless


def test_a_public_page_offers_its_list_only(server: Server) -> None:
    from vizapp.ui.model_field import choices
    from vizapp.ui.session import Session
    from vizapp.ui.words import words_for

    words = words_for("en")
    own, public = (
        choices(Session(["toy", "timm:vit_small_patch16_224.dino"], "", public=one), words) for one in (False, True)
    )
    assert [name for _, name in public] == ["toy", "timm:vit_small_patch16_224.dino"]
    assert len(own) >= len(table.trained()) >= 500
    assert len({name for _, name in own}) == len(own)
    assert own[0] == ("toy world", "toy")
    assert not [name for _, name in own if "pretrained=no" in name], "random weights are asked for by name"
    found = {one.name: next(name for label, name in own if one.name in label.lower()) for one in table.trained()}
    assert not {typed: name for typed, name in found.items() if name != f"timm:{typed}"}, "Enter takes the first"


def test_the_arrow_goes_with_the_download(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from vizapp.ui.model_field import choices
    from vizapp.ui.session import Session
    from vizapp.ui.words import words_for

    kept = tmp_path / "models--timm--vit_small_patch16_224.dino" / "snapshots" / "1"
    kept.mkdir(parents=True)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    session, words = Session(["toy", "timm:vit_small_patch16_224.dino"], ""), words_for("en")
    (kept / "config.json").write_text("{}")
    assert dict(map(reversed, choices(session, words)))["timm:vit_small_patch16_224.dino"] == "DINO ViT-S/16 \u2193"
    (kept / "model.safetensors").write_bytes(b"")
    assert dict(map(reversed, choices(session, words)))["timm:vit_small_patch16_224.dino"] == "DINO ViT-S/16"


def test_what_loads_is_named() -> None:
    from vizapp.ui.progress import Report
    from vizapp.ui.words import words_for

    said: list[str] = []
    for name in ("timm:vit_small_patch16_224.dino", "file:somewhere/own.safetensors"):
        report = Report(words_for("en"), lambda share, desc: said.append(desc), name)
        report.on_loading()
        report.on_download(1_000_000, 87_000_000)
    assert said == [
        "Loading DINO ViT-S/16 \u2026",
        "Downloading DINO ViT-S/16: 1 of 87 MB",
        "Loading own.safetensors \u2026",
        "Downloading own.safetensors: 1 of 87 MB",
    ]


def test_a_download_shows_megabytes_and_can_be_stopped(
    viz: Viz, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The field returns to the earlier choice, and a second attempt succeeds."""
    monkeypatch.setattr(downloads, "STEP", 2**16)
    before, weights = viz.page.locator(FIELD).input_value(), hub.weights(tmp_path)
    with hub.serving(weights, seconds=8) as url:
        hub.use(url, tmp_path / "cache", monkeypatch)
        viz.choose_model(hub.NAME, wait=False)
        expect(viz.page.locator("#wait")).to_contain_text("Downloading test_vit: 1 of 1 MB")
        viz.page.locator("#look-stop").click()
        expect(viz.page.get_by_text("The earlier maps are shown again.")).to_be_visible()
    expect(viz.page.locator(FIELD)).to_have_value(before)
    expect(viz.page.locator("#look-stop")).to_be_hidden()
    with hub.serving(weights) as url:
        hub.use(url, tmp_path / "cache", monkeypatch)
        viz.choose_model(hub.NAME)
    assert viz.js("payload.grid") == [10, 10]


def test_what_was_looked_through_lately_is_one_click_away(visit: Callable[..., Viz], models: SimpleNamespace) -> None:
    """Enter and a press on the list submit. What they chose is kept by the browser, also after a reload."""
    viz = visit()  # who has looked through nothing
    row = viz.page.locator("#recent button")
    expect(row).to_have_count(0)
    viz.choose_model(models.wide)
    assert viz.js("payload.grid") == [4, 6], "a name in full"
    typed(viz, "toy w")
    viz.page.locator(LIST, has_text="toy world").first.click()
    viz.wait_for_maps()
    assert viz.js("payload.grid") == [14, 14]
    expect(row.first).to_have_text("wide.safetensors")
    viz.reload()
    viz.drawer("model-chip")
    expect(row.filter(has_text="toy world")).to_have_count(0)
    row.filter(has_text="wide.safetensors").click()
    viz.wait_for_maps()
    assert viz.js("payload.grid") == [4, 6]
    expect(row.filter(has_text="wide.safetensors")).to_have_count(0)
