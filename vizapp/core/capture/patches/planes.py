"""The planes that places are kept in, and whether those of two tensors stand for the same tokens.

A tensor's places are three planes of its own shape, homogeneous coordinates (y w, x w, w). Where two tensors are worked on value
by value and do not stand for the same places, the result stands for neither. But kernels of even length and strides put the two
branches of a sum half a patch apart, so "the same" has a width.
"""

import torch
from torch import Tensor

Planes = tuple[Tensor, Tensor, Tensor]  # y w, x w, w, see `TokenCoordinates`

STEP = 1 / 16  # of a pixel: places closer than this are one
NEAR = 0.75  # of the distance of neighbours: kernels of even length and strides lie half of it apart, other tokens a whole one


def normal(planes: Planes) -> Planes:
    """Bring every w to 0 or 1, so that a mean counts each value once and numbers stay small."""
    y, x, w = planes
    if bool(((w == 1) | (w == 0)).all()):
        return planes  # as usual, and without a copy
    safe = w.clamp_min(1e-12)
    there = (w > 0).float()
    return y / safe * there, x / safe * there, there


def is_constant(plane: Tensor, axis: int) -> bool:
    """Tell whether a plane is the same all along an axis."""
    return bool((plane == plane.narrow(axis, 0, 1)).all())


def stand_apart(one: Planes, other: Planes, rough: float = 0.0) -> bool:
    """Tell whether values of two tensors of one shape stand for places further apart than kernels and strides explain.

    rough  in pixels: how far a place may be off where it was resized
    """
    both = (one[2] > 0) & (other[2] > 0)
    for first, second in zip(_lines(one), _lines(other), strict=True):
        off = (first - second).abs()[both]
        if not off.numel() or float(off.max()) <= STEP:
            continue
        a, b = first[both], second[both]
        # A mean over all of the picture, or of a row, is told to every token, as a squeeze-and-excitation gate is.
        if _is_still(a) or _is_still(b):
            continue
        if float(off.max()) > NEAR * max(_pitch(a), _pitch(b), rough):
            return True
    return False


def changes(places: Tensor, axis: int) -> bool:
    """Tell whether places (..., token, 2) differ along an axis. Nowhere is like nowhere."""
    first = places.narrow(axis, 0, 1)
    # Not equal to the last digit: convolutions and means leave one place a hair from itself.
    close = (places - first).abs() < STEP
    return not bool((close | (places.isnan() & first.isnan())).all())


def vary(planes: Planes, axes: tuple[int, ...]) -> bool:
    """Tell whether places change along any of these axes, among the values that have one."""
    return any(_changes(plane, planes[2], axis) for axis in axes for plane in planes[:2])


def changing(planes: Planes, axis: int) -> frozenset[int]:
    """Tell which of y (0) and x (1) change along an axis."""
    return frozenset(number for number, plane in enumerate(planes[:2]) if _changes(plane, planes[2], axis))


def _changes(plane: Tensor, w: Tensor, axis: int) -> bool:
    # Most are answered without a look at the values: a linear map expands its places along the features.
    if plane.stride(axis) == 0 == w.stride(axis) or bool((plane == plane.narrow(axis, 0, 1)).all()):
        return False
    # Convolutions leave channels of one pixel a hair apart, and padding stands nowhere, so neither may count.
    low = torch.where(w > 0, plane / w, torch.inf).amin(axis)
    high = torch.where(w > 0, plane / w, -torch.inf).amax(axis)
    return bool((high - low > STEP).any())


def places_part(keys: Tensor | None, values: Tensor | None) -> bool:
    """Tell whether keys and their values (..., token, 2) stand for different patches.

    Nowhere is another place than a patch. A summary, which stands in one place, is no other.
    """
    if keys is None or values is None or not bool(values.isfinite().any()):
        return False
    lead = max(keys.ndim, values.ndim)
    keys, values = torch.broadcast_tensors(*(one[(None,) * (lead - one.ndim)] for one in (keys, values)))
    planes = [
        (places[..., 0].nan_to_num(), places[..., 1].nan_to_num(), places.isfinite().all(-1).float())
        for places in (keys, values)
    ]
    # Of what stands nowhere there is no distance, so who stands somewhere is compared by itself.
    return stand_apart(planes[0], planes[1]) or not torch.equal(planes[0][2], planes[1][2])


def still(planes: Planes) -> int:
    """Count the directions in which all values stand in one place: 2 for a summary, 1 for a value of each row, 0 for tokens."""
    there = planes[2] > 0
    return sum(_is_still(line[there]) for line in _lines(planes))


def pitch(planes: Planes) -> float:
    """Measure how far neighbours are from each other, in pixels, the larger of y and x; 0 where there are none."""
    there = planes[2] > 0
    return max(_pitch(line[there]) for line in _lines(planes))


def are_two_tokens(one: Planes, other: Planes) -> bool:
    """Tell whether each stands for one place alone, and the two places differ."""
    if still(one) < 2 or still(other) < 2:
        return False
    first, second = ([line[planes[2] > 0] for line in _lines(planes)] for planes in (one, other))
    return all(len(a) and len(b) for a, b in zip(first, second, strict=True)) and any(
        bool((a[0] - b[0]).abs() > STEP) for a, b in zip(first, second, strict=True)
    )


def _lines(planes: Planes) -> tuple[Tensor, Tensor]:
    y, x, w = planes
    safe = torch.where(w > 0, w, 1.0)
    return y / safe, x / safe


def _is_still(places: Tensor) -> bool:
    return not places.numel() or bool(places.max() - places.min() <= STEP)


def _pitch(places: Tensor) -> float:
    # The median of the gaps between different places. Those of a hair are one place, and a seam in the grid is one gap of many.
    gaps = (places / STEP).round().unique().diff()
    gaps = gaps[gaps > 2] * STEP
    return float(gaps.median()) if gaps.numel() else 0.0
