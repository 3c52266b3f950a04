"""Read the factors of a product of matrices, a convolution or an einsum: over which of their axes it sums, and which are theirs.

A reader for each kind brings it to labels for the axes, as an einsum has them, and from there on all are one.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from torch import Tensor

from vizapp.core import ops
from vizapp.core.capture.einsum_labels import einsum_labels
from vizapp.core.capture.patches.function_call import FunctionCall


class Factor(NamedTuple):
    """A factor of a product, its axes that are summed over, and those of the result that no other factor has."""

    tensor: Tensor
    summed: tuple[int, ...]
    own: tuple[int, ...]


# A list of labels for each operand, one for each of its axes; the operands; and the labels that are summed over.
_Read = tuple[list[list[object]], list[Tensor], set[object]]


def factors_of(ran: FunctionCall) -> list[Factor] | None:
    """Read the factors of a product; None where it cannot be read."""
    # A function that writes into its result (addmm_) is read as the one that does not.
    reader = _READERS.get(ran.name) or _READERS.get(ops.out_of_place(ran.name))
    try:
        if reader is None:
            return None
        labels, operands, summed = reader(ran.given, ran.args)
    except (IndexError, ValueError):
        return None  # called in a way that its reader does not know; who asks takes it for the worst
    found = []
    for number, (own, operand) in enumerate(zip(labels, operands, strict=True)):
        # An axis of length 1 is broadcast: it counts as if it were not there.
        others = {
            label
            for index, (other, tensor) in enumerate(zip(labels, operands, strict=True))
            for label, length in zip(other, tensor.shape, strict=True)
            if index != number and length > 1
        }
        gone = tuple(axis for axis, label in enumerate(own) if label in summed)
        alone = tuple(axis for axis, label in enumerate(own) if label not in summed and label not in others)
        found.append(Factor(operand, gone, alone))
    return found


def _lead(count: int) -> list[object]:
    """Label axes that are broadcast against each other, counted from the last one."""
    return [("lead", count - index) for index in range(count)]


def _matmul(left: Tensor, right: Tensor) -> _Read:
    """Label left @ right. A vector has only the axis that is summed over."""
    rows: list[object] = [] if left.ndim == 1 else ["i"]
    last: list[object] = ["j"] if right.ndim == 1 else [*_lead(right.ndim - 2), "j", "k"]
    return [[*_lead(max(left.ndim - 2, 0)), *rows, "j"], last], [left, right], {"j"}


def _linear(given: list[Tensor], args: tuple[Any, ...]) -> _Read:
    """Label left @ right^T."""
    labels, operands, summed = _matmul(*given[:2])
    if given[1].ndim > 1:
        labels[1][-2:] = ["k", "j"]
    return labels, operands, summed


def _einsum(given: list[Tensor], args: tuple[Any, ...]) -> _Read:
    spelt = einsum_labels(args)
    if spelt is None:
        raise ValueError(args[0])
    labels, out, operands = spelt
    return [[*each] for each in labels], operands, {*"".join(labels)} - {*out}


def _convolution(given: list[Tensor], args: tuple[Any, ...]) -> _Read:
    """Label a convolution. What lies under the kernel is summed over, so of a kernel only its size counts."""
    picture, weight = given[:2]
    size = weight.shape[2:]
    # A depthwise kernel is each channel's own, and sums over none.
    labels: list[list[object]] = [["n", "c"], ["k", "c" if weight.shape[1] > 1 else "group"]]
    labels[0] = labels[0][2 - picture.ndim + len(size) :]  # a picture without its batch
    labels[0] += [("place", axis) for axis in range(len(size))]
    labels[1] += [("under", axis) for axis in range(len(size))]
    summed = {"c", "group", *labels[1][2:], *(("place", axis) for axis, length in enumerate(size) if length > 1)}
    return labels, [picture, weight], summed


_KINDS: list[tuple[ops.Kind, Callable[[list[Tensor], tuple[Any, ...]], _Read]]] = [
    (ops.MATMUL | ops.MATMUL_TOO, lambda given, args: _matmul(given[0], given[1])),
    (ops.ADDED_MATMUL, lambda given, args: _matmul(given[1], given[2])),
    (ops.LINEAR, _linear),
    (ops.EINSUM, _einsum),
    (ops.CONVOLUTIONS, _convolution),
]
_READERS = {name: reader for kind, reader in _KINDS for name in kind}
_EVERY = ops.SUMS_OF_PRODUCTS | ops.MATMUL_TURNED | ops.DISTANCES | ops.NEARNESS | ops.COSINES
PRODUCTS = _EVERY | frozenset(f"{name}_" for name in _EVERY if not name.startswith("__"))
