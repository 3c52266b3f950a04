"""Which keys a mask hides, declared once: for counts and even spreads, for edits of a pass, and for the steps of a number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

import torch
from torch import Tensor

# A mask is a bias so far below the largest of its row. Beside a key with e^0, one with e^-50 = 2e-22 changes no sum, not even in
# float64, whose last digit is 2e-16. Masks are far lower: -100 (Swin), -1e4, the lowest number of a type, -inf. What a
# network learns is far higher: SwinV2's positions lie within 16 of each other, and those of other networks within 20 or so.
HIDES = 50.0
# Of weights, where no scores are known. Swin's -100 leaves 4e-44 of float32, and up to e^31 times as much of a key that matches
# best; a learned bias of -50 leaves more. Float16 knows no number so small, and so nothing can be told of its zeros.
NEGLIGIBLE = 1e-30


class Layer(Protocol):
    """What is asked of a layer here."""

    n_heads: int

    @property
    def device(self) -> torch.device: ...
    def chunks(self, queries: Tensor) -> Iterator[Tensor]: ...
    def sees(self, heads: Tensor, queries: Tensor) -> Tensor: ...


def open_by_bias(bias: Tensor) -> Tensor:
    """(..., query, key) bool: what is added to the scores of a whole row hides these keys not. A row may hide all of them."""
    return (bias >= bias.amax(-1, keepdim=True) - HIDES) & (bias > -torch.inf)


def open_by_weight(matrix: Tensor) -> Tensor:
    """(..., query, key) bool: the weights that a mask cannot have left, where the weights are all that is known."""
    return matrix.abs() > NEGLIGIBLE


def tells(dtype: torch.dtype) -> bool:
    """Tell whether weights of this type that a mask left differ from those that are merely small."""
    return torch.finfo(dtype).tiny < NEGLIGIBLE


def seen_by(layer: Layer, queries: Sequence[int]) -> Tensor:
    """(len(queries),) int: among how many keys the attention of each query is shared, in any head, and hidden by no mask."""
    return torch.cat([seen.sum(-1) for seen in _seen(layer, queries)]).cpu()


def seen_together(layer: Layer, queries: Sequence[int]) -> int:
    """The number of keys that at least one of several queries may look at."""
    return int(torch.stack([seen.any(0) for seen in _seen(layer, queries)]).any(0).sum())


def _seen(layer: Layer, queries: Sequence[int]) -> Iterator[Tensor]:
    """(query, key) bool, a piece of the queries at a time."""
    heads = torch.arange(layer.n_heads, device=layer.device)
    for some in layer.chunks(torch.tensor(queries, device=layer.device)):
        yield layer.sees(heads.expand(len(some), -1), some)
