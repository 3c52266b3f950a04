"""What is written into a tensor is written into all that share its memory: views, and what they are views of."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.utils.weak import WeakTensorKeyDictionary

from vizapp.core.capture.kernels import Planes


class Writings:
    """Memory that was written to during a pass: which planes stand there now, value for value, or that nothing tells.

    Memory is known by its address, so what was written to is kept until the end of the pass.
    """

    def __init__(self) -> None:
        self._memory: dict[int, tuple[torch.UntypedStorage, Planes | None]] = {}

    def write(self, target: Tensor, planes: Planes | None, known: WeakTensorKeyDictionary) -> None:
        """`planes` now stand in `target`; None: nothing tells what does. All that share its memory are taken from `known`."""
        address = _address(target)
        aliases = [one for one in list(known) if one is target or (address and _address(one) == address)]
        before = [(one, known.pop(one)) for one in aliases]
        if not address:  # of no length, or with no memory of the usual kind
            return
        memory = target.untyped_storage()
        if address in self._memory:
            old, before = self._memory[address][1], []
        else:
            zeros = torch.zeros(memory.nbytes() // target.element_size(), device=target.device)
            old = zeros, zeros, zeros
        now = None
        if planes is not None and old is not None:
            try:
                now = _laid([*before, (target, planes)], old)
            except RuntimeError:  # several of its values share one number, or it reads its memory as another kind
                now = None
        self._memory[address] = memory, now

    def read(self, tensor: Tensor) -> Planes | None:
        """The planes of a tensor whose memory was written to; None if it was not, or if they are lost."""
        planes = self._memory[_address(tensor)][1] if self.touched(tensor) else None
        if planes is None:
            return None
        y, x, w = (plane.as_strided(tensor.shape, tensor.stride(), tensor.storage_offset()) for plane in planes)
        return y, x, w

    def touched(self, tensor: Tensor) -> bool:
        """Was its memory written to?"""
        return bool(self._memory) and _address(tensor) in self._memory


def _laid(parts: list[tuple[Tensor, Planes]], old: Planes) -> Planes:
    """`old` with the planes of each tensor laid over it, where that tensor lies in memory."""
    fresh = tuple(plane.clone() for plane in old)
    for one, its in parts:
        for plane, values in zip(fresh, its, strict=True):
            plane.as_strided(one.shape, one.stride(), one.storage_offset()).copy_(values)
    return fresh[0], fresh[1], fresh[2]


def _address(tensor: Tensor) -> int:
    """Where its memory begins; 0 if it has none of the usual kind (a sparse one)."""
    if tensor.layout != torch.strided:
        return 0
    try:
        return tensor.untyped_storage().data_ptr()
    except (RuntimeError, NotImplementedError):
        return 0
