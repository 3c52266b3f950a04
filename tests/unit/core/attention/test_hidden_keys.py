"""What a mask hides, and what a window leaves out, is known as hidden: in maps, in pictures, in the shares of an even spread."""

from pathlib import Path

import numpy as np
import pytest
import torch

import vizapp
from support.layer_payloads import masked, seen_by, with_trace
from vizapp.analysis.record import even_among, hidden_in_words
from vizapp.core.attention.hidden import hidden_keys
from vizapp.core.attention.layers import DenseAttention, FactoredAttention
from vizapp.painting.figures import heads
from vizapp.pipeline.as_json import explained


def test_hidden_is_what_gets_nothing_whatever_it_shows() -> None:
    """Under each kind of mask, spelled as a bias or known by its map only, and in windows; every other key gets something."""
    for layer in (*masked().layers, *masked().cross, *seen_by("swin").trace.layers, *seen_by("pvt").trace.layers):
        gets = (layer.map() > 1e-30).any(0)
        for one in (layer, DenseAttention("spelled", layer.map(), is_masked=True)):
            hidden = hidden_keys(one)
            assert torch.equal(torch.zeros_like(gets) if hidden is None else hidden, ~gets), one.name


def test_a_learned_bias_hides_nothing_and_swins_minus_100_does() -> None:
    q = torch.randn(2, 5, 4)
    learned = FactoredAttention("a", q, q, 10 * torch.randn(2, 5, 5))
    assert hidden_keys(learned) is None
    bias = torch.randn(2, 5, 5)
    bias[:, 1, 3] -= 100
    bias[0, 2, 4] = -torch.inf  # in one of two heads
    bias[:, 4] = -torch.inf
    hidden = hidden_keys(FactoredAttention("a", q, q, bias))
    assert hidden is not None
    assert hidden.nonzero().tolist() == [[1, 3], *([4, i] for i in range(5))]
    assert hidden_keys(DenseAttention("a", torch.eye(3)[None].half(), is_masked=True)) is None, "it may have been small"
    assert hidden_keys(DenseAttention("a", torch.eye(3)[None])) is None, "a matrix that somebody made has no mask"


@pytest.mark.parametrize(("direction", "layer"), [("from", 0), ("to", 0), ("from", 1), ("to", 4), ("from", 5)])
def test_a_hidden_patch_is_hatched_and_said(direction: str, layer: int, tmp_path: Path) -> None:
    """Every other patch is painted as before."""
    seen = with_trace(seen_by("cait"), masked())
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
    seen = with_trace(seen_by("cait"), masked())
    found = vizapp.explain(seen, "attention", query="1,1", layer=3)
    assert found.hidden is None
    assert vizapp.explain(seen, "attention", query="mean", layer=1).hidden is None, "one of the patches sees it"
    vizapp.save(seen, found, tmp_path / "map.npz")
    with np.load(tmp_path / "map.npz") as saved:
        assert "hidden" not in saved
    assert "hidden" not in explained(seen, found)
    assert "hatched" not in heads(seen, 3).texts[0].get_text()


def test_queries_that_are_no_patches_are_hatched_too() -> None:
    found = vizapp.explain(with_trace(seen_by("cait"), masked()), "cross_attention", query_index=1)
    assert found.hidden is not None
    np.testing.assert_array_equal(
        found.hidden, (masked().cross[0].map()[:, 1].sum(0)[1:].reshape(3, 4) < 1e-30).numpy()
    )
    assert found._repr_html_()


def test_an_even_spread_of_such_queries_counts_what_they_see() -> None:
    """As on the page."""
    seen, sees = with_trace(seen_by("cait"), masked()), (masked().cross[0].map() > 1e-30).any(0)
    for index, count in ((1, int(sees[1].sum())), (None, int(sees.any(0).sum()))):
        assert even_among(seen, vizapp.explain(seen, "cross_attention", query_index=index)) == count
    assert int(sees[1].sum()) < 13


def test_what_hides_a_patch_in_a_window_is_told_rightly() -> None:
    """A mask hides some of the patches of the query's own window."""
    seen = with_trace(seen_by("cait"), masked())
    said = hidden_in_words(seen, vizapp.explain(seen, "attention", query="1,1", layer=5))
    assert said.endswith("no window has them together with the query, or a mask hides them from the query")
    swin = seen_by("swin")
    plain, shifted = (hidden_in_words(swin, vizapp.explain(swin, "attention", query="0,0", layer=at)) for at in (0, 1))
    assert plain.endswith("no window has them together with the query")
    assert shifted.endswith("or a mask hides them from the query")
