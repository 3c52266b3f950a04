"""The model field in a browser: suggestions, what submits and what does not, what was looked at before; weights of one's own."""

import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import timm
import torch
from playwright.sync_api import expect
from safetensors.torch import save_file

from support import hub
from support.serving import Server
from support.together import together
from support.viz import Dragged, Viz
from support.waiting import patience
from vizapp.errors import VizError
from vizapp.model import downloads
from vizapp.model import timm_names as table
from vizapp.model.named_weights import full_name
from vizapp.ui import zero_gpu
from vizapp.ui.model_field import choices
from vizapp.ui.progress import Report
from vizapp.ui.server import folder
from vizapp.ui.session import Session
from vizapp.ui.words import words_for

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
    """Each control has a ring, of its own or around it. More of them stand there for somebody who has used other models."""
    ringless, seen = [], 0
    for opener in ("model-chip", "plus"):
        viz.drawer(opener)
        viz.page.locator(".drawer.is-open").locator("input, button").first.focus()
        for _ in range(8):
            at = viz.page.evaluate(RING)
            seen += at is not None
            ringless += [at["is"]] if at and not at["ring"] else []
            viz.page.keyboard.press("Tab")
        viz.page.keyboard.press("Escape")
    assert seen > 5
    assert not ringless


def test_a_public_page_offers_its_list_only(server: Server) -> None:
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
    kept = tmp_path / "models--timm--vit_small_patch16_224.dino" / "snapshots" / "1"
    kept.mkdir(parents=True)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    session, words = Session(["toy", "timm:vit_small_patch16_224.dino"], ""), words_for("en")
    (kept / "config.json").write_text("{}")
    assert dict(map(reversed, choices(session, words)))["timm:vit_small_patch16_224.dino"] == "DINO ViT-S/16 \u2193"
    (kept / "model.safetensors").write_bytes(b"")
    assert dict(map(reversed, choices(session, words)))["timm:vit_small_patch16_224.dino"] == "DINO ViT-S/16"


def test_what_loads_is_named() -> None:
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


ARCH = "vit_tiny_patch16_224"


@pytest.fixture(scope="module")
def state() -> dict[str, torch.Tensor]:
    torch.manual_seed(0)
    return {name: one.contiguous() for name, one in timm.create_model(ARCH, num_classes=10).state_dict().items()}


def write(path: Path, state: dict[str, torch.Tensor], **metadata: str) -> Path:
    save_file(state, path, metadata or None)
    return path


def file_of(name: str) -> Path:
    return Path(name.removeprefix("file:").partition("?")[0])


def choose(viz: Viz, path: Path) -> None:
    viz.page.set_input_files("#own-weights input[type=file]", path)


def test_what_a_file_does_not_say_is_asked_for(viz: Viz, tmp_path: Path, state: dict[str, torch.Tensor]) -> None:
    """The error that a name without it has; the field holds all but the architecture, which is typed behind it."""
    before = viz.js("payload.model")
    choose(viz, write(tmp_path / "mine.safetensors", state))
    expect(viz.page.locator(".toast-body").last).to_contain_text("does not say which architecture")
    viz.page.wait_for_function(f"document.querySelector('{FIELD}').value.endsWith('mine.safetensors?arch=')")
    assert viz.js("payload.model") == before
    expect(viz.page.locator("ul[role=listbox] li")).to_have_count(0), "no list lies over the page"
    viz.page.keyboard.type(ARCH)
    viz.page.keyboard.press("Enter")
    viz.wait_for_maps()
    assert viz.js("payload.model") == f"mine ({ARCH})"


def test_a_file_that_says_its_network_can_be_dropped_anywhere(
    viz: Viz, tmp_path: Path, state: dict[str, torch.Tensor]
) -> None:
    """By its metadata."""
    Dragged(viz, write(tmp_path / "mine.safetensors", state, arch=ARCH)).drop()
    viz.page.wait_for_function(f"document.querySelector('{FIELD}').value.endsWith('mine.safetensors?arch={ARCH}')")
    viz.wait_for_maps()  # of this choice: the field has it, and the page tells of its end
    assert viz.js("payload.model") == f"mine ({ARCH})"
    assert viz.js("payload.layers.length") == 12


def test_files_that_are_none_or_too_large_are_said_and_one_of_our_own_needs_no_name(
    viz: Viz, models: SimpleNamespace, tmp_path: Path
) -> None:
    (tmp_path / "torn.safetensors").write_bytes(b"no weights at all")
    before = viz.page.locator(FIELD).input_value()
    choose(viz, tmp_path / "torn.safetensors")
    expect(viz.page.locator(".toast-body").last).to_contain_text("not a whole safetensors file")
    expect(viz.page.locator(FIELD)).to_have_value(before)
    expect(viz.page.locator("#choose")).to_be_visible()
    viz.page.evaluate("gradio_config.max_file_size = 1")
    (tmp_path / "big.safetensors").write_bytes(b"12345")
    Dragged(viz, tmp_path / "big.safetensors").drop()
    expect(viz.page.locator(".strip-said")).to_contain_text("file:FOLDER/big.safetensors")
    viz.page.evaluate("gradio_config.max_file_size = 2 ** 30")
    choose(viz, file_of(models.wide))
    viz.wait_for_maps()
    assert viz.js("payload.grid") == [4, 6]


def test_a_pickle_that_was_sent_is_not_opened(tmp_path: Path, state: dict[str, torch.Tensor]) -> None:
    """Neither by its place, nor by a link to it; the same file elsewhere is, as its owner typed where it lies."""
    session, sent = Session(["toy"], ""), folder.current().path / "sent"
    sent.mkdir(exist_ok=True)
    torch.save(state, sent / "mine.pth")
    (tmp_path / "link.pt").symlink_to(sent / "mine.pth")
    for path in (f"{sent}/mine.pth", f"{sent}/../sent/mine.pth", f"{tmp_path}/link.pt"):
        for name in (f"file:{path}?arch={ARCH}", path):
            with pytest.raises(VizError, match="An uploaded file is opened only if it is safetensors"):
                session.request("a.png", name, None)
    shutil.copy(sent / "mine.pth", tmp_path / "mine.pth")
    assert session.request("a.png", f"file:{tmp_path}/mine.pth?arch={ARCH}", None).model.startswith("file:")


def test_weights_on_the_stage_are_not_deleted(server: Server) -> None:
    session = Session(["toy"], "")
    session.want("somebody", session.request("a.png", "file:/folder/mine.safetensors?arch=x", None))
    assert "/folder/mine.safetensors" in session.sources()


@together(
    ("name", "metadata", "found"),
    [
        ("mine.safetensors", {"architecture": "vit_tiny_patch16_224.augreg_in21k"}, ARCH),
        ("mine.safetensors", {"model": f"timm/{ARCH}"}, ARCH),
        ("vit_tiny_patch16_224-epoch9.safetensors", {}, ARCH),
        ("vit_tiny_patch16_224_in21k.safetensors", {}, ARCH),
        ("vit_tiny_patch16_2245.safetensors", {}, ""),
        ("mine.safetensors", {"architecture": "nonsense", "format": "pt"}, ""),
    ],
)
def test_which_network_a_file_is_of(tmp_path: Path, name: str, metadata: dict[str, str], found: str) -> None:
    path = write(tmp_path / name, {"a": torch.zeros(1)}, **metadata)
    if found:
        assert full_name(path, {ARCH, "vit_tiny_patch16"}) == f"file:{path}?arch={found}"
    else:
        with pytest.raises(VizError, match="does not say which architecture"):
            full_name(path, {ARCH})
