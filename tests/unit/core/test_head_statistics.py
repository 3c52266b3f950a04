"""Numbers of heads: each against its definition, spelled out in loops, and on heads that were planted."""

import math

import numpy as np
import pytest
import timm
import torch

import vizapp
from support.checkpoints import with_a_sink
from support.networks import planted, sharpen, small_vit
from vizapp.core.attention.trace import AttentionTrace
from vizapp.core.head_statistics import COLUMNS, head_statistics
from vizapp.core.metrics import metric_named
from vizapp.model.spec import TokenLayout

MASK = np.zeros((32, 32), bool)
MASK[8:24, 4:16] = True


def by_hand(a: np.ndarray, own: TokenLayout, keys: TokenLayout, size: tuple[int, int]) -> dict[str, float]:
    """Entropy, distance and CLS share of one head's matrix (query, key), number by number."""

    def middle(token: int, layout: TokenLayout) -> tuple[float, float]:
        row, col = divmod(token - layout.n_prefix, layout.grid[1])
        return (row + 0.5) * size[0] / layout.grid[0], (col + 0.5) * size[1] / layout.grid[1]

    entropies, distances = [], []
    for query, row in enumerate(a):
        entropies.append(-sum(p * math.log(p) for p in row if p > 0))
        if query >= own.n_prefix and row[keys.n_prefix :].sum() > 0:
            far = [
                row[key] * math.dist(middle(query, own), middle(key, keys))
                for key in range(keys.n_prefix, keys.n_tokens)
            ]
            distances.append(sum(far) / row[keys.n_prefix :].sum())
    cls = a[:, keys.prefix.index("cls")].mean() if "cls" in keys.prefix else math.nan
    return {"entropy": np.mean(entropies), "distance": np.mean(distances), "cls_share": cls}


def compare(trace: AttentionTrace, size: tuple[int, int]) -> None:
    for index, found in enumerate(head_statistics(trace, size)):
        maps = trace.layers[index].map().double().numpy()
        for head, a in enumerate(maps):
            for name, value in by_hand(a, *trace.layouts(index), size).items():
                assert found[name][head] == pytest.approx(value, rel=2e-5, nan_ok=True), (
                    f"{name} of head {head} in layer {index} is not what its definition gives (of {trace.layouts(index)[0]})"
                )
        assert np.isnan(found["sink_share"]).all()
        assert np.isnan(found["on_mask"]).all()


def test_each_number_is_its_definition_and_has_words(picture: np.ndarray) -> None:
    compare(vizapp.analyse(small_vit(reg_tokens=2), picture).trace, (32, 32))
    compare(vizapp.analyse(small_vit(img_size=(32, 48), class_token=False, global_pool="avg"), picture).trace, (32, 48))
    (row, *_) = vizapp.head_statistics(vizapp.analyse(small_vit(), picture))
    assert list(row) == ["layer", "head", *COLUMNS]


def test_windows_and_grids_of_their_own(picture: np.ndarray) -> None:
    """Swin: shifted windows, merged patches."""
    torch.manual_seed(0)
    net = timm.create_model("swin_tiny_patch4_window7_224", img_size=56, depths=(2, 2, 1, 1), num_classes=3).eval()
    seen = vizapp.analyse(sharpen(net), picture)
    assert len({layer.layout.grid for layer in seen.trace.layers}) > 1
    compare(seen.trace, seen.frame.input)


def test_pieces_are_the_whole(picture: np.ndarray, monkeypatch: pytest.MonkeyPatch) -> None:
    trace = vizapp.analyse(small_vit(), picture).trace
    whole = head_statistics(trace, (32, 32), mask=MASK)
    # Three rows at a time: CLS and two patches first.
    monkeypatch.setattr("vizapp.core.head_statistics.ROOM", 4 * 17 * 3)
    for one, other in zip(whole, head_statistics(trace, (32, 32), mask=MASK), strict=True):
        assert {name: one[name] for name in one} == {
            name: pytest.approx(other[name], rel=1e-5, nan_ok=True) for name in one
        }


def test_planted_heads_have_the_numbers_they_must_have() -> None:
    """One that looks at itself, one at all alike, one at CLS, one at the patch to the right."""
    itself, alike = torch.eye(17), torch.full((17, 17), 1 / 17)
    to_cls = torch.zeros(17, 17)
    to_cls[:, 0] = 1
    right = torch.zeros(17, 17)
    for token in range(17):
        right[token, token if token == 0 or token % 4 == 0 else token + 1] = 1
    (found,) = head_statistics(planted(torch.stack([itself, alike, to_cls, right]), grid=(4, 4)), (32, 64))
    assert found["entropy"] == pytest.approx([0, math.log(17), 0, 0], abs=1e-6)
    assert found["distance"][0] == 0
    assert np.isnan(found["distance"][2]), "a head that looks at no patch has no distance"
    assert found["distance"][3] == pytest.approx(16 * 12 / 16), "16 pixels, but not for the last of each row"
    assert found["cls_share"] == pytest.approx([1 / 17, 1 / 17, 1, 1 / 17])


def test_a_planted_sink_gets_what_the_head_gives_it(picture: np.ndarray) -> None:
    """And where there is none, nothing goes to it."""
    seen = vizapp.analyse(with_a_sink(7), picture)
    (sink,) = vizapp.find_sinks(seen)
    rows = vizapp.head_statistics(seen)
    for row in rows:
        a = seen.trace.layers[row["layer"]].map(row["head"])
        expected = float(a.mean(0)[7]) if row["layer"] in sink.layers else 0.0
        assert row["sink_share"] == pytest.approx(expected, rel=1e-5)
    assert max(row["sink_share"] for row in rows) > 0.3
    assert {row["sink_share"] for row in vizapp.head_statistics(vizapp.analyse(small_vit(), picture))} == {0.0}


def test_what_lies_on_a_mask_is_the_metric_of_the_map() -> None:
    picture = np.random.default_rng(0).integers(0, 256, (32, 32, 3), dtype=np.uint8)
    seen = vizapp.analyse(small_vit(), picture)
    rows = vizapp.head_statistics(seen, mask=MASK)
    assert len(rows) == 3 * 4
    for row in rows:
        one = vizapp.explain(seen, "attention", layer=row["layer"], head=row["head"])
        assert row["on_mask"] == pytest.approx(float(metric_named("energy")(one.scores, MASK)), rel=1e-5)
    assert np.isnan([row["on_mask"] for row in vizapp.head_statistics(seen, mask=~(MASK & ~MASK))]).all(), "all of it"
