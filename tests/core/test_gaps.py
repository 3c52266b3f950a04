"""What attends between the layers of a trace and is none of them: understood if it can be, else no chain, in words."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import pytest
import timm
import torch
from conftest import sharpen
from test_capture import pixels_for
from torch import Tensor, nn

from vizapp.core.attention.trace import AttentionTrace
from vizapp.core.capture.check import check
from vizapp.core.capture.forward import capture
from vizapp.core.methods import method_named
from vizapp.errors import VizError
from vizapp.model.own_network import describe
from vizapp.model.preprocess import Preprocess
from vizapp.model.spec import VisionModel

Weigh = Callable[[Tensor, Tensor, Tensor], Tensor]


def scores(q: Tensor, k: Tensor) -> Tensor:
    return q @ k.transpose(-2, -1) / 8**0.5


def exp_over_sum(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    weights = (scores(q, k) - scores(q, k).amax(-1, keepdim=True)).exp()
    return weights / weights.sum(-1, keepdim=True) @ v


def plain(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return scores(q, k).softmax(-1) @ v


UNDERSTOOD: dict[str, Weigh] = {
    "log": lambda q, k, v: scores(q, k).log_softmax(-1).exp() @ v,
    "as PyTorch calls it": lambda q, k, v: torch._softmax(scores(q, k), -1, False) @ v,
    "aten": lambda q, k, v: torch.ops.aten._softmax(scores(q, k), -1, False) @ v,
    "aten, overload": lambda q, k, v: torch.ops.aten.bmm.default(
        torch.ops.aten.softmax.int(scores(q, k), -1).flatten(0, 1), v.flatten(0, 1)
    ).unflatten(0, v.shape[:2]),
    "over the other axis": lambda q, k, v: scores(k, q).softmax(-2).transpose(-2, -1) @ v,
    "over the other axis, values first": lambda q, k, v: (v.mT @ scores(k, q).softmax(2)).mT,
    "times and sum": lambda q, k, v: (scores(q, k).softmax(-1)[..., None] * v[..., None, :, :]).sum(-2),
    "sum of times": lambda q, k, v: torch.sum(v.unsqueeze(2) * scores(q, k).softmax(-1).unsqueeze(-1), dim=3),
}
OTHERS: dict[str, Weigh] = {
    "sigmoid": lambda q, k, v: (scores(q, k) - 2.8).sigmoid() @ v,
    "relu": lambda q, k, v: scores(q, k).relu().square() / 16 @ v,
    "exp over sum": exp_over_sum,
    "no softmax": lambda q, k, v: torch.einsum("bhik,bhjk,bhjd->bhid", q, k, v) / 16,
    "linear": lambda q, k, v: q.sigmoid() @ (k.sigmoid().transpose(-2, -1) @ v) / 16,
    "efficient": lambda q, k, v: q.softmax(-1) @ (k.sigmoid().transpose(-2, -1) @ v),
    "linear, einsum": lambda q, k, v: torch.einsum("bhic,bhjc,bhjd->bhid", q.exp(), k.exp(), v) / 16,
    "times and mean": lambda q, k, v: (scores(q, k).softmax(-1)[..., None] * v[..., None, :, :]).mean(-2) * 16,
    "separable": lambda q, k, v: q * (k * v[..., :1].softmax(-2)).sum(-2, keepdim=True),
    "features first": lambda q, k, v: q.softmax(-1) @ (k.softmax(-2).transpose(-2, -1) @ v),
}


class Block(nn.Module):
    def __init__(self, weigh: Weigh) -> None:
        super().__init__()
        self.weigh, self.qkv, self.proj = weigh, nn.Linear(16, 48), nn.Linear(16, 16)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.qkv(x).unflatten(-1, (3, 2, 8)).permute(2, 0, 3, 1, 4)
        return x + self.proj(self.weigh(q, k, v).transpose(1, 2).flatten(2))


class Hybrid(nn.Module):
    """Three layers; `middle` is how the second weighs its values, `between` what is done to tokens before it."""

    def __init__(self, middle: Weigh = plain, between: nn.Module | None = None, n: int = 3, at: int = 1) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.patches, self.cls = nn.Conv2d(3, 16, 8, 8), nn.Parameter(torch.randn(1, 1, 16))
        self.between = between or nn.Identity()
        self.blocks = nn.ModuleList(Block(middle if i == at else plain) for i in range(n))

    def forward(self, pixels: Tensor) -> Tensor:
        x = self.patches(pixels).flatten(2).transpose(1, 2)
        x = torch.cat([self.cls.expand(len(x), -1, -1), x], 1)
        for index, block in enumerate(self.blocks):
            x = block(self.between(x) if index == 1 else x)
        return x[:, 0]


def of(net: nn.Module) -> VisionModel:
    return describe(net.double().eval().requires_grad_(False), preprocess=Preprocess((32, 32)))


def seen(net: nn.Module) -> AttentionTrace:
    model = of(net)
    return capture(model, pixels_for(model).double())


@pytest.mark.parametrize("how", UNDERSTOOD)
def test_other_spellings_of_a_softmax_are_layers(how: str) -> None:
    trace, expected = seen(Hybrid(UNDERSTOOD[how])), seen(Hybrid())
    assert [layer.name for layer in trace.layers] == ["blocks.0", "blocks.1", "blocks.2"]
    assert trace.no_chain == ""
    torch.testing.assert_close(trace.layers[1].map(), expected.layers[1].map())
    model = of(Hybrid(UNDERSTOOD[how]))
    found = check(model, pixels_for(model))
    assert found.problems == ()
    assert (found.seen, found.softmaxes, found.elsewhere) == (3, 3, ())


@pytest.mark.parametrize("at", [0, 1, 2], ids=["before", "between", "after"])
@pytest.mark.parametrize("how", OTHERS)
def test_what_weighs_tokens_otherwise_breaks_the_chain(how: str, at: int) -> None:
    trace = seen(Hybrid(OTHERS[how], at=at))
    with pytest.raises(VizError, match=rf"blocks\.{at}\b"):
        method_named("rollout")(trace)
    assert f"blocks.{at}" in {name.partition("#")[0] for name in trace.skipped}
    assert method_named("attention")(trace).scores.any()


class Mixer(nn.Module):
    """A linear layer over tokens: it weighs them alike for all pictures."""

    def __init__(self) -> None:
        super().__init__()
        self.norm, self.mix, self.conv = nn.LayerNorm(16), nn.Linear(17, 17), nn.Conv1d(16, 16, 3, padding=1)

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.mix(self.norm(x).transpose(1, 2)).transpose(1, 2)
        return x + self.conv(x.transpose(1, 2)).transpose(1, 2)


class Gate(nn.Module):
    """A softmax over channels, made of what all tokens hold on average; and one over channels with channels."""

    def forward(self, x: Tensor) -> Tensor:
        channels = (x.transpose(-2, -1) @ x / 17).softmax(-1)
        return x * x.mean(1, keepdim=True).softmax(-1) + (channels @ x.transpose(-2, -1)).transpose(-2, -1)


@pytest.mark.parametrize("between", [Mixer, Gate], ids=["mixer", "gate"])
def test_what_is_no_attention_between_tokens_is_no_gap(between: type[nn.Module]) -> None:
    assert seen(Hybrid(between=between())).no_chain == ""


class KeepAttended(nn.Module):
    """EViT: the patches that CLS looks at most go on, the others as one, their mean."""

    def forward(self, x: Tensor) -> Tensor:
        weights = (x[:, :1] @ x[:, 1:].transpose(-2, -1)).softmax(-1)[:, 0]
        kept = weights.topk(8, 1).indices
        rest = weights.scatter(1, kept, 0.0)
        fused = (rest[:, None] / rest.sum(1)[:, None, None]) @ x[:, 1:]
        return torch.cat([x[:, :1], x[:, 1:].gather(1, kept[..., None].expand(-1, -1, x.shape[-1])), fused], 1)


class MergeAlike(nn.Module):
    """ToMe: every second patch is merged into the one most like it, if it is one of the four pairs most alike."""

    def forward(self, x: Tensor) -> Tensor:
        cls, keys = x[:, :1], x[:, 1:] / x[:, 1:].norm(dim=-1, keepdim=True)
        best, which = (keys[:, ::2] @ keys[:, 1::2].transpose(-2, -1)).max(-1)
        order = best.argsort(-1, descending=True)[..., None]
        gone, stay = order[:, :4].expand(-1, -1, x.shape[-1]), order[:, 4:].expand(-1, -1, x.shape[-1])
        into = which[..., None].gather(1, order[:, :4]).expand(-1, -1, x.shape[-1])
        source, target = x[:, 1::2], x[:, 2::2]
        target = target.scatter_reduce(1, into, source.gather(1, gone), reduce="mean")
        return torch.cat([cls, source.gather(1, stay), target], 1)


class Sample(nn.Module):
    """ATS: patches are drawn by how much CLS gives them, each once."""

    def forward(self, x: Tensor) -> Tensor:
        share = (x[:, :1] * x[:, 1:]).sum(-1).softmax(-1).cumsum(-1)
        drawn = torch.searchsorted(share, torch.linspace(0.05, 0.95, 9, dtype=x.dtype)[None]).clamp_max(15).unique()
        return torch.cat([x[:, :1], x[:, 1:][:, drawn]], 1)


@pytest.mark.parametrize("between", [KeepAttended, MergeAlike, Sample], ids=["EViT", "ToMe", "ATS"])
def test_tokens_that_are_dropped_or_merged_break_the_chain(between: type[nn.Module]) -> None:
    trace = seen(Hybrid(between=between()))
    assert [layer.name for layer in trace.layers] == ["blocks.0"]
    assert trace.skipped.keys() - {"between"} == {"blocks.1", "blocks.2"}
    with pytest.raises(VizError, match=r"blocks\.1|between"):
        method_named("rollout")(trace)


def test_layers_of_nextvit_that_are_not_kept_are_named() -> None:
    net = sharpen(timm.create_model("nextvit_small", num_classes=1))
    model = VisionModel("nextvit", net, (), (), None, Preprocess((224, 224)), labels=("a",), readout="")
    trace = capture(model, pixels_for(model))
    assert len(trace.layers) == 1
    assert len(trace.skipped) == 3
    with pytest.raises(VizError, match=r"stages\.1\.blocks\.3\.e_mhsa attends, too.*no grid"):
        method_named("rollout")(trace)


@pytest.mark.parametrize("weigh", [plain, nn.functional.scaled_dot_product_attention], ids=["not counted", "counted"])
def test_traced_attention_between_layers_breaks_the_chain_and_is_named(weigh: Weigh) -> None:
    """A division by a number, once traced, does not even run while softmaxes are counted."""
    net = Hybrid().double()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # deprecated, and met in the wild
        hidden = torch.jit.trace(Block(weigh).double(), torch.randn(1, 17, 16, dtype=torch.float64), check_trace=False)
    net.blocks[1] = hidden
    trace = seen(net)
    assert [layer.name for layer in trace.layers] == ["blocks.0"]
    assert list(trace.skipped) == ["blocks.1", "blocks.2"], "nobody knows what becomes of tokens in there"
    assert trace.no_chain.startswith("blocks.1 attends, too"), "the cause, not what was lost behind it"
    model = of(net)
    found = check(model, pixels_for(model))
    assert found.holds
    assert (found.seen, found.elsewhere) == (2, ("blocks.1",))


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("coat_tiny", r"sums over patches.*linear attention"),
        ("mobilevitv2_050", r"sums over all patches first.*linear attention\), in stages\.2\.1\.transformer\.0\.attn"),
        ("efficientvit_b0", r"sums over all patches first.*linear attention\), in stages\.2"),
    ],
)
def test_linear_attention_is_refused_as_what_it_is(name: str, why: str) -> None:
    net = sharpen(timm.create_model(name, num_classes=1))
    model = VisionModel(name, net, (), (), None, Preprocess((224, 224)), labels=("a",), readout="")
    with pytest.raises(VizError, match=why) as refused:
        capture(model, pixels_for(model))
    assert "traced" not in str(refused.value)


def test_weights_that_are_no_softmax_are_refused_as_that() -> None:
    with pytest.raises(VizError, match=r"by no softmax that was seen, in blocks\.0"):
        seen(Hybrid(OTHERS["sigmoid"], n=1, at=0))
