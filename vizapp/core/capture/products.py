"""The matrix product in a function of PyTorch: which operand stands left, which right, and how the result lies to their product.

`matmul`, `bmm` and `baddbmm` say it by the order of their arguments. An einsum may sum, order and join axes as it likes; here it
is brought into the order of a matmul, and with it comes the way back, for what takes the result's place.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from torch import Tensor

from vizapp.core.capture.call import Turn
from vizapp.core.capture.contracted import spell_out

Permuted = Callable[[Tensor, list[int], int], Tensor]


class Product(NamedTuple):
    """left @ right = out; `turn` makes `out` of the function's own result and `back` the reverse; None: they are one."""

    left: Tensor
    right: Tensor
    out: Tensor
    turn: Turn | None = None
    back: Turn | None = None


def matmul_of(args: tuple[Any, ...], kwargs: dict[str, Any], result: Tensor) -> Product:
    """Of `matmul` or `bmm`, whose operands have four names between them."""
    parts = [*args, *(kwargs[name] for name in ("input", "other", "mat2", "tensor2") if name in kwargs)]
    return Product(parts[0], parts[1], result)


def baddbmm_of(args: tuple[Any, ...], kwargs: dict[str, Any], result: Tensor) -> Product:
    """Of `baddbmm(base, batch1, batch2)`; `only_product` says whether the result is the product and nothing more."""
    parts = [*args, *(kwargs[name] for name in ("input", "batch1", "batch2") if name in kwargs)]
    return Product(parts[1], parts[2], result)


def only_product(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Tell whether `baddbmm` adds nothing to its product: beta * base + alpha * (batch1 @ batch2)."""
    base = args[0] if args else kwargs["input"]
    return kwargs.get("alpha", 1) == 1 and (kwargs.get("beta", 1) == 0 or not bool(base.any()))


def einsum_of(args: tuple[Any, ...], result: Tensor, permuted: Permuted, *, swapped: bool = False) -> Product | None:
    """Of `einsum` of two operands that sums over the first one's last axis; None for all others.

    Several axes of the second operand that are only its own (values with two axes) are one in right and out.
    permuted  (tensor, order of axes, how many of the last are joined) -> tensor
    swapped   the second operand is the one that stands left: einsum knows no order, and some write the values first
    """
    spelt = spell_out(args)
    if spelt is None or len(spelt[0]) != 2:
        return None
    labels, out, operands = spelt
    (a, b), (left, right) = (labels[::-1], operands[::-1]) if swapped else (labels, operands)
    summed = [label for label in a if label in b and label not in out]
    if summed != [a[-1]]:
        return None
    batch = [label for label in a[:-1] if label in b and label in out]
    rows = [label for label in a[:-1] if label not in b]
    columns = [label for label in b if label not in a]
    if len(rows) != 1 or not columns or a != "".join([*batch, *rows, *summed]):
        return None
    order = [out.index(label) for label in [*batch, *rows, *columns]]
    lengths = [right.shape[b.index(label)] for label in columns]

    def turn(tensor: Tensor) -> Tensor:
        return tensor.permute(order).flatten(-len(columns))

    def back(tensor: Tensor) -> Tensor:
        return tensor.unflatten(-1, lengths).permute([order.index(axis) for axis in range(len(order))])

    ordered = [b.index(label) for label in [*batch, *summed, *columns]]
    joined = len(columns)
    return Product(left, permuted(right, ordered, joined), permuted(result, order, joined), turn, back)
