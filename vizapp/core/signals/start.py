"""Where a pass back by rules begins: at what the network gives, with the plain slope there of what is explained.

Rules are for the functions of a network. What a user makes of its output is differentiated as it is: a rule would explain
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
    """What is explained as a function of what the network gave, cut off from it.

    given   tensors of the output, with the graph of the network behind them; `read` the same without it, as the target got them
    score   the number that is explained, with a graph that ends at `read`
    """

    given: tuple[Tensor, ...]
    read: tuple[Tensor, ...]
    score: Tensor

    @classmethod
    def of(cls, model: VisionModel, output: Any, target: Target) -> Start:
        """Call the target on `output`, which was made while gradients were on. Raises `VizError` if there is no slope."""
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
            raise no_gradient(model)
        return cls(tuple(given), tuple(read), score)

    @cached_property
    def slopes(self) -> tuple[Tensor, ...]:
        """d score / d output for each of `given`; zero where the score does not depend on it."""
        found = torch.autograd.grad(self.score, self.read, allow_unused=True)
        return tuple(torch.zeros_like(one) if by is None else by for one, by in zip(self.read, found, strict=True))

    @property
    def linear(self) -> float:
        """The sum of each output times its slope, which input x gradient shares out; the score itself where that is an output."""
        return sum(float((one.detach() * slope).sum()) for one, slope in zip(self.read, self.slopes, strict=True))

    def weighed(self, weights: tuple[Tensor, ...] | None = None) -> Tensor:
        """A number whose gradient, at each of `given`, is the slope there, or one of `weights`."""
        parts = zip(self.given, self.slopes if weights is None else weights, strict=True)
        return torch.stack([(one * weight.to(one)).sum() for one, weight in parts]).sum()
