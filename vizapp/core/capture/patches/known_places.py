"""Keep what is known of each tensor of a pass: where its values stand, and what it was made from."""

from typing import Any

import torch
from torch import Tensor
from torch.utils.weak import WeakTensorKeyDictionary

from vizapp.core import ops
from vizapp.core.capture.nested import with_each
from vizapp.core.capture.patches.planes import Planes, is_constant
from vizapp.core.capture.patches.shared_storage import SharedStorage


class KnownPlaces:
    """The planes of every tensor that stems from `pixels` (1, 3, h, w); those of the pixels are their own coordinates.

    A tensor that stems from the picture either has planes, or is lost, or tells nothing (a mask). A tensor that does not stem
    from it, such as a parameter, stands nowhere.
    """

    def __init__(self, pixels: Tensor) -> None:
        # All are weak, so that intermediate results die during the pass as they would without us. And the id of a dead tensor,
        # which PyTorch gives to the next, is never taken for its.
        self._known = WeakTensorKeyDictionary()
        self._mixes = WeakTensorKeyDictionary()  # through how many convolutions and the like a place came
        self._built_on = WeakTensorKeyDictionary()  # numbers of attention calls, as bits, that a tensor was made from
        # In pixels: how far a place may be off where it was resized; infinite where it is a query's, which looked all over.
        self._rough = WeakTensorKeyDictionary()
        self._stems = WeakTensorKeyDictionary()  # what stems from the picture, also where its places were lost
        self._stems[pixels] = True
        # What was placed, or made of what was placed, and is not placed any more.
        self._lost = WeakTensorKeyDictionary()
        self._writings = SharedStorage()
        self._device = pixels.device
        height, width = self.extent = (pixels.shape[-2], pixels.shape[-1])
        # In float32 even for a network in half precision, where coordinates above 1024 would be rounded.
        y = torch.arange(height, device=pixels.device).float()[:, None].add(0.5).expand(pixels.shape)
        x = torch.arange(width, device=pixels.device).float().add(0.5).expand(pixels.shape)
        self._known[pixels] = (y, x, torch.ones_like(y))

    def of(self, tensor: Tensor) -> Tensor | None:
        """Give (*tensor.shape, 2), y and x in model pixels: NaN where a value stands for no place; None if nothing is known."""
        planes = self.planes(tensor)
        if planes is None:
            return None
        y, x, w = planes
        return torch.stack([torch.where(w > 0, y / w, torch.nan), torch.where(w > 0, x / w, torch.nan)], -1)

    def along(self, tensor: Tensor, features: int) -> Tensor | None:
        """(..., token, 2): y and x of each token of `tensor`, whose axis `features` is -1 or -2.

        NaN for tokens that stem from no place of the picture (learned ones, padding), infinite for those that stem from
        one which was lost sight of; None where a token has no single place, because places lie along its features.
        """
        planes = self.planes(tensor)
        if planes is None:
            # The picture has never touched learned queries, or a CLS token on its own.
            nowhere = torch.inf if self.is_lost(tensor) else torch.nan
            return torch.full((*tensor.select(features, 0).shape, 2), nowhere, device=tensor.device)
        # Channel attention (XCiT) turns q over. Then places lie along its last axis, and its "tokens" are features.
        if not all(is_constant(plane, features) for plane in planes):
            return None
        places = self.of(tensor)
        assert places is not None
        return places.select(features - 1, 0)

    def built_on(self, *tensors: Tensor | None) -> int:
        """The attention calls that these tensors were made from: bit i for the call that was marked with i."""
        calls = 0
        for tensor in tensors:
            calls |= self._built_on.get(tensor, 0) if tensor is not None else 0
        return calls

    def mark(self, output: Tensor, number: int) -> None:
        """Count what is made from `output` from here on as built on the attention call `number`."""
        self._built_on[output] = self.built_on(output) | 1 << number

    def replaced(self, old: Tensor, new: Tensor) -> None:
        """`new` takes the place of `old` in the pass, each value for its value: it stands where that stood."""
        if (planes := self.planes(old)) is not None:
            self._known[new] = planes
        for marks in (self._stems, self._lost):
            if old in marks:
                marks[new] = True
        if calls := self.built_on(old):
            self._built_on[new] = calls

    def origin(self, rows: Tensor, *others: Tensor) -> dict[str, Any]:
        """`built_on` and `from_picture` of a `Call`, whose queries are `rows`."""
        from_picture = self.planes(rows) is not None or self.is_lost(rows) or bool(self.built_on(rows))
        return {"built_on": self.built_on(rows, *others), "from_picture": from_picture}

    def knows(self, tensor: object) -> bool:
        """Tell whether a tensor was made from the picture, as far as it could be followed."""
        return self.planes(tensor) is not None or (isinstance(tensor, Tensor) and bool(self.built_on(tensor)))

    def planes(self, tensor: object) -> Planes | None:
        """The three planes (y w, x w, w) of a tensor, each of its shape; None if it does not stem from the picture."""
        if not isinstance(tensor, Tensor):
            return None
        found: Planes | None = self._known.get(tensor)
        # Its own planes first: they were made after the last write, since a write takes them from all that share the memory.
        return self._writings.read(tensor) if found is None else found

    def is_lost(self, tensor: Tensor) -> bool:
        """Tell whether a tensor stems from places of the picture, and nothing tells any more from which."""
        return tensor in self._lost and ops.has_numbers(tensor) and self.planes(tensor) is None

    def _tells(self, tensor: Tensor) -> bool:
        """Tell whether a tensor is placed, or is made of what was."""
        return tensor in self._lost or self.planes(tensor) is not None

    def _plane(self, value: Any, index: int) -> Any:
        """`value` with each tensor replaced by one of its planes; a tensor that stands nowhere by zeros."""

        def plane(one: Tensor) -> Tensor:
            planes = self.planes(one)
            if planes is not None:
                return planes[index]
            return torch.zeros(one.shape, device=one.device) if ops.has_numbers(one) else one

        return with_each(value, plane)
