"""Make tensors that can be differentiated, under a caller that works in `torch.inference_mode()`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch


@contextmanager
def normal_tensors() -> Iterator[None]:
    """Make tensors that gradient methods can use later; whether gradients are recorded stays as the caller has it.

    Also a decorator, but not of generators: between two of their values the caller's code runs.
    """
    # A tensor made in inference mode can never enter a graph again, so a trace made there could not be explained by
    # gradients. Leaving the mode also switches gradients on, which the caller did not ask for.
    recorded = torch.is_grad_enabled()
    with torch.inference_mode(False), torch.set_grad_enabled(recorded):
        yield
