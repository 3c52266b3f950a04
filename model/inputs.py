"""Read what a network declares about its pixels: size, channels, and the colours that are zero. Reads attributes only."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from torch import nn

from vizapp.model.preprocess import Preprocess
from vizapp.wording import Text

IMAGENET_MEAN, IMAGENET_STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
SIZE = 224  # if a network declares none

Colours = tuple[tuple[float, ...], tuple[float, ...]]  # mean and std, per channel

# Notes about pictures, untrue if pixels are given: `without_picture_notes` removes them.
COLOURS_SAID = "The colours of pictures are those that the network names: mean {mean}, std {std}."
COLOURS_ASSUMED = (
    "Assumed: the colours of ImageNet (mean {mean}, std {std}), as neither Preprocess nor the network names others."
)
ALL_ASSUMED = "Assumed: pictures of {height}x{width} pixels with the colours of ImageNet; give preprocess=... if not."
PART = "Pictures are prepared as its part {part} says; give preprocess=... if the network does more before it."


def input_size(net: Any) -> tuple[int, int]:
    """(height, width) that a network declares by one of the usual names; 224 x 224 if it declares none."""
    patches = getattr(net, "patch_embed", None)
    for owner in (net, patches, getattr(net, "config", None)):
        for word in ("img_size", "image_size", "input_size"):
            size = getattr(owner, word, None)
            if isinstance(size, int):
                return size, size
            if isinstance(size, (tuple, list)) and len(size) >= 2 and all(isinstance(side, int) for side in size):
                return size[-2], size[-1]
    return SIZE, SIZE


def input_channels(net: Any) -> int:
    """Count the channels that a network takes: as it declares, or as its patch embedding or its first layer takes; else 3."""
    config = getattr(net, "config", None)
    for owner, word in (
        (net, "in_chans"),
        (net, "in_channels"),
        (getattr(config, "vision_config", None), "num_channels"),
        (config, "num_channels"),
    ):
        said = getattr(owner, word, None)
        if isinstance(said, int) and not isinstance(said, bool):
            return said
    # The first layer that has weights: a convolution further on has features for channels.
    for owner in (getattr(net, "patch_embed", None), net):
        layers = owner.modules() if isinstance(owner, nn.Module) else ()
        first = next((layer for layer in layers if isinstance(getattr(layer, "weight", None), nn.Parameter)), None)
        if isinstance(first, (nn.Conv2d, nn.Conv3d)):
            return first.in_channels
    return 3


def said_colours(net: Any) -> Colours | None:
    """Read mean and std of pixels if a network carries them as timm (pretrained_cfg) or open_clip (preprocess_cfg) do."""
    for word in ("pretrained_cfg", "default_cfg", "preprocess_cfg"):
        said = getattr(net, word, None)
        if isinstance(said, Mapping) and said.get("mean") and said.get("std"):
            return tuple(said["mean"]), tuple(said["std"])
    return None


def for_channels(colours: Colours, channels: int) -> Colours:
    """Convert colours of pictures (three channels) to the channels that a network takes; for one channel, their mean."""
    if len(colours[0]) == channels:
        return colours
    if channels == 1:
        return (sum(colours[0]) / len(colours[0]),), (sum(colours[1]) / len(colours[1]),)
    return (0.0,) * channels, (1.0,) * channels  # no picture has so many channels, only a tensor


def completed(net: Any, given: Preprocess) -> tuple[Preprocess, tuple[str, ...]]:
    """Return `given`, which names no colours, with the colours of `net`, and a note about their source.

    If the network declares no colours, those of ImageNet are assumed.
    """
    channels = input_channels(net)
    said = said_colours(net)
    mean, std = for_channels(said or (IMAGENET_MEAN, IMAGENET_STD), channels)
    made = replace(given, mean=mean, std=std)
    if channels not in {1, 3}:  # only tensors are shown, unchanged
        return made, ()
    if said:
        return made, (Text(COLOURS_SAID, mean=_numbers(mean), std=_numbers(std)),)
    return made, (Text(COLOURS_ASSUMED, mean=_numbers(mean), std=_numbers(std)),)


def all_assumed(size: tuple[int, int]) -> Text:
    """Make the note for a network that declares nothing about its pictures."""
    return Text(ALL_ASSUMED, height=size[0], width=size[1])


def of_part(part: str) -> Text:
    """Make the note for a network in which only the part called `part` declares how pictures are prepared."""
    return Text(PART, part=part)


def without_picture_notes(notes: tuple[str, ...]) -> tuple[str, ...]:
    """Keep the notes that also hold if pixels are given and no picture is prepared."""
    of_pictures = {COLOURS_SAID, COLOURS_ASSUMED, ALL_ASSUMED, PART}
    return tuple(note for note in notes if getattr(note, "key", None) not in of_pictures)


def _numbers(values: tuple[float, ...]) -> str:
    return ", ".join(f"{value:.3g}" for value in values)
