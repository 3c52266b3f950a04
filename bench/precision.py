"""Does rounding show in a map?  python -m bench.precision [--pictures 20] [--only NETWORK ...]

Every method on the same pictures, with the weights in float32 and with the same weights in float64; and with the weights in
bfloat16 and float16 against the same rounded weights in float64. Of each method and network, bench/results.json gets the
smallest correlation (Pearson's r) of the patches of the two maps over all pictures; bench/PRECISION.md is made of it. About two
hours on two cores.
"""

import argparse
import copy
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import timm
import torch

import vizapp
from bench.__main__ import processor
from bench.pages import keep
from bench.results import FILE, read
from vizapp.core.methods import methods
from vizapp.model.preprocess import Preprocess
from vizapp.model.spec import VisionModel
from vizapp.model.toy.lessons import LESSONS

DEIT = Path(__file__).resolve().parents[2] / "shared" / "weights" / "deit_tiny_patch16_224.in1k.safetensors"
FEW = {
    "rise": {"masks": 32},
    "smooth_grad": {"samples": 8},
    "integrated_gradients": {"steps": 8},
}  # rounding is the same
SETTINGS: Mapping[str, Sequence[Mapping[str, Any]]] = {
    "partial_lrp": ({}, {"layer": 0}),  # early layers are where rounding adds up
    "grad_cam": ({}, {"layer": 0}),
    "gradient_attention": ({}, {"layer": 0}),
    "attn_lrp": ({}, {"linear_gamma": 0.0, "conv_gamma": 0.0}, {"through": "values"}),
}
OUTPUT = FILE

Smallest = dict[str, float | None]


def networks() -> dict[str, Callable[[], VisionModel]]:
    """Name -> what makes it, in float32. The real DeiT-Ti is one of them where its weights are."""
    swin: dict[str, Any] = {"embed_dim": 24, "depths": (2, 2, 2, 2), "num_heads": (2, 2, 4, 4)}
    made = {
        "toy": lambda: vizapp.load("toy", "cpu"),
        "registers": lambda: vizapp.load("registers", "cpu"),
        "DeiT-Ti": lambda: vizapp.load(f"file:{DEIT}?arch=deit_tiny_patch16_224", "cpu"),
        "ViT-S, random": lambda: seeded("vit_small_patch16_224", 112, img_size=112),
        "Swin, random": lambda: seeded("swin_tiny_patch4_window7_224", 112, img_size=112, **swin),
        "Swin that chains, random": lambda: seeded("swin_tiny_patch4_window7_224", 224, **swin),
    }
    return {name: make for name, make in made.items() if name != "DeiT-Ti" or DEIT.exists()}


def seeded(name: str, size: int, **options: Any) -> VisionModel:
    torch.manual_seed(0)
    net = timm.create_model(name, pretrained=False, num_classes=10, **options).eval()
    return vizapp.describe(net, labels=[f"class {i}" for i in range(10)], preprocess=Preprocess((size, size)))


def pictures(count: int) -> list[np.ndarray]:
    """Scenes of the toy world, (224, 224, 3) uint8."""
    return [LESSONS["clutter"].example(index, 224).picture for index in range(count)]


def as_type(model: VisionModel, *dtypes: torch.dtype) -> VisionModel:
    """A copy with the weights rounded to each type in turn; the last one stays."""
    net = copy.deepcopy(model.net)
    for dtype in dtypes:
        net = net.to(dtype)
    return replace(model, net=net)


def smallest(one: VisionModel, other: VisionModel, shown: Iterable[np.ndarray], names: Iterable[str]) -> Smallest:
    """Method, with its settings if there are several -> the smallest r of the maps of two models over pictures.

    None where one of the two maps is the same everywhere and the other is not; methods that refuse such a network are left out.
    """
    found: dict[str, list[float]] = {}
    names = list(names)
    for picture in shown:
        first, second = vizapp.analyse(one, picture), vizapp.analyse(other, picture)
        target = int(second.best(1)[0][0])
        for name in names:
            for chosen in SETTINGS.get(name, ({},)):
                settings = {**FEW.get(name, {}), **chosen}
                if methods()[name].class_specific:
                    settings["target"] = target
                try:
                    maps = [vizapp.explain(seen, name, **settings).scores.ravel() for seen in (first, second)]
                except vizapp.VizError:
                    continue
                title = name + "".join(f", {setting}={value}" for setting, value in chosen.items())
                found.setdefault(title, []).append(correlation(*maps))
    return {title: None if np.isnan(values).any() else min(values) for title, values in found.items()}


def correlation(one: np.ndarray, other: np.ndarray) -> float:
    """Pearson's r; 1 for two maps that are both the same everywhere."""
    x, y = (np.asarray(each, float) - np.mean(each, dtype=float) for each in (one, other))
    lengths = float(np.linalg.norm(x)), float(np.linalg.norm(y))
    if max(lengths) == 0:
        return 1.0
    return float(x @ y / (lengths[0] * lengths[1])) if min(lengths) else float("nan")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.precision", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--pictures", type=int, default=20)
    parser.add_argument("--half", type=int, default=3, help="pictures for bfloat16 and float16")
    parser.add_argument("--methods", nargs="+", choices=list(methods()), help="only these; other rows stay as they are")
    parser.add_argument("--only", nargs="+", choices=list(networks()), default=list(networks()))
    asked = parser.parse_args()
    torch.set_num_threads(1)
    quick = [name for name, one in methods().items() if one.cost == "quick" and not one.baseline]
    every = [name for name, one in methods().items() if not one.baseline]
    if asked.methods:
        quick, every = ([name for name in some if name in asked.methods] for some in (quick, every))
    columns: dict[str, Any] = read(OUTPUT).get("precision", {}).get("columns", {})
    for name in asked.only:
        model = networks()[name]()
        print(f"{name} ...", file=sys.stderr, flush=True)
        wide = as_type(model, torch.float64)
        of_32 = smallest(model, wide, pictures(asked.pictures), every)
        before = columns.get(name, {}) if asked.methods else {}
        columns[name] = {
            "pictures": asked.pictures,
            "slow": asked.pictures,
            "float32": {**before.get("float32", {}), **of_32},
        }
        for dtype in (torch.bfloat16, torch.float16):
            half = as_type(model, dtype)
            of_half = smallest(half, as_type(half, torch.float64), pictures(asked.half), quick)
            kind = str(dtype).removeprefix("torch.")
            columns[name] |= {"half": asked.half, kind: {**before.get(kind, {}), **of_half}}
        keep("precision", {"date": str(date.today()), "processor": processor(), "columns": columns}, OUTPUT)


if __name__ == "__main__":
    main()
