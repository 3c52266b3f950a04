"""Read the matrix product in a function of PyTorch: which operand stands left, which right, and how the result lies to it.

`matmul` and `bmm` say it by the order of their arguments. An einsum may sum, order and join axes as it likes. Here it
is brought into the order of a matmul, together with the way back for an edit, which takes the result's place.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from torch import Tensor, nn

from vizapp.core.capture.call import Turn
from vizapp.core.capture.einsum_labels import einsum_labels

Permuted = Callable[[Tensor, list[int], int, Sequence[int]], Tensor]


class Product(NamedTuple):
    """left @ right = out; `turn` makes `out` of the function's own result and `back` the reverse; None: they are one.

    is_straight  `out` has the axes of the function's own result, in its order
    """

    left: Tensor
    right: Tensor
    out: Tensor
    turn: Turn | None = None
    back: Turn | None = None
    is_straight: bool = True


def matmul_of(args: tuple[Any, ...], kwargs: dict[str, Any], result: Tensor) -> Product:
    """Read `matmul` or `bmm`, whose operands have four names between them."""
    parts = [*args, *(kwargs[name] for name in ("input", "other", "mat2", "tensor2") if name in kwargs)]
    return Product(parts[0], parts[1], result)


def einsum_of(args: tuple[Any, ...], result: Tensor, permuted: Permuted, *, swapped: bool = False) -> Product | None:
    """Read an `einsum` of two operands that sums over the first one's last axis; None for all others.

    Several axes of the second operand that are only its own (values with two axes) are one in right and out. Of several axes
    that only the first one has, the last are its rows; the others are heads that share the second operand (one key for all).
    permuted  (tensor, order of axes, how many of the last are joined, where axes of length 1 are put in then) -> tensor
    swapped   the second operand is the one that stands left: einsum knows no order, and some write the values first
    """
    spelt = einsum_labels(args)
    # Three operands at once (q, k and v without a softmax) are no scores and no weighed values: they are a suspect elsewhere.
    if spelt is None or len(spelt[0]) != 2:
        return None
    labels, out, operands = spelt
    (a, b), (left, right) = (labels[::-1], operands[::-1]) if swapped else (labels, operands)
    summed = [label for label in a if label in b and label not in out]
    if summed != [a[-1]]:
        return None
    lead, rows = a[:-2], a[-2:-1]
    columns = [label for label in b if label not in a]
    shared = [label for label in lead if label not in b]
    if not rows or rows in b or not columns or not set(lead + rows) <= set(out):
        return None
    # A learned operand without the heads is no key that all share: this is a projection, or mixes heads.
    if shared and isinstance(right, nn.Parameter):
        return None
    order = [out.index(label) for label in [*lead, *rows, *columns]]
    lengths = [right.shape[b.index(label)] for label in columns]

    def turn(tensor: Tensor) -> Tensor:
        return tensor.permute(order).flatten(-len(columns))

    def back(tensor: Tensor) -> Tensor:
        return tensor.unflatten(-1, lengths).permute([order.index(axis) for axis in range(len(order))])

    ordered = [b.index(label) for label in [*lead, *summed, *columns] if label in b]
    joined = len(columns)
    turned = permuted(right, ordered, joined, [lead.index(label) for label in shared])
    is_straight = order == sorted(order) and joined == 1
    return Product(left, turned, permuted(result, order, joined, ()), turn, back, is_straight)
