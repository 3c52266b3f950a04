"""Random weights that are the same at each start: the seed is made of a name, and no other random numbers change."""

import hashlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import torch

_drawing = threading.Lock()  # torch has one generator for all threads


@contextmanager
def drawn_for(name: str) -> Iterator[None]:
    """Let torch draw from a seed made of `name` on the CPU; its generator is restored afterwards."""
    seed = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8])
    with _drawing:
        before = torch.default_generator.get_state()
        torch.default_generator.manual_seed(seed)  # torch.manual_seed would seed every GPU, too
        try:
            yield
        finally:
            torch.default_generator.set_state(before)
