"""Work as ever under a caller that works in `torch.autocast` or in `torch.inference_mode()`."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch


@contextmanager
def own_precision(device: torch.device | str) -> Iterator[None]:
    """Leave autocast on `device` for the block: products of what was captured must not be rounded to half precision.

    A network that is run in the block runs in the precision of its weights. Costs nothing where there is no autocast.
    """
    kind = torch.device(device).type
    try:
        enabled = torch.is_autocast_enabled(kind)
    except RuntimeError:  # a device that knows no autocast
        enabled = False
    if not enabled:
        yield
        return
    with torch.autocast(kind, enabled=False):
        yield


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
