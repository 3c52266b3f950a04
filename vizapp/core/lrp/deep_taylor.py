"""The relevance propagation of Chefer et al. 2021 (CVPR), as a backward pass in which gradients *are* relevances.

Transformer Interpretability Beyond Attention Visualization, section 3.1 (arXiv 2012.09838). What the rules do not know is
refused: a function that passed on its gradient would be wrong in silence. Functions that only move values about
(views, indexing, joining) move relevances in their backward just so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from model.spec import VisionModel
from vizapp.core.capture import dtype_of
from vizapp.core.gradients import Calls, differentiated, score_of, thin
from vizapp.core.layers import CHUNK_ELEMENTS, LayerAttention
from vizapp.core.lrp import ACTIVATIONS, MATMUL, SOFTMAX, TIMES, Rule, Rules, is_activation
from vizapp.core.places import flat
from vizapp.core.survey import Shape, arrangements
from vizapp.core.trace import AttentionTrace
from vizapp.core.watch import Watch
from vizapp.errors import VizError

_PLUS = {torch.add, Tensor.add, Tensor.__add__, Tensor.__radd__}
_OVER = {torch.div, Tensor.div, Tensor.__truediv__}
_MOVES = set(
    "reshape view transpose permute contiguous flatten unflatten squeeze unsqueeze expand repeat_interleave chunk split unbind "
    "cat concat stack select narrow __getitem__ clone to float double dropout movedim swapaxes roll".split()
)


def attention_relevances(
    model: VisionModel, pixels: Tensor, trace: AttentionTrace, target: int
) -> tuple[LayerAttention, ...]:
    """For each layer of `trace` what its attention A must be multiplied by to give its relevance to the class, R_A = A * this.

    Of the product O = A V, with S = R_O / O, R_A is A * (S V^T) / 2: two thin factors once more. Raises `VizError` where the
    network does what the paper has no rule for.
    """
    wanted = [layer.name for layer in trace.layers]
    calls = Calls(wanted)
    pixels = pixels.detach().to(model.device, dtype_of(model.net)).requires_grad_(True)
    with differentiated(model):
        with torch.enable_grad(), _Strict(), Watch(model.net, calls.saw):
            score = score_of(model, pixels, target)
        given = calls.gradients(model, score)
    ways = arrangements(model, pixels.detach(), [Shape.of(calls[name]) for name in wanted])
    return tuple(
        thin(name, _over(given[name], calls[name].output.detach()) / 2, calls[name].v, way)
        for name, way in zip(wanted, ways, strict=True)
    )


class _Strict(Rules):
    """From the first attention on, every function that touches activations must have a rule.

    What comes before it (patches, positions) is not asked for its relevance.
    """

    def __init__(self) -> None:
        rules: dict[Any, Rule] = {F.linear: _linear, F.scaled_dot_product_attention: _attention}
        rules |= dict.fromkeys(MATMUL, _matmul) | dict.fromkeys(TIMES | _OVER, _times) | dict.fromkeys(_PLUS, _plus)
        rules |= dict.fromkeys((torch.mean, Tensor.mean), _mean)
        rules |= dict.fromkeys({*ACTIVATIONS, *SOFTMAX, F.layer_norm, F.rms_norm}, _unchanged)
        super().__init__(rules)
        self._strict = False

    def __torch_function__(
        self, func: Callable[..., Any], types: object, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        result = super().__torch_function__(func, types, args, kwargs)
        name = getattr(func, "__name__", str(func))
        known = func in self.rules or name in _MOVES or func is F.multi_head_attention_forward
        if self._strict and not known and any(is_activation(one) for one in flat(result)):
            raise _no_rule(name)
        self._strict |= func in SOFTMAX or func is F.scaled_dot_product_attention
        return result


def _no_rule(what: str) -> VizError:
    return VizError(f"The paper has no relevance rule for {what}, which this network uses.", "Choose another method.")


def _over(a: Tensor, b: Tensor) -> Tensor:
    """a / b, and nothing where b is nothing."""
    return torch.where(b == 0, 0, a / (b + 1e-9 * b.sign()))


class _Propagated(torch.autograd.Function):
    """y; backward is `back(R) -> relevance of each input`."""

    @staticmethod
    def forward(ctx: Any, y: Tensor, back: Callable[[Tensor], tuple[Tensor, ...]], *inputs: Tensor) -> Tensor:
        ctx.back = back
        return y.view_as(y)

    @staticmethod
    def backward(ctx: Any, relevance: Tensor) -> Any:
        return None, None, *ctx.back(relevance)


def _propagated(y: Tensor, back: Callable[[Tensor], tuple[Tensor, ...]], *inputs: Tensor) -> Tensor:
    return _Propagated.apply(y, back, *inputs)


def _unchanged(func: Any, x: Tensor, *rest: Any, **options: Any) -> Tensor:
    """Activation functions, softmax and norms hand relevance on as it is."""
    return _propagated(func(x.detach(), *rest, **options), lambda relevance: (relevance,), x)


def _linear(func: Any, x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Equation 3: in proportion to what speaks for each output, x_j w_ji > 0; biases get nothing."""
    y = func(x.detach(), weight.detach(), None if bias is None else bias.detach())

    def back(relevance: Tensor) -> tuple[Tensor, ...]:
        high, low = x.detach().clamp_min(0), x.detach().clamp_max(0)
        more, less = weight.detach().clamp_min(0), weight.detach().clamp_max(0)
        share = _over(relevance, high @ more.T + low @ less.T)
        return (high * (share @ more) + low * (share @ less),)

    return _propagated(y, back, x)


def _matmul(func: Any, a: Tensor, b: Tensor) -> Tensor:
    """Equations 6 and 7: half to each factor, there in proportion to what each value adds."""
    if not (is_activation(a) and is_activation(b)):
        raise _no_rule("a product with a constant matrix")
    y = func(a.detach(), b.detach())

    def back(relevance: Tensor) -> tuple[Tensor, ...]:
        share = _over(relevance, y) / 2
        left, right = a.detach(), b.detach()
        return left * (share @ right.transpose(-2, -1)), right * (left.transpose(-2, -1) @ share)

    return _propagated(y, back, a, b)


def _times(func: Any, x: Any, factor: Any) -> Any:
    """By a constant (scale, layer scale): unchanged. A product of two activations (a gate) is none of the paper's."""
    if is_activation(x) and is_activation(factor):
        raise _no_rule("a product of two activations, value by value")
    return _with_constant(func, x, factor)


def _plus(func: Any, a: Any, b: Any, **options: Any) -> Any:
    """Equations 7 to 9: each value's share, then each summand scaled so that the sum of relevance is kept."""
    if not (is_activation(a) and is_activation(b)):
        return _with_constant(func, a, b, **options)
    y = func(a.detach(), b.detach(), **options)

    def back(relevance: Tensor) -> tuple[Tensor, ...]:
        share = _over(relevance, y)
        parts = [a.detach() * share, b.detach() * share]
        sums = [part.sum() for part in parts]
        weights = [_over(one.abs(), sums[0].abs() + sums[1].abs()) * relevance.sum() for one in sums]
        return tuple(part * _over(weight, one) for part, weight, one in zip(parts, weights, sums, strict=True))

    return _propagated(y, back, a, b)


def _mean(func: Any, x: Tensor, *axes: Any, **options: Any) -> Any:
    """Mean pooling, which the paper has not: a sum, each summand in proportion to what it adds."""
    with torch.enable_grad():
        given = x.detach().requires_grad_(True)
        y = func(given, *axes, **options)

    def back(relevance: Tensor) -> tuple[Tensor, ...]:
        (share,) = torch.autograd.grad(y, given, _over(relevance, y.detach()))
        return (given.detach() * share,)

    return _propagated(y.detach(), back, x) if is_activation(x) else y.detach()


def _with_constant(func: Any, a: Any, b: Any, **options: Any) -> Any:
    y = func(*(one.detach() if isinstance(one, Tensor) else one for one in (a, b)), **options)
    inputs = [one for one in (a, b) if is_activation(one)]
    return _propagated(y, lambda relevance: (relevance,), *inputs) if inputs else y


def _attention(
    func: Any,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """The two products and the softmax between them, row by row in the backward."""
    q, k, v = query.detach(), key.detach(), value.detach()
    y = func(q, k, v, attn_mask, dropout_p, is_causal, scale=scale, enable_gqa=enable_gqa)
    if is_causal or enable_gqa:
        raise _no_rule("causal or grouped attention")
    if attn_mask is not None and attn_mask.dtype == torch.bool:
        attn_mask = torch.zeros_like(attn_mask, dtype=q.dtype).masked_fill(~attn_mask, -torch.inf)
    factor = q.shape[-1] ** -0.5 if scale is None else scale

    def back(relevance: Tensor) -> tuple[Tensor, ...]:
        share = _over(relevance, y) / 2
        of_query, of_key, of_value = torch.zeros_like(q), torch.zeros_like(k), torch.zeros_like(v)
        step = max(1, CHUNK_ELEMENTS // (q.shape[:-2].numel() * k.shape[-2]))
        for start in range(0, q.shape[-2], step):
            rows = slice(start, start + step)
            product = q[..., rows, :] @ k.transpose(-2, -1)
            scores = product * factor
            if attn_mask is not None:
                scores = scores + (attn_mask if attn_mask.shape[-2] == 1 else attn_mask[..., rows, :])
            attention = scores.softmax(-1)
            of_value += v * (attention.transpose(-2, -1) @ share[..., rows, :])
            of_product = _over(attention * (share[..., rows, :] @ v.transpose(-2, -1)), product) / 2
            of_query[..., rows, :] = q[..., rows, :] * (of_product @ k)
            of_key += k * (of_product.transpose(-2, -1) @ q[..., rows, :])
        return of_query, of_key, of_value

    return _propagated(y, back, query, key, value)
