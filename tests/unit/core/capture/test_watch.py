"""Watch: each attention operation is seen with its factors, whatever options it has and however it is spelt."""

from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from vizapp.core.attention.layers import FactoredAttention
from vizapp.core.capture.call import Call
from vizapp.core.capture.forward import CapturedCall
from vizapp.core.capture.watch import Watch
from vizapp.errors import VizError


def watched(net: nn.Module, *inputs: torch.Tensor) -> tuple[list[Call], torch.Tensor]:
    calls: list[Call] = []
    with torch.no_grad(), Watch(net, calls.append):
        output = net(*inputs)
    return calls, output


def applied(call: Call) -> torch.Tensor:
    """The attention that a call says it applied."""
    if call.matrix is not None:
        return call.matrix
    scores = call.q.double() @ call.k.double().transpose(-2, -1) * call.scale
    return (scores if call.bias is None else scores + call.bias).softmax(-1)


def test_who_cares_for_some_modules_sees_no_others() -> None:
    class Attention(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return F.scaled_dot_product_attention(x, x, x)

    class Outside(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            seen.append(len(torch.overrides._get_current_function_mode_stack()))
            return x

    seen: list[int] = []
    net = nn.Sequential(Attention(), Outside(), nn.Sequential(Outside(), Attention()), Attention())
    calls: list[Call] = []
    with torch.no_grad(), Watch(net, calls.append, only=["2", "3"]):
        net(torch.rand(1, 2, 3, 4))
    assert [(call.title, call.number) for call in calls] == [("2.1", 0), ("3", 1)]
    assert seen == [0, 1]


def test_modules_that_come_twice_or_hold_others_are_named_as_without_a_choice() -> None:
    class Attention(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return F.scaled_dot_product_attention(x, x, x)

    shared = Attention()
    net = nn.Sequential(shared, shared, nn.Sequential(nn.Sequential(Attention())))
    titles: list[list[str]] = []
    for only in ((), ("0", "1", "2")):
        calls: list[Call] = []
        with torch.no_grad(), Watch(net, calls.append, only=only):
            net(torch.rand(1, 2, 3, 4))
        titles.append([call.title for call in calls])
    assert titles[0] == titles[1] == ["0", "0#1", "2.0.0"]
    with pytest.raises(VizError, match="no module '3'"), Watch(net, calls.append, only=["3"]):
        pass
    assert not net._forward_hooks
    assert not shared._forward_hooks


class Holder(nn.Module):
    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self.add_module("0", inner)

    def forward(self, *inputs: torch.Tensor) -> torch.Tensor:
        return self.get_submodule("0")(*inputs)


class Sdpa(nn.Module):
    """One attention call with the options that `scaled_dot_product_attention` has."""

    def __init__(self, **options: object) -> None:
        super().__init__()
        self.options = options
        self.weight = nn.Parameter(torch.zeros(1))

    def forward(self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        return F.scaled_dot_product_attention(q, k, v, **self.options)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"scale": 0.7},
        {"is_causal": True},
        {"attn_mask": torch.randn(1, 4, 6, 6, generator=torch.Generator().manual_seed(1))},
        {"attn_mask": torch.randn(6, 6, generator=torch.Generator().manual_seed(1))},
        {"attn_mask": torch.ones(6, 6, dtype=torch.bool).tril()},
        {"attn_mask": torch.ones(1, 1, 6, 6, dtype=torch.bool).tril(2)},
        {"enable_gqa": True},
    ],
    ids=lambda options: "+".join(options) or "plain",
)
def test_every_option_of_the_fused_call_is_understood(options: dict) -> None:
    generator = torch.Generator().manual_seed(0)
    heads = 2 if "enable_gqa" in options else 4
    q = 2 * torch.randn(1, 4, 6, 8, generator=generator)
    k, v = (2 * torch.randn(1, heads, 6, 8, generator=generator) for _ in range(2))
    net = Holder(Sdpa(**options))
    (call,), output = watched(net, q, k, v)
    assert call.name == "0"
    torch.testing.assert_close(applied(call) @ call.v.double(), output.double(), rtol=1e-5, atol=1e-5)


class ValueOutput(nn.Module):
    """Attention written out, with something done to the scores on the way to the softmax."""

    def __init__(self, change: Callable[[torch.Tensor, torch.Tensor], torch.Tensor | None], dim: int = -1) -> None:
        super().__init__()
        self.change, self.dim = change, dim

    def forward(self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        scores = torch.matmul(input=q, other=k.transpose(-2, -1))
        changed = self.change(scores, q)
        return (scores if changed is None else changed).softmax(self.dim) @ v


def clear(scores: torch.Tensor, q: torch.Tensor) -> None:
    q.zero_()


CHANGES = {
    "nothing": lambda scores, q: scores,
    "scaled by a number": lambda scores, q: scores * 0.3 / 2,
    "a new tensor": lambda scores, q: scores.tanh() * 5,
    "scaled in place": lambda scores, q: scores.mul_(0.3),
    "a bias in place": lambda scores, q: scores.add_(torch.arange(6.0)),
    "a mask in place": lambda scores, q: scores.masked_fill_(torch.ones(6, 6).triu(1).bool(), -torch.inf),
    "q written over": clear,
}


@pytest.mark.parametrize("change", CHANGES)
def test_written_out_attention_is_what_came_out_of_the_softmax(change: str) -> None:
    """The product is known by its identity, so whatever is done to it in place must be noticed: the matrix is kept then."""
    q, k, v = torch.randn(3, 1, 4, 6, 8, generator=torch.Generator().manual_seed(0))
    (call,), output = watched(Holder(ValueOutput(CHANGES[change])), q, k, v)
    assert (call.matrix is None) == (change in {"nothing", "scaled by a number"})
    torch.testing.assert_close((applied(call).to(v.dtype) @ v), output, rtol=1e-5, atol=1e-5)


def test_a_softmax_over_queries_is_no_attention() -> None:
    """The weights of one query have any sum then, as in slot attention: a survey names it (test_odd_gaps.py)."""
    q, k, v = torch.randn(3, 1, 4, 6, 8, generator=torch.Generator().manual_seed(0))
    calls, _ = watched(Holder(ValueOutput(CHANGES["nothing"], dim=-2)), q, k, v)
    assert calls == []


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_the_scale_is_not_rounded_in_half_precision(dtype: torch.dtype) -> None:
    """In bfloat16 the product of q and the scale is off by up to 0.4 %: with scores of 20 that moves shares by 8 %."""
    q = (4 * torch.randn(1, 2, 6, 80, generator=torch.Generator().manual_seed(0))).to(dtype)
    net = Holder(Sdpa())
    kept: list[CapturedCall] = []
    with torch.no_grad(), Watch(net, lambda call: kept.append(CapturedCall.of(call))):
        net(q, q, q)
    exact = (q[0].double() @ q[0].double().transpose(1, 2) * 80**-0.5).softmax(-1)
    found = FactoredAttention("0", kept[0].q[0], kept[0].k[0]).map()
    torch.testing.assert_close(found.double(), exact, rtol=1e-4, atol=1e-9)


class Talking(nn.Module):
    """Attention as its own network spells it; `how` is what happens between softmax and values."""

    def __init__(self, how: str) -> None:
        super().__init__()
        self.how = how
        self.mix = nn.Linear(4, 4)
        self.between = nn.Parameter(torch.randn(4, 4, generator=torch.Generator().manual_seed(2)))
        self.drop = nn.Dropout(0.5)

    def forward(self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        scores = torch.einsum("b h i d, b h j d -> b h i j", q, k)
        a = F.softmax(scores, dim=-1)
        if self.how == "talking heads":
            a = self.mix(a.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)
        elif self.how == "heads mixed by einsum":
            a = torch.einsum("b h i j, h g -> b g i j", a, self.between)
        elif self.how == "gate":
            a = 0.3 * a + 0.7 * torch.softmax(scores * 2, -1)
            a = a / a.sum(-1, keepdim=True)
        elif self.how == "difference":
            a = a - 0.4 * torch.softmax(scores.flip(-1), -1)
        elif self.how == "dropout":
            a = self.drop(a)
        elif self.how == "values first":
            return (v.transpose(-2, -1) @ a.transpose(-2, -1)).transpose(-2, -1)
        elif self.how == "heads in the batch":
            return torch.bmm(a.flatten(0, 1), v.flatten(0, 1)).unflatten(0, (1, 4))
        elif self.how == "einsum":
            return torch.einsum("b h i j, b h j d -> b h i d", a, v)
        return a @ v


HOWS = ["plain", "talking heads", "heads mixed by einsum", "gate", "difference", "dropout", "values first"]


@pytest.mark.parametrize("how", [*HOWS, "heads in the batch", "einsum"])
def test_a_softmax_is_followed_until_it_is_applied(how: str) -> None:
    q, k, v = torch.randn(3, 1, 4, 6, 8, generator=torch.Generator().manual_seed(0))
    net = Talking(how).eval()
    (call,), output = watched(net, q, k, v)
    found = applied(call).to(v.dtype) @ call.v
    torch.testing.assert_close(found.reshape(output.shape), output, rtol=1e-5, atol=1e-5)


def test_a_softmax_that_weighs_no_values_is_no_attention() -> None:
    class Gate(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return (x * x.softmax(-1)).sum(-1)

    assert watched(Gate(), torch.randn(1, 4, 6, 8))[0] == []


@pytest.mark.parametrize("grad", [False, True])
@pytest.mark.parametrize("need_weights", [False, True])
def test_pytorchs_own_attention_leaves_its_fast_path(need_weights: bool, grad: bool) -> None:
    torch.manual_seed(0)
    net = nn.MultiheadAttention(16, 4, batch_first=True).eval()
    x = torch.randn(1, 6, 16)
    calls: list[Call] = []
    with torch.set_grad_enabled(grad):
        plain, weights = net(x, x, x, need_weights=need_weights, average_attn_weights=False)
        with Watch(net, calls.append):
            output, _ = net(x, x, x, need_weights=need_weights, average_attn_weights=False)
    torch.testing.assert_close(output, plain, rtol=1e-5, atol=1e-6)
    (call,) = calls
    if weights is not None:
        torch.testing.assert_close(applied(call).reshape(weights.shape).float(), weights, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("norm_first", [False, True])
def test_an_encoder_of_pytorch_shows_every_layer(norm_first: bool) -> None:
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(16, 4, 32, batch_first=True, norm_first=norm_first)
    net = nn.TransformerEncoder(layer, 3, enable_nested_tensor=False).eval()
    x = torch.randn(2, 6, 16)
    with torch.no_grad():
        plain = net(x)
    calls, output = watched(net, x)
    assert [call.name for call in calls] == [f"layers.{i}.self_attn" for i in range(3)]
    torch.testing.assert_close(output, plain, rtol=1e-5, atol=1e-5)


def test_calls_of_one_module_are_counted() -> None:
    class Twice(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.attend = Holder(Sdpa())

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.attend(self.attend(x, x, x), x, x)

    calls, _ = watched(Twice(), torch.randn(1, 4, 6, 8))
    assert [call.title for call in calls] == ["attend.0", "attend.0#1"]


class TwoLayers(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.one, self.two = (nn.Linear(8, 24) for _ in range(2))
        self.attend = Sdpa()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in (self.one, self.two):
            q, k, v = layer(x).unflatten(-1, (3, 2, 4)).permute(2, 0, 3, 1, 4)
            x = x + self.attend(q, k, v).transpose(1, 2).flatten(2)
        return x[:, 0].square().sum()


def test_gradients_of_attention_come_from_two_thin_factors() -> None:
    """d target / d A = dO V^T, with fused kernels on: the same as by autograd on maps that are spelt out."""
    torch.manual_seed(0)
    net = TwoLayers().double()
    x = torch.randn(1, 6, 8, dtype=torch.float64)
    calls: list[Call] = []
    with Watch(net, calls.append):
        target = net(x)
    gradients = torch.autograd.grad(target, [call.output for call in calls])
    thin = [gradient @ call.v.transpose(-2, -1) for gradient, call in zip(gradients, calls, strict=True)]

    maps: list[torch.Tensor] = []

    def spelt_out(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        maps.append((q @ k.transpose(-2, -1) * q.shape[-1] ** -0.5).softmax(-1))
        return maps[-1] @ v

    net.attend.forward = spelt_out
    for found, expected in zip(thin, torch.autograd.grad(net(x), maps), strict=True):
        torch.testing.assert_close(found, expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_under_autocast_the_factors_are_those_that_were_used(dtype: torch.dtype) -> None:
    torch.manual_seed(0)
    net = TwoLayers()
    x = torch.randn(1, 6, 8)
    with torch.autocast("cpu", dtype), torch.no_grad():
        plain = net(x)
        calls: list[Call] = []
        with Watch(net, calls.append):
            assert torch.equal(net(x), plain)
    for call in calls:
        assert call.q.dtype == dtype
        found = applied(call) @ call.v.double()
        tolerance = 1e-2 if dtype == torch.bfloat16 else 1e-3
        assert float((found - call.output).abs().max() / call.output.abs().max()) < tolerance


def test_in_inference_mode_it_is_the_matrix_that_is_kept() -> None:
    """There nothing tells whether a tensor was written to, so factors are not believed where attention is spelt out."""
    q, k, v = torch.randn(3, 1, 4, 6, 8, generator=torch.Generator().manual_seed(0))
    calls: list[Call] = []
    net = Talking("plain").eval()
    with torch.inference_mode(), Watch(net, calls.append):
        output = net(q, k, v)
    assert calls[0].matrix is not None
    torch.testing.assert_close(calls[0].matrix @ v, output)
