"""What a network is given to look at: a picture, which is prepared for it, or pixels as it takes them, which are not."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import torch
from torch import Tensor

from vizapp.errors import VizError
from vizapp.model.frame import Frame
from vizapp.model.inputs import without_picture_notes
from vizapp.model.preprocess import Fit
from vizapp.model.spec import VisionModel
from vizapp.picture import MAX_PIXELS, Source, read_or_shrink, read_picture
from vizapp.wording import Text

Looked: TypeAlias = Source | Tensor
KEYS = ("pixel_values", "pixels", "image", "images", "img")  # of a batch that is a dictionary
OUTSIDE = 0.01  # the share of values that may lie outside of what a picture's colours can be
AS_THEY_ARE = Text("pixels were given as the network takes them")


@dataclass(frozen=True)
class Given:
    """One thing to look at.

    model   the same model, for pixels of this size, with the notes that hold
    rgb     (H, W, 3) uint8, what a person sees; `frame` where the pixels lie on it
    pixels  (1, channel, h, w) float, as the network takes them
    """

    model: VisionModel
    rgb: np.ndarray
    frame: Frame
    pixels: Tensor


def given(
    model: VisionModel,
    what: Looked | None,
    fit: Fit | None = None,
    picture: Source | None = None,
    max_pixels: int = MAX_PIXELS,
) -> Given:
    """Read `what`: a picture (see `vizapp.picture.read_picture`), or a tensor (channel, h, w) or (1, channel, h, w).

    picture  what a tensor shows, all of it and nothing else; with `fit`, the whole picture, of which the tensor shows what `fit`
             leaves. None: the tensor itself, its colours brought back
    max_pixels  of a picture; one that has more is read at a smaller size where its format can do so, and a note says it
    """
    what, picture = (picture, None) if what is None else (what, picture)
    if isinstance(what, Tensor):
        return _pixels(model, what, fit, picture)
    if picture is not None:
        raise VizError("picture= says what a tensor shows; a picture shows itself.", "Leave it out.")
    if what is None:
        raise VizError("There is nothing to look at.", "Give a picture, or pixels as a tensor.")
    rgb, shrunk = read_or_shrink(what, max_pixels)
    pixels, frame = model.preprocess(rgb, fit)
    if notes := (*model.preprocess.notes, *([shrunk] if shrunk else [])):
        model = replace(model, notes=(*model.notes, *notes))
    return Given(model, rgb, frame, pixels)


def each(items: Iterable[Any]) -> Iterator[Looked]:
    """One picture, or the pixels (1, channel, h, w) of one, after the other.

    items  a list, a loader or a dataset of: pictures, tensors of one (channel, h, w) or of several (B, channel, h, w), pairs
           whose first is one of these (what comes after, such as labels, is left alone), or dictionaries that have them as
           "pixel_values"
    """
    for item in items:
        if isinstance(item, Mapping):
            key = next((key for key in KEYS if key in item), None)
            if key is None:
                raise VizError(
                    "A batch has no pixels: its keys are {keys}.",
                    "They are expected as one of: {known}.",
                    keys=", ".join(map(str, item)),
                    known=", ".join(KEYS),
                )
            item = item[key]
        if isinstance(item, (tuple, list)) and item:
            item = item[0]
        if not isinstance(item, Tensor):
            yield item
        else:
            yield from _checked(item).split(1)


def in_batches(items: Any, size: int) -> Iterator[list[Looked]]:
    """Up to `size` at a time of what `each` gives: pictures together, and pixels of one shape together, in their order."""
    if hasattr(items, "__getitem__") and hasattr(items, "__len__") and not hasattr(items, "__iter__"):
        items = map(items.__getitem__, range(len(items)))  # a dataset
    if isinstance(items, (str, Path, bytes, Mapping)) or not isinstance(items, Iterable):
        raise VizError(
            "Several pictures were expected, but got {kind}.", "Give a list of them.", kind=type(items).__name__
        )
    for _, alike in itertools.groupby(each(items), lambda one: one.shape if isinstance(one, Tensor) else None):
        while some := list(itertools.islice(alike, min(size, sys.maxsize))):
            yield some


def _checked(pixels: Tensor) -> Tensor:
    """(B, channel, h, w). Raises `VizError` for tensors of other shapes, and of whole numbers."""
    if pixels.ndim not in {3, 4} or 0 in pixels.shape:
        raise VizError(
            "Pixels are a tensor (channel, height, width), or several (B, channel, height, width); got {shape}.",
            "Films and volumes are not looked at yet.",
            shape=" x ".join(map(str, pixels.shape)),
        )
    if not pixels.is_floating_point():
        raise VizError(
            "A tensor is taken for pixels as the network takes them, and such are no {dtype}.",
            "Give the picture as an array, tensor.permute(1, 2, 0).numpy(), which is then prepared; or normalise it first.",
            dtype=str(pixels.dtype).removeprefix("torch."),
        )
    # What was made in inference mode can enter no graph, and methods of gradients would say so of the network.
    pixels = pixels.clone() if pixels.is_inference() else pixels.detach()
    return pixels.reshape(-1, *pixels.shape[-3:])


def _pixels(model: VisionModel, tensor: Tensor, fit: Fit | None, picture: Source | None) -> Given:
    pixels = _checked(tensor)
    if len(pixels) != 1:
        raise VizError(
            "The tensor holds {count} pictures, and one is looked at here.",
            "Take one, tensor[0], or vizapp.analyse_many(model, tensor).",
            count=len(pixels),
        )
    channels, size = pixels.shape[1], (pixels.shape[2], pixels.shape[3])
    prepares = replace(model.preprocess, size=size)
    if prepares.channels != channels:
        prepares = replace(prepares, mean=(0.0,) * channels, std=(1.0,) * channels)
    model = replace(model, preprocess=prepares, notes=without_picture_notes(model.notes))
    if picture is not None:
        rgb = read_picture(picture)
        return Given(model, rgb, _frame(model, rgb, fit), pixels)
    rgb, note = _shown(model, pixels[0])
    model = replace(model, notes=(*model.notes, *([note] if note else [])))
    return Given(model, rgb, Frame(size, size, (1.0, 1.0), (0.0, 0.0)), pixels)


def _frame(model: VisionModel, rgb: np.ndarray, fit: Fit | None) -> Frame:
    """Where the pixels lie on the picture that was given with them."""
    (height, width), (rows, cols) = rgb.shape[:2], model.preprocess.size
    if fit is not None:
        return replace(model.preprocess, mean=(0.5,) * 3, std=(0.5,) * 3)(rgb, fit)[1]
    # Of one shape, up to a pixel of the smaller of the two, as sides are rounded.
    if abs(height * cols - width * rows) > max(min(height, rows), min(width, cols)):
        raise VizError(
            "A picture of {height}x{width} does not have the shape of pixels {rows}x{cols}.",
            "Give just what the pixels show, or say how they were cut out of it: fit='crop', 'pad' or 'squash'.",
            height=height,
            width=width,
            rows=rows,
            cols=cols,
        )
    return Frame((height, width), (rows, cols), (rows / height, cols / width), (0.0, 0.0))


def _shown(model: VisionModel, pixels: Tensor) -> tuple[np.ndarray, Text | None]:
    """What a person sees of pixels that came without a picture, and a note where that is not plainly what they are."""
    prepares = model.preprocess
    if prepares.channels in {1, 3}:
        assert prepares.mean is not None
        assert prepares.std is not None
        mean, std = (torch.tensor(one)[:, None, None] for one in (prepares.mean, prepares.std))
        unit = pixels.float().cpu() * std + mean
        if float(((unit < -0.01) | (unit > 1.01)).float().mean()) <= OUTSIDE:
            return prepares.inverted(pixels), None
        return _stretched(unit), Text(
            "The pixels are not what the mean and std of this network make of a picture: they are shown stretched from their "
            "lowest to their highest value."
        )
    grey = pixels.float().cpu().mean(0, keepdim=True)
    note = Text("Shown: the mean of {count} channels, as no picture was given.", count=prepares.channels)
    return _stretched(grey), note


def _stretched(values: Tensor) -> np.ndarray:
    low, high = values.min(), values.max()
    rgb = ((values - low) / (high - low).clamp_min(1e-12) * 255).round().to(torch.uint8)
    return np.ascontiguousarray(rgb.permute(1, 2, 0).expand(-1, -1, 3).numpy())
