"""AttnLRP as a gradient: each rule is a change of a function's backward, so that input x gradient is relevance.

Achtibat et al. 2024, AttnLRP: Attention-Aware Layer-Wise Relevance Propagation for Transformers (arXiv 2402.05602).

What flows backward here is R_i / x_i, not R_i. In that form the epsilon rule of a linear map (with epsilon 0) is the plain
gradient, a function without a rule is linearised, and relevance is input x gradient at the end. A rule is then a change of
the *forward* whose value is the same and whose gradient is the rule's: a factor that is detached, or a gradient that is halved.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from vizapp.core import ops
from vizapp.core.signals.lrp import Rule, Rules, is_activation
from vizapp.errors import VizError


def attention_aware(linear_gamma: float, conv_gamma: float, through: str = "attention") -> Rules:
    """Rules of the paper, with the gamma rule for linear maps and convolutions; gamma 0 is the epsilon rule with epsilon 0.

    through  "attention": relevance goes back through the softmax, too; "values": through the values only, attention being a
             constant (CP-LRP: Ali et al. 2022, XAI for Transformers, arXiv 2202.07304)
    """
    # What is not in this table keeps its gradient, which is the right rule wherever the function is linear in activations:
    # sums (each summand its part), means, reshapes, and fixed factors. Softmax has its gradient by Proposition 3.1.
    inside: dict[ops.Kind, Rule] = {ops.FUSED_ATTENTION: _attention, ops.OVER | ops.OVER_IN_PLACE: _over}
    if through == "values":
        inside = {
            ops.FUSED_ATTENTION: _values_alone,
            ops.SOFTMAX: _constant,
            ops.OVER | ops.OVER_IN_PLACE: _over_with_constant_softmax,
        }
    return Rules(
        inside
        | {
            ops.LINEAR: _gamma_rule(linear_gamma),
            ops.CONVOLUTIONS: _gamma_rule(conv_gamma),
            ops.LAYER_NORM: _layer_norm,
            ops.RMS_NORM: _rms_norm,
            ops.GROUP_NORM: _group_norm,
            ops.UNIT: _unit,
            ops.INVERSE: _constant,
            ops.POWER: _power,
            ops.EINSUM: _einsum,
            ops.ADDED_MATMUL: _added,
            ops.TIMES_IN_PLACE: _in_place,
            ops.ACTIVATIONS: _identity,
            ops.MATMUL | ops.TIMES: _shared,
        }
    )


class _Scaled(torch.autograd.Function):
    """x; its gradient times a factor."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, factor: float) -> Tensor:
        ctx.factor = factor
        return x.view_as(x)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None]:
        return gradient * ctx.factor, None  # the factor itself has no gradient


_scaled: Callable[..., Tensor] = _Scaled.apply


def _shared(func: Any, a: Any, b: Any, *rest: Any, **options: Any) -> Any:
    """Proposition 3.3: a product of two activations shares its relevance evenly between them."""
    # The gradient gives each factor everything: a (dy/da) = b (dy/db) = y, so relevance would double with every product, and
    # there are two in each attention.
    if is_activation(a) and is_activation(b):
        a, b = _scaled(a, 0.5), _scaled(b, 0.5)
    return func(a, b, *rest, **options)


def _einsum(func: Any, equation: Any, *operands: Any) -> Any:
    """Share relevance as `_shared` does, for products of any number of activations."""
    several = operands[0] if len(operands) == 1 and isinstance(operands[0], (list, tuple)) else operands
    # Of a product of three activations each gets a third; constants in it get nothing.
    active = [is_activation(one) for one in several]
    share = 1 / max(1, sum(active))
    scaled = [_scaled(one, share) if active_one else one for one, active_one in zip(several, active, strict=True)]
    return func(equation, *scaled)


def _added(func: Any, base: Tensor, a: Tensor, b: Tensor, **options: Any) -> Any:
    """base + a @ b: the sum is linear, and needs no rule; the product in it is shared."""
    return _shared(lambda a, b: func(base, a, b, **options), a, b)


def _in_place(func: Any, a: Tensor, b: Any) -> Any:
    """a *= b: with a constant b it is linear. With two activations both would have to be scaled before, and `a` is the result."""
    if is_activation(a) and is_activation(b):
        raise VizError("This network multiplies two activations in place.", "Choose another method.")
    return func(a, b)


def _attention(func: Any, query: Tensor, key: Tensor, value: Tensor, *rest: Any, **options: Any) -> Any:
    """softmax(q k^T) v, two products: half of the relevance goes to v, and of the other half a half to q and to k each.

    Between them, softmax has its own gradient (Proposition 3.1): x_i (R_i - s_i sum_j R_j) is x_i times it.
    """
    # The kernel is one function, so its inputs are scaled by what the two rules inside come to: (1/2) (1/2) for q and k.
    return func(_scaled(query, 0.25), _scaled(key, 0.25), _scaled(value, 0.5), *rest, **options)


def _values_alone(func: Any, query: Tensor, key: Tensor, value: Tensor, *rest: Any, **options: Any) -> Any:
    """softmax(q k^T) v with constant attention: linear in v, which gets everything."""
    return func(query.detach(), key.detach(), value, *rest, **options)


def _constant(func: Any, x: Tensor, *rest: Any, **options: Any) -> Any:
    """Take what a softmax gives, and a norm's factor 1 / sqrt(x), for constants: a product with one is linear in the other."""
    return func(x.detach(), *rest, **options)


def _identity(func: Any, x: Tensor, *rest: Any, **options: Any) -> Any:
    """An activation function hands relevance on as it is (identity rule): y = x (y / x), the factor held fixed."""
    if not is_activation(x):
        return func(x, *rest, **options)
    # With its own gradient f'(x), relevance would be made or lost on the way: x f'(x) is not f(x).
    with torch.no_grad():
        y = func(x.detach().clone(), *rest, **options)  # a clone, since nn.ReLU(inplace=True) writes
        factor = torch.where(x == 0, 0, y / torch.where(x == 0, 1, x))
    # x * factor is y but for rounding, and where x is 0: the rest is constant.
    return x * factor + (y - x.detach() * factor)


def _layer_norm(
    func: Any,
    x: Tensor,
    normalized_shape: Any,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
    *rest: Any,  # of torch.layer_norm: which kernel
) -> Tensor:
    """The standard deviation is held fixed (section 3.3.3), so that the norm is linear."""
    # With the deviation as a constant the norm is linear in x; with its gradient, relevance of a token would cancel to zero,
    # since a normalised token does not change when x is scaled.
    axes = tuple(range(-len(normalized_shape), 0))
    deviation = (x.var(axes, unbiased=False, keepdim=True) + eps).sqrt().detach()
    y = (x - x.mean(axes, keepdim=True)) / deviation
    y = y if weight is None else y * weight
    return y if bias is None else y + bias


def _rms_norm(
    func: Any, x: Tensor, normalized_shape: Any, weight: Tensor | None = None, eps: float | None = None
) -> Tensor:
    """The root mean square is held fixed, for the same reason as the deviation of a layer norm."""
    axes = tuple(range(-len(normalized_shape), 0))
    eps = torch.finfo(x.dtype).eps if eps is None else eps
    y = x / (x.square().mean(axes, keepdim=True) + eps).sqrt().detach()
    return y if weight is None else y * weight


def _group_norm(
    func: Any,
    x: Tensor,
    num_groups: int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
    *rest: Any,
) -> Tensor:
    """Pass relevance as a layer norm does, over the features of a group and all places."""
    groups = x.unflatten(1, (num_groups, -1))
    axes = tuple(range(2, groups.ndim))
    deviation = (groups.var(axes, unbiased=False, keepdim=True) + eps).sqrt().detach()
    y = ((groups - groups.mean(axes, keepdim=True)) / deviation).flatten(1, 2)
    per_feature = (-1, *(1,) * (x.ndim - 2))
    y = y if weight is None else y * weight.reshape(per_feature)
    return y if bias is None else y + bias.reshape(per_feature)


# ---- norms that a network spells out: what its activations are divided by is their length or deviation


def _over(func: Any, a: Any, other: Any, *rest: Any, **options: Any) -> Any:
    """a / other: the other is a constant. Of exp over its sum, a softmax that is spelt out, both have their gradient."""
    held = is_activation(other) and not _is_exp(a)
    return func(a, other.detach() if held else other, *rest, **options)


def _over_with_constant_softmax(func: Any, a: Any, other: Any, *rest: Any, **options: Any) -> Any:
    """Pass relevance as `_over` does, but take a softmax that is spelt out for a constant, too."""
    given = a.detach() if is_activation(other) and _is_exp(a) else a
    return func(given, other.detach() if is_activation(other) else other, *rest, **options)


def _is_exp(a: Any) -> bool:
    return isinstance(a, Tensor) and a.grad_fn is not None and a.grad_fn.name().startswith("Exp")


def _power(func: Any, x: Any, exponent: Any, *rest: Any, **options: Any) -> Any:
    """x ** -0.5, the factor of a norm, is a constant; other powers have their gradient."""
    held = isinstance(exponent, (int, float)) and exponent < 0 and is_activation(x)
    return func(x.detach() if held else x, exponent, *rest, **options)


def _unit(func: Any, x: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12, **options: Any) -> Tensor:
    """x / |x|: the length is a constant."""
    return x / x.detach().norm(p, dim, keepdim=True).clamp_min(eps)


def _gamma_rule(gamma: float) -> Rule:
    """Parts that agree with the sign of an output count 1 + gamma times (Montavon et al. 2019; here for inputs of any sign)."""

    def rule(func: Any, x: Tensor, weight: Tensor, bias: Tensor | None = None, *rest: Any, **options: Any) -> Any:
        # Patches are cut from the pixels by a convolution whose input is a leaf: it has a rule, too, if pixels are asked for.
        if not gamma or (not is_activation(x) and not x.requires_grad):
            return func(x, weight, bias, *rest, **options)
        # The rule is written with four passes of the same map, on positive and negative inputs and weights apart, since its
        # terms x_j w_ij cannot be sorted by sign without making them all, (inputs, outputs) for every token.
        for_more, for_less = weight + gamma * weight.clamp_min(0), weight + gamma * weight.clamp_max(0)
        more, less = (
            (None, None) if bias is None else (bias + gamma * bias.clamp_min(0), bias + gamma * bias.clamp_max(0))
        )
        # high + low = x, and one of the two is zero at each value, so every term x_j w_ij appears in exactly one product.
        high, low = x.clamp_min(0), x.clamp_max(0)
        y = func(x, weight, bias, *rest, **options).detach()
        # What speaks for a positive output is made larger, and so is what speaks for a negative one where it is negative.
        positive = func(high, for_more, more, *rest, **options) + func(low, for_less, None, *rest, **options)
        negative = func(high, for_less, less, *rest, **options) + func(low, for_more, None, *rest, **options)
        # For each output the one of the two that has its sign.
        chosen = torch.where(y > 0, positive, negative)
        # The value must be y, and the gradient that of `chosen` scaled to y; what is left over is made constant.
        factor = torch.where(chosen == 0, 0, y / torch.where(chosen == 0, 1, chosen)).detach()
        return chosen * factor + (y - (chosen * factor).detach())

    return rule
