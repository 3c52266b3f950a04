"""Learned tokens that are new in a layer, as in VPT and vit-pytorch's learnable memory: what follows the layers ends at them."""

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import vizapp
from support.odd import WIDTH, Net, built, picture, seen
from vizapp.core.attention.trace import AttentionTrace
from vizapp.core.capture.check import check
from vizapp.core.methods import ruled_out
from vizapp.core.signals.values import written
from vizapp.errors import VizError

Token = str | int  # a learned token by a name of its own, or a patch by its number
PATCHES = tuple(range(16))
WALKS = ("rollout", "value_rollout", "alti", "attention_flow", "chefer", "gradient_rollout", "transformer_attribution")


class Own(Net):
    """Learned tokens stand before the patches; `enter` says what a block is given, `leave` what goes on behind it."""

    n = 3  # before the patches, in each block
    read_at = 0

    def __init__(self, depth: int = 3) -> None:
        super().__init__(depth)
        self.words = nn.Parameter(torch.randn(depth, self.n, WIDTH))

    def begin(self, x: Tensor) -> Tensor:
        return x

    def enter(self, x: Tensor, index: int, start: Tensor) -> Tensor:
        return torch.cat([self.words[index].expand(len(x), -1, -1), x], 1)

    def leave(self, x: Tensor, index: int) -> Tensor:
        return x[:, self.n :]

    def forward(self, pixels: Tensor) -> Tensor:
        start = self.embed(pixels).flatten(2).transpose(1, 2) + self.pos
        x = self.begin(start)
        for index, block in enumerate(self.blocks):
            y = block(self.enter(x, index, start))
            x = self.leave(y, index)
        return self.head(self.norm(y)[:, self.read_at])

    def tokens(self, index: int) -> tuple[Token, ...]:
        """The tokens of a block, in their order."""
        return (*(f"{index}.{slot}" for slot in range(self.n)), *PATCHES)


class Prompts(Own):
    """VPT-deep: CLS goes on, the prompts before it are each layer's own."""

    n, read_at = 2, 2

    def begin(self, x: Tensor) -> Tensor:
        return torch.cat([self.cls.expand(len(x), -1, -1), x], 1)

    def tokens(self, index: int) -> tuple[Token, ...]:
        return *super().tokens(index)[: self.n], "cls", *PATCHES


class OwnClass(Own):
    n = 1


class Many(Prompts):
    """More prompts than the program ever followed one by one."""

    n, read_at = 40, 40


class Same(Own):
    """Three learned tokens that go on: nothing is to be said."""

    def begin(self, x: Tensor) -> Tensor:
        return Own.enter(self, x, 0, x)

    def enter(self, x: Tensor, index: int, start: Tensor) -> Tensor:
        return x

    def leave(self, x: Tensor, index: int) -> Tensor:
        return x

    def tokens(self, index: int) -> tuple[Token, ...]:
        return "a", "b", "c", *PATCHES


def by_hand(net: Own, step: Callable[[int], Tensor]) -> Tensor:
    """(16,): what the patches get from the token that the classifier reads.

    step  (layer) -> (token, token) in the order of the block, what a token hands to each
    """
    order = list(dict.fromkeys(token for index in range(len(net.blocks)) for token in net.tokens(index)))
    r = torch.zeros(len(order), dtype=torch.float64)
    r[order.index(net.tokens(len(net.blocks) - 1)[net.read_at])] = 1
    for index in reversed(range(len(net.blocks))):
        at = [order.index(token) for token in net.tokens(index)]
        whole = torch.eye(len(order), dtype=torch.float64)  # what is not in this block stays with itself
        whole[at] = 0
        for token, row in zip(at, step(index).double(), strict=True):
            whole[token, at] = row
        r = r @ whole
    return torch.stack([r[order.index(patch)] for patch in PATCHES])


def maps(net: Own) -> list[Tensor]:
    with torch.no_grad():
        net(picture())
    return [block.attn.kept[0][0] for block in net.blocks]


def named(kind: type[Own]) -> tuple[Own, vizapp.Analysis]:
    """The network, and its analysis under five classes."""
    net = built(kind)
    assert isinstance(net, Own)
    labels = [f"class {index}" for index in range(5)]
    return net, vizapp.analyse(vizapp.describe(net, preprocess=vizapp.Preprocess((32, 32)), labels=labels), picture())


NEW = "new learned tokens take the place of those of the layer before"
KINDS = {Prompts: NEW, OwnClass: NEW, Many: NEW, Same: ""}


@pytest.mark.parametrize("kind", KINDS)
def test_rollout_follows_each_token_and_ends_at_new_ones(kind: type[Own]) -> None:
    net = built(kind)
    found = seen(net)
    every = maps(net)
    expected = by_hand(net, lambda index: (every[index].mean(0) + torch.eye(len(every[index][0]))) / 2)
    rolled = vizapp.explain(found, "rollout")
    np.testing.assert_allclose(rolled.scores.ravel(), expected.numpy(), rtol=1e-4)
    # What new tokens are given stays with them, so all of the query is still there.
    assert rolled.scores.sum() + sum(rolled.on_prefix.values()) == pytest.approx(1, abs=1e-5)
    for layer, map_ in zip(found.trace.layers, every, strict=True):
        torch.testing.assert_close(layer.map(), map_)
    # One sentence, where there is something to say: with each map, and in what `check` finds.
    assert found.context is not None
    verdict = check(found.context.model, picture())
    assert (verdict.holds, verdict.verdict) == (True, "exact")
    notes = [note for note in found.notes if "learned tokens" in note]
    assert notes == [note for note in verdict.ledger.details if "learned tokens" in note]
    assert len(notes) == bool(KINDS[kind])
    assert all(KINDS[kind] in note and "blocks.1.attn, blocks.2.attn" in note for note in notes)


@pytest.mark.parametrize("kind", [Prompts, OwnClass])
def test_what_else_walks_down_the_layers_agrees(kind: type[Own]) -> None:
    net, found = named(kind)
    trace, every = found.trace, maps(net)
    assert found.context is not None
    parts = written(found.context.model, picture(), trace)
    for name, step in {
        "alti": lambda index: alti_rows(every[index], parts[index].vectors, parts[index].stream, parts[index].bias),
        "value_rollout": lambda index: value_rows(every[index], parts[index].vectors),
    }.items():
        got = vizapp.explain(found, name)
        np.testing.assert_allclose(got.scores.ravel(), by_hand(net, step).numpy(), rtol=1e-3, atol=1e-6)
    for index, one in enumerate(parts):
        got = vizapp.explain(found, "value_attention", layer=index, query="0,0").scores.ravel()
        lengths = torch.einsum("hk,hkd->kd", every[index][:, -16], one.vectors).norm(dim=-1)
        np.testing.assert_allclose(got, lengths[-16:].numpy(), rtol=1e-3)
    gains = gradients(net, trace)
    gained = vizapp.explain(found, "chefer", target=1)
    expected = by_hand(
        net, lambda index: (gains[index] * every[index]).clamp_min(0).mean(0) + torch.eye(len(every[index][0]))
    )
    np.testing.assert_allclose(gained.scores.ravel(), expected.numpy(), rtol=1e-3, atol=1e-7)

    def weighed(index: int) -> Tensor:
        rows = (gains[index] * every[index]).mean(0).clamp_min(0) + torch.eye(len(every[index][0]))
        return rows / rows.sum(-1, keepdim=True)

    gained = vizapp.explain(found, "gradient_rollout", target=1)
    np.testing.assert_allclose(gained.scores.ravel(), by_hand(net, weighed).numpy(), rtol=1e-3, atol=1e-7)


def alti_rows(map_: Tensor, vectors: Tensor, stream: Tensor, bias: Tensor) -> Tensor:
    moved = torch.einsum("hqk,hkd->qkd", map_, vectors) + torch.eye(len(stream))[:, :, None] * stream[:, None]
    y = moved.sum(1) + bias
    near = (y.abs().sum(-1)[:, None] - (y[:, None] - moved).abs().sum(-1)).clamp_min(0)
    return near / near.sum(-1, keepdim=True)


def value_rows(map_: Tensor, vectors: Tensor) -> Tensor:
    lengths = torch.einsum("hqk,hkd->qkd", map_, vectors).norm(dim=-1)
    return (lengths / lengths.sum(-1, keepdim=True) + torch.eye(len(lengths))) / 2


def gradients(net: Own, trace: AttentionTrace) -> list[Tensor]:
    """The gradient of class 1 by each map, in float32, by the network's own map and a sum of zeros that is asked for."""
    zeros = [torch.zeros_like(layer.map(), requires_grad=True) for layer in trace.layers]

    def forward(attention: nn.Module, index: int) -> Callable[[Tensor], Tensor]:
        def run(x: Tensor) -> Tensor:
            q, k, v = attention.qkv(x).unflatten(-1, (3, 2, -1)).permute(2, 0, 3, 1, 4)
            applied = (q @ k.transpose(-2, -1) / 2).softmax(-1) + zeros[index]
            return attention.proj((applied @ v).transpose(1, 2).flatten(2))

        return run

    twin = built(type(net))
    for index, block in enumerate(twin.blocks):
        block.attn.forward = forward(block.attn, index)
    return list(torch.autograd.grad(twin(picture())[0, 1], zeros))


def test_flow_ends_at_new_tokens_too() -> None:
    """With a CLS of each layer's own nothing flows through CLS but from the last layer to the patches."""
    net = built(OwnClass)
    found = vizapp.explain(seen(net), "attention_flow")
    pipes = [map_.mean(0) / 2 + torch.eye(17) / 2 for map_ in maps(net)]
    # Beyond the patches of the last layer there is no way from CLS: no patch gets more than CLS gave to all of them.
    assert 0 < found.scores.max() <= float(pipes[-1][0, 1:].sum()) + 1e-6
    assert found.scores.max() <= float(pipes[0][1:].sum(0).max()) + 1e-6


def test_a_name_stays_with_the_token_and_the_last_layer_has_the_given_names() -> None:
    model = vizapp.describe(built(Prompts), preprocess=vizapp.Preprocess((32, 32)))
    found = vizapp.analyse(replace(model, prefix=("word0", "word1", "cls"), readout="cls"), picture()).trace
    prefixes = [layer.key_layout.prefix for layer in found.layers]
    assert prefixes[-1] == ("word0", "word1", "cls")
    assert all(prefix[2] == "cls" for prefix in prefixes)
    assert all(not {*one[:2]} & {*other[:2]} for one, other in pairwise(prefixes))
    # Asked for by the last one's name, each layer answers by its own.
    assert [int(found.query("word1", index).argmax()) for index in range(3)] == [1, 1, 1]
    own = seen(built(OwnClass))
    assert [int(own.trace.query(None, index).argmax()) for index in range(3)] == [0, 0, 0]
    # Two layers alone are rolled out as far as from the second of them.
    alone, layer = own.trace[0:2], vizapp.explain(own, "rollout", layer=1)
    few = vizapp.explain(replace(own, trace=alone), "rollout")
    np.testing.assert_allclose(few.scores, layer.scores, rtol=1e-6)


class Rotated(Same):
    """The same three tokens in each block, each in another place than before."""

    def enter(self, x: Tensor, index: int, start: Tensor) -> Tensor:
        return torch.cat([x[:, 1 : self.n], x[:, :1], x[:, self.n :]], 1)


class Stirred(Own):
    """New tokens in each block, after which the means of all tokens go to each."""

    def enter(self, x: Tensor, index: int, start: Tensor) -> Tensor:
        x = super().enter(x, index, start)
        return x + 0.1 * x.mean(1, keepdim=True)

    def leave(self, x: Tensor, index: int) -> Tensor:
        return x[:, self.n :] + x[:, : self.n].mean(1, keepdim=True)


@pytest.mark.parametrize("kind", [Stirred, Rotated])
def test_what_cannot_be_followed_is_refused_in_words(kind: type[Own]) -> None:
    net, why = built(kind), "it is not understood which tokens of blocks.1.attn go on from blocks.0.attn"
    found = seen(net)
    assert why in found.trace.no_chain
    assert found.context is not None
    ledger = check(found.context.model, picture()).ledger
    assert why in ledger.no_chain
    assert {*WALKS} <= {*ruled_out(ledger)}
    with pytest.raises(VizError, match=why):
        vizapp.explain(found, "rollout")
    for layer, map_ in zip(found.trace.layers, maps(net), strict=True):
        torch.testing.assert_close(layer.map(), map_)
