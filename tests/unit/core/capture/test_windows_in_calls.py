"""Windows that a network computes one after the other, of one size or several, are one layer, each patch at its own place.

The network is a tower like that of Qwen2.5-VL: tokens in the order of windows, an attention call for each, those at the edge
smaller.
"""

import copy

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

import vizapp
from support.together import together
from vizapp.analysis import Analysis
from vizapp.analysis.record import hidden_in_words
from vizapp.core.attention.hidden import hidden_keys
from vizapp.core.signals.steps import steps_to
from vizapp.errors import VizError

PATCH = 4


class Windowed(nn.Module):
    """A call for each window; `how` says what else is done."""

    how = "plain"

    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        self.heads, self.qkv, self.proj = heads, nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)

    def split(self, x: Tensor) -> list[Tensor]:
        return list(self.qkv(x).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4))

    def forward(self, x: Tensor, lengths: list[int]) -> Tensor:
        windows = zip(*(one.split(lengths, 2) for one in self.split(x)), strict=True)
        outs = [self.attend(*parts, window) for window, parts in enumerate(windows)]
        if self.how == "swapped" and len(outs) > 1:
            outs[1], outs[2] = outs[2], outs[1]
        return self.proj(torch.cat(outs, 2).transpose(1, 2).flatten(2))

    def attend(self, q: Tensor, k: Tensor, v: Tensor, window: int) -> Tensor:
        bias = self.bias(window, q.shape[-2])
        if self.how == "spelled" or (self.how == "of all kinds" and window % 2 == 0):
            scores = q @ k.mT / q.shape[-1] ** 0.5
            return (scores if bias is None else scores + bias).softmax(-1) @ v
        return F.scaled_dot_product_attention(q, k, v, bias)

    def bias(self, window: int, length: int) -> Tensor | None:
        """What is added to the scores of a window: something else in each, and nothing in the first."""
        if self.how not in {"of all kinds", "biased"} or not window:
            return None
        return torch.randn(length, length, generator=torch.Generator().manual_seed(window)).double()


class Masked(Windowed):
    """The same in one call, with a mask."""

    def forward(self, x: Tensor, lengths: list[int]) -> Tensor:
        of = torch.arange(len(lengths)).repeat_interleave(torch.tensor(lengths))
        out = F.scaled_dot_product_attention(*self.split(x), (of[:, None] == of) if len(lengths) > 1 else None)
        return self.proj(out.transpose(1, 2).flatten(2))


class Block(nn.Module):
    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.attn = Windowed(dim, heads)
        self.mlp = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))

    def forward(self, x: Tensor, lengths: list[int]) -> Tensor:
        x = x + self.attn(self.norm1(x), lengths)
        return x + self.mlp(self.norm2(x))


class Tower(nn.Module):
    """Patches on a grid of n x n, windows of 4 x 4; blocks in `full` attend to all."""

    def __init__(self, n: int, blocks: int, full: tuple[int, ...], dim: int = 16) -> None:
        super().__init__()
        self.n, self.full = n, full
        self.embed, self.blocks = nn.Conv2d(3, dim, PATCH, PATCH), nn.ModuleList(Block(dim, 2) for _ in range(blocks))
        self.norm, self.head = nn.LayerNorm(dim), nn.Linear(dim, 3)
        grid, starts = torch.arange(n * n).reshape(n, n), range(0, n, 4)
        windows = [grid[row : row + 4, col : col + 4].flatten() for row in starts for col in starts]
        self.lengths = [len(one) for one in windows]
        self.index: Tensor
        self.register_buffer("index", torch.cat(windows))

    def forward(self, pixels: Tensor) -> Tensor:
        x = self.embed(pixels).flatten(2).transpose(1, 2)[:, self.index]
        for number, block in enumerate(self.blocks):
            x = block(x, [x.shape[1]] if number in self.full else self.lengths)
        return self.head(self.norm(x)[:, self.index.argsort()].mean(1))


def tower(n: int = 6, blocks: int = 2, full: tuple[int, ...] = (1,), how: str = "plain") -> Tower:
    """A tower in double precision whose attention is sharp."""
    torch.manual_seed(0)
    net = Tower(n, blocks, full).double().eval()
    for block in net.blocks:
        block.attn.qkv.weight.data *= 4
        block.attn.how = how
    return net


def in_one_call(net: Tower) -> Tower:
    """The same network, whose windows are a mask."""
    other = copy.deepcopy(net)
    for block in other.blocks:
        block.attn.__class__ = Masked
    return other


def pixels_of(net: Tower, pictures: int = 1) -> Tensor:
    side = PATCH * net.n
    return torch.randn(pictures, 3, side, side, generator=torch.Generator().manual_seed(1)).double()


@torch.no_grad()
def maps_of(net: Tower, pixels: Tensor) -> list[Tensor]:
    """(head, query, key) of each block by a plain loop over windows, in the order of the picture's rows."""
    x, found, n = net.embed(pixels).flatten(2).transpose(1, 2), list[Tensor](), net.n**2
    for number, block in enumerate(net.blocks):
        q, k, v = block.attn.split(block.norm1(x))
        map_, rows = torch.zeros(2, n, n).double(), torch.arange(n)
        for window, own in enumerate([rows] if number in net.full else net.index.split(net.lengths)):
            scores, bias = q[0][:, own] @ k[0][:, own].mT / q.shape[-1] ** 0.5, block.attn.bias(window, len(own))
            map_[:, own[:, None], own] = (scores if bias is None else scores + bias).softmax(-1)
        found.append(map_)
        x = x + block.attn.proj((map_ @ v[0]).transpose(0, 1).flatten(1))[None]
        x = x + block.mlp(block.norm2(x))
    assert torch.allclose(net.head(net.norm(x).mean(1)), net(pixels))
    return found


def seen_by(net: Tower) -> Analysis:
    return vizapp.analyse(net, pixels_of(net), labels=("a", "b", "c"))


@pytest.fixture(scope="module")
def ragged() -> tuple[Tower, Analysis]:
    """6 x 6 patches: windows of 16, 8, 8 and 4; the second block attends to all."""
    net = tower()
    assert net.lengths == [16, 8, 8, 4]
    return net, seen_by(net)


def assert_true(net: Tower, seen: Analysis) -> None:
    expected = maps_of(net, pixels_of(net))
    assert [layer.n_windows for layer in seen.trace.layers] == [
        1 if number in net.full else len(net.lengths) for number in range(len(net.blocks))
    ]
    for layer, map_ in zip(seen.trace.layers, expected, strict=True):
        np.testing.assert_allclose(layer.map(), map_, rtol=0, atol=1e-9)
        hidden = hidden_keys(layer)
        assert torch.equal(torch.zeros(map_.shape[1:]).bool() if hidden is None else hidden, (map_ == 0).all(0))
    assert not seen.trace.no_chain
    joint = np.eye(net.n**2)
    for map_ in expected:
        joint = (0.5 * np.eye(net.n**2) + 0.5 * map_.mean(0).numpy()) @ joint
    for query in ("0,0", "mean"):
        row = joint[0] if query == "0,0" else joint.mean(0)
        np.testing.assert_allclose(vizapp.explain(seen, "rollout", query=query).scores.ravel(), row, atol=1e-9)


def test_ragged_windows_are_one_layer_and_exact(ragged: tuple[Tower, Analysis]) -> None:
    net, seen = ragged
    assert_true(net, seen)
    assert seen.trace.layout.grid == (6, 6)
    assert [entry.among for entry in seen.ledger.entries] == ["layers"] * 2
    assert not seen.trace.notes
    assert vizapp.check(net, pixels_of(net)).verdict == "exact"


@together(("n", "how"), [(6, "spelled"), (6, "of all kinds"), (8, "plain"), (8, "biased")])
def test_windows_that_are_spelled_out_or_biased_and_windows_of_one_size(n: int, how: str) -> None:
    """Of all kinds: the first is kept as q and k, those that are fused with a bias as well, and one as a matrix."""
    net = tower(n, blocks=1, full=(), how=how)
    assert (len(set(net.lengths)) == 1) == (n == 8)
    assert_true(net, seen_by(net))


def test_the_mask_of_one_call_says_the_same(ragged: tuple[Tower, Analysis]) -> None:
    """With the windows as a mask: the same maps, the same hidden patches, the same methods by gradients."""
    net, seen = ragged
    other = seen_by(in_one_call(net))
    for one, same in zip(seen.trace.layers, other.trace.layers, strict=True):
        np.testing.assert_allclose(one.map(), same.map(), rtol=0, atol=1e-12)
    for name in ("chefer", "transformer_attribution", "gradient_attention", "attention"):
        found, expected = (
            vizapp.explain(each, name, layer=0) if name == "attention" else vizapp.explain(each, name)
            for each in (seen, other)
        )
        np.testing.assert_allclose(found.scores, expected.scores, rtol=1e-6, atol=1e-12, err_msg=name)
    found, expected = (vizapp.explain(each, "attention", layer=0, query="5,0").hidden for each in (seen, other))
    np.testing.assert_array_equal(found, expected)
    assert found.sum() == 36 - 8
    assert "mask" not in hidden_in_words(seen, vizapp.explain(seen, "attention", layer=0, query="5,0")), (
        "fillings are none"
    )


def test_several_pictures_at_once(ragged: tuple[Tower, Analysis]) -> None:
    net, _ = ragged
    pictures = pixels_of(net, 2)
    several = vizapp.analyse_many(net, list(pictures.split(1)), labels=("a", "b", "c"), batch=2)
    for picture, seen in zip(pictures, several, strict=True):
        for layer, map_ in zip(seen.trace.layers, maps_of(net, picture[None]), strict=True):
            np.testing.assert_allclose(layer.map(), map_, rtol=0, atol=1e-9)


def test_what_is_not_followed_is_refused_in_words(ragged: tuple[Tower, Analysis]) -> None:
    net, seen = ragged
    for name in ("value_attention", "value_rollout", "alti"):
        with pytest.raises(VizError, match="computes its windows one after the other"):
            vizapp.explain(seen, name)
    network = seen.context.ready()
    with pytest.raises(VizError, match="windows one after the other: its steps"):
        steps_to(network.model, network.pixels, seen.trace, 0, 0, 0)
    with pytest.raises(VizError, match="windows one after the other, and an edit"):
        vizapp.analyse(net, pixels_of(net), labels=("a", "b", "c"), edits=["head-off:0.1"])
    edited = vizapp.analyse(net, pixels_of(net), labels=("a", "b", "c"), edits=["head-off:1.1"])
    assert not torch.equal(edited.trace.logits, seen.trace.logits), "a layer of one call can be edited"


def test_windows_that_are_put_elsewhere_are_refused_and_set_aside_beside_others() -> None:
    with pytest.raises(VizError, match="the order of its tokens, or of what it gives, is not understood"):
        seen_by(tower(how="swapped", full=()))
    seen = seen_by(tower(how="swapped"))
    assert [layer.name for layer in seen.trace.layers] == ["blocks.1.attn"]
    assert seen.trace.no_chain
