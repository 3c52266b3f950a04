"""A page without a server: pack.js and steps.js give what the server sends, and an export says which network is not on board."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

from support.checkpoints import save_vit
from support.english import EXPORT
from support.exported import MEAN, activated, noise, seen_by, seen_of
from support.families import family
from support.node import needs_node, run_node
from support.paths import DEIT, ROOT
from vizapp import pipeline
from vizapp.analysis import Truth
from vizapp.browser.network import pack_network
from vizapp.cli import main
from vizapp.core.signals.embedding import embedding_of
from vizapp.core.signals.steps import steps_to
from vizapp.model.toy.lessons import LESSONS
from vizapp.pipeline import Analysis
from vizapp.ui.examples import Asked, Place
from vizapp.ui.viewer import payload
from vizapp.ui.viewer.answers.embedding import in_json as embedding_in_json
from vizapp.ui.viewer.answers.steps import in_json
from vizapp.ui.words import words_for

DEIT_NAME = f"file:{DEIT}?arch=deit_tiny_patch16_224"


def write_pass(folder: Path, net: str, seen: Analysis, **said: object) -> None:
    """Raw arrays of a pass, as the forward in the browser gives them, and what the server sends of it."""
    trace, layout = seen.trace, seen.trace.layout
    assert seen.context is not None
    assert seen.context.norms, "the pass was listened to"
    blank = torch.full((layout.n_prefix,), torch.nan)  # of no patch: nobody may look at them
    norms = torch.stack([torch.cat([blank, one.float()]) for one in seen.context.norms])
    logits = trace.logits if trace.logits is not None else torch.zeros(0)
    arrays = {"logits": logits, "norms": norms}
    for index, layer in enumerate(trace.layers):
        arrays |= {f"q.{index}": layer.q, f"k.{index}": layer.k}
        if layer.bias is not None:
            arrays[f"bias.{index}"] = layer.bias.expand(layer.n_heads, layer.n_queries, layer.n_keys)
    if "pool" in trace.queries:
        found = trace.cross[0].map()[:, 0]
        arrays["pool"] = torch.cat([torch.zeros(len(found), layout.n_tokens - found.shape[1]), found], 1)
    for name, tensor in arrays.items():
        (folder / f"{net}.{name}").write_bytes(tensor.float().contiguous().numpy().tobytes())
    for index, truth in enumerate(seen.truth):
        (folder / f"{net}.mask.{index}").write_bytes(truth.mask.astype(np.uint8).tobytes())
    picture, kind = payload._encode(seen.picture)
    (folder / f"{net}.picture").write_bytes(picture)
    network = {
        "name": seen.model_name,
        "size": seen.frame.input,
        "patch": seen.frame.input[0] // layout.grid[0],
        "heads": trace.layers[0].n_heads,
        "headDim": trace.layers[0].width,
        "prefix": layout.prefix,
        "labels": seen.labels,
        "activation": seen.activation,
        "readout": trace.readout,
        "relative": "bias.0" in arrays,
        "pooling": {"heads": trace.cross[0].n_heads, "headDim": trace.cross[0].width, "prefix": False}
        if trace.cross
        else None,
    }
    frame = {name: getattr(seen.frame, name) for name in ("picture", "input", "scale", "origin")}
    told = [{"name": one.name, "object": one.is_object} for one in seen.truth]
    about = {"type": kind, "frame": frame, "notes": seen.notes, "truth": told, **said}
    (folder / f"{net}.json").write_text(
        json.dumps({"layers": len(trace.layers), "network": network, "said": about}), "utf-8"
    )


def a_lesson() -> tuple[Analysis, Asked]:
    """The toy network on a scene of which is known what is where, and what is asked of it."""
    lesson = LESSONS["clutter"]
    example = lesson.example(0, 448)
    truth = tuple(Truth(thing.name, thing.mask) for thing in example.objects)
    return seen_by("toy", example.picture, truth), Asked(Place("clutter", 0), lesson, (lesson.classes[1],))


NETS: dict[str, Callable[[Path], Analysis]] = {
    "photo": lambda folder: seen_by(save_vit(folder / "p.safetensors"), noise(1300, 900)),
    "registers": lambda folder: seen_by(save_vit(folder / "r.safetensors", reg_tokens=2), noise(48, 64)),
    "mean": lambda folder: seen_by(save_vit(folder / "m.safetensors", **MEAN), noise(40, 40)),
    "distilled": lambda folder: seen_by(save_vit(folder / "d.safetensors", distilled=True), noise(300, 280)),
    "sink": lambda folder: seen_by(save_vit(folder / "s.safetensors", img_size=64, sink=20), noise(64, 64)),
    "crate": lambda folder: seen_by("crate", noise(112, 140)),
    "yes": lambda folder: activated("sigmoid", folder),
    "regression": lambda folder: activated("none", folder),
    "beit": lambda folder: seen_of(family("beit", img_size=96), noise(96, 120)),
    "pool": lambda folder: seen_of(family("pool-registers", img_size=96), noise(96, 120)),
    "wide": lambda folder: seen_by(save_vit(folder / "w.safetensors", img_size=(32, 64)), noise(64, 99)),
}


@needs_node
def test_files_are_those_of_the_server(tmp_path: Path) -> None:
    """Toy with a lesson, its masks and a caution; a photo; factors and matrices; registers, two readouts, none, a sink."""
    nets = {name: make(tmp_path) for name, make in NETS.items()}
    for name, seen in nets.items():
        write_pass(tmp_path, name, seen)
        (tmp_path / f"{name}.viz").write_bytes(payload.pack(seen))
    seen, asked = a_lesson()
    said = {"caution": "It knows no photos.", "notes": [], "lesson": payload.about_lesson(asked, str)}
    write_pass(tmp_path, "toy", seen, **said)
    (tmp_path / "toy.viz").write_bytes(payload.pack(seen, asked, caution=said["caution"]))
    if DEIT.exists():
        nets["deit"] = seen_by(DEIT_NAME, noise(400, 300))
        write_pass(tmp_path, "deit", nets["deit"])
        (tmp_path / "deit.viz").write_bytes(payload.pack(nets["deit"]))
    kinds = {payload.Packed.of((tmp_path / f"{name}.viz").read_bytes()).is_complete for name in nets}
    assert kinds == {True}
    (tmp_path / "nets.json").write_text(json.dumps(["toy", *nets]), "utf-8")
    run_node("pack.test.js", tmp_path)


OPTIONS = {
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
    for net in (*OPTIONS, *FAMILIES):
        if net in FAMILIES:
            seen = seen_of(family(net, img_size=112 if net == "eva02" else 64), noise(40, 52))
        else:
            seen = seen_by(save_vit(tmp_path / f"{net}.safetensors", **OPTIONS[net]), noise(40, 52))
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


SCENE = str(ROOT / "assets" / "examples" / "scene-1.jpg")


def test_an_export_says_why_a_network_is_not_on_board(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In the terminal, and in the page in each of its languages."""
    site = tmp_path / "site"
    asked = ["--model", "timm:cait_xxs24_224?pretrained=no", "--pictures", SCENE, "--site", str(site)]
    assert main(["export", *asked]) == 0
    assert "talking heads" in capsys.readouterr().out
    about = json.loads(re.search(r'id="about">(.*?)</script>', (site / "index.html").read_text("utf-8"), re.DOTALL)[1])
    (model,) = about["models"]
    assert model["blob"] is None
    assert sorted(model["why"]) == sorted(about["languages"])
    assert "talking heads" in model["why"]["en"]
    assert model["why"]["zh"] != model["why"]["en"]


def test_a_page_of_named_pictures_says_that_it_has_no_textbook(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["export", "--pictures", SCENE, "--lang", "en", "-o", str(tmp_path / "page.html")])
    assert "The textbook is not in it: --lessons adds it" in capsys.readouterr().out
