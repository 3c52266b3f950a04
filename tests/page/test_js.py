"""The viewer's JavaScript without a page: its numbers are Python's, and its tests pass. CI builds its bundle anew."""

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
from support.layer_payloads import seen_by as analysed
from support.node import needs_node, node_tests
from vizapp import pipeline
from vizapp.core.attention.fusion import fuse_heads
from vizapp.core.attention.hidden import seen_by, seen_together
from vizapp.core.attention.layers import LayerAttention
from vizapp.core.methods.baselines import bright_centre
from vizapp.core.metrics import cover, metrics
from vizapp.core.trust.agreement import rank_correlation
from vizapp.core.trust.chance import MEASURES, as_good, is_lost
from vizapp.core.trust.faithfulness import Curves
from vizapp.pipeline import Analysis
from vizapp.ui.viewer.payload import pack
from vizapp.vocabulary import FUSIONS, ORDERS, ORDERS_AT_ONCE


def maps_and_rollouts(seen: Analysis) -> dict[str, Any]:
    """Python's rows, columns, fused rows and rollouts of some tokens; no rollouts of what has no chain."""
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
                    "even": int(seen_by(layer, [token])),
                }
            )
        for fusion, skip_weight in zip([] if trace.no_chain else FUSIONS, cycle((0.5, 0.2)), strict=False):
            for query in (layer.n_queries // 2, "mean"):
                settings = {"layer": index, "fusion": fusion, "skip_weight": skip_weight}
                scores = pipeline.explain(seen, "rollout", query=query, **settings).scores
                asked = {"layer": index, "query": query, "fusion": fusion, "skipWeight": skip_weight}
                rollouts.append(asked | {"values": scores.ravel().tolist()})
    return {"maps": maps, "rollouts": rollouts}


def expected_of(seen: Analysis) -> dict[str, Any]:
    """Its maps and rollouts, and what is counted over layers and grids."""
    trace = seen.trace
    return maps_and_rollouts(seen) | {
        "grids": grids_of(seen),
        "opens": opens(seen),
        "evenOfMean": [
            seen_together(layer, trace.query("mean", index).nonzero().flatten().tolist())
            for index, layer in enumerate(trace.layers)
        ],
        "nats": [None if np.isnan(one) else one for one in divergences(seen)],
    }


def grids_of(seen: Analysis) -> list[tuple[int, int]]:
    """The grid of each layout; layouts may differ in their learned tokens only."""
    every = [layout for index in range(len(seen.trace.layers)) for layout in seen.trace.layouts(index)]
    return [tuple(layout.grid) for layout in dict.fromkeys(every)]


def seen_in(seen: Analysis) -> dict[str, Any]:
    """Which keys each query of each layer can see, by the numbers themselves: what is hidden gets nothing in any head."""

    def some(layer: LayerAttention) -> list[list[int]]:
        return (layer.map() > 1e-30).any(0).int().tolist()

    return {"layers": list(map(some, seen.trace.layers)), "cross": list(map(some, seen.trace.cross))}


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


def expected_chance() -> list[dict[str, Any]]:
    """Maps among random orders, by Python: areas with two decimals, so that some are equal."""
    rng, cases = np.random.default_rng(0), []
    for maps, count in ((1, 5), (3, 5), (2, 10), (2, 15), (1, ORDERS), (4, 0)):
        own, drawn = (rng.integers(30, 60, (many, 2)) / 100 for many in (maps, count))
        one_of = [Curves(np.array([0.0, 1.0]), *(np.full(2, area) for area in areas)) for areas in own]
        orders = [Curves(np.array([0.0, 1.0]), *(np.full(2, area) for area in areas)) for areas in drawn]
        met = [[as_good(one, drawn[:, at], measure) for at, measure in enumerate(MEASURES)] for one in one_of]
        left = 0 if is_lost(one_of, orders, ORDERS) else min(ORDERS_AT_ONCE, ORDERS - count)
        cases.append({"own": own.tolist(), "drawn": drawn.tolist(), "met": met, "owed": left})
    return cases


def expected_agreement() -> dict[str, Any]:
    """Rank correlations of maps, by Python: some values are equal, and one map is the same everywhere."""
    maps = [*np.random.default_rng(0).integers(-3, 9, (4, 30)).astype(float), np.ones(30)]
    found = rank_correlation(maps)
    return {"maps": [one.tolist() for one in maps], "rho": np.where(np.isnan(found), None, found).tolist()}


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
    whose layers have learned tokens of their own; of further networks, their maps.
    """
    folder = tmp_path_factory.mktemp("js")
    name = save_vit(folder / "plain.safetensors", reg_tokens=2)
    picture = np.random.default_rng(0).integers(0, 256, (48, 64, 3), dtype=np.uint8)
    plain = pipeline.analyse(pipeline.load(name, "cpu"), picture)
    for net, seen in {
        "plain": plain,
        "windows": analysed("swin"),
        "grids": analysed("pvt"),
        "tokens": analysed("tokens"),
    }.items():
        (folder / f"{net}.bin").write_bytes(pack(seen))
        (folder / f"{net}.json").write_text(json.dumps(expected_of(seen)), "utf-8")
    for net in ("swin, padded", "maxvit", "hiera", "cait", "late", "overlapping"):
        (folder / f"maps of {net}.bin").write_bytes(pack(analysed(net)))
        (folder / f"maps of {net}.json").write_text(json.dumps(maps_and_rollouts(analysed(net))), "utf-8")
    (folder / "masked.bin").write_bytes(pack(analysed("masked")))
    (folder / "masked.json").write_text(json.dumps(seen_in(analysed("masked"))), "utf-8")
    (folder / "windows-seen.json").write_text(json.dumps(seen_in(analysed("swin"))), "utf-8")
    for which in ("vitpose", "overlapping"):
        (folder / f"{which}.bin").write_bytes(pack(padded.seen_by(which)))
        (folder / f"{which}.json").write_text(json.dumps(expected_cells(padded.seen_by(which))), "utf-8")
    (folder / "means.bin").write_bytes(pack(plain, room=0, room_for_means=10**6))
    (folder / "chance.json").write_text(json.dumps(expected_chance()), "utf-8")
    (folder / "agreement.json").write_text(json.dumps(expected_agreement()), "utf-8")
    (folder / "scores.json").write_text(json.dumps(expected_scores()), "utf-8")
    return folder


@needs_node
def test_the_tests_of_the_viewer_pass_in_node(fixtures: Path) -> None:
    """Attention, chain, fusion, scores and payload against Python's numbers, and the state against itself."""
    node_tests(VIZAPP_FIXTURES=str(fixtures))
