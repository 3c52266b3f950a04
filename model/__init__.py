"""The networks: Vision Transformers, where they come from, and how they see a picture. No capture, no page."""

import logging
import time
from contextlib import nullcontext

import torch

from vizapp.errors import VizError
from vizapp.model.device import choose_device
from vizapp.model.downloads import told_of
from vizapp.model.seeded import drawn_for
from vizapp.model.spec import VisionModel
from vizapp.model.zoo import GROUP, ModelName, source_named, sources
from vizapp.plugins import problems
from vizapp.wording import listed

LOG = logging.getLogger("vizapp.model")

DEFAULT = "toy"


def names() -> tuple[str, ...]:
    """List the models to offer: the bundled ones first, then well-known ones that are downloaded on first use."""
    modules = list(dict.fromkeys(sources().values()))
    modules.sort(key=lambda module: "bundled" not in module.PREFIXES)
    return tuple(name for module in modules for name in module.names())


def load(name: str = DEFAULT, device: str | torch.device | None = None) -> VisionModel:
    """Load the model called `name`, in eval mode, on `device` (by default the best one of this machine).

    "toy"                                   a bundled model, no network needed
    "timm:vit_base_patch16_224"             any network of timm that attends, pretrained; "?pretrained=no" for random weights,
                                            the same ones each time; "?size=384" for another input size
    "hf-hub:timm/vit_small_patch16_224.dino"  the same, from the Hugging Face hub
    "hf:google/vit-base-patch16-224"        a model of Hugging Face transformers, or a folder of `save_pretrained`
    "torchvision:vit_b_16"                  of torchvision
    "open_clip:ViT-B-32?pretrained=TAG"     the vision tower of an open_clip model
    "file:PATH.safetensors?arch=deit_tiny_patch16_224"  weights of your own
    Raises `VizError` for everything that can go wrong.
    """
    asked = ModelName.parse(name)
    source = source_named(asked.source)
    if source is None:
        known = ", ".join(f"{one}:" for one in sources())
        left_out = problems(GROUP)
        raise VizError(
            "'{name}' starts with an unknown source '{source}:'.",
            "Model names start with {known}. {problem}" if left_out else "Model names start with {known}.",
            name=name,
            source=asked.source,
            known=known,
            problem=listed(left_out, " "),
        )
    chosen = choose_device(str(device) if device is not None else None)
    started = time.perf_counter()
    is_random = asked.options.get("pretrained") == "no"
    with told_of(asked.text), drawn_for(f"{asked.source}:{asked.name}") if is_random else nullcontext():
        model: VisionModel = source.load(asked)
    LOG.info("%s loaded in %.1f s, for %s", asked.text, time.perf_counter() - started, chosen)
    model.net.to(chosen).eval().requires_grad_(False)
    return model
