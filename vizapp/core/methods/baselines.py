"""Maps that have not seen the picture: any other must be better than these before it may be believed."""

import numpy as np
import torch

from vizapp.core.attention.trace import AttentionTrace
from vizapp.core.methods import method, within
from vizapp.core.setting import Seed
from vizapp.model.spec import TokenLayout
from vizapp.wording import Text


@method(
    title="Random",
    sentence="Chance. What any method must beat.",
    paper="none: a baseline",
    unit=lambda settings: Text("nothing: a random number"),
    baseline=True,
    by_query=False,
)
def random(trace: AttentionTrace, query: torch.Tensor, *, seed: Seed = 0) -> tuple[torch.Tensor, TokenLayout]:
    """(patch,): every patch anything from 0 to 1.

    seed  another number, another map
    """
    within(0, 2**63 - 1, seed=seed)
    grid = trace.layout.grid
    return torch.from_numpy(np.random.default_rng(seed).random(grid)).flatten(), TokenLayout((), grid)


@method(
    title="Centre",
    sentence="A blob in the middle, where people put things.",
    paper="none: a baseline",
    unit=lambda settings: Text("nearness to the middle"),
    baseline=True,
    by_query=False,
)
def centre(trace: AttentionTrace, query: torch.Tensor) -> tuple[torch.Tensor, TokenLayout]:
    """(patch,): bright in the middle of the picture, where people put things."""
    grid = trace.layout.grid
    return torch.from_numpy(bright_centre(grid)).flatten(), TokenLayout((), grid)


def bright_centre(grid: tuple[int, int]) -> np.ndarray:
    """(rows, cols): exp(-2 (x^2 + y^2)), the edges of the picture at -1 and 1."""
    y, x = (((np.arange(n) + 0.5) / n * 2 - 1) ** 2 for n in grid)
    return np.exp(-2 * (y[:, None] + x))
