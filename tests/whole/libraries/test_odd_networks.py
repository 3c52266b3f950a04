"""Networks that are built otherwise than most: methods give the same as on their plain twin, or refuse in words."""

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from support.networks import pixels_for, timm_model
from support.slow_replicas import context
from vizapp.core.context import ExplainContext
from vizapp.core.methods import method_named
from vizapp.core.signals.readout import measured_readout
from vizapp.core.trust.randomisation import randomised
from vizapp.errors import VizError
from vizapp.model.own_network import describe
from vizapp.model.preprocess import Preprocess
from vizapp.model.spec import VisionModel

SPELT = {
    "product": lambda a, v: a @ v,
    "einsum": lambda a, v: torch.einsum("bhij,bhjd->bhid", a, v),
    "einsum, heads beside features": lambda a, v: torch.einsum("bhij,bhjd->bihd", a, v).transpose(1, 2),
    "turned": lambda a, v: (v.transpose(-2, -1) @ a.transpose(-2, -1)).transpose(-2, -1),
}


class Attention(nn.Module):
    def __init__(self, in_place: bool, spelt: str) -> None:
        super().__init__()
        self.qkv, self.proj, self.in_place, self.spelt = nn.Linear(16, 48), nn.Linear(16, 16), in_place, SPELT[spelt]

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.qkv(x).unflatten(-1, (3, 2, 8)).permute(2, 0, 3, 1, 4)
        mixed = self.spelt((q @ k.transpose(-2, -1) / 8**0.5).softmax(-1), v)
        mixed = mixed.mul_(2.0) if self.in_place else mixed * 2.0
        return self.proj(mixed.transpose(1, 2).flatten(2))


class Block(nn.Module):
    def __init__(self, in_place: bool, spelt: str) -> None:
        super().__init__()
        self.norm, self.attn = nn.LayerNorm(16), Attention(in_place, spelt)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.attn(self.norm(x))


class Odd(nn.Module):
    """CLS first or last, its classifier named first or last, attention changed in place or not; the numbers are the same."""

    def __init__(
        self,
        *,
        cls_last: bool = False,
        head_first: bool = False,
        in_place: bool = False,
        spelt: str = "product",
    ) -> None:
        super().__init__()
        torch.manual_seed(0)
        head = nn.Linear(16, 5)
        if head_first:
            self.head = head
        self.patches = nn.Conv2d(3, 16, 8, 8)
        self.cls = nn.Parameter(torch.randn(1, 1, 16))
        self.blocks = nn.Sequential(*(Block(in_place, spelt) for _ in range(2)))
        if not head_first:
            self.head = head
        self.cls_last = cls_last

    def forward(self, pixels: Tensor) -> Tensor:
        patches = self.patches(pixels).flatten(2).transpose(1, 2)
        both = [patches, self.cls] if self.cls_last else [self.cls, patches]
        return self.head(self.blocks(torch.cat(both, 1))[:, -1 if self.cls_last else 0])


def seen_by(**changes: Any) -> ExplainContext:
    net = Odd(**changes).double().eval().requires_grad_(False)
    model: VisionModel = describe(net, preprocess=Preprocess(size=(32, 32)), labels=tuple("abcde"))
    return context(model, pixels_for(model), 1)


@pytest.mark.parametrize("name", ["grad_cam", "grad_cam_plus_plus", "chefer", "gradient_rollout", "attn_lrp"])
def test_where_cls_stands_does_not_matter(name: str) -> None:
    first, last = (
        method_named(name)(seen_by(cls_last=value), layer=0)
        if "cam" in name
        else method_named(name)(seen_by(cls_last=value))
        for value in (False, True)
    )
    assert first.scores.any()
    np.testing.assert_allclose(last.scores, first.scores, rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize(
    "name", ["chefer", "gradient_rollout", "gradient_attention", "legrad", "value_attention", "alti"]
)
def test_what_attention_gives_may_not_be_changed_in_place(name: str) -> None:
    with pytest.raises(VizError):
        method_named(name)(seen_by(in_place=True))


def test_parallel_branches_have_no_stream_of_their_own() -> None:
    model = timm_model("vit_pwee_patch16_reg1_gap_256")
    with pytest.raises(VizError, match="not added to the input of its block"):
        method_named("alti")(context(model, pixels_for(model), 0))


@pytest.mark.parametrize("head_first", [False, True])
def test_the_classifier_forgets_wherever_it_is_named(head_first: bool) -> None:
    seen = seen_by(head_first=head_first)
    forgetful = randomised(seen, 0)
    assert not torch.equal(forgetful.net.head.weight, seen.model.net.head.weight)
    assert torch.equal(forgetful.net.cls, seen.model.net.cls)
    assert torch.equal(forgetful.net.blocks[1].attn.proj.weight, seen.model.net.blocks[1].attn.proj.weight)


@pytest.mark.parametrize("spelt", [spelt for spelt in SPELT if spelt != "product"])
@pytest.mark.parametrize("name", ["chefer", "legrad", "gradient_attention", "gradient_rollout"])
def test_how_values_are_weighed_does_not_matter(name: str, spelt: str) -> None:
    """Nor to the measured readout: also there the gradient of what the network goes on with counts."""
    plain, other = seen_by(), seen_by(spelt=spelt)
    expected = method_named(name)(plain)
    assert expected.scores.any()
    np.testing.assert_allclose(method_named(name)(other).scores, expected.scores, rtol=1e-8, atol=1e-12)
    assert measured_readout(other.model, other.pixels, other.trace).query == "cls"


def test_what_cannot_be_differentiated_is_said() -> None:
    seen = seen_by()
    body = seen.model.net.blocks.forward
    seen.model.net.blocks.forward = torch.no_grad()(body)
    with pytest.raises(VizError, match=r"lets no gradient through|cannot be differentiated"):
        method_named("chefer")(seen)
    seen.model.net.head.requires_grad_(True)
    with pytest.raises(VizError, match="cannot be differentiated"):
        method_named("chefer")(seen)
