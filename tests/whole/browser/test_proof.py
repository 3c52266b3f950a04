"""What proves the maps, on the page: the mark "exact" and what opens from it, and no map at all where the proof fails."""

import gc
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import timm

from support.english import VIEWER
from support.serving import Server
from support.viz import Viz
from vizapp import pipeline
from vizapp.core.capture.proof import proof as proof_of
from vizapp.core.capture.watch import Watch
from vizapp.core.methods import methods
from vizapp.model.own_network import describe as describe_own
from vizapp.ui.viewer.answers import proof
from vizapp.ui.viewer.run import Run
from vizapp.ui.words import words_for

ONE_PAGE = "as it opened"


def test_the_mark_opens_what_was_proven_of_each_layer(viz: Viz, models: SimpleNamespace) -> None:
    mark = viz.find("proof")
    assert mark.locator("summary").inner_text() == VIEWER["proof_mark"]
    panel = viz.find("proof-panel")
    assert not panel.is_visible()
    before = viz.page.evaluate("document.documentElement.scrollHeight"), viz.find("prediction").bounding_box()
    mark.locator("summary").click()
    found = proof_of(pipeline.load(models.registers, "cpu"))
    rows = [row.locator("td").all_inner_texts() for row in viz.find("proof-layers").locator("tr").all()]
    assert len(rows) == viz.js("viewer.payload.layers.length") == len(found.calls) == 3
    for number, (row, call) in enumerate(zip(rows, found.calls, strict=True), 1):
        shape = "1 \u00d7 4 \u00d7 19 \u00d7 19"
        assert row[:4] == [str(number), call.name, shape, "19 tokens (cls + reg0 + reg1 + 4x4 patches)"]
    said = viz.find("proof-said").inner_text()
    assert VIEWER["proof_all"].format(softmaxes=3) in said
    assert "It does." in said
    for column in ("layer", "shape", "tokens", "error", "sum"):
        assert VIEWER[f"proof_{column}_help"] in panel.inner_text(), "each column says what it means"
    after = viz.page.evaluate("document.documentElement.scrollHeight"), viz.find("prediction").bounding_box()
    assert after == before, "nothing moves"
    query = viz.js("view.chosen")
    viz.press("ArrowRight")
    assert viz.js("view.chosen") == query, "keys that scroll the panel move no patch"
    viz.press("Escape")
    assert not panel.is_visible()
    mark.locator("summary").press(" ")
    assert panel.is_visible()
    assert viz.find("play").get_attribute("aria-pressed") == "false"
    viz.page.locator("#heading h1").click()
    assert not panel.is_visible(), "a click elsewhere closes it"


def test_windows_are_listed_too(viz: Viz) -> None:
    viz.choose_model("timm:swin_tiny_patch4_window7_224?pretrained=no&size=56")
    viz.find("proof").locator("summary").click()
    cells = viz.find("proof-layers").locator("tr").first.locator("td").all_inner_texts()
    assert cells[2] == "4 \u00d7 3 \u00d7 49 \u00d7 49"
    assert cells[5].startswith("1")


def test_a_network_that_is_shown_in_part_is_not_called_exact_without_a_word(viz: Viz) -> None:
    viz.choose_model("timm:nextvit_small?pretrained=no")
    mark = viz.find("proof").locator("summary")
    assert mark.inner_text() == VIEWER["proof_mark_part"]
    mark.click()
    first, second, third, ruled_out, *_ = viz.find("proof-said").locator("p").all_inner_texts()
    assert first.startswith(
        "Only 1 of 4 attentions of this network are shown: stages.1.blocks.3.e_mhsa and 2 more are not"
    )
    assert second.startswith("stages.2.blocks.4.e_mhsa is not shown, as ")
    assert third.startswith("stages.2.blocks.9.e_mhsa is not shown, as ")
    assert ruled_out.startswith("Ruled out: ")
    assert methods()["rollout"].title in ruled_out


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> str:
    """A model, and a capture that forgets the scale."""
    call = Watch._call

    def forget(self: Watch, *args: Any, **parts: Any) -> Any:
        return call(self, *args, **parts | {"scale": 1.0})

    monkeypatch.setattr(Watch, "_call", forget)
    return "timm:vit_tiny_patch16_224?pretrained=no&size=64"


def test_a_model_that_fails_shows_the_reason_instead_of_maps(
    viz: Viz, server: Server, models: SimpleNamespace, pictures: SimpleNamespace, broken: str
) -> None:
    server.heard()
    viz.choose_model(broken, wait=False)
    refusal = viz.find("refusal")
    refusal.wait_for(state="visible")
    for words in (
        broken,
        "blocks.0.attn: attention x values differs",
        VIEWER["refused"],
        VIEWER["refused_why"],
        "Choose another model",
    ):
        assert words in refusal.inner_text()
    assert "vizapp: The maps of" in server.heard()
    for part in ("picture", "atlas", "status", "proof"):
        assert not viz.find(part).is_visible()
    assert viz.js("viewer.payload") is None
    viz.press("]")  # and nothing that one may still do fails
    again = server.analyse(server.upload(pictures.square.read_bytes()), broken)
    assert (again["file"], len(again["refused"])) == (None, 2), "from now on not even the first map is sent"
    viz.choose_model(models.wide)
    assert viz.find("picture").is_visible()
    assert not refusal.is_visible()


def test_who_asks_for_maps_that_nobody_knows_learns_nothing(viz: Viz, server: Server) -> None:
    assert viz.js("viewer.ask('proof', 'no such run').then((said) => Object.keys(said))") == []


def test_the_proof_outlives_the_description_that_was_analysed() -> None:
    """What an analysis measures (a readout) is said in a description of its own, which goes with that analysis."""
    net = timm.create_model("vit_tiny_patch16_224", img_size=32, depth=2).eval()
    model = replace(describe_own(net), name="one of many")
    seen = pipeline.analyse(model, np.zeros((32, 32, 3), np.uint8))
    proof.remember(Run("run", seen, model, pipeline.analyse, (), True))
    del model, seen
    gc.collect()
    assert len(proof.answer("run", None, words_for("en"))["layers"]) == 2
    del net
    gc.collect()
    assert proof.answer("run", None, words_for("en")) == {}, "and keeps no network alive"
