"""Layer-wise relevance propagation: a backward pass by other rules than those of the gradient, one set of rules per paper."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from torch import Tensor
from torch.overrides import TorchFunctionMode

from vizapp.core import ops
from vizapp.core.capture.fused import inside_of_attention
from vizapp.core.checkpoint import checkpoint

Rule = Callable[..., Any]


class Rules(TorchFunctionMode):
    """Let functions of PyTorch compute what they always do, and pass relevance back by rules, while the `with` block lasts.

    A rule returns the function's own result, with another backward behind it: so a whole network is run as it is written,
    and `backward` walks through it in relevances. No module is replaced, and nothing has to be undone.

    rules   for each kind of functions (see ops.py), what to call in their place: with the function and its arguments
    """

    def __init__(self, rules: Mapping[ops.Kind, Rule]) -> None:
        super().__init__()
        self.rules = {function: rule for kind, rule in rules.items() for function in ops.functions(kind)}

    def __torch_function__(
        self, func: Callable[..., Any], types: object, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        # nn.MultiheadAttention is one function to a mode. It is opened, so that the rules see the products in it.
        if func in ops.functions(ops.WHOLE_ATTENTION):
            return inside_of_attention(self, args, kwargs or {})
        checkpoint()
        rule = self.rules.get(func)
        return func(*args, **(kwargs or {})) if rule is None else rule(func, *args, **(kwargs or {}))


def is_activation(value: object) -> bool:
    """Tell whether a value comes from the picture: parameters and constants do not, and get no relevance.

    With frozen parameters and pixels that require a gradient, what requires one stems from the pixels; a leaf is either the
    pixels themselves or a parameter that is not frozen.
    """
    return isinstance(value, Tensor) and value.requires_grad and not value.is_leaf
