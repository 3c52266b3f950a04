"""Rows of attention that are zero, because a mask hides all of them or all heads are off; weights that are below zero."""

import numpy as np
import pytest
import timm
import torch
import torch.nn.functional as F
from torch import Tensor

import vizapp
from support.networks import pixels_for, planted, sharpen, small_vit
from support.slow_replicas import context, lengths, tokens_of
from vizapp.core.attention.relevance import Share
from vizapp.core.capture.check import check
from vizapp.core.context import ExplainContext
from vizapp.core.head_statistics import COLUMNS, head_statistics
from vizapp.core.methods import method, method_named
from vizapp.core.methods.rollout import rollout_through_each_layer
from vizapp.core.signals.gradients import attention_gradients
from vizapp.core.signals.stream import stream_of
from vizapp.errors import VizError
from vizapp.model.own_network import describe
from vizapp.model.preprocess import Preprocess
from vizapp.model.spec import TokenLayout
from vizapp.model.vit import Attention

HIDDEN = (5, 6)  # tokens that may look at nothing
METHODS = ("rollout", "value_rollout", "alti", "chefer", "transformer_attribution", "partial_lrp", "legrad", "attn_lrp")


class Masked(Attention):
    """With the kernel of PyTorch, whose rows are zero where a mask hides all."""

    mask: Tensor

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.qkv(x).unflatten(-1, (3, self.num_heads, -1)).permute(2, 0, 3, 1, 4)
        return self.proj(F.scaled_dot_product_attention(q, k, v, self.mask).transpose(1, 2).flatten(2))


class Spelt(Masked):
    """The same with the rows multiplied by 0."""

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.qkv(x).unflatten(-1, (3, self.num_heads, -1)).permute(2, 0, 3, 1, 4)
        attention = (q * self.scale @ k.transpose(-2, -1)).softmax(-1) * self.mask
        return self.proj((attention @ v).transpose(1, 2).flatten(2))


def seen_with(kind: type[Masked], mask: Tensor) -> ExplainContext:
    torch.manual_seed(0)
    model = small_vit()
    for block in model.net.blocks:
        block.attn.__class__, block.attn.mask = kind, mask
    own = describe(model.net.double(), preprocess=Preprocess((32, 32), (0.5,) * 3, (0.5,) * 3), labels=model.labels)
    return context(own, pixels_for(own), 2)


def masks() -> dict[str, Tensor]:
    looks = torch.ones(1, 1, 17, 17, dtype=torch.bool)
    looks[:, :, list(HIDDEN)] = False
    return {"bool": looks, "added": torch.zeros(looks.shape).double().masked_fill(~looks, -torch.inf)}


def test_legrad_counts_no_attention_that_a_mask_hides() -> None:
    """CLS comes first in a causal network, and sees no patch: none can get more, whatever the slope of its weight is."""
    mask = torch.ones(1, 1, 17, 17, dtype=torch.bool).tril()
    seen = seen_with(Masked, mask)
    expected = torch.zeros(17, dtype=torch.float64)
    stream = stream_of(seen.model, seen.pixels, seen.trace, seen.explained)
    for index in range(len(seen.trace.layers)):
        with stream.read_after(index):
            (slope,) = attention_gradients(seen.model, seen.pixels, seen.trace, seen.explained, [index])
        for query in range(17):
            for key in range(query + 1):
                expected[key] += slope.map()[:, query, key].clamp_min(0).mean() / 17
    found = tokens_of(method_named("legrad")(seen))
    np.testing.assert_allclose(found, expected.numpy() / len(seen.trace.layers), rtol=1e-9, atol=1e-15)
    assert found[0] > 0
    assert not found[1:].any()


@pytest.fixture(scope="module")
def spelt() -> ExplainContext:
    return seen_with(Spelt, masks()["bool"][..., :1].double())


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("kind", ["bool", "added"])
def test_hidden_rows_are_those_that_are_zero(kind: str, name: str, spelt: ExplainContext) -> None:
    """Rollout lost what came to them, value_rollout and transformer_attribution were NaN."""
    seen = seen_with(Masked, masks()[kind])
    assert not seen.trace.layers[0].map()[:, list(HIDDEN)].any()
    found, expected = (tokens_of(method_named(name)(one)) for one in (seen, spelt))
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8 * np.abs(expected).max())
    if name in ("rollout", "value_rollout", "alti"):
        assert found.sum() == pytest.approx(1)


def test_rollout_by_whole_matrices() -> None:
    """A token that may look at nothing stays what it is."""
    seen = seen_with(Masked, masks()["bool"])
    assert check(seen.model, seen.pixels).problems == ()
    joints = {"rollout": np.eye(17), "value_rollout": np.eye(17)}
    for index, layer in enumerate(seen.trace.layers):
        for name, a in (("rollout", layer.map().mean(0).numpy()), ("value_rollout", lengths(seen, index))):
            total = a.sum(1, keepdims=True)
            rows = np.where(total > 0, 0.5 * np.eye(17) + 0.5 * a / np.where(total > 0, total, 1), np.eye(17))
            joints[name] = rows @ joints[name]
    for name, joint in joints.items():
        np.testing.assert_allclose(tokens_of(method_named(name)(seen)), joint[0], rtol=1e-6, atol=1e-12, err_msg=name)


def test_the_rollout_that_comes_with_the_first_map_is_rollout() -> None:
    """Made for several queries in one walk: of a token whose row is hidden, too, and of one that looks at such."""
    trace = seen_with(Masked, masks()["bool"]).trace
    asked = ("cls", "1,0", "2,3")
    rolled, _ = rollout_through_each_layer(trace, torch.stack([trace.query(one) for one in asked]))
    expected = [[tokens_of(method_named("rollout")(trace, one, layer=layer)) for one in asked] for layer in range(3)]
    np.testing.assert_allclose(rolled.numpy(), expected, rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("layer", [0, 2])
def test_with_all_heads_of_a_layer_off_value_rollout_has_numbers(layer: int) -> None:
    picture = torch.randn(1, 3, 32, 32, generator=torch.Generator().manual_seed(1))
    seen = vizapp.analyse(small_vit(), picture, edits=[f"head-off:{layer}.{head}" for head in range(4)])
    assert tokens_of(vizapp.explain(seen, "value_rollout")).sum() == pytest.approx(1)


def test_a_map_that_is_no_number_is_refused_in_words() -> None:
    @method(title="", sentence="", paper="", unit=lambda settings: "")
    def broken(trace: object, query: Tensor) -> tuple[Tensor, TokenLayout]:
        return torch.full((5,), torch.nan), TokenLayout(("cls",), (2, 2))

    with pytest.raises(VizError, match=r"The map of broken holds values that are no numbers \(NaN or infinity\)"):
        broken(planted(torch.full((1, 5, 5), 0.2)), "cls")


def test_heads_that_were_mixed_are_no_shares() -> None:
    """CaiT: weights below zero had an entropy of -122 and a distance of -inf, and stood on the page as shares."""
    torch.manual_seed(0)
    net = timm.create_model("cait_xxs24_224", img_size=32, embed_dim=32, depth=2, num_heads=4, num_classes=5)
    seen = vizapp.analyse(sharpen(net), torch.randn(1, 3, 32, 32), labels=tuple("abcde"))
    assert seen.trace.layers[0].below_zero
    assert not any(layer.are_shares for layer in seen.trace.layers)
    assert all(np.isnan([row[name] for name in COLUMNS]).all() for row in vizapp.head_statistics(seen))
    found = vizapp.explain(seen, "attention", layer=0)
    assert found.signed
    assert not isinstance(found.unit, Share)
    assert "no share" in found.unit
    cross = vizapp.explain(seen, "cross_attention")
    assert isinstance(cross.unit, Share)
    assert not cross.signed


def test_only_the_layer_that_is_below_zero_has_no_numbers() -> None:
    mixed, whole = torch.full((2, 5, 5), 0.2), torch.full((2, 5, 5), 0.2)
    mixed[1, 2, 3] = -0.2
    (one, other) = head_statistics(planted(mixed, whole), (16, 16))
    assert np.isnan(one["entropy"]).all()
    assert other["entropy"] == pytest.approx([np.log(5)] * 2)
    assert isinstance(method_named("attention")(planted(mixed, whole), layer=1).unit, Share)
