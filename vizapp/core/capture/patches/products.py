"""Place the results of matrix products and einsum, whose sums run over features or over tokens."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from vizapp.core.capture.einsum_labels import einsum_labels
from vizapp.core.capture.patches.planes import Planes, is_constant, normal

PlanesOf = Callable[[Tensor], Planes | None]


def of_product(left: Tensor, right: Tensor, made: Tensor, planes_of: PlanesOf, *, lost: bool) -> Planes | None:
    """Place a @ b: an entry stands where a's row stands, or where b's column stands if a's rows do not differ.

    q k^T and A v are rows of queries, so a's rows win; v^T A^T, as some networks write it, has its queries in b's columns.
    """
    candidates = []
    if (planes := planes_of(left)) is not None:
        candidates.append((planes, -1))
    if (planes := planes_of(right)) is not None:
        candidates.append((planes, -2))
    return _mixed(candidates, made.shape, lost=lost)


def of_einsum(args: tuple[Any, ...], made: Tensor, planes_of: PlanesOf, *, lost: bool) -> Planes | None:
    """Place the result of an einsum by the operand that says where it stands, as in a product; None if nothing tells."""
    spelt = einsum_labels(args)
    if spelt is None:
        return None
    inputs, out, operands = spelt
    candidates = []
    for labels, operand in zip(inputs, operands, strict=True):
        planes = planes_of(operand)
        if planes is None:
            continue
        kept = [label for label in labels if label in out]
        summed = [axis for axis, label in enumerate(labels) if label not in out]
        placed = []
        for plane in normal(planes):
            mean = plane.mean(summed) if summed else plane
            mean = mean.permute([kept.index(label) for label in out if label in kept])
            placed.append(mean[tuple(slice(None) if label in kept else None for label in out)].expand(made.shape))
        # As in a product: the operand that says where the result stands does not vary along what is summed, but does
        # vary along what is kept.
        constant = all(is_constant(plane, axis) for plane in planes for axis in summed)
        candidates.append((constant and _varies(placed), tuple(placed)))
    tells, best = max(candidates, key=lambda candidate: candidate[0], default=(False, None))
    return best if tells or not lost else None  # type: ignore[return-value]


def _mixed(candidates: list[tuple[Planes, int]], shape: torch.Size, *, lost: bool) -> Planes | None:
    """Take the mean over the contracted axis, of the first operand that does not vary along it but does elsewhere.

    lost  another operand, whose places are not known, may have been that one
    """
    best: Planes | None = None
    for planes, axis in candidates:
        placed = tuple(plane.mean(axis, keepdim=True).expand(shape) for plane in normal(planes))
        if all(is_constant(plane, axis) for plane in planes) and _varies(placed):
            return placed  # type: ignore[return-value]
        # None may qualify. Then it is the first, whose rows are those of queries in q k^T and in A v.
        best = best or placed  # type: ignore[assignment]
    return None if lost else best


def _varies(planes: Any) -> bool:
    return any(bool((plane != plane.reshape(-1)[0]).any()) for plane in planes)
