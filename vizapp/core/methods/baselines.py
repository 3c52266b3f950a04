"""Maps that have not seen the picture: what any method must beat before it may be believed."""

from __future__ import annotations

import torch

from model.spec import TokenLayout
from vizapp.core.methods import method, within
from vizapp.core.metrics.baselines import centre_prior, uniform_random
from vizapp.core.trace import AttentionTrace


@method(paper="none: a baseline", unit=lambda settings: "nothing: a random number", by_query=False)
def random(trace: AttentionTrace, query: torch.Tensor, *, seed: int = 0) -> tuple[torch.Tensor, TokenLayout]:
    """(patch,): every patch anything from 0 to 1.

    seed  another number, another map
    """
    within(0, 2**63 - 1, seed=seed)
    grid = trace.layout.grid
    return torch.from_numpy(uniform_random(grid, seed)).flatten(), TokenLayout((), grid)


@method(paper="none: a baseline", unit=lambda settings: "nearness to the middle", by_query=False)
def centre(trace: AttentionTrace, query: torch.Tensor) -> tuple[torch.Tensor, TokenLayout]:
    """(patch,): bright in the middle of the picture, where people put things."""
    grid = trace.layout.grid
    return torch.from_numpy(centre_prior(grid)).flatten(), TokenLayout((), grid)
