"""Optimisers of a bundled network: Muon for the matrices of its blocks, AdamW for the rest, and the rate of both."""

import math
from typing import Any

import torch
from torch import nn

from train.recipes import Recipe
from train.student import Student


class Muon(torch.optim.Optimizer):
    """Momentum, made orthogonal: every direction of a matrix gets the same step (Jordan 2024).

    https://kellerjordan.github.io/posts/muon. As `torch.optim.Muon` with adjust_lr_fn="match_rms_adamw", but in
    float32: torch works in bfloat16, which processors without such instructions emulate, and that took longer than
    the rest of the step.
    """

    def __init__(self, matrices: list[nn.Parameter], rate: float, weight_decay: float) -> None:
        super().__init__(matrices, {"lr": rate, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure: Any = None) -> None:  # type: ignore[override]
        for group in self.param_groups:
            for p in group["params"]:
                momentum = self.state[p].setdefault("momentum", torch.zeros_like(p))
                momentum.lerp_(p.grad, 0.05)
                x = torch.lerp(p.grad, momentum, 0.95)  # Nesterov
                x = x.T if x.shape[0] > x.shape[1] else x
                x = x / (x.norm() + 1e-7)
                for _ in range(5):  # Newton-Schulz
                    gram = x @ x.T
                    x = 3.4445 * x + torch.addmm(gram, gram, gram, beta=-4.7750, alpha=2.0315) @ x
                p.mul_(1 - group["lr"] * group["weight_decay"])
                step = group["lr"] * 0.2 * math.sqrt(max(p.shape))
                p.sub_(x.T if p.shape[0] > p.shape[1] else x, alpha=step)


def optimisers(student: Student, recipe: Recipe) -> list[torch.optim.Optimizer]:
    matrices = [p for name, p in student.named_parameters() if name.startswith("net.blocks") and p.ndim == 2]
    matrices = matrices if recipe.muon else []
    known = {id(p) for p in matrices}
    rest = [p for p in student.parameters() if id(p) not in known]
    adam = torch.optim.AdamW(rest, recipe.rate, betas=(0.9, 0.99), weight_decay=recipe.weight_decay)
    return [adam, Muon(matrices, recipe.rate, recipe.weight_decay)] if matrices else [adam]


def rate_at(recipe: Recipe, number: int, step: int) -> float:
    """Learning rate: up at the start of a phase, then constant, then linearly down to zero if the phase says so."""
    phase = recipe.phases[number]
    rise = min(1.0, (step + 1) / min(recipe.warmup, max(1, phase.steps // 4)))
    fall = min(1.0, (phase.steps - step) / (phase.fall * phase.steps)) if phase.fall else 1.0
    return recipe.rate * phase.rate * min(rise, fall)
