"""The numbers of the table: each method on each picture, and its reference."""

from pathlib import Path
from typing import Any

import numpy as np
import torch

import vizapp
from bench.precision import as_type, correlation, pictures
from bench.references.seen import Picture, references
from vizapp.model.spec import VisionModel
from vizapp.model.vit import ViT

FILE = Path(__file__).resolve().parents[2] / "docs" / "references.json"


def table(model: VisionModel, count: int, methods: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    """A row for each reference (of `methods`, if some are named): the smallest r over pictures, and the largest difference.

    Differences are in parts of the reference's largest value; for what is held against code, both maps are scaled to 1 first.
    `model` is one of ours with CLS; it is run in float64.
    """
    wide = as_type(model, torch.float64)
    assert isinstance(wide.net, ViT), "references walk through our own ViT, block by block"
    some = [one for one in references() if not methods or one.method in methods]
    r: list[list[float]] = [[] for _ in some]
    apart: list[list[float]] = [[] for _ in some]
    for shown in pictures(count):
        seen = vizapp.analyse(wide, shown)
        context = seen.of_class()
        picture = Picture(wide.net, context.pixels.double(), context.explained)
        for index, one in enumerate(some):
            settings = dict(one.settings)
            if settings.get("start_layer") == -1:
                settings["start_layer"] = len(seen.trace.layers) - 1
            found, expected = vizapp.explain(seen, one.method, **settings).scores.ravel(), one.function(picture)
            r[index].append(correlation(found, expected))
            if one.kind == "code":  # most scale their maps in some way
                found, expected = found / np.abs(found).max(), expected / np.abs(expected).max()
            apart[index].append(float(np.abs(found - expected).max() / np.abs(expected).max()))
    return [
        {
            "method": one.method,
            "settings": dict(one.settings),
            "title": one.title,
            "kind": one.kind,
            "about": one.about,
            "r": round(min(r[index]), 6),
            "difference": float(f"{max(apart[index]):.1e}"),
        }
        for index, one in enumerate(some)
    ]
