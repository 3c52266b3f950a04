"""Tensors that can be differentiated, made under a caller who works in `torch.inference_mode()`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch


@contextmanager
def normal_tensors() -> Iterator[None]:
    """What is made within can be kept for gradient methods. Whether gradients are recorded stays as the caller has it.

    Also a decorator, but not of generators: what runs between their values is the caller's.
    """
    recorded = torch.is_grad_enabled()
    with torch.inference_mode(False), torch.set_grad_enabled(recorded):
        yield
