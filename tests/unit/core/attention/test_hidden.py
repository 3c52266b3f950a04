"""What a mask hides is one thing for whoever asks: counts, figures, the page, an even head, the steps of a number."""

from functools import cache

import numpy as np
import pytest
import timm
import torch
from torch import Tensor, nn

import vizapp
from support.networks import sharpen
from vizapp.analysis import Analysis
from vizapp.analysis.record import even_among
from vizapp.core.attention.hidden import seen_by, seen_together
from vizapp.core.attention.layers import DenseAttention, FactoredAttention
from vizapp.core.masks import HIDES, open_by_bias, zeros_tell
from vizapp.model.preprocess import Preprocess

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
