"""The relevance propagation of Chefer et al. 2021 (CVPR), as a backward pass in which gradients *are* relevances.

Transformer Interpretability Beyond Attention Visualization, section 3.1 (arXiv 2012.09838).

Autograd is used as a machine that walks a network backward: each rule returns the function's own result on detached inputs,
and a backward of its own that is handed the relevance R of the result and gives that of each input. What arrives at a
tensor as its "gradient" is its relevance. So a function without a rule is refused: it would pass on a gradient, which would be
wrong in silence. Functions that only move values about (views, indexing, joining) need none, as their gradients move
relevances just so, and what is added up where a tensor is used twice is right for relevances, too.
"""

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from torch import Tensor

from vizapp.core import ops
from vizapp.core.attention.layers import CHUNK_ELEMENTS, LayerAttention
from vizapp.core.attention.trace import AttentionTrace
from vizapp.core.capture.call import Shape
from vizapp.core.capture.nested import flat
from vizapp.core.capture.watch import Watch
from vizapp.core.network import dtype_of
from vizapp.core.signals.blocks import blocks_of, entering, is_list
from vizapp.core.signals.gradients import Calls, differentiated, read_by_layer, thin_of, titles_of
from vizapp.core.signals.lrp import Rules, Start, is_activation
from vizapp.core.signals.precision import computed_in, device_and_dtype
from vizapp.core.target import Target
from vizapp.errors import VizError
from vizapp.model.spec import VisionModel

# Their own backward does to relevances what they do to values.
_HARMLESS = ops.MOVES | ops.CASTS | ops.IDENTITY
_ATTENDS = ops.functions(ops.SOFTMAX | ops.FUSED_ATTENTION)
_OPENED = ops.functions(ops.WHOLE_ATTENTION)  # its inside is seen function by function, so it needs no rule


def attention_relevances(
    model: VisionModel, pixels: Tensor, trace: AttentionTrace, target: Target, precision: str = "float64"
) -> "Relevances":
    """Factors by which each layer's attention A is multiplied to give its relevance to the class: R_A = A * factor.

    Of the product O = A V, with S = R_O / O, R_A is A * (S V^T) / 2: two thin factors once more, and no matrix.
    precision  "float64", or "network": as it computes itself. Raises `VizError` where it does what the paper has no rule for
    """
    # As in `attention_gradients`, but with rules in place: what comes back to O is R_O, not dO.
    wanted = [layer.name for layer in trace.layers]
    calls = Calls(titles_of(trace, wanted))
    device, dtype = device_and_dtype(model, precision)
    given_pixels = pixels.detach().to(device, dtype).requires_grad_(True)
    with differentiated(model):
        watched = Watch(model.net, calls.saw)
        with torch.enable_grad(), computed_in(model, precision):
            with _Strict(), _first_block(model, trace) as entered, watched:
                output = model.net(given_pixels)
            start = Start.of(model, output, target)
        # Without a block there is no place at which to say how much arrived; the factors are the same.
        entries = [one for one in entered.values() if one.requires_grad]
        # Outputs that the target rises with, and those that it falls with, apart: of a sum of both, equation 9 keeps the total,
        # which may be nothing at all.
        every = _begun(start)
        passes = [
            calls.gradients(model, start.weighed(begun), entries, again=begun is not every[-1]) for begun in every
        ]
    reached = [[float(one.sum()) for one in at_entry if one is not None][:1] for _, at_entry in passes]
    shapes = {title: Shape.of(call) for title, call in calls.items()}
    all_axes = read_by_layer(model, pixels.detach().to(model.device, dtype_of(model.net)), trace, wanted, shapes)
    # Where the device has no float64 the factors go back to it, as all else that is made of the trace is there.
    back = trace.dtype if device != trace.device else dtype
    # R_A = A * (R_O / O) V^T / 2. The division happens here, where R_O is; the product with V^T stays two thin factors, and of a
    # difference as well: [S, -S'] [V, V]^T.
    parts = {
        title: [(_over(given[title], call.output.detach()) / 2).to(trace.device, back) for given, _ in passes]
        for title, call in calls.items()
    }
    columns = {
        title: torch.cat([call.v.detach().to(trace.device, back)] * len(passes), -1) for title, call in calls.items()
    }

    def layers(signs: tuple[int, int]) -> tuple[LayerAttention, ...]:
        rows = {
            title: torch.cat([sign * one for sign, one in zip(signs, some, strict=False)], -1)
            for title, some in parts.items()
        }
        return tuple(thin_of(trace, name, rows, columns, axes) for name, axes in zip(wanted, all_axes, strict=True))

    signed = layers((1, -1))
    arrived = sum(one for (one,) in reached) if all(reached) else None
    return Relevances(signed, layers((1, 1)) if len(passes) > 1 else signed, arrived)


def _begun(start: Start) -> list[tuple[Tensor, ...]]:
    """Relevance of each output to begin with, 1 in all: a class's logit has it alone, of several each its part of all slopes.

    That of outputs which the target rises with, and, if there are such, that of those which it falls with.
    """
    whole = sum(float(one.abs().sum()) for one in start.slopes) or 1.0
    rises, falls = (tuple((sign * one).clamp_min(0) / whole for one in start.slopes) for sign in (1, -1))
    return [rises, falls] if any(bool(one.any()) for one in falls) else [rises]


class Relevances(tuple[LayerAttention, ...]):
    """A factor for each layer: relevance to what the target rises with, less that to what it falls with.

    unsigned  the same with the two added: relevance to all that the target depends on. Of a class, both are one
    arrived   the sum of relevance that enters the first block, of the 1 that was handed back; None where no block is found. The
              rules keep the sum, up to rounding and to sums that are zero
    """

    unsigned: tuple[LayerAttention, ...]
    arrived: float | None

    def __new__(
        cls, layers: Iterable[LayerAttention], unsigned: tuple[LayerAttention, ...], arrived: float | None
    ) -> "Relevances":
        made = super().__new__(cls, layers)
        made.unsigned, made.arrived = unsigned, arrived
        return made


def _first_block(model: VisionModel, trace: AttentionTrace) -> AbstractContextManager[dict[str, Tensor]]:
    try:
        first = blocks_of(model.net, trace)[:1]
    except VizError:
        return nullcontext({})
    return nullcontext({}) if any(is_list(model.net, name) for name in first) else entering(model.net, first)


class _Strict(Rules):
    """The paper's rules, and a refusal of whatever else touches activations after the first attention.

    What comes before (patches, positions) may do anything: the methods read relevances of attention, never of pixels.
    """

    def __init__(self) -> None:
        super().__init__(
            {
                ops.LINEAR: _linear,
                ops.MATMUL: _matmul,
                ops.FUSED_ATTENTION: _attention,
                ops.PLUS: _plus,
                ops.TIMES | ops.OVER: _times,
                ops.MEAN: _mean,
                ops.ACTIVATIONS | ops.SOFTMAX | ops.LAYER_NORM | ops.RMS_NORM: _unchanged,
            }
        )
        self._strict = False

    def __torch_function__(
        self, func: Callable[..., Any], types: object, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        result = super().__torch_function__(func, types, args, kwargs)
        # Asked of functions that make activations only: shapes, masks and positions pass no relevance.
        # A watch around this asks things, too (`_version`, `is_inference`), which make no activations either.
        name = ops.name_of(func)
        known = func in self.rules or name in _HARMLESS or func in _OPENED
        if self._strict and not known and any(is_activation(one) for one in flat(result)):
            raise _no_rule(name)
        self._strict |= func in _ATTENDS
        return result


def _no_rule(what: str) -> VizError:
    return VizError(
        "The paper has no relevance rule for {what}, which this network uses.",
        "Choose another method.",
        what=what,
    )


def _over(a: Tensor, b: Tensor) -> Tensor:
    """a / b, and zero where b is zero: what is zero has no relevance to share out."""
    # 1e-9 on b's own side of zero, as in the paper's code: added to a small negative b, it could cross zero.
    return torch.where(b == 0, 0, a / (b + 1e-9 * b.sign()))


class _Propagated(torch.autograd.Function):
    """y; backward is `back(R) -> relevance of each input`."""

    @staticmethod
    def forward(ctx: Any, y: Tensor, back: Callable[[Tensor], tuple[Tensor, ...]], *inputs: Tensor) -> Tensor:
        ctx.back = back  # holds what it needs by itself; autograd is told nothing else of the computation
        return y.view_as(y)  # an output that is an input as it stands would keep its old backward

    @staticmethod
    def backward(ctx: Any, relevance: Tensor) -> Any:
        return None, None, *ctx.back(relevance)  # none for y, which was made without a graph, nor for `back`


_propagated: Callable[..., Tensor] = _Propagated.apply


def _unchanged(func: Any, x: Tensor, *rest: Any, **options: Any) -> Tensor:
    """Activation functions, softmax and norms hand relevance on as it is."""
    # They have one input that is worth something; what a norm's weight and bias add is not followed, as in the paper's code.
    return _propagated(func(x.detach(), *rest, **options), lambda relevance: (relevance,), x)


def _linear(func: Any, x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """Equation 3: in proportion to what speaks for each output, x_j w_ji > 0; biases get nothing."""
    weight = weight.detach()  # here and not in `back`, which runs when the mode that widens it may have ended
    y = func(x.detach(), weight, None if bias is None else bias.detach())

    def back(relevance: Tensor) -> tuple[Tensor, ...]:  # (..., out) -> (..., in)
        high, low = x.detach().clamp_min(0), x.detach().clamp_max(0)
        more, less = weight.clamp_min(0), weight.clamp_max(0)
        share = _over(relevance, high @ more.T + low @ less.T)  # x w > 0: both positive, or both negative
        return (high * (share @ more) + low * (share @ less),)

    return _propagated(y, back, x)


def _matmul(func: Any, a: Tensor, b: Tensor) -> Tensor:
    """Equations 6 and 7: half to each factor, there in proportion to what each value adds."""
    # A constant matrix would be a linear map that is not F.linear; the rule for these needs to know which side is the input.
    if not (is_activation(a) and is_activation(b)):
        raise _no_rule("a product with a constant matrix")
    y = func(a.detach(), b.detach())

    def back(relevance: Tensor) -> tuple[Tensor, ...]:
        # R of a_ij is a_ij sum_k b_jk (R / y)_ik: each term's part of the sum that it went into.
        share = _over(relevance, y) / 2
        left, right = a.detach(), b.detach()
        return left * (share @ right.transpose(-2, -1)), right * (left.transpose(-2, -1) @ share)

    return _propagated(y, back, a, b)


def _times(func: Any, x: Any, factor: Any) -> Any:
    """Pass relevance by a constant factor (scale, layer scale) unchanged. A product of two activations (a gate) has no rule."""
    if is_activation(x) and is_activation(factor):
        raise _no_rule("a product of two activations, value by value")
    return _with_constant(func, x, factor)


def _plus(func: Any, a: Any, b: Any, **options: Any) -> Any:
    """Equations 7 to 9: each value's share, then each summand scaled so that the sum of relevance is kept."""
    if not (is_activation(a) and is_activation(b)):
        return _with_constant(func, a, b, **options)
    y = func(a.detach(), b.detach(), **options)

    def back(relevance: Tensor) -> tuple[Tensor, ...]:
        # Summands of opposite sign can give parts far larger than their sum. Equation 9 scales them, so that the two branches
        # of a skip connection together get no more than what came in.
        share = _over(relevance, y)
        parts = [a.detach() * share, b.detach() * share]
        sums = [part.sum() for part in parts]
        # By the size of each branch's sum, over all tokens and features at once: as the paper's code does it, not per value.
        weights = [_over(one.abs(), sums[0].abs() + sums[1].abs()) * relevance.sum() for one in sums]
        return tuple(part * _over(weight, one) for part, weight, one in zip(parts, weights, sums, strict=True))

    return _propagated(y, back, a, b)


def _mean(func: Any, x: Tensor, *axes: Any, **options: Any) -> Any:
    """Mean pooling, which the paper has not: a sum, each summand in proportion to what it adds."""
    # Its own little graph, since which axes are averaged can be said in many ways and the gradient knows them all.
    with torch.enable_grad():
        given = x.detach().requires_grad_(True)
        y = func(given, *axes, **options)

    def back(relevance: Tensor) -> tuple[Tensor, ...]:
        (share,) = torch.autograd.grad(y, given, _over(relevance, y.detach()))
        return (given.detach() * share,)

    return _propagated(y.detach(), back, x) if is_activation(x) else y.detach()


def _with_constant(func: Any, a: Any, b: Any, **options: Any) -> Any:
    """Add a bias or a position, or multiply by a factor: the activation among the two gets all, and constants nothing."""
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
    """The two products and the softmax between them, some rows at a time in the backward.

    As if `_matmul`, `_unchanged` and `_matmul` had been applied to attention that is spelt out, with the maps made again in
    the backward and never kept: O(N) memory, as the fused kernel has it.
    """
    q, k, v = query.detach(), key.detach(), value.detach()
    if is_causal or enable_gqa:
        raise _no_rule("causal or grouped attention")
    y = func(q, k, v, attn_mask, dropout_p, is_causal, scale=scale, enable_gqa=enable_gqa)
    if attn_mask is not None and attn_mask.dtype == torch.bool:
        attn_mask = torch.zeros_like(attn_mask, dtype=q.dtype).masked_fill(~attn_mask, -torch.inf)
    factor = q.shape[-1] ** -0.5 if scale is None else scale

    def back(relevance: Tensor) -> tuple[Tensor, ...]:
        share = _over(relevance, y) / 2
        of_query, of_key, of_value = torch.zeros_like(q), torch.zeros_like(k), torch.zeros_like(v)
        step = max(1, CHUNK_ELEMENTS // (q.shape[:-2].numel() * k.shape[-2]))
        for start in range(0, q.shape[-2], step):  # as many query rows as fit into a chunk of memory
            rows = slice(start, start + step)
            # The scale is a constant factor and moves no relevance, so shares are taken of the plain product q k^T.
            product = q[..., rows, :] @ k.transpose(-2, -1)
            scores = product * factor
            if attn_mask is not None:
                scores = scores + (attn_mask if attn_mask.shape[-2] == 1 else attn_mask[..., rows, :])
            # A row that a mask hides altogether is zero, as the kernel has it, and not 0 / 0.
            attention = scores.softmax(-1).where(scores.amax(-1, keepdim=True) != -torch.inf, 0)
            # O = A V: half to V, half to A. Softmax hands on R_A as it is, and so does the scale; a half of that to Q and K each.
            of_value += v * (attention.transpose(-2, -1) @ share[..., rows, :])
            of_product = _over(attention * (share[..., rows, :] @ v.transpose(-2, -1)), product) / 2
            of_query[..., rows, :] = q[..., rows, :] * (of_product @ k)
            of_key += k * (of_product.transpose(-2, -1) @ q[..., rows, :])
        return of_query, of_key, of_value

    return _propagated(y, back, query, key, value)
