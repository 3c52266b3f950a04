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

    def __init__(self, change: Callable[[torch.Tensor, torch.Tensor], torch.Tensor | None]) -> None:
        super().__init__()
        self.change = change

    def forward(self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        scores = torch.matmul(input=q, other=k.transpose(-2, -1))
        changed = self.change(scores, q)
        return (scores if changed is None else changed).softmax(-1) @ v


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
        self.drop = nn.Dropout(0.5)

    def forward(self, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        scores = torch.einsum("b h i d, b h j d -> b h i j", q, k)
        a = F.softmax(scores, dim=-1)
        if self.how == "talking heads":
            a = self.mix(a.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)
        elif self.how == "gate":
            a = 0.3 * a + 0.7 * torch.softmax(scores * 2, -1)
            a = a / a.sum(-1, keepdim=True)
        elif self.how == "difference":
            a = a - 0.4 * torch.softmax(scores.flip(-1), -1)
        elif self.how == "dropout":
            a = self.drop(a)
        return a @ v


@pytest.mark.parametrize("how", ["plain", "talking heads", "gate", "difference", "dropout"])
def test_a_softmax_is_followed_until_it_is_applied(how: str) -> None:
    q, k, v = torch.randn(3, 1, 4, 6, 8, generator=torch.Generator().manual_seed(0))
    net = Talking(how).eval()
    (call,), output = watched(net, q, k, v)
    found = applied(call).to(v.dtype) @ call.v
    torch.testing.assert_close(found.reshape(output.shape), output, rtol=1e-5, atol=1e-5)


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


def test_in_inference_mode_it_is_the_matrix_that_is_kept() -> None:
    """There nothing tells whether a tensor was written to, so factors are not believed where attention is spelt out."""
    q, k, v = torch.randn(3, 1, 4, 6, 8, generator=torch.Generator().manual_seed(0))
    calls: list[Call] = []
    net = Talking("plain").eval()
    with torch.inference_mode(), Watch(net, calls.append):
        output = net(q, k, v)
    assert calls[0].matrix is not None
    torch.testing.assert_close(calls[0].matrix @ v, output)
