"""Layer-wise relevance propagation: a backward pass by other rules than those of the gradient, one set of rules per paper."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from torch import Tensor
from torch.autograd.function import BackwardCFunction
from torch.overrides import TorchFunctionMode

from vizapp.core import ops
from vizapp.core.capture.softmax.fused_kernels import inside_of_attention
from vizapp.core.pauses import may_pause
from vizapp.errors import VizError

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
        # A pass by rules is long, and each function of it is a step after which more urgent work may go first.
        may_pause()
        for value in args:
            _refuse_own_backward(value)
        # By the function itself and not by its name: this is asked of every function of the pass.
        rule = self.rules.get(func)
        return func(*args, **(kwargs or {})) if rule is None else rule(func, *args, **(kwargs or {}))


def _refuse_own_backward(value: object) -> None:
    """Raise `VizError` for what an autograd.Function of the network made: its backward pass is its own, whatever a rule says."""
    made_by = value.grad_fn if isinstance(value, Tensor) else None
    if not isinstance(made_by, BackwardCFunction):
        return
    function: type = type(made_by)._forward_cls
    if function.__module__.partition(".")[0] != "vizapp":
        raise VizError(
            "This network computes with {function}, a torch.autograd.Function: its backward pass is its own, and no rule of "
            "relevance reaches into it.",
            "Choose another method, or write that part with functions of PyTorch alone.",
            function=function.__name__,
        )


def is_activation(value: object) -> bool:
    """Tell whether a value comes from the picture: parameters and constants do not, and get no relevance.

    With frozen parameters and pixels that require a gradient, what requires one stems from the pixels; a leaf is either the
    pixels themselves or a parameter that is not frozen.
    """
    return isinstance(value, Tensor) and value.requires_grad and not value.is_leaf
