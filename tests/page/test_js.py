"""The viewer's JavaScript without a page: its numbers are Python's, and its tests pass. CI builds its bundle anew."""

from __future__ import annotations

import json
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from support import padded
from support.checkpoints import save_vit
from support.expected import divergences, opens
from support.layer_payloads import seen_by
from support.node import needs_node, node_tests
from vizapp import pipeline
from vizapp.core.attention.fusion import fuse_heads
from vizapp.core.methods.baselines import bright_centre
from vizapp.core.metrics import cover, metrics
from vizapp.pipeline import Analysis
from vizapp.ui.viewer.payload import pack
from vizapp.vocabulary import FUSIONS


def expected_of(seen: Analysis) -> dict[str, Any]:
    """Python's rows, columns, fused rows and rollouts of some tokens."""
    trace, maps, rollouts = seen.trace, [], []
    for index, layer in enumerate(trace.layers):
        own, keys = trace.layouts(index)
        for token in range(0, layer.n_queries, max(1, layer.n_queries // 12)):
            rows = layer.rows(torch.tensor([token]))[:, 0]
            fused = {fusion: fuse_heads(rows, fusion) for fusion in FUSIONS}
            maps.append(
                {
                    "layer": index,
                    "token": token,
                    "rows": rows.tolist(),
                    "columns": layer.map()[:, :, token].tolist() if own == keys else None,
                    "fused": {name: row.tolist() for name, row in fused.items()},
                }
            )
        for fusion, skip_weight in zip(FUSIONS, cycle((0.5, 0.2)), strict=False):
            for query in (layer.n_queries // 2, "mean"):
                settings = {"layer": index, "fusion": fusion, "skip_weight": skip_weight}
                scores = pipeline.explain(seen, "rollout", query=query, **settings).scores
                asked = {"layer": index, "query": query, "fusion": fusion, "skipWeight": skip_weight}
                rollouts.append(asked | {"values": scores.ravel().tolist()})
    return {
        "maps": maps,
        "rollouts": rollouts,
        "grids": grids_of(seen),
        "opens": opens(seen),
        "nats": [None if np.isnan(one) else one for one in divergences(seen)],
    }


def grids_of(seen: Analysis) -> list[tuple[int, int]]:
    """The grid of each layout; layouts may differ in their learned tokens only."""
    every = [layout for index in range(len(seen.trace.layers)) for layout in seen.trace.layouts(index)]
    return [tuple(layout.grid) for layout in dict.fromkeys(every)]


def expected_scores() -> dict[str, Any]:
    """Every metric on discs that cut through patches; maps at random, flat, with equals, and of any sign."""
    rng, cases = np.random.default_rng(0), []
    for grid, patch, (cx, cy, r) in (
        ((5, 7), (4, 8), (20, 9, 7)),
        ((4, 4), (3, 3), (6, 5, 3)),
        ((6, 6), (5, 5), (14, 9, 2)),
    ):
        height, width = grid[0] * patch[0], grid[1] * patch[1]
        y, x = np.mgrid[:height, :width]
        mask = (x - cx) ** 2 + (y - cy) ** 2 < r * r
        kinds = (rng.random(grid), np.full(grid, 0.5), rng.integers(0, 3, grid), rng.normal(size=grid))
        maps = np.stack(kinds).astype(np.float32)
        cases.append(
            {
                "mask": mask.astype(int).ravel().tolist(),
                "size": [height, width],
                "grid": grid,
                "maps": maps.reshape(len(maps), -1).tolist(),
                "scores": {name: metric(maps, mask).tolist() for name, metric in metrics().items()},
            }
        )
    return {"cases": cases, "prior": {"grid": [3, 5], "values": bright_centre((3, 5)).ravel().tolist()}}


def expected_cells(seen: Analysis) -> dict[str, Any]:
    """Where the patches of a network lie that pads its pictures: the patch at each pixel, and how much of each is the object."""
    height, width = seen.frame.picture
    grid = seen.trace.layout.grid
    return {
        "patches": [[seen.frame.patch_at(x + 0.5, y + 0.5, grid) for x in range(width)] for y in range(height)],
        "cover": cover(seen.frame.mask_of(seen.truth[0].mask), grid).ravel().tolist(),
    }


@pytest.fixture(scope="session")
def fixtures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with payloads and Python's numbers for them: a plain ViT, one with windows, one whose grids differ, and one
    whose layers have learned tokens of their own.
    """
    folder = tmp_path_factory.mktemp("js")
    name = save_vit(folder / "plain.safetensors", reg_tokens=2)
    picture = np.random.default_rng(0).integers(0, 256, (48, 64, 3), dtype=np.uint8)
    plain = pipeline.analyse(pipeline.load(name, "cpu"), picture)
    for net, seen in {
        "plain": plain,
        "windows": seen_by("swin"),
        "grids": seen_by("pvt"),
        "tokens": seen_by("tokens"),
    }.items():
        (folder / f"{net}.bin").write_bytes(pack(seen))
        (folder / f"{net}.json").write_text(json.dumps(expected_of(seen)), "utf-8")
    for which in ("vitpose", "overlapping"):
        (folder / f"{which}.bin").write_bytes(pack(padded.seen_by(which)))
        (folder / f"{which}.json").write_text(json.dumps(expected_cells(padded.seen_by(which))), "utf-8")
    (folder / "means.bin").write_bytes(pack(plain, room=0, room_for_means=10**6))
    (folder / "scores.json").write_text(json.dumps(expected_scores()), "utf-8")
    return folder


@needs_node
def test_the_tests_of_the_viewer_pass_in_node(fixtures: Path) -> None:
    """Attention, chain, fusion, scores and payload against Python's numbers, and the state against itself."""
    node_tests(VIZAPP_FIXTURES=str(fixtures))
