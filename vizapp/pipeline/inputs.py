"""Reads the input of an analysis: a picture, which is preprocessed, or pixels as the network takes them, which are not."""

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
from vizapp.model.preprocess import Fit, Preprocess
from vizapp.model.spec import VisionModel
from vizapp.picture import MAX_PIXELS, Source, read, read_picture
from vizapp.wording import Text

Looked: TypeAlias = Source | Tensor
KEYS = ("pixel_values", "pixels", "image", "images", "img")  # of a batch that is a dictionary
OUTSIDE = 0.01  # the fraction of values that may lie outside the range of a picture's colours
NOT_COLOURS = Text("These pixels do not fit the mean and std of this network. Were they normalised?")
AS_THEY_ARE = Text("pixels were given as the network takes them")


@dataclass(frozen=True)
class Given:
    """One input of an analysis.

    model   the model for pixels of this size, with the notes that apply
    rgb     (H, W, 3) uint8, the picture for people; `frame` says where the pixels lie on it
    pixels  (1, channel, h, w) float, as the network takes them
    notes   on how the picture was read; those on the network are the model's
    """

    model: VisionModel
    rgb: np.ndarray
    frame: Frame
    pixels: Tensor
    notes: tuple[Text, ...] = ()


def given(
    model: VisionModel,
    what: Looked | None,
    fit: Fit | None = None,
    picture: Source | None = None,
    max_pixels: int = MAX_PIXELS,
    page: int | None = None,
) -> Given:
    """Read `what`: a picture (see `vizapp.picture.read_picture`), or a tensor (channel, h, w) or (1, channel, h, w).

    picture  exactly what a tensor shows; with `fit`, the whole picture, of which the tensor shows the part that `fit` leaves.
             None: the tensor itself, converted back to colours
    max_pixels  limit of a picture; a larger one is read at a smaller size if its format allows, and a note says so
    page     of a picture's file that has several (see `vizapp.picture.read_picture`)
    """
    what, picture = (picture, None) if what is None else (what, picture)
    if isinstance(what, Tensor):
        if page is not None:
            raise VizError(
                "A page is chosen in a picture's file, and this is a tensor of pixels.", "Leave the page out."
            )
        return _pixels(model, what, fit, picture)
    if picture is not None:
        raise VizError("picture= is the picture of a tensor; it is not needed beside a picture.", "Leave it out.")
    if what is None:
        raise VizError("There is nothing to look at.", "Give a picture, or pixels as a tensor.")
    found = read(what, max_pixels, page=page, shrinking=True)
    pixels, frame = model.preprocess(found.rgb, fit)
    if frame.input != model.preprocess.size:  # a processor's, which follows the picture's
        model = replace(model, preprocess=replace(model.preprocess, size=frame.input))
    if notes := model.preprocess.notes:
        model = replace(model, notes=(*model.notes, *notes))
    return Given(model, found.rgb, frame, pixels, found.notes)


def each(items: Iterable[Any]) -> Iterator[Looked]:
    """Yield one picture, or the pixels (1, channel, h, w) of one, after the other.

    items  a list, a loader or a dataset of: pictures, tensors of one (channel, h, w) or several (B, channel, h, w), tuples that
           begin with one of these (the rest, such as labels, is ignored), or dictionaries with one as "pixel_values"
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
    """Group the results of `each` in order, up to `size` at a time: pictures together, and pixels of one shape together."""
    if hasattr(items, "__getitem__") and hasattr(items, "__len__") and not hasattr(items, "__iter__"):
        items = map(items.__getitem__, range(len(items)))  # a dataset may have no __iter__
    if isinstance(items, (str, Path, bytes, Mapping)) or not isinstance(items, Iterable):
        raise VizError(
            "Several pictures were expected, but got {kind}.", "Give a list of them.", kind=type(items).__name__
        )
    for _, alike in itertools.groupby(each(items), lambda one: one.shape if isinstance(one, Tensor) else None):
        while some := list(itertools.islice(alike, min(size, sys.maxsize))):
            yield some


def _checked(pixels: Tensor) -> Tensor:
    """Pixels as (B, channel, h, w). Raises `VizError` for other shapes and for integers."""
    if pixels.ndim not in {3, 4} or 0 in pixels.shape:
        raise VizError(
            "Pixels are a tensor (channel, height, width), or several (B, channel, height, width); got {shape}.",
            "Films and volumes are not supported yet.",
            shape=" x ".join(map(str, pixels.shape)),
        )
    if not pixels.is_floating_point():
        raise VizError(
            "A tensor must hold the pixels that the network takes, and these are never {dtype}.",
            "Give the picture as an array, {array}, which is then prepared; or normalise it first.",
            dtype=str(pixels.dtype).removeprefix("torch."),
            array=_as_picture(pixels),
        )
    if not bool(pixels.isfinite().all()):
        raise VizError("The pixels hold values that are no numbers (NaN or infinity).", "Replace them first.")
    # Tensors made in inference mode cannot enter a graph, and gradient methods would blame the network for it.
    pixels = pixels.clone() if pixels.is_inference() else pixels.detach()
    return pixels.reshape(-1, *pixels.shape[-3:])


def _as_picture(tensor: Tensor) -> str:
    """Python code, for a hint, that turns a tensor of integers into a picture: the first one, channels last, eight bits."""
    channels = {1, 3, 4}
    is_last = tensor.shape[-1] in channels and tensor.shape[-3] not in channels
    steps = "[0]" * (tensor.ndim == 4) + ".permute(1,2,0)" * (not is_last)
    return f"tensor{steps}{'' if tensor.dtype == torch.uint8 else '.to(torch.uint8)'}.numpy()"


def _pixels(model: VisionModel, tensor: Tensor, fit: Fit | None, picture: Source | None) -> Given:
    pixels = _checked(tensor)
    if len(pixels) != 1:
        raise VizError(
            "The tensor holds {count} pictures, and one was expected.",
            "Take one, tensor[0], or vizapp.analyse_many(model, tensor).",
            count=len(pixels),
        )
    channels, size = pixels.shape[1], (pixels.shape[2], pixels.shape[3])
    prepares = replace(model.preprocess, size=size, own=None)
    if prepares.channels != channels:
        prepares = replace(prepares, mean=(0.0,) * channels, std=(1.0,) * channels)
    model = replace(model, preprocess=prepares, notes=without_picture_notes(model.notes))
    if picture is not None:
        rgb = read_picture(picture)
        unit = _in_colours(prepares, pixels[0])
        notes = (NOT_COLOURS,) if unit is not None and not _fits(unit) else ()
        return Given(model, rgb, _frame(model, rgb, fit), pixels, notes)
    rgb, note = _shown(model, pixels[0])
    model = replace(model, notes=(*model.notes, *([note] if note else [])))
    return Given(model, rgb, Frame(size, size, (1.0, 1.0), (0.0, 0.0)), pixels)


def _frame(model: VisionModel, rgb: np.ndarray, fit: Fit | None) -> Frame:
    """The place of the pixels on the picture that was given with them."""
    (height, width), (rows, cols) = rgb.shape[:2], model.preprocess.size
    if fit is not None:
        return replace(model.preprocess, mean=(0.5,) * 3, std=(0.5,) * 3)(rgb, fit)[1]
    # Both must have one aspect ratio, up to a pixel of the smaller of the two, because sides are rounded.
    if abs(height * cols - width * rows) > max(min(height, rows), min(width, cols)):
        raise VizError(
            "A picture of {height}x{width} does not have the shape of pixels {rows}x{cols}.",
            "Give exactly the part that the pixels show, or say how they were cut out of it: fit='crop', 'pad' or "
            "'squash'.",
            height=height,
            width=width,
            rows=rows,
            cols=cols,
        )
    return Frame((height, width), (rows, cols), (rows / height, cols / width), (0.0, 0.0))


def _shown(model: VisionModel, pixels: Tensor) -> tuple[np.ndarray, Text | None]:
    """A picture of pixels that came without one, and a note if it may not show them faithfully."""
    prepares = model.preprocess
    if (unit := _in_colours(prepares, pixels)) is not None:
        if _fits(unit):
            return prepares.inverted(pixels), None
        return _stretched(unit), Text(
            "These pixels do not fit the mean and std of this network: they are shown stretched from their lowest to "
            "their highest value."
        )
    grey = pixels.float().cpu().mean(0, keepdim=True)
    note = Text("Shown: the mean of {count} channels, as no picture was given.", count=prepares.channels)
    return _stretched(grey), note


def _in_colours(prepares: Preprocess, pixels: Tensor) -> Tensor | None:
    """Undo the mean and std of pixels (channel, h, w); None for pixels that are no colours."""
    if prepares.channels not in {1, 3}:
        return None
    mean, std = (torch.tensor(one)[:, None, None] for one in (prepares.mean, prepares.std))
    return pixels.float().cpu() * std + mean


def _fits(unit: Tensor) -> bool:
    """Tell whether colours lie between 0 and 1, but for a few."""
    return float(((unit < -0.01) | (unit > 1.01)).float().mean()) <= OUTSIDE


def _stretched(values: Tensor) -> np.ndarray:
    low, high = values.min(), values.max()
    rgb = ((values - low) / (high - low).clamp_min(1e-12) * 255).round().to(torch.uint8)
    return np.ascontiguousarray(rgb.permute(1, 2, 0).expand(-1, -1, 3).numpy())
