"""vizapp/browser/engine/methods: each map, deletion and insertion, with the numbers that Python has; of taught things, too."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import torch

import vizapp
from support.checkpoints import save_vit
from support.exported import MEAN, activated, noise, seen_by, seen_of
from support.families import family
from support.node import needs_node, run_node
from vizapp.analysis import Analysis
from vizapp.browser.network import pack_network
from vizapp.core.methods import methods
from vizapp.core.methods.rise import random_masks
from vizapp.core.trust.faithfulness import FINE, curves
from vizapp.model.spec import VisionModel
from vizapp.model.toy.lessons import LESSONS

QUICK = ("attention", "rollout", "value_attention", "value_rollout", "alti", "centre", "random")
EVERY: dict[str, dict[str, Any]] = {name: {} for name in (*QUICK, "occlusion")} | {
    "rise": {"masks": 21, "seed": 5},
    "random": {"seed": 12345},
}
NETS: dict[str, dict[str, Any]] = {
    "registers": {"reg_tokens": 2, "init_values": 0.3},
    "normed": {"qk_norm": True, "distilled": True},
    "mean": {**MEAN, "qkv_bias": False, "img_size": (24, 64)},
}


def write(
    folder: Path,
    net: str,
    seen: Analysis,
    asked: dict[str, dict[str, Any]],
    *,
    half: bool,
    target: int | None = None,
    of: VisionModel | None = None,
) -> dict[str, Any]:
    """The network, its pixels, and of each method that is `asked` for the map; deletion and insertion by the first map.

    of  the network itself, where `seen` is an analysis by what it was taught
    """
    ready = seen.of_class(target).ready()
    target = int(ready.explained)
    (folder / f"{net}.vzn").write_bytes(pack_network(of or ready.model, half=half))
    (folder / f"{net}.pixels").write_bytes(ready.pixels[0].contiguous().numpy().tobytes())
    maps = {
        name: vizapp.explain(seen, name, target=target if methods()[name].class_specific else None, **settings).scores
        for name, settings in asked.items()
    }
    scores = next(iter(maps.values()))
    found = curves(ready.model.net, ready.pixels, scores, target, FINE, "mean", ready.model.activation)
    return {
        "net": net,
        "target": target,
        "asked": [{"name": name, "settings": asked[name], "map": one.ravel().tolist()} for name, one in maps.items()],
        "scores": scores.ravel().tolist(),
        "share": found.share.tolist(),
        "deletion": found.deletion.tolist(),
        "insertion": found.insertion.tolist(),
        "areas": found.areas,
    }


@needs_node
def test_maps_and_curves_are_those_of_python(tmp_path: Path) -> None:
    """Random networks of each kind with every method; CRATE on a scene, half precision, with those of few passes."""
    told = [
        write(
            tmp_path,
            net,
            seen_by(save_vit(tmp_path / f"{net}.safetensors", **changes), noise(40, 52)),
            EVERY,
            half=False,
        )
        for net, changes in NETS.items()
    ]
    for net in ("dinov3", "siglip"):
        seen = seen_of(family(net, img_size=64, num_classes=7), noise(40, 52))
        told.append(write(tmp_path, net, seen, EVERY, half=False))
    for kind in ("sigmoid", "none"):  # each output a probability of its own; none at all
        (tmp_path / kind).mkdir()
        told.append(
            write(tmp_path, kind, activated(kind, tmp_path / kind), {"rise": EVERY["rise"]}, half=False, target=2)
        )
    scene = LESSONS["clutter"].example(0, 448).picture
    few = {name: {} for name in QUICK} | {"rise": {"masks": 5}}
    told.append(write(tmp_path, "crate", seen_by("crate", scene), few, half=True))
    (tmp_path / "methods.json").write_text(json.dumps(told), "utf-8")
    run_node("methods.test.js", tmp_path)


def write_taught(
    folder: Path, net: str, seen: Analysis, asked: dict[str, dict[str, Any]], marks: dict[str, list[tuple[int, int]]]
) -> dict[str, Any]:
    """The same of the second of the things that are taught by `marks`, and of each thing its share of the picture."""
    lesson = vizapp.teach(seen, marks)
    of_things = vizapp.analyse(lesson.model, seen.picture)
    assert seen.context is not None
    told = write(folder, net, of_things, asked, half=False, target=1, of=seen.context.ready().model)
    shares = dict(of_things.top(len(marks)))
    taught = {"names": lesson.things, "prototypes": lesson.prototypes.tolist()}
    return told | {"lesson": taught, "shares": [shares[thing] for thing in lesson.things]}


@needs_node
def test_what_was_taught_is_a_class_as_it_is_in_python(tmp_path: Path) -> None:
    """By every method of random networks, with a norm of tokens and without; by one of each kind of CRATE."""
    told = []
    for net in ("registers", "mean"):
        seen = seen_by(save_vit(tmp_path / f"{net}.safetensors", **NETS[net]), noise(40, 52))
        told.append(write_taught(tmp_path, net, seen, EVERY, {"a": [(0, 1)], "b": [(1, 1), (2, 3)], "c": [(1, 3)]}))
    scene = LESSONS["clutter"].example(0, 448).picture
    asked: dict[str, dict[str, Any]] = {"value_rollout": {}, "rise": {"masks": 5}}
    told.append(write_taught(tmp_path, "crate", seen_by("crate", scene), asked, {"a": [(7, 7), (6, 6)], "b": [(1, 1)]}))
    (tmp_path / "methods.json").write_text(json.dumps(told), "utf-8")
    run_node("methods.test.js", tmp_path)


@needs_node
def test_the_masks_of_rise_are_those_of_torch(tmp_path: Path) -> None:
    """Of several seeds, more than are made at once, and sides that no cell divides."""
    cases = []
    for seed, size in ((0, (224, 224)), (7, (48, 31)), (2**32 + 9, (32, 32))):
        generator = torch.Generator().manual_seed(seed)
        masks = torch.cat([random_masks(count, size, 7, 0.5, generator) for count in (16, 3)])
        name = f"masks.{seed}"
        (tmp_path / name).write_bytes(masks.contiguous().numpy().tobytes())
        cases.append({"seed": seed, "size": size, "name": name})
    (tmp_path / "masks.json").write_text(json.dumps(cases), "utf-8")
    (tmp_path / "chance.json").write_text(
        json.dumps({str(seed): np.random.default_rng(seed).random(40).tolist() for seed in (0, 1, 4_000_000_000)}),
        "utf-8",
    )
    run_node("masks.test.js", tmp_path)
