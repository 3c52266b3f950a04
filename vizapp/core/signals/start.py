"""Begin a pass back by rules at the network's output, with the plain slope of the target there.

Rules are for the functions of a network. The user's function of the output is differentiated plainly: a rule would explain
another number. (A sigmoid's y / x has another sign than its slope where x is below zero, and a constant softmax has none.)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch
from torch import Tensor
from torch.utils._pytree import tree_map

from vizapp.core.signals.gradients import no_gradient
from vizapp.core.target import Target, score_in
from vizapp.model.spec import VisionModel


@dataclass(frozen=True, eq=False)
class Start:
    """The target as a function of the network's output, cut off from the network.

    given   tensors of the output, with the graph of the network behind them; `read` the same tensors without it, for the target
    score   the number to explain, with a graph that ends at `read`
    """

    given: tuple[Tensor, ...]
    read: tuple[Tensor, ...]
    score: Tensor

    @classmethod
    def of(cls, model: VisionModel, output: Any, target: Target) -> Start:
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
