"""Layer-wise relevance propagation: a backward pass by other rules than those of the gradient, one set of rules per paper."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import BackwardCFunction
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_map

from vizapp.core import ops
from vizapp.core.capture.nested import flat
from vizapp.core.capture.softmax.fused_kernels import inside_of_attention
from vizapp.core.pauses import may_pause
from vizapp.core.signals.gradients import no_gradient
from vizapp.core.target import Target, score_in
from vizapp.errors import VizError
from vizapp.model.spec import VisionModel

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
        self._overwritten: list[Tensor] = []

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
        rule, kwargs = self.rules.get(func), kwargs or {}
        if kwargs.get("inplace"):
            # What a rule has made cannot be written into. So it stays, and must not be used any more.
            kwargs = kwargs | {"inplace": False}
            self._overwritten.append(args[0])
            return func(*args, **kwargs) if rule is None else rule(func, *args, **kwargs)
        result = func(*args, **kwargs) if rule is None else rule(func, *args, **kwargs)
        gone = self._overwritten
        if gone and is_activation(result) and any(one is other for one in flat(args) for other in gone):
            raise VizError(
                "This network uses a tensor again that an activation function has overwritten in place.",
                "Choose another method, or make the function with inplace=False.",
            )
        return result


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


@dataclass(frozen=True, eq=False)
class Start:
    """The target as a function of the output, cut off from the network: a pass back by rules begins with its plain slope.

    Rules are for the functions of a network. The user's function of the output is differentiated plainly: a rule would explain
    another number. (A sigmoid's y / x has another sign than its slope where x is below zero, and a constant softmax has none.)

    given   tensors of the output, with the graph of the network behind them; `read` the same tensors without it, for the target
    score   the number to explain, with a graph that ends at `read`
    """

    given: tuple[Tensor, ...]
    read: tuple[Tensor, ...]
    score: Tensor

    @classmethod
    def of(cls, model: VisionModel, output: Any, target: Target) -> "Start":
        """Call the target on `output`, which was made while gradients were on. Raises `VizError` if there is no slope."""
        # Cut here: behind the cut a pass back goes by rules, before it by plain slopes.
        given: list[Tensor] = []
        read: list[Tensor] = []

        def cut(value: Any) -> Any:
            if not isinstance(value, Tensor) or not value.requires_grad:
                return value
            given.append(value)
            read.append(value.detach().requires_grad_(True))
            return read[-1].clone()  # a leaf must not be written into, and a target may

        score = score_in(tree_map(cut, output), target)
        if not score.requires_grad:
            raise no_gradient(model, target, is_lost=bool(given))
        return cls(tuple(given), tuple(read), score)

    @cached_property
    def slopes(self) -> tuple[Tensor, ...]:
        """d score / d output for each of `given`; zero if the score does not depend on it."""
        found = torch.autograd.grad(self.score, self.read, allow_unused=True)
        return tuple(torch.zeros_like(one) if by is None else by for one, by in zip(self.read, found, strict=True))

    @property
    def linear(self) -> float:
        """The sum of each output times its slope, the total of input x gradient; if the score is an output, the score itself."""
        return sum(float((one.detach() * slope).sum()) for one, slope in zip(self.read, self.slopes, strict=True))

    def weighed(self, weights: tuple[Tensor, ...] | None = None) -> Tensor:
        """Return a number whose gradient, at each of `given`, is the slope there, or one of `weights`."""
        # A sum of products has the weights as its gradient, whatever the function was: so the pass back begins with them.
        parts = zip(self.given, self.slopes if weights is None else weights, strict=True)
        return torch.stack([(one * weight.to(one)).sum() for one, weight in parts]).sum()
