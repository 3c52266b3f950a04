"""Keep the places of memory that was written to: a write into a view is one into its base, and into all views of that."""

import torch
from torch import Tensor
from torch.utils.weak import WeakTensorKeyDictionary

from vizapp.core.capture.patches.planes import Planes
from vizapp.core.capture.storage import address_of


class SharedStorage:
    """The memory that was written to during a pass: the planes that stand there now, value for value, or None if nothing tells.

    Memory is known by its address. It is kept until the end of the pass, so that no other tensor is given that address.
    """

    def __init__(self) -> None:
        self._memory: dict[int, tuple[torch.UntypedStorage, Planes | None]] = {}

    def write(self, target: Tensor, planes: Planes | None, known: WeakTensorKeyDictionary) -> None:
        """Lay `planes` into the memory of `target`; None: nothing tells what stands there. All that share it leave `known`."""
        address = address_of(target)
        aliases = [one for one in list(known) if one is target or (address and address_of(one) == address)]
        # From here on each of them reads its places out of the memory, whichever of them was written through.
        before = [(one, known.pop(one)) for one in aliases]
        if not address:  # a tensor without values, or without memory of the usual kind
            return
        memory = target.untyped_storage()
        if address in self._memory:
            # Not the first write: what its aliases had was laid into the memory then.
            old, before = self._memory[address][1], []
        else:
            zeros = torch.zeros(memory.nbytes() // target.element_size(), device=target.device)
            old = zeros, zeros, zeros
        now = None
        if planes is not None and old is not None:
            try:
                now = _laid([*before, (target, planes)], old)
            except (
                RuntimeError
            ):  # several values of an expanded tensor share one number, or a view reads it as another type
                now = None
        self._memory[address] = memory, now

    def read(self, tensor: Tensor) -> Planes | None:
        """Read the planes of a tensor whose memory was written to; None if it was not, or if they are lost."""
        planes = self._memory[address_of(tensor)][1] if self.touched(tensor) else None
        if planes is None:
            return None
        y, x, w = (plane.as_strided(tensor.shape, tensor.stride(), tensor.storage_offset()) for plane in planes)
        return y, x, w

    def touched(self, tensor: Tensor) -> bool:
        """Tell whether the memory of a tensor was written to."""
        return bool(self._memory) and address_of(tensor) in self._memory


def _laid(parts: list[tuple[Tensor, Planes]], old: Planes) -> Planes:
    """Lay the planes of each tensor over `old`, where that tensor lies in memory."""
    fresh = tuple(plane.clone() for plane in old)
    for one, its in parts:
        for plane, values in zip(fresh, its, strict=True):
            plane.as_strided(one.shape, one.stride(), one.storage_offset()).copy_(values)
    return fresh[0], fresh[1], fresh[2]
