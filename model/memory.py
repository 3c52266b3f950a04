"""Check that there is enough memory for the weights of a network, before they are downloaded or made."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import nn

from vizapp.errors import NotEnoughMemory
from vizapp.memory import free_memory

BESIDE = 1.1  # factor for the objects that are made while weights are filled in


def require_room(name: str, build: Callable[[], nn.Module]) -> None:
    """Raise `NotEnoughMemory` if the network that `build` makes is larger than the free memory.

    It is built of tensors that have shapes and no data, which takes a part of a second. A network that cannot be built so passes.
    """
    try:
        with torch.device("meta"):
            net = build()
    except Exception:  # a library may need a tensor's data; other errors are reported when the network is really built
        return
    require_bytes(name, sum(one.numel() * one.element_size() for one in (*net.parameters(), *net.buffers())))


def require_bytes(name: str, size: int) -> None:
    """Raise `NotEnoughMemory` if weights of so many bytes do not fit into the free memory."""
    free = free_memory()
    if free is None or size * BESIDE <= free:
        return
    raise NotEnoughMemory(
        "The weights of {name} take {needed} GiB, and {free} GiB of memory are free.",
        "Choose a smaller model.",
        name=name,
        needed=f"{size / 2**30:.1f}",
        free=f"{free / 2**30:.1f}",
    )
