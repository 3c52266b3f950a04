"""What a mask hides, and what a window leaves out, is one thing for whoever asks: counts, maps, pictures, even spreads, steps."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest
import timm
import torch
from torch import Tensor, nn

import vizapp
from support.layer_payloads import masked, with_trace
from support.layer_payloads import seen_by as analysed
from support.networks import sharpen
from vizapp.analysis import Analysis
from vizapp.analysis.record import even_among, hidden_in_words
from vizapp.core.attention.hidden import hidden_keys, seen_by, seen_together
from vizapp.core.attention.layers import DenseAttention, FactoredAttention
from vizapp.core.masks import HIDES, open_by_bias, zeros_tell
from vizapp.model.preprocess import Preprocess
from vizapp.painting.figures import heads
from vizapp.pipeline.as_json import explained

SIDE, WINDOW, SHIFT = 8, 4, 2
ASKED = (0, 9, 27, 36, 45, 63)  # of each part of the shifted picture one


@cache
def swin(is_spelt: bool) -> nn.Module:
    """8 x 8 patches in windows of 4 x 4, shifted by 2 in the second layer; a mask of -100, and learned positions down to -12."""
    torch.manual_seed(0)
    net = timm.create_model(
        "swin_tiny_patch4_window7_224",
        img_size=32,
        window_size=WINDOW,
        embed_dim=16,
        depths=(2,),
        num_heads=(2,),
        num_classes=3,
    )
    for name, parameter in sharpen(net).named_parameters():
        if "bias_table" in name:
            nn.init.uniform_(parameter, -12, 0)
            parameter[::3] = -12
    for module in net.modules():
        if hasattr(module, "fused_attn"):
            module.fused_attn = not is_spelt
    return net


@cache
def seen_by_swin(is_spelt: bool, edits: str = "") -> Analysis:
    picture = np.random.default_rng(0).integers(0, 256, (32, 32, 3), dtype=np.uint8)
    preprocess = Preprocess((32, 32), (0.5,) * 3, (0.5,) * 3)
    return vizapp.analyse(swin(is_spelt), picture, preprocess=preprocess, labels=list("abc"), edits=edits or ())


def by_hand() -> Tensor:
    """(query, key) bool: what the second layer may look at, counted patch by patch. A window may hold up to four regions."""
    places = [((row - SHIFT) % SIDE, (col - SHIFT) % SIDE) for row in range(SIDE) for col in range(SIDE)]

    def region(at: int) -> int:  # as timm cuts them, after the shift
        return 0 if at < SIDE - WINDOW else 1 if at < SIDE - SHIFT else 2

    of = [(row // WINDOW, col // WINDOW, region(row), region(col)) for row, col in places]
    return torch.tensor([[one == other for other in of] for one in of])


@pytest.mark.parametrize("is_spelt", [False, True])
def test_swin_hides_with_minus_hundred_for_everybody(is_spelt: bool) -> None:
    seen, expected = seen_by_swin(is_spelt), by_hand()
    counts = expected.sum(-1)
    assert sorted(set(counts.tolist())) == [4, 8, 16]
    assert torch.equal(seen_by(seen.trace.layers[0], range(64)), torch.full((64,), 16)), "without a shift, the window"
    assert torch.equal(seen_by(seen.trace.layers[1], range(64)), counts)
    assert [seen_together(one, range(64)) for one in seen.trace.layers] == [64, 64], "all patches together see all"
    even = seen_by_swin(is_spelt, "head-off:1.0=uniform").trace.layers[1].rows(torch.arange(64))[0]
    torch.testing.assert_close(even, expected / counts[:, None], rtol=1e-5, atol=1e-12)
    for token in ASKED:
        row, col = divmod(token, SIDE)
        relevance = vizapp.explain(seen, "attention", query=f"{row},{col}", layer=1)
        assert even_among(seen, relevance) == counts[token]
        asks = vizapp.explain(seen, "attention", query=f"{row},{col}", layer=1, direction="to")
        assert even_among(seen, asks) == counts[token], "who looks at it sees as much"
        steps = vizapp.steps(seen, (row, col), layer=1, query=(row, col))
        assert steps.hidden is not None
        assert torch.equal(~steps.hidden, expected[token, steps.keys].expand(2, -1)), token


def test_several_tokens_share_among_what_one_of_them_sees() -> None:
    """Two patches of two windows see two windows; a pooled query sees all."""
    seen = seen_by_swin(False)
    asked = {"0,0+0,1": 16, "0,0+7,7": 32, "mean": 64}
    assert {
        query: even_among(seen, vizapp.explain(seen, "attention", query=query, layer=0)) for query in asked
    } == asked


def test_what_is_learned_is_no_mask_and_what_hides_all_is_one() -> None:
    low = torch.zeros(1, 4, 4)
    low[0, 0, 1], low[0, 1, 1:], low[0, 2, 1] = -12, torch.tensor([-100.0, -1e4, -torch.inf]), 3 - HIDES
    low[0, 2], low[0, 3] = low[0, 2] - 300, -torch.inf  # a row may be low as a whole, or hidden as a whole
    expected = [[True] * 4, [True, False, False, False], [True] * 4, [False] * 4]
    assert open_by_bias(low)[0].tolist() == expected
    q, k = torch.zeros(2, 4, 3), torch.zeros(2, 4, 3)
    layer = FactoredAttention("a", q, k, low)
    assert seen_by(layer, range(4)).tolist() == [4, 1, 4, 0]
    rows = DenseAttention("a", layer.rows(torch.arange(4)), is_masked=True)
    assert seen_by(rows, range(4)).tolist() == [4, 1, 4, 0]
    one_head = FactoredAttention("a", q, k, torch.cat([low, torch.zeros(1, 4, 4)]))
    assert seen_by(one_head, range(4)).tolist() == [4] * 4, "what one head may look at is seen"


def test_of_float16_nothing_is_told() -> None:
    """Its smallest number is far above what a mask leaves: zeros of sharp heads would count as hidden."""
    assert [zeros_tell(one) for one in (torch.float64, torch.float32, torch.bfloat16, torch.float16)] == [True] * 3 + [
        False
    ]
    rows = torch.eye(4).expand(2, 4, 4)
    assert seen_by(DenseAttention("a", rows.half(), is_masked=True), range(4)).tolist() == [4] * 4
    assert seen_by(DenseAttention("a", rows.bfloat16(), is_masked=True), range(4)).tolist() == [1] * 4


def test_hidden_is_what_gets_nothing_whatever_it_shows() -> None:
    """Under each kind of mask, spelled as a bias or known by its map only, and in windows; every other key gets something."""
    for layer in (*masked().layers, *masked().cross, *analysed("swin").trace.layers, *analysed("pvt").trace.layers):
        gets = (layer.map() > 1e-30).any(0)
        for one in (layer, DenseAttention("spelled", layer.map(), is_masked=True)):
            hidden = hidden_keys(one)
            assert torch.equal(torch.zeros_like(gets) if hidden is None else hidden, ~gets), one.name


@pytest.mark.parametrize(("direction", "layer"), [("from", 0), ("to", 0), ("from", 1), ("to", 4), ("from", 5)])
def test_a_hidden_patch_is_hatched_and_said(direction: str, layer: int, tmp_path: Path) -> None:
    """Every other patch is painted as before."""
    seen = with_trace(analysed("cait"), masked())
    found = vizapp.explain(seen, "attention", query="1,1", layer=layer, direction=direction)
    rows = masked().layers[layer].map()
    first = rows.shape[1] - 12
    token = (rows[:, first + 5] if direction == "from" else rows[:, :, 1 + 5]).sum(0)[-12:].reshape(3, 4)
    assert found.hidden is not None
    np.testing.assert_array_equal(found.hidden, token.numpy() < 1e-30)
    gets = (rows > 1e-30).any(0)
    counts = {int(gets[first + 5].sum())} if direction == "from" else set(gets[gets[:, 6]].sum(1).tolist())
    assert even_among(seen, found) == (counts.pop() if len(counts) == 1 else 0), "of each token that looks at it"
    painted, plain = (
        vizapp.paint(seen, one) for one in (found, vizapp.explain(seen, "attention", query="1,1", layer=3))
    )
    assert not np.array_equal(painted, plain)
    height, width = seen.picture.shape[0] // 3, seen.picture.shape[1] // 4
    for row, col in np.ndindex(3, 4):
        cell = np.s_[row * height + 1 : (row + 1) * height - 1, col * width + 1 : (col + 1) * width - 1]
        rest = np.abs(painted[cell].astype(int) - seen.picture[cell] // 2)
        lines = ((rest == 127) | (rest == 0)).all(-1)
        assert (lines.mean() > 0.2) == found.hidden[row, col], (row, col)
    drawn = vizapp.plot(seen, found)
    assert ("uniform (1/" in str([one.get_ylabel() for ax in drawn.axes for one in (ax, *ax.child_axes)])) == (
        even_among(seen, found) > 0
    )
    texts = [one.get_text() for one in drawn.texts]
    assert any(f"{int(found.hidden.sum())} patches are hatched" in one.replace("\n", " ") for one in texts)
    vizapp.save(seen, found, tmp_path / "map.npz")
    with np.load(tmp_path / "map.npz") as saved:
        np.testing.assert_array_equal(saved["hidden"], found.hidden)
    np.testing.assert_array_equal(explained(seen, found)["hidden"], found.hidden)


def test_where_nothing_is_hidden_nothing_changes(tmp_path: Path) -> None:
    seen = with_trace(analysed("cait"), masked())
    found = vizapp.explain(seen, "attention", query="1,1", layer=3)
    assert found.hidden is None
    assert vizapp.explain(seen, "attention", query="mean", layer=1).hidden is None, "one of the patches sees it"
    vizapp.save(seen, found, tmp_path / "map.npz")
    with np.load(tmp_path / "map.npz") as saved:
        assert "hidden" not in saved
    assert "hidden" not in explained(seen, found)
    assert "hatched" not in heads(seen, 3).texts[0].get_text()


def test_queries_that_are_no_patches_are_hatched_and_counted_too() -> None:
    found = vizapp.explain(with_trace(analysed("cait"), masked()), "cross_attention", query_index=1)
    assert found.hidden is not None
    np.testing.assert_array_equal(
        found.hidden, (masked().cross[0].map()[:, 1].sum(0)[1:].reshape(3, 4) < 1e-30).numpy()
    )
    assert found._repr_html_()
    # As on the page.
    seen, sees = with_trace(analysed("cait"), masked()), (masked().cross[0].map() > 1e-30).any(0)
    for index, count in ((1, int(sees[1].sum())), (None, int(sees.any(0).sum()))):
        assert even_among(seen, vizapp.explain(seen, "cross_attention", query_index=index)) == count
    assert int(sees[1].sum()) < 13
    # A mask hides some of the patches of the query's own window.
    seen = with_trace(analysed("cait"), masked())
    said = hidden_in_words(seen, vizapp.explain(seen, "attention", query="1,1", layer=5))
    assert said.endswith("no window has them together with the query, or a mask hides them from the query")
    swin = analysed("swin")
    plain, shifted = (hidden_in_words(swin, vizapp.explain(swin, "attention", query="0,0", layer=at)) for at in (0, 1))
    assert plain.endswith("no window has them together with the query")
    assert shifted.endswith("or a mask hides them from the query")
