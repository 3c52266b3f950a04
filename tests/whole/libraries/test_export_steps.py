"""vizapp/browser/engine/steps.js: how a number came about, told in the browser with the server's numbers."""

import json
import re
from pathlib import Path

from support.checkpoints import save_vit
from support.exported import MEAN, noise, seen_by, seen_of
from support.families import family
from support.node import needs_node, run_node
from support.paths import ROOT
from vizapp import pipeline
from vizapp.browser.network import pack_network
from vizapp.core.signals.embedding import embedding_of
from vizapp.core.signals.steps import steps_to
from vizapp.ui.viewer.answers.embedding import in_json as embedding_in_json
from vizapp.ui.viewer.answers.steps import in_json
from vizapp.ui.words import words_for
from vizapp.ui.words.en import EXPORT

NETS = {
    "registers": {"reg_tokens": 2, "init_values": 0.3},
    "normed": {"qk_norm": True, "distilled": True},
    "pre_norm": {"pre_norm": True},
    "wide": {"embed_dim": 64, "patch_size": 16, "img_size": (64, 64)},
    "mean": {**MEAN, "qkv_bias": False},
    "features": {"num_classes": 0},
}
FAMILIES = ("dinov3-plus", "eva02", "beit", "siglip")
ASKED = ((0, 5, 7), (-1, 1, 0), (1, 3, 3))
PATCHES = ((0, 0, None), (3, 1, 7), (2, 3, None))


@needs_node
def test_steps_are_those_of_the_server(tmp_path: Path) -> None:
    told = []
    for net in (*NETS, *FAMILIES):
        if net in FAMILIES:
            seen = seen_of(family(net, img_size=112 if net == "eva02" else 64), noise(40, 52))
        else:
            seen = seen_by(save_vit(tmp_path / f"{net}.safetensors", **NETS[net]), noise(40, 52))
        assert seen.context is not None
        ready = seen.context.ready()
        (tmp_path / f"{net}.vzn").write_bytes(pack_network(ready.model, half=False))
        (tmp_path / f"{net}.pixels").write_bytes(ready.pixels[0].contiguous().numpy().tobytes())
        asked = [(layer % len(seen.trace.layers), *tokens) for layer, *tokens in ASKED]
        answers = [
            in_json(seen, steps_to(ready.model, ready.pixels, seen.trace, *what), words_for("en")) for what in asked
        ]
        assert not any(answer["left_out"] for answer in answers)
        patches = [
            {"what": what, "answer": embedding_in_json(embedding_of(ready.model, ready.pixels, seen.trace, *what))}
            for what in PATCHES
        ]
        told.append(
            {
                "net": net,
                "asked": [{"what": w, "answer": a} for w, a in zip(asked, answers, strict=True)],
                "patches": patches,
            }
        )
    (tmp_path / "crate.vzn").write_bytes(pack_network(pipeline.load("crate", "cpu")))
    (tmp_path / "steps.json").write_text(json.dumps(told), "utf-8")
    run_node("steps.test.js", tmp_path)


def test_each_refusal_has_words() -> None:
    files = (ROOT / "vizapp" / "browser" / "engine" / name for name in ("steps.js", "patch.js"))
    code = "".join(one.read_text("utf-8") for one in files)
    assert set(re.findall(r'"(steps[A-Z]\w*)"', code)) == {key for key in EXPORT if key.startswith("steps")}
