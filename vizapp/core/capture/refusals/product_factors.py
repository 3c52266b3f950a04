"""Read the factors of a product, whichever function makes it: over which of their axes it sums, and which are theirs alone.

PyTorch has some thirty functions that multiply and sum. A reader for each kind brings it to labels for the axes, as an einsum has
them, and from there on all are one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
    name = ran.name if ran.name in _READERS else ops.out_of_place(ran.name)
    try:
        labels, operands, summed = _READERS[name](ran.given, ran.args, ran.kwargs)
    except (IndexError, ValueError, TypeError, KeyError):
        return None  # called in a way that its reader does not know; who asks takes it for the worst
    found = []
    for number, (own, operand) in enumerate(zip(labels, operands, strict=True)):
        # An axis of length 1 is broadcast: it counts as if it were not there.
        others: set[object] = set()
        for other, tensor in zip(labels[:number] + labels[number + 1 :], _but(operands, number), strict=True):
            others |= {label for label, length in zip(other, tensor.shape, strict=True) if length > 1}
        gone = tuple(axis for axis, label in enumerate(own) if label in summed)
        alone = tuple(axis for axis, label in enumerate(own) if label not in summed and label not in others)
        found.append(Factor(operand, gone, alone))
    return found


def _but(operands: Sequence[Tensor], number: int) -> list[Tensor]:
    return [one for index, one in enumerate(operands) if index != number]


def _lead(count: int) -> list[object]:
    """Label axes that are broadcast against each other, counted from the last one."""
    return [("lead", count - index) for index in range(count)]


def _matmul(left: Tensor, right: Tensor) -> _Read:
    """Label left @ right. A vector has only the axis that is summed over."""
    rows: list[object] = [] if left.ndim == 1 else ["i"]
    last: list[object] = ["j"] if right.ndim == 1 else [*_lead(right.ndim - 2), "j", "k"]
    return [[*_lead(max(left.ndim - 2, 0)), *rows, "j"], last], [left, right], {"j"}


def _turned(left: Tensor, right: Tensor) -> _Read:
    """Label left @ right^T."""
    labels, operands, summed = _matmul(left, right)
    if right.ndim > 1:
        labels[1][-2:] = ["k", "j"]
    return labels, operands, summed


def _einsum(parts: list[Tensor], args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Read:
    spelt = einsum_labels(args)
    if spelt is None:
        raise ValueError(args[0])
    labels, out, operands = spelt
    return [[*each] for each in labels], operands, {*"".join(labels)} - {*out}


def _tensordot(parts: list[Tensor], args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Read:
    left, right = parts[:2]
    dims = args[2] if len(args) > 2 else kwargs.get("dims", 2)
    # PyTorch takes the axes as a number, as two lists, or as a tensor of two rows.
    if isinstance(dims, Tensor):
        dims = dims.tolist()
    if isinstance(dims, int):
        ours, theirs = [*range(left.ndim - dims, left.ndim)], [*range(dims)]
    else:
        ours, theirs = ([axis % one.ndim for axis in axes] for axes, one in zip(dims, (left, right), strict=True))
    labels: list[list[object]] = [[("left", i) for i in range(left.ndim)], [("right", i) for i in range(right.ndim)]]
    for number, (our, their) in enumerate(zip(ours, theirs, strict=True)):
        labels[0][our] = labels[1][their] = number
    return labels, [left, right], set(range(len(labels[0])))


def _inner(parts: list[Tensor], args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Read:
    return _each(parts, "j")


def _outer(parts: list[Tensor], args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Read:
    return _each(parts, None)


def _each(parts: list[Tensor], last: object) -> _Read:
    """Give each axis to one operand alone, but the last, if that is summed over."""
    labels: list[list[object]] = [[(number, axis) for axis in range(one.ndim)] for number, one in enumerate(parts[-2:])]
    for each in labels if last else ():
        each[-1] = last
    return labels, parts[-2:], {last} if last else set()


def _chain(parts: list[Tensor], args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Read:
    """Label a product of many matrices, of which the first and the last may have one axis only."""
    labels: list[list[object]] = [[number, number + 1] for number in range(len(parts))]
    # A vector at either end has only the axis that is summed over.
    labels[0], labels[-1] = labels[0][-parts[0].ndim :], labels[-1][: parts[-1].ndim]
    return labels, parts, set(range(1, len(parts)))


def _addbmm(parts: list[Tensor], args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Read:
    labels, operands, summed = _matmul(parts[1], parts[2])
    return labels, operands, summed | {labels[0][0]}  # the batch is summed over, too


def _along(default: int) -> Callable[..., _Read]:
    """Label two tensors that are broadcast and compared along one axis, which is the third argument, or `dim`."""

    def read(parts: list[Tensor], args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Read:
        left, right = parts[:2]
        dim = kwargs.get("dim", args[2] if len(args) > 2 else default)
        ndim = max(left.ndim, right.ndim)
        return [_lead(left.ndim), _lead(right.ndim)], [left, right], {("lead", ndim - dim % ndim)}

    return read


def _bilinear(parts: list[Tensor], args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Read:
    lead = _lead(parts[0].ndim - 1)
    return [[*lead, "i"], [*lead, "j"], ["k", "i", "j"]], parts[:3], {"i", "j"}


def _convolution(parts: list[Tensor], args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Read:
    """Label a convolution. What lies under the kernel is summed over, so of a kernel only its size counts."""
    given, weight = parts[:2]
    size = weight.shape[2:]
    # A depthwise kernel is each channel's own, and sums over none.
    labels: list[list[object]] = [["n", "c"], ["k", "c" if weight.shape[1] > 1 else "group"]]
    labels[0] = labels[0][2 - given.ndim + len(size) :]  # a picture without its batch
    labels[0] += [("place", axis) for axis in range(len(size))]
    labels[1] += [("under", axis) for axis in range(len(size))]
    summed = {"c", "group", *labels[1][2:], *(("place", axis) for axis, length in enumerate(size) if length > 1)}
    return labels, [given, weight], summed


_Reader = Callable[[list[Tensor], tuple[Any, ...], dict[str, Any]], _Read]
_KINDS: list[tuple[ops.Kind, _Reader]] = [
    (ops.MATMUL | ops.MATMUL_TOO, lambda parts, args, kwargs: _matmul(parts[0], parts[1])),
    (ops.ADDED_MATMUL | ops.ADDED_VECTORS, lambda parts, args, kwargs: _matmul(parts[1], parts[2])),
    (ops.MATMUL_TURNED, lambda parts, args, kwargs: _matmul(parts[1], parts[0])),
    (ops.LINEAR | ops.DISTANCES, lambda parts, args, kwargs: _turned(parts[0], parts[1])),
    (ops.EINSUM, _einsum),
    (ops.CONVOLUTIONS, _convolution),
    (ops.TENSORDOT, _tensordot),
    (ops.INNER, _inner),
    (ops.OUTER, _outer),
    (ops.CHAINS, _chain),
    (ops.ADDED_BATCHES, _addbmm),
    (ops.VECDOT | ops.NEARNESS, _along(-1)),
    (ops.COSINES, _along(1)),
    (ops.BILINEAR, _bilinear),
]
_READERS = {name: reader for kind, reader in _KINDS for name in kind}
PRODUCTS = frozenset(_READERS) | frozenset(f"{name}_" for name in _READERS if not name.startswith("__"))
