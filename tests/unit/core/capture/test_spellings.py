"""The many ways in which libraries spell attention: each is seen, and its tokens are put where they stand."""

import pytest
import torch
from torch import Tensor, nn

from support.spellings import COLS, HEADS, KINDS, ROWS, Folded, Interrupted, Spelt
from vizapp.core.attention.layers import DenseAttention
from vizapp.core.attention.trace import AttentionTrace
from vizapp.core.capture.check import check
from vizapp.core.capture.forward import capture
from vizapp.errors import VizError
from vizapp.model.preprocess import Preprocess
from vizapp.model.spec import TokenLayout, VisionModel


class TalkingHeads(Spelt):
    """Scores and maps are mixed among the heads by einsums of learned numbers."""

    def attend(self, x: Tensor) -> Tensor:
        q, k, v = self.heads(x)
        map_ = torch.einsum("bgqk,gh->bhqk", q @ k.mT, self.mix).softmax(-1)
        return torch.einsum("hg,bgqk->bhqk", self.mix.softmax(1), map_) @ v


class TalkingHeadsLast(Spelt):
    """The same of the map alone, with heads behind the keys for as long as they are mixed."""

    def attend(self, x: Tensor) -> Tensor:
        q, k, v = self.heads(x)
        mixed = torch.einsum("bgqk,gh->bqkh", (q @ k.mT).softmax(-1), self.mix.softmax(0))
        return torch.einsum("bhqk,bhkd->bhqd", mixed.permute(0, 3, 1, 2), v)


class OneKey(Spelt):
    """Multi-query attention: one head of keys and values for all heads of queries; einsum needs no axis for it."""

    def attend(self, x: Tensor) -> Tensor:
        q, k, v = self.heads(x)
        attention = torch.einsum("bhqd,bkd->bhqk", q, k[:, 0]).softmax(-1)
        return torch.einsum("bhqk,bkd->bhqd", attention, v[:, 0])


class OneKeyLast(Spelt):
    """The same with the values first, and heads behind the tokens in what comes out."""

    def attend(self, x: Tensor) -> Tensor:
        q, k, v = self.heads(x)
        attention = (q @ k[:, :1].mT).softmax(-1)
        return torch.einsum("bkd,bhqk->bqhd", v[:, 1], attention)


class Special(Spelt):
    """The softmax of torch.special, which is another function."""

    def attend(self, x: Tensor) -> Tensor:
        q, k, v = self.heads(x)
        return torch.special.softmax(q @ k.mT, -1) @ v


class Upright(Spelt):
    """A softmax over the last axis but one, of scores that stand upright."""

    def attend(self, x: Tensor) -> Tensor:
        q, k, v = self.heads(x)
        return (k @ q.transpose(-2, -1)).softmax(-2).transpose(-2, -1) @ v


def seen(net: nn.Module) -> tuple[VisionModel, AttentionTrace]:
    torch.manual_seed(0)
    size = (4 * ROWS, 4 * COLS)
    model = VisionModel("net", net.eval().double(), (), (), None, Preprocess(size), labels=("a",) * 3, readout="")
    pixels = torch.randn(1, 3, *size, dtype=torch.float64)
    found = check(model, pixels)
    assert found.problems == ()
    assert found.seen == found.softmaxes
    return model, capture(model, pixels)


@pytest.mark.parametrize("kind", [*KINDS, Special, Upright, TalkingHeads, TalkingHeadsLast, OneKey, OneKeyLast])
def test_each_spelling_is_seen_and_put_on_the_patches(kind: type[Spelt]) -> None:
    _, trace = seen(kind())
    (layer,) = trace.layers
    assert layer.n_heads == HEADS
    assert trace.layout == TokenLayout(("cls",), (ROWS, COLS))
    if kind is not Interrupted:
        assert trace.no_chain == ""
        torch.testing.assert_close(layer.map().sum(-1), torch.ones(HEADS, ROWS * COLS + 1, dtype=torch.float64))


class Transposed(Spelt):
    """Values flow from each query to what it looked at: the map itself is turned over, and it is square."""

    prefix = False

    def attend(self, x: Tensor) -> Tensor:
        q, k, v = self.heads(x)
        self.map = (q @ k.mT).softmax(-1)
        return self.map.mT @ v


def test_a_map_that_is_turned_over_is_kept_turned_over() -> None:
    model, trace = seen(Transposed())
    torch.testing.assert_close(trace.layers[0].map(), model.net.map[0].mT)


class Gauged(Spelt):
    """Each token times how much of some features it has, which learned weights that sum to 1 pick: a vector, and no map."""

    def attend(self, x: Tensor) -> Tensor:
        q, k, v = self.heads(x * (x @ self.probe.flatten().softmax(0))[..., None])
        return (q @ k.mT).softmax(-1) @ v


def test_a_vector_of_weights_is_no_map() -> None:
    """It ended in an IndexError, which was said to be the size of the picture."""
    model = VisionModel("spelt", Gauged().eval(), (), (), None, Preprocess((ROWS * 4, COLS * 4)))
    found = check(model, torch.randn(1, 3, ROWS * 4, COLS * 4))
    assert (found.problems, found.seen, found.softmaxes) == ((), 1, 2)


class MixedAway(Spelt):
    """The map goes into a sum over its queries: it weighs no values, and nothing that comes of it may claim its softmax."""

    def attend(self, x: Tensor) -> Tensor:
        q, k, v = self.heads(x)
        v = (q @ k.mT).softmax(-1) @ v
        gate = torch.einsum("q,bhqk->bh", torch.ones(x.shape[1]).to(x), (k @ q.mT).softmax(-1))
        return v * gate[..., None, None]


def test_a_map_that_is_lost_in_an_einsum_leaves_its_softmax_without_a_call() -> None:
    torch.manual_seed(0)
    model = VisionModel("net", MixedAway().eval().double(), (), (), None, Preprocess((4 * ROWS, 4 * COLS)))
    found = check(model, torch.randn(1, 3, 4 * ROWS, 4 * COLS, dtype=torch.float64))
    assert (found.problems, found.seen, found.softmaxes, found.elsewhere) == ((), 1, 2, ("the network",))


class Added(Spelt):
    """baddbmm puts the values' own token on top of what attention gives: no product alone."""

    def attend(self, x: Tensor) -> Tensor:
        q, k, v = (one.flatten(0, 1) for one in self.heads(x))
        return torch.baddbmm(v, (q @ k.mT).softmax(-1), v, beta=0.5)


class Buffered(Spelt):
    """A product in a buffer of its own, where an edit would not reach it."""

    def attend(self, x: Tensor) -> Tensor:
        q, k, v = (one.flatten(0, 1) for one in self.heads(x))
        made = torch.empty_like(v)
        torch.bmm((q @ k.mT).softmax(-1), v, out=made)
        return made


@pytest.mark.parametrize("kind", [Added, Buffered])
def test_what_is_not_read_as_a_product_is_no_attention(kind: type[Spelt]) -> None:
    with pytest.raises(AssertionError, match="no attention was seen"):
        seen(kind())


class Rounded(Spelt):
    """Scores are divided, and rounded down to whole numbers: no multiple of q k^T."""

    def attend(self, x: Tensor) -> Tensor:
        q, k, v = self.heads(x)
        return torch.div(q @ k.mT, 0.5, rounding_mode="floor").softmax(-1) @ v


def test_a_division_that_rounds_is_no_division() -> None:
    _, trace = seen(Rounded())
    assert isinstance(trace.layers[0], DenseAttention)


class Probed(Spelt):
    """Besides the attention between tokens, a learned query whose map is mixed among the heads."""

    def attend(self, x: Tensor) -> Tensor:
        q, k, v = self.heads(x)
        v = (q @ k.transpose(-2, -1)).softmax(-1) @ v
        attention = (self.probe @ k.transpose(-2, -1)).softmax(-1)
        return torch.einsum("b h i j, h g -> b g i j", attention, self.mix) @ v


def test_a_learned_query_is_a_pooling_even_if_only_its_map_is_known() -> None:
    _, trace = seen(Probed())
    assert len(trace.layers) == 1
    assert trace.pool is not None
    assert (trace.pool.n_queries, trace.pool.key_layout) == (1, TokenLayout(("cls",), (ROWS, COLS)))


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


class Linear(Spelt):
    """Softmaxes over features and over tokens: a sum over all tokens, but no attention from token to token."""

    def attend(self, x: Tensor) -> Tensor:
        q, k, v = self.heads(x)
        return q.softmax(-1) @ (k.softmax(-2).transpose(-2, -1) @ v)


def test_what_is_no_attention_between_patches_is_not_painted() -> None:
    torch.manual_seed(0)
    model = VisionModel("spelt", Linear().eval(), (), (), None, Preprocess((ROWS * 4, COLS * 4)))
    with pytest.raises(VizError, match="weighs channels"):
        capture(model, torch.randn(1, 3, ROWS * 4, COLS * 4))
