"""The transformers of torchvision: torchvision:NAME. ViT, Swin, MaxViT, with the transforms of their own weights."""

from typing import Any

from vizapp.errors import VizError
from vizapp.memory import require_room
from vizapp.model.downloads import RANDOM, is_pretrained, not_built, not_downloaded, not_known
from vizapp.model.inputs import IMAGENET_MEAN, IMAGENET_STD, input_size
from vizapp.model.labels import imagenet_labels, numbered_labels
from vizapp.model.preprocess import Preprocess
from vizapp.model.spec import VisionModel
from vizapp.model.zoo import ModelName
from vizapp.wording import Text

PREFIXES = ("torchvision",)


def names() -> tuple[str, ...]:
    return ("torchvision:vit_b_16", "torchvision:maxvit_t")


def load(asked: ModelName) -> VisionModel:
    from torchvision import models

    options = asked.take(pretrained="yes", weights="")
    known = models.list_models(module=models)
    if asked.name not in known:
        raise not_known("torchvision", asked.name, known, "torchvision.models.list_models()")
    weights = _weights(asked.name, options["weights"]) if is_pretrained(options["pretrained"]) else None
    require_room(asked.name, lambda: models.get_model(asked.name, weights=None))
    try:
        net = models.get_model(asked.name, weights=weights)
    except OSError as error:
        raise not_downloaded(f"torchvision:{asked.name}", Text("on its server")) from error
    except Exception as error:
        raise not_built(asked.name, error) from error
    return describe(net, name=asked.text, weights=weights)


def _weights(name: str, asked: str) -> Any:
    from torchvision import models

    found = models.get_model_weights(name)
    if not asked:
        return found.DEFAULT
    if asked not in found.__members__:
        raise VizError(
            "{name} has no weights '{asked}'.",
            "Choose one of: {names}.",
            name=name,
            asked=asked,
            names=", ".join(found.__members__),
        )
    return found[asked]


def describe(net: Any, *, name: str, weights: Any = None) -> VisionModel:
    """Read the facts of a network of torchvision: pictures and classes from its weights, tokens from the ViT."""
    from torchvision.models import MaxVit, SwinTransformer, VisionTransformer

    is_vit = isinstance(net, VisionTransformer)
    n_classes = getattr(net, "num_classes", 1000)
    labels = tuple(weights.meta["categories"]) if weights else imagenet_labels(n_classes) or numbered_labels(n_classes)
    return VisionModel(
        name=name,
        net=net,
        attention=(),
        prefix=("cls",) if is_vit else (),
        patch=(net.patch_size, net.patch_size) if is_vit else None,
        preprocess=preprocess_in(weights.transforms())
        if weights
        else Preprocess(input_size(net), IMAGENET_MEAN, IMAGENET_STD),
        labels=labels,
        readout="cls" if is_vit else "mean" if isinstance(net, (SwinTransformer, MaxVit)) else "",
        notes=() if weights else (RANDOM,),
        facts={"parameters": f"{sum(p.numel() for p in net.parameters()) / 1e6:.1f} M"}
        | ({"weights": weights.name} if weights else {}),
    )


def preprocess_in(transforms: Any) -> Preprocess:
    """Convert the transforms of torchvision's weights."""
    size, resized = transforms.crop_size[0], transforms.resize_size[0]
    return Preprocess(
        size=(size, size),
        mean=tuple(transforms.mean),
        std=tuple(transforms.std),
        interpolation=transforms.interpolation.value,
        crop=size / resized,
    )
