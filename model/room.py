"""Is there enough memory for the weights of a network? Asked before they are downloaded, or made."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import nn

from vizapp.container import free_memory
from vizapp.errors import NotEnoughMemory

BESIDE = 1.1  # what is made while weights are filled in


def require_room(name: str, build: Callable[[], nn.Module]) -> None:
    """Raise `NotEnoughMemory` if the network that `build` makes is larger than what is free.

    It is made of tensors that have shapes and no data, which takes a part of a second. One that cannot be made so passes.
    """
    try:
        with torch.device("meta"):
            net = build()
    except (
        Exception
    ):  # any library may ask a tensor for its data; whatever else is wrong is said when it is really built
        return
    require_bytes(name, sum(one.numel() * one.element_size() for one in (*net.parameters(), *net.buffers())))


def require_bytes(name: str, size: int) -> None:
    """Raise `NotEnoughMemory` if weights of so many bytes are more than what is free."""
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
