"""Networks of timm that have attention: timm:NAME and hf-hub:OWNER/NAME. ViT, DeiT, DINOv2, CLIP, SigLIP, Swin, MaxViT ...

timm fetches their weights when they are first used. Those of one, DeiT-Ti, are also fetched by `vizapp get deit`.
"""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from torch import nn

from vizapp.errors import VizError
from vizapp.memory import require_room
from vizapp.model.bounds import check_config
from vizapp.model.downloads import (
    RANDOM,
    in_words,
    is_pretrained,
    no_vain_retries,
    not_built,
    not_downloaded,
    not_known,
    refuse_cut,
)
from vizapp.model.fetch import Fetchable
from vizapp.model.labels import imagenet_labels, numbered_labels
from vizapp.model.origins import HubFile
from vizapp.model.preprocess import RESAMPLE, Preprocess
from vizapp.model.spec import VisionModel
from vizapp.model.timm_names import known
from vizapp.model.weights import load_strictly, read_checkpoint
from vizapp.model.zoo import ModelName, parse_size
from vizapp.wording import Text

PREFIXES = ("timm", "hf-hub")

LISTED = (
    "timm:vit_base_patch16_224.augreg2_in21k_ft_in1k",
    "timm:deit_tiny_patch16_224.fb_in1k",
    "timm:deit_small_patch16_224.fb_in1k",
    "timm:deit_small_distilled_patch16_224.fb_in1k",
    "timm:vit_small_patch16_224.dino",
    "timm:vit_small_patch14_dinov2.lvd142m?size=224",
    "timm:vit_small_patch14_reg4_dinov2.lvd142m?size=224",
    "timm:vit_base_patch16_clip_224.openai",
    "timm:vit_base_patch16_siglip_224.webli",
    "timm:swin_tiny_patch4_window7_224.ms_in1k",
)
TAGGED = "deit_tiny_patch16_224.fb_in1k"
REPOSITORY = f"timm/{TAGGED}"


def names() -> tuple[str, ...]:
    return LISTED


def load(asked: ModelName) -> VisionModel:
    options = asked.take(pretrained="yes", size="")
    pretrained = is_pretrained(options["pretrained"])
    full_name = asked.name if asked.source == "timm" else f"hf-hub:{asked.name}"
    kept = _kept(full_name) if pretrained else None
    net = create(full_name, pretrained=pretrained and kept is None, size=parse_size(options["size"]))
    if kept is not None:
        load_strictly(net, fit_state(net, read_checkpoint(kept)[0]), full_name)
    notes = () if pretrained else (RANDOM,)
    return describe(net, name=asked.text, labels=labels_of(net), notes=notes)


def _kept(name: str) -> Path | None:
    """Return the weights that `FETCH` has brought, if they are those of the network: with them, no hub is asked."""
    is_ours = name == TAGGED or (name in known() and known()[name].weights == REPOSITORY)
    return FETCH.found() if is_ours else None


def convert(file: Path) -> Mapping[str, torch.Tensor]:
    """Read the file of the hub; every tensor of timm's network must be there."""
    state, _ = read_checkpoint(file)
    net = create(TAGGED, pretrained=False, size=None)
    load_strictly(net, state, TAGGED)
    return net.state_dict()


def create(name: str, *, pretrained: bool, size: tuple[int, int] | None, **options: Any) -> nn.Module:
    """Call `timm.create_model`, with a message for each way it can fail."""
    import timm

    from_hub = name.startswith("hf-hub:")
    if not from_hub and not timm.is_model(name):
        raise not_known("timm", name, timm.list_models(), "timm.list_models()")
    if size is not None:
        options["img_size"] = size
    try:
        with no_vain_retries():
            if from_hub:  # the configuration is a stranger's
                check_config(timm.models.load_model_config_from_hf(name.removeprefix("hf-hub:")))
            require_room(name, lambda: timm.create_model(name, pretrained=False, **options))
            net: nn.Module = timm.create_model(name, pretrained=pretrained, **options)
    except VizError:
        raise
    except Exception as error:  # timm, huggingface_hub and the network each raise their own kinds
        raise _explained(name, pretrained, error) from error
    patch = getattr(getattr(net, "patch_embed", None), "patch_size", None)
    if size is not None and patch is not None:
        refuse_cut(size, patch)
    return net


def _explained(name: str, pretrained: bool, error: Exception) -> VizError:
    """Make the error in words: no such weights, no connection, or the library's message."""
    said = in_words(error)
    if "No pretrained weights" in said:
        return VizError(
            "timm has no trained weights of {name}.",
            "Choose another network, or say timm:{name}?pretrained=no for random weights, whose maps mean nothing.",
            name=name,
        )
    if "Invalid pretrained tag" in said:
        return VizError(
            "timm has no such pretrained weights: {said}.",
            "Leave out the part after the dot, or see timm's list.",
            said=said,
        )
    if "img_size" in said or "Input" in said:
        return VizError(
            "{name} cannot take this input size: {said}.",
            "Leave out ?size=, or choose a multiple of the patch size.",
            name=name,
            said=said,
        )
    if pretrained or name.startswith("hf-hub:"):
        return not_downloaded(name)
    return not_built(name, error)


def describe(net: Any, *, name: str, labels: tuple[str, ...], notes: tuple[str, ...] = ()) -> VisionModel:
    """Read the facts of a network of timm from the network itself. The capture finds the missing ones."""
    from timm.models.vision_transformer import VisionTransformer

    plain = isinstance(net, VisionTransformer) and all(hasattr(block, "attn") for block in net.blocks)
    return VisionModel(
        name=name,
        net=net,
        attention=tuple(f"blocks.{i}.attn" for i in range(len(net.blocks))) if plain else (),
        prefix=_prefix(net),
        patch=tuple(net.patch_embed.patch_size) if plain else None,
        preprocess=preprocess_of(net),
        labels=labels,
        readout=_readout(net) if plain else _readout_elsewhere(net),
        pool="attn_pool" if plain and getattr(net, "attn_pool", None) is not None else None,
        notes=notes,
        facts=_facts(net),
    )


def preprocess_of(net: Any) -> Preprocess:
    """Read the preparation of pictures from the network's own configuration, at the size that it was built for."""
    from timm.data import resolve_model_data_config

    config = resolve_model_data_config(net)
    size = getattr(getattr(net, "patch_embed", None), "img_size", None) or config["input_size"][1:]
    return preprocess_in(config, size if isinstance(size, (tuple, list)) else (size, size))


def preprocess_in(config: Mapping[str, Any], size: tuple[int, ...] | list[int]) -> Preprocess:
    """Convert a data configuration of timm, for pictures of `size` (height, width)."""
    return Preprocess(
        size=(size[0], size[1]),
        mean=tuple(config["mean"]),
        std=tuple(config["std"]),
        interpolation=config["interpolation"] if config.get("interpolation") in RESAMPLE else "bicubic",
        crop=config.get("crop_pct") or 1.0,
        fit={"squash": "squash", "border": "pad"}.get(config.get("crop_mode", "center"), "crop"),  # type: ignore[arg-type]
    )


def classifiers(architecture: str) -> tuple[str, ...]:
    """Return timm's names of the classifiers of an architecture; () if it knows none."""
    import timm

    known = timm.models.get_pretrained_cfg(architecture, allow_unregistered=True)
    names = getattr(known, "classifier", None) or ()
    return (names,) if isinstance(names, str) else tuple(names)


def fit_state(net: nn.Module, state: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Convert a checkpoint to the names and the position embedding of `net`, as timm itself does on download."""
    unwrapped = _without_wrapper(net, state)
    fit = getattr(sys.modules[type(net).__module__], "checkpoint_filter_fn", None)
    try:
        return dict(fit(unwrapped, net)) if fit is not None else unwrapped
    except (RuntimeError, AssertionError, LookupError, TypeError, ValueError, AttributeError) as error:
        raise VizError(
            "The position embedding of the file does not fit this network ({why}).",
            "Trained on another shape? Say &size=HEIGHTxWIDTH. With other prefix tokens? Name that architecture.",
            why=error,
        ) from None


def _without_wrapper(net: nn.Module, state: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Remove the name that a wrapper puts before all of its tensors: "module.", "model.", "backbone."."""
    first = {name.partition(".")[0] for name in state}
    own = {name.partition(".")[0] for name in net.state_dict()}
    if len(first) == 1 and not first & own:
        return {name.partition(".")[2]: value for name, value in state.items()}
    return dict(state)


def _prefix(net: Any) -> tuple[str, ...]:
    """Name the tokens before the patches, in timm's order: class, distillation, registers."""
    token = getattr(net, "cls_token", None)
    cls = ("cls",) if token is not None else ()
    both = token is not None and tuple(token.shape[:-1]) == (1, 2)  # the distilled PiT keeps the two in one parameter
    dist = ("dist",) if both or getattr(net, "dist_token", None) is not None else ()
    registers = tuple(f"reg{i}" for i in range(getattr(net, "num_prefix_tokens", 0) - len(cls) - len(dist)))
    return cls + dist + registers


def _readout(net: Any) -> str:
    if net.global_pool == "map":
        return "pool"
    if net.cls_token is None or net.global_pool not in {"token", ""}:
        return "mean"
    return "cls+dist" if "dist" in _prefix(net) else "cls"  # DeiT averages the logits of both


def _readout_elsewhere(net: Any) -> str:
    """Name the readout of a network other than the plain ViT, if its attributes tell; "" leaves it to the capture."""
    pool = getattr(net, "global_pool", None)
    if "cls" in _prefix(net) and pool == "token":
        return "cls+dist" if "dist" in _prefix(net) else "cls"
    return "mean" if pool == "avg" else ""


def labels_of(net: Any) -> tuple[str, ...]:
    """Name each logit. CLIP's projection is not a classifier: without a known label set its outputs are features."""
    if net.num_classes == 0:
        return ()
    known = imagenet_labels(net.num_classes)
    is_projection = "clip" in str(net.pretrained_cfg.get("architecture", ""))
    return known or (() if is_projection else numbered_labels(net.num_classes))


def _facts(net: Any) -> dict[str, str]:
    parameters = sum(p.numel() for p in net.parameters())
    licence = (net.pretrained_cfg or {}).get("license") or "unknown"
    return {"parameters": f"{parameters / 1e6:.1f} M", "licence": licence}


FETCH = Fetchable(
    name="deit",
    model=f"timm:{TAGGED}",
    title="DeiT-Ti",
    about=Text("DeiT-Ti knows photos, and names what they show in 1000 classes."),
    made=Text("Facebook AI (Touvron et al. 2021), converted by timm"),
    licence="Apache-2.0",
    origin=HubFile.known(REPOSITORY),
    convert=convert,
    kept_as="deit",
)
