"""Read from a network or a library's object how pictures are prepared, and the names of the outputs.

A network of timm carries its configuration. One of transformers carries its config and, in the folder or cache that it came
from, its image processor. torchvision's weights have transforms. The code that loads a network by name reads all of them, too.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from torch import nn

from vizapp.errors import VizError
from vizapp.model.inputs import (
    IMAGENET_MEAN,
    IMAGENET_STD,
    all_assumed,
    for_channels,
    input_channels,
    input_size,
    of_part,
)
from vizapp.model.labels import imagenet_labels, numbered_labels
from vizapp.model.preprocess import Preprocess
from vizapp.model.processor import measured


@dataclass(frozen=True)
class Said:
    """The known facts about a network's pictures and outputs.

    labels      one per output; () if nothing names them
    activation  as in `VisionModel`
    flips       the network takes blue before red (some of transformers)
    """

    preprocess: Preprocess
    labels: tuple[str, ...] = ()
    activation: str = ""
    notes: tuple[str, ...] = ()
    flips: bool = False


def said_of(net: nn.Module, given: object = None) -> Said:
    """Read the facts that `net` declares; `given` takes precedence for the preparation of pictures.

    given  a `Preprocess`; an image processor of transformers; weights of torchvision, or their transforms; a data
           configuration of timm. None: as the network declares, else as its first part that does, else assumed, with a note
    Raises `VizError` for anything else.
    """
    own = _of_module(net)
    labels, activation = _labels(net), _activation(net)
    if isinstance(given, Preprocess):
        return Said(given, labels, activation)
    if given is not None:
        found = _of_object(net, given)
        return replace(found, labels=found.labels or labels, activation=activation)
    if own is not None:
        return _fitted(net, replace(own, labels=labels, activation=activation))
    for name, part in net.named_modules():
        if name and (of_its_part := _of_module(part)) is not None:
            return _fitted(net, replace(of_its_part, notes=(of_part(name),), labels=labels, activation=activation))
    size = input_size(net)
    assumed = Said(Preprocess(size, IMAGENET_MEAN, IMAGENET_STD), labels, activation, (all_assumed(size),))
    return _fitted(net, assumed)


def _fitted(net: nn.Module, said: Said) -> Said:
    """Convert the facts to the number of channels that the network takes."""
    given = said.preprocess
    assert given.mean is not None
    assert given.std is not None
    mean, std = for_channels((given.mean, given.std), input_channels(net))
    own = given.own if len(mean) == 3 else None  # a processor gives three channels
    return replace(said, preprocess=replace(given, mean=mean, std=std, own=own))


def _of_module(net: nn.Module) -> Said | None:
    for word in ("pretrained_cfg", "default_cfg"):
        if isinstance(said := getattr(net, word, None), Mapping) and said.get("mean") and said.get("input_size"):
            from vizapp.model.zoo.timm_models import preprocess_of

            return Said(preprocess_of(net))
    if isinstance(said := getattr(net, "preprocess_cfg", None), Mapping) and said.get("mean"):
        from vizapp.model.zoo.open_clip_models import preprocess_of as of_tower

        return Said(of_tower(net))
    config = getattr(net, "config", None)
    place = getattr(config, "name_or_path", "")
    if isinstance(getattr(config, "model_type", None), str) and isinstance(place, str) and place:
        from vizapp.model.zoo.huggingface import processor_of

        if (processor := processor_of(place, only_here=True)) is not None:
            return _of_processor(net, processor)
    return None


def _of_processor(net: nn.Module, processor: Any) -> Said:
    from vizapp.model.zoo.huggingface import preprocess_of

    config = getattr(net, "config", None)
    own = input_size(getattr(config, "vision_config", None) or config or net)
    does = measured(processor)
    return Said(preprocess_of(does, None, own), flips=does.flips)


def _of_object(net: nn.Module, given: Any) -> Said:
    given = getattr(given, "image_processor", given)  # of transformers, for pictures and text
    if hasattr(given, "to_dict") and callable(given):
        return _of_processor(net, given)
    if isinstance(given, Mapping) and {"mean", "std", "input_size"} <= given.keys():
        from vizapp.model.zoo.timm_models import preprocess_in

        return Said(preprocess_in(given, tuple(given["input_size"])[1:]))
    from vizapp.model.zoo.torchvision_models import preprocess_in as in_transforms

    if hasattr(given, "meta") and callable(getattr(given, "transforms", None)):
        return Said(in_transforms(given.transforms()), tuple(given.meta.get("categories", ())))
    given = (
        given() if isinstance(given, type) or hasattr(given, "func") else given
    )  # a partial, as torchvision keeps them
    if all(hasattr(given, word) for word in ("crop_size", "resize_size", "mean", "std", "interpolation")):
        return Said(in_transforms(given))
    raise VizError(
        "{kind} does not say how pictures are prepared.",
        "Give vizapp.Preprocess((height, width), mean=..., std=...), an image processor of transformers, weights of torchvision, "
        "or a data configuration of timm.",
        kind=type(given).__name__,
    )


def _labels(net: nn.Module) -> tuple[str, ...]:
    """Name each output of a classifier of timm or transformers; if the head was changed, there are as many as it has."""
    classes, classifier = getattr(net, "num_classes", None), getattr(net, "get_classifier", None)
    if isinstance(getattr(net, "pretrained_cfg", None), Mapping) and isinstance(classes, int):
        from vizapp.model.zoo.timm_models import labels_of

        head = classifier() if callable(classifier) else None
        if isinstance(head, nn.Linear) and head.out_features != classes:
            return imagenet_labels(head.out_features) or numbered_labels(head.out_features)
        return labels_of(net)
    if isinstance(getattr(getattr(net, "config", None), "id2label", None), Mapping):
        from vizapp.model.zoo.huggingface import labels_of as of_transformers

        return of_transformers(net)
    return ()


def _activation(net: nn.Module) -> str:
    config = getattr(net, "config", None)
    if not isinstance(getattr(config, "model_type", None), str):
        return ""
    from vizapp.model.zoo.huggingface import activation_of

    return activation_of(config)
