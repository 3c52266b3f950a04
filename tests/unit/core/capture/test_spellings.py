"""The many ways in which libraries spell attention: each is seen, and its tokens are put where they stand."""

import pytest
import torch
from torch import Tensor, nn

from support.spellings import COLS, HEADS, KINDS, ROWS, Folded, Interrupted, Spelt
from vizapp.core.attention.trace import AttentionTrace
from vizapp.core.capture.check import check
from vizapp.core.capture.forward import capture
from vizapp.model.preprocess import Preprocess
from vizapp.model.spec import TokenLayout, VisionModel


class TalkingHeads(Spelt):
    """Scores and maps are mixed among the heads by einsums of learned numbers."""

    def attend(self, x: Tensor) -> Tensor:
        q, k, v = self.heads(x)
        map_ = torch.einsum("bgqk,gh->bhqk", q @ k.mT, self.mix).softmax(-1)
        return torch.einsum("hg,bgqk->bhqk", self.mix.softmax(1), map_) @ v


class OneKey(Spelt):
    """Multi-query attention: one head of keys and values for all heads of queries; einsum needs no axis for it."""

    def attend(self, x: Tensor) -> Tensor:
        q, k, v = self.heads(x)
        attention = torch.einsum("bhqd,bkd->bhqk", q, k[:, 0]).softmax(-1)
        return torch.einsum("bhqk,bkd->bhqd", attention, v[:, 0])


class Turned(Spelt):
    """Queries and keys are turned by their place, as complex numbers: RoPE, as Llama 4 and SAM 2 spell it."""

    def attend(self, x: Tensor) -> Tensor:
        q, k, v = self.heads(x)
        pairs = torch.view_as_complex(torch.stack([q, k]).unflatten(-1, (-1, 2)))
        q, k = torch.view_as_real(pairs * torch.exp(1j * torch.arange(x.shape[1]))[:, None]).flatten(-2)
        return (q @ k.mT).softmax(-1) @ v


def seen(net: nn.Module) -> tuple[VisionModel, AttentionTrace]:
    torch.manual_seed(0)
    size = (4 * ROWS, 4 * COLS)
    model = VisionModel("net", net.eval().double(), (), (), None, Preprocess(size), labels=("a",) * 3, readout="")
    pixels = torch.randn(1, 3, *size, dtype=torch.float64)
    found = check(model, pixels)
    assert found.problems == ()
    assert found.seen == found.softmaxes
    return model, capture(model, pixels)


@pytest.mark.parametrize("kind", [*KINDS, TalkingHeads, OneKey, Turned])
def test_each_spelling_is_seen_and_put_on_the_patches(kind: type[Spelt]) -> None:
    _, trace = seen(kind())
    (layer,) = trace.layers
    assert layer.n_heads == HEADS
    assert trace.layout == TokenLayout(("cls",), (ROWS, COLS))
    if kind is not Interrupted:
        assert trace.no_chain == ""
        torch.testing.assert_close(layer.map().sum(-1), torch.ones(HEADS, ROWS * COLS + 1, dtype=torch.float64))


class Added(Spelt):
    """baddbmm puts the values' own token on top of what attention gives: no product alone."""

    def attend(self, x: Tensor) -> Tensor:
        q, k, v = (one.flatten(0, 1) for one in self.heads(x))
        return torch.baddbmm(v, (q @ k.mT).softmax(-1), v, beta=0.5)


def test_what_is_not_read_as_a_product_is_no_attention() -> None:
    with pytest.raises(AssertionError, match="no attention was seen"):
        seen(Added())


@pytest.mark.parametrize("order", ["rch", "hrc", "rhc"])
def test_heads_that_are_folded_into_one_axis_with_windows_are_told_from_them(order: str) -> None:
    model, trace = seen(Folded(order))
    (layer,) = trace.layers
    assert (layer.n_heads, trace.layout) == (HEADS, TokenLayout((), (ROWS, COLS)))
    whole = layer.map()
    torch.testing.assert_close(whole.sum(-1), torch.ones(HEADS, ROWS * COLS, dtype=torch.float64))
    other = Folded("rch").double()
    other.load_state_dict(model.net.state_dict())
    torch.testing.assert_close(seen(other)[1].layers[0].map(), whole)
