"""Heads that a network computes one after the other are one layer, and what only looks like it is not."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import timm
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from support.networks import sharpen
from support.versions import since_timm
from vizapp.analysis import archive
from vizapp.core.attention.layers import FactoredAttention
from vizapp.core.attention.ledger import Entry, Ledger
from vizapp.core.attention.sides import Sides
from vizapp.core.attention.trace import AttentionTrace
from vizapp.core.capture.call import Call
from vizapp.core.capture.check import check
from vizapp.core.capture.forward import capture, capture_batch
from vizapp.core.capture.watch import Watch
from vizapp.core.context import ExplainContext
from vizapp.core.interventions import parse
from vizapp.core.interventions.apply import edited, sites
from vizapp.core.methods import method_named
from vizapp.core.signals.gradients import attention_gradients
from vizapp.core.signals.lrp.deep_taylor import attention_relevances
from vizapp.core.signals.readout import measured_readout
from vizapp.core.signals.together import gradients_of_several
from vizapp.errors import VizError
from vizapp.model.preprocess import Preprocess
from vizapp.model.spec import TokenLayout, VisionModel

SIZE, PATCH, WIDTH, HEADS = 32, 8, 24, 3
Join = Callable[[list[Tensor]], Tensor]


def beside(outputs: list[Tensor]) -> Tensor:
    return torch.cat(outputs, -1)


def stacked(outputs: list[Tensor]) -> Tensor:
    return torch.stack(outputs, 1).transpose(1, 2).flatten(2)


def one_by_one(outputs: list[Tensor]) -> Tensor:
    joined = outputs[0]
    for one in outputs[1:]:
        joined = torch.cat([joined, one], -1)
    return joined


class Ordinary(nn.Module):
    """Attention with an axis of heads."""

    def __init__(self) -> None:
        super().__init__()
        self.qkv, self.proj = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.qkv(x).unflatten(-1, (3, HEADS, -1)).permute(2, 0, 3, 1, 4)
        return self.proj(F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2))


class Loop(Ordinary):
    """The same weights in a loop over heads. `how` a head is computed: fused, spelt out, with a mask or a bias."""

    def __init__(self, join: Join = beside, how: str = "spelt") -> None:
        super().__init__()
        self.join, self.how = join, how

    def head(self, q: Tensor, k: Tensor, v: Tensor, head: int) -> Tensor:
        if self.how == "fused":
            return F.scaled_dot_product_attention(q, k, v)
        if self.how.endswith("bias") and (head or self.how != "some bias"):
            number = 0 if self.how == "shared bias" else head
            bias = torch.randn(q.shape[-2], k.shape[-2], generator=torch.Generator().manual_seed(number))
            return F.scaled_dot_product_attention(q, k, v, attn_mask=bias)
        scores = q @ k.transpose(-2, -1) * q.shape[-1] ** -0.5
        if self.how == "masked" or (self.how == "some masked" and head):
            scores = scores.masked_fill(torch.ones(scores.shape[-2:]).tril(head).logical_not(), -torch.inf)
        return F.dropout(scores.softmax(-1), 0.0, False) @ v

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.qkv(x).unflatten(-1, (3, HEADS, -1)).permute(2, 3, 0, 1, 4)
        return self.proj(self.join([self.head(q[h], k[h], v[h], h) for h in range(HEADS)]))


class Differential(Ordinary):
    """Two maps, one subtracted from the other: joined (0, 1) and (2, 3), halves of the values, as fused kernels are used."""

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.qkv(x).chunk(3, -1)
        (q1, q2), (k1, k2), (v1, v2) = (part.chunk(2, -1) for part in (q, k, v))
        attend = F.scaled_dot_product_attention
        one = torch.cat([attend(q1, k1, v1), attend(q1, k1, v2)], -1)
        return self.proj(one - 0.3 * torch.cat([attend(q2, k2, v1), attend(q2, k2, v2)], -1))


class Subtracted(Ordinary):
    """Two maps whose results are stacked, and then subtracted."""

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.qkv(x).chunk(3, -1)
        attend = F.scaled_dot_product_attention
        one, other = torch.stack([attend(q, k, v), attend(k, q, v)]).unbind(0)
        return self.proj(one - 0.3 * other)


class Siamese(Ordinary):
    """The same weights on two inputs, whose results are joined as features."""

    def __init__(self) -> None:
        super().__init__()
        self.norms = nn.ModuleList(nn.LayerNorm(WIDTH) for _ in range(2))
        self.wide = nn.Linear(2 * WIDTH, WIDTH)

    def forward(self, x: Tensor) -> Tensor:
        parts = [self.qkv(norm(x)).chunk(3, -1) for norm in self.norms]
        return self.wide(torch.cat([F.scaled_dot_product_attention(*part) for part in parts], -1))


class Averaged(Ordinary):
    """Two maps whose results are stacked, and their mean taken."""

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.qkv(x).chunk(3, -1)
        attend = F.scaled_dot_product_attention
        return self.proj(torch.stack([attend(q, k, v), attend(k, q, v)]).mean(0))


class TokenByToken(Ordinary):
    """Two maps whose results are joined as more tokens."""

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.qkv(x).chunk(3, -1)
        attend = F.scaled_dot_product_attention
        one, other = self.proj(torch.cat([attend(q, k, v), attend(k, q, v)], 1)).chunk(2, 1)
        return one - 0.3 * other


class OnEachOther(Ordinary):
    """Two maps, the second of what the first gave, whose results are joined as features."""

    def __init__(self) -> None:
        super().__init__()
        self.wide = nn.Linear(2 * WIDTH, WIDTH)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.qkv(x).chunk(3, -1)
        one = F.scaled_dot_product_attention(q, k, v)
        return self.wide(torch.cat([one, F.scaled_dot_product_attention(q, k, one)], -1))


class PictureByPicture(nn.Module):
    """Loops over pictures and over heads, each head with maps of its own for its own slice of the features."""

    def __init__(self) -> None:
        super().__init__()
        size = WIDTH // HEADS
        self.q, self.k, self.v = (nn.ModuleList(nn.Linear(size, size) for _ in range(HEADS)) for _ in range(3))

    def forward(self, x: Tensor) -> Tensor:
        made = []
        for sequence in x:
            heads = []
            for head, part in enumerate(sequence.chunk(HEADS, -1)):
                q, k, v = self.q[head](part), self.k[head](part), self.v[head](part)
                heads.append((q @ k.T / q.shape[-1] ** 0.5).softmax(-1) @ v)
            made.append(torch.hstack(heads))
        return torch.cat([one.unsqueeze(0) for one in made])


class Block(nn.Module):
    def __init__(self, attn: nn.Module) -> None:
        super().__init__()
        self.norm, self.attn = nn.LayerNorm(WIDTH), attn

    def forward(self, x: Tensor) -> Tensor:
        return x + self.attn(self.norm(x))


class Net(nn.Module):
    def __init__(self, make: Callable[[], nn.Module]) -> None:
        super().__init__()
        self.embed = nn.Conv2d(3, WIDTH, PATCH, PATCH)
        self.blocks = nn.Sequential(*(Block(make()) for _ in range(2)))
        self.norm, self.classes = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 5)

    def forward(self, pixels: Tensor) -> Tensor:
        return self.classes(self.norm(self.blocks(self.embed(pixels).flatten(2).transpose(1, 2))).mean(1))


def model_of(make: Callable[[], nn.Module]) -> VisionModel:
    torch.manual_seed(0)
    net = sharpen(Net(make)).eval()
    return VisionModel("net", net, (), (), None, Preprocess((SIZE, SIZE)), labels=tuple("abcde"), readout="mean")


def pixels(count: int = 1) -> Tensor:
    return torch.randn(count, 3, SIZE, SIZE, generator=torch.Generator().manual_seed(1))


def pair(join: Join = beside, how: str = "spelt") -> tuple[VisionModel, VisionModel]:
    looped, plain = model_of(lambda: Loop(join, how)), model_of(Ordinary)
    plain.net.load_state_dict(looped.net.state_dict())
    return looped, plain


@pytest.mark.parametrize("join", [beside, stacked, one_by_one])
@pytest.mark.parametrize("how", ["spelt", "fused"])
def test_a_loop_over_heads_is_one_layer_with_all_heads(join: Join, how: str) -> None:
    looped, plain = pair(join, how)
    found, expected = capture(looped, pixels()), capture(plain, pixels())
    assert [layer.name for layer in found.layers] == ["blocks.0.attn", "blocks.1.attn"]
    assert not found.no_chain
    torch.testing.assert_close(found.logits, expected.logits, rtol=1e-5, atol=1e-6)
    for one, other in zip(found.layers, expected.layers, strict=True):
        torch.testing.assert_close(one.map(), other.map(), rtol=1e-5, atol=1e-6)
    for head in range(HEADS):
        maps = [method_named("attention")(one, "1,2", layer=0, head=head).scores for one in (found, expected)]
        np.testing.assert_allclose(*maps, rtol=1e-5, atol=1e-6)
    rollouts = [method_named("rollout")(one, "1,2").scores for one in (found, expected)]
    np.testing.assert_allclose(*rollouts, rtol=1e-5, atol=1e-6)
    assert check(looped, pixels()).holds, check(looped, pixels()).problems
    with torch.no_grad():
        torch.testing.assert_close(looped.net(pixels())[0], found.logits, rtol=0, atol=0)


def test_maps_that_were_masked_are_kept_as_they_are() -> None:
    looped = model_of(lambda: Loop(how="masked"))
    trace = capture(looped, pixels())
    assert [layer.n_heads for layer in trace.layers] == [HEADS, HEADS]
    maps = trace.layers[0].map()
    for head in range(HEADS):
        hidden = torch.ones(maps.shape[-2:]).tril(head).logical_not()
        assert not bool(maps[head][hidden].any())
        assert float(maps[head].diagonal(head).min()) > 0
    assert check(looped, pixels()).holds


def test_several_pictures_at_once() -> None:
    looped, plain = pair()
    for found, expected in zip(capture_batch(looped, pixels(2)), capture_batch(plain, pixels(2)), strict=True):
        for one, other in zip(found.layers, expected.layers, strict=True):
            torch.testing.assert_close(one.map(), other.map(), rtol=1e-5, atol=1e-6)


def test_gradients_and_relevances_are_those_of_all_heads() -> None:
    looped, plain = pair()
    traces = [capture(one, pixels()) for one in (looped, plain)]
    for signal in (attention_gradients, attention_relevances):
        found, expected = (signal(m, pixels(), t, 2) for m, t in zip((looped, plain), traces, strict=True))
        for one, other in zip(found, expected, strict=True):
            torch.testing.assert_close(one.map(), other.map(), rtol=1e-3, atol=1e-5, check_dtype=False)
    several = gradients_of_several(looped, pixels(), [traces[0]], [2])
    assert several is not None
    for one, other in zip(several[0], attention_gradients(plain, pixels(), traces[1], 2), strict=True):
        torch.testing.assert_close(one.map(), other.map(), rtol=1e-3, atol=1e-5)
    assert measured_readout(looped, pixels(), traces[0]).query == "mean"
    assert measured_readout(plain, pixels(), traces[1]).query == "mean"


@pytest.mark.parametrize("edit", ["head-off:0.2", "head-off:1.0=uniform"])
def test_a_head_is_switched_off_in_its_own_call(edit: str) -> None:
    looped, plain = (edited(one, [parse(edit)]) for one in pair())
    assert [site.n_heads for site in sites(looped)] == [HEADS, HEADS]
    with torch.no_grad():
        changed, expected = looped.net(pixels()), plain.net(pixels())
        assert not torch.allclose(changed, pair()[0].net(pixels()), atol=1e-3)
    torch.testing.assert_close(changed, expected, rtol=1e-5, atol=1e-5)
    maps = [capture(one, pixels()).layers[1].map() for one in (looped, plain)]
    torch.testing.assert_close(*maps, rtol=1e-4, atol=1e-5)


def test_what_each_head_writes_is_refused_in_words() -> None:
    looped, _ = pair()
    trace = capture(looped, pixels())
    with pytest.raises(VizError, match=r"blocks\.0\.attn computes its heads one after the other"):
        _ = ExplainContext(looped, pixels(), trace, 0).written


@pytest.mark.parametrize("kind", [Differential, Subtracted, Siamese, Averaged, TokenByToken, OnEachOther])
def test_calls_that_are_no_heads_of_one_layer_stay_apart(kind: type[nn.Module]) -> None:
    model = model_of(kind)
    trace = capture(model, pixels())
    assert [layer.name for layer in trace.layers[:2]] == ["blocks.0.attn", "blocks.0.attn#1"]
    assert not trace.joined
    assert trace.no_chain


@since_timm("1.0.23", "it had no such networks")
def test_differential_attention_of_timm_stays_apart() -> None:
    net = timm.create_model("vit_dlittle_patch16_reg1_gap_256.sbb_nadamuon_in1k", img_size=64, depth=2, num_classes=3)
    model = VisionModel(
        "net", sharpen(net.eval()), (), (), None, Preprocess((64, 64)), labels=("a", "b", "c"), readout=""
    )
    trace = capture(model, torch.randn(1, 3, 64, 64))
    assert "blocks.0.attn#1" in {*(layer.name for layer in trace.layers), *trace.skipped}
    assert not trace.joined
    assert trace.no_chain


def test_a_trace_with_such_layers_is_taken_apart_and_kept(tmp_path: Path) -> None:
    looped, _ = pair()
    trace = capture(looped, pixels())
    assert trace[1:2].calls_of("blocks.1.attn") == ("blocks.1.attn", "blocks.1.attn#1", "blocks.1.attn#2")
    kinds = {one.__name__: one for one in (AttentionTrace, FactoredAttention, TokenLayout, Ledger, Entry, Sides)}
    archive.write(tmp_path / "kept", {"trace": trace})
    again = archive.read(tmp_path / "kept", kinds)["trace"]
    assert again.calls_of("blocks.1.attn") == trace.calls_of("blocks.1.attn")
    assert torch.equal(again.layers[1].map(), trace.layers[1].map())


def test_loops_over_pictures_and_heads() -> None:
    model = model_of(PictureByPicture)
    calls: list[Call] = []
    with torch.no_grad(), Watch(model.net, calls.append):
        model.net(pixels())
    expected = torch.stack([by_hand(call) for call in calls[:HEADS]])
    for trace in (capture(model, pixels()), capture_batch(model, pixels(2))[0]):
        assert [layer.n_heads for layer in trace.layers] == [HEADS, HEADS]
        torch.testing.assert_close(trace.layers[0].map(), expected, rtol=1e-5, atol=1e-6)
        assert not trace.no_chain


def by_hand(call: Call) -> Tensor:
    """(query, key) of a call of one picture and one head."""
    if call.matrix is not None:
        return call.matrix.reshape(call.matrix.shape[-2:])
    assert call.q is not None
    assert call.k is not None
    scores = call.q @ call.k.transpose(-2, -1) * call.scale
    scores = scores if call.bias is None else scores + call.bias
    return scores.softmax(-1).reshape(scores.shape[-2:])


@pytest.mark.parametrize("how", ["shared bias", "own bias", "some bias", "some masked"])
def test_biases_and_masks_of_heads_stay_with_their_heads(how: str) -> None:
    model = model_of(lambda: Loop(how=how))
    calls: list[Call] = []
    with torch.no_grad(), Watch(model.net, calls.append):
        model.net(pixels())
    trace = capture(model, pixels())
    assert len(trace.layers) == 2
    for index, layer in enumerate(trace.layers):
        expected = torch.stack([by_hand(call) for call in calls[index * HEADS : (index + 1) * HEADS]])
        torch.testing.assert_close(layer.map(), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", ["rollout", "gradient_rollout", "chefer", "daam", "grad_cam", "partial_lrp", "legrad"])
def test_methods_say_the_same_of_both_spellings(name: str) -> None:
    maps = [method_named(name)(ExplainContext(one, pixels(), capture(one, pixels()), 2)).scores for one in pair()]
    np.testing.assert_allclose(*maps, rtol=1e-3, atol=1e-5 * float(np.abs(maps[1]).max()))
