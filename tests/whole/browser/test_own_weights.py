"""Weights of one's own, chosen beside the field of models or dropped on the page."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest
import timm
import torch
from playwright.sync_api import expect
from safetensors.torch import save_file

from support.dragging import Dragged
from support.serving import Server
from support.together import together
from support.viz import Viz
from vizapp.errors import VizError
from vizapp.model.named_weights import full_name

ONE_PAGE = "as it opened"

ARCH = "vit_tiny_patch16_224"
FIELD = "#model input"


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
    from vizapp.ui.server import folder
    from vizapp.ui.session import Session

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
    from vizapp.ui.session import Session

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
