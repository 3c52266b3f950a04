"""Do two tensors that are worked on value by value stand for the same places? If not, the result stands for neither."""

from __future__ import annotations

import torch
from torch import Tensor

from vizapp.core.capture.kernels import Planes

STEP = 1 / 16  # of a pixel: places closer than this are one
NEAR = 0.75  # of the distance of neighbours: kernels of even length and strides lie half of it apart, other tokens a whole one


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
        if _is_still(a) or _is_still(b):  # a mean over all of the picture, or of a row, that is told to every token
            continue
        if float(off.max()) > NEAR * max(_pitch(a), _pitch(b), rough):
            return True
    return False


def still(planes: Planes) -> int:
    """Along how many of y and x its values all stand in one place: 2 of a summary, 1 of one value for each row, 0 of tokens."""
    there = planes[2] > 0
    return sum(_is_still(line[there]) for line in _lines(planes))


def pitch(planes: Planes) -> float:
    """How far neighbours are from each other, in pixels, the larger of y and x; 0 where there are none."""
    there = planes[2] > 0
    return max(_pitch(line[there]) for line in _lines(planes))


def _lines(planes: Planes) -> tuple[Tensor, Tensor]:
    y, x, w = planes
    safe = torch.where(w > 0, w, 1.0)
    return y / safe, x / safe


def _is_still(places: Tensor) -> bool:
    return not places.numel() or bool(places.max() - places.min() <= STEP)


def _pitch(places: Tensor) -> float:
    gaps = (places / STEP).round().unique().diff()
    gaps = gaps[gaps > 2] * STEP
    return float(gaps.median()) if gaps.numel() else 0.0
