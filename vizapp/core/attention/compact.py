"""A layer's attention in as few bytes as possible, for sending: the receiver makes the rows."""

from dataclasses import dataclass, field
from typing import Literal

import torch
from torch import Tensor


@dataclass(frozen=True, eq=False)
class Compact:
    """The result of `LayerAttention.compact`: `layer.parts`, so one for each window if there are windows.

    kind     "factors", "dense", or "" if neither form is small enough: the sender must make the rows then
    tensors  of "factors": q (head, query, d) and k (head, key, d) in half precision, logsumexp (head, query) float32; a row is
             exp(q k^T - logsumexp). Of "dense": dense (head, query, key) in half precision. Of windows also queries
             (window, slot) and keys (window, key slot), int32: the token in each slot, -1 for padding
    """

    kind: Literal["factors", "dense", ""] = ""
    tensors: dict[str, Tensor] = field(default_factory=dict)


def fits_in_half(tensor: Tensor) -> bool:
    """Tell whether half precision can hold all values, none of them NaN or infinite."""
    # NaN if there is any, and no comparison with NaN holds; twenty times as fast as `isfinite` of half precision.
    low, high = tensor.aminmax()
    return bool(torch.maximum(-low, high) <= torch.finfo(torch.half).max)
