"""Layer-wise relevance propagation: a backward pass by other rules than those of the gradient, one set of rules per paper."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.overrides import TorchFunctionMode

from vizapp.core.watch import inside_of_attention

Rule = Callable[..., Any]

ACTIVATIONS = {
    *(F.gelu, F.silu, F.relu, F.elu, F.leaky_relu, F.hardswish, F.mish, F.sigmoid, F.tanh),
    *(torch.relu, torch.sigmoid, torch.tanh, Tensor.relu, Tensor.sigmoid, Tensor.tanh),
}
MATMUL = {torch.matmul, Tensor.matmul, Tensor.__matmul__, torch.bmm, Tensor.bmm}
IN_PLACE = {Tensor.mul_, Tensor.__imul__}
TIMES = {torch.mul, Tensor.mul, Tensor.__mul__, Tensor.__rmul__}
SOFTMAX = {F.softmax, torch.softmax, Tensor.softmax}


class Rules(TorchFunctionMode):
    """For as long as the `with` block lasts, functions of PyTorch compute what they always do, and pass relevance back by rules.

    rules   function -> what to call in its place, with the function and its arguments
    """

    def __init__(self, rules: Mapping[Callable[..., Any], Rule]) -> None:
        super().__init__()
        self.rules = rules

    def __torch_function__(
        self, func: Callable[..., Any], types: object, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        if func is F.multi_head_attention_forward:
            return inside_of_attention(self, args, kwargs or {})
        rule = self.rules.get(func)
        return func(*args, **(kwargs or {})) if rule is None else rule(func, *args, **(kwargs or {}))


def is_activation(value: object) -> bool:
    """Does it come from the picture? Parameters and constants do not."""
    return isinstance(value, Tensor) and value.requires_grad and not value.is_leaf
