"""Every network of timm that attends: timm:NAME and hf-hub:OWNER/NAME. ViT, DeiT, DINOv2, CLIP, SigLIP, Swin, MaxViT, ..."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Mapping
from typing import Any

import torch
from torch import nn

from vizapp.errors import VizError
from vizapp.model.bounds import check_config
from vizapp.model.hub import RANDOM, in_words, is_pretrained, meant, no_vain_retries, not_downloaded
from vizapp.model.labels import imagenet_labels, numbered_labels
from vizapp.model.preprocess import RESAMPLE, Preprocess
from vizapp.model.room import require_room
from vizapp.model.spec import VisionModel
from vizapp.model.zoo import ModelName, parse_size

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


def names() -> tuple[str, ...]:
    return LISTED


def load(asked: ModelName) -> VisionModel:
    options = asked.take(pretrained="yes", size="")
    pretrained = is_pretrained(options["pretrained"])
    full_name = asked.name if asked.source == "timm" else f"hf-hub:{asked.name}"
    net = create(full_name, pretrained=pretrained, size=parse_size(options["size"]))
    notes = () if pretrained else (RANDOM,)
    return describe(net, name=asked.text, labels=labels_of(net), notes=notes)


def create(name: str, *, pretrained: bool, size: tuple[int, int] | None, **options: Any) -> nn.Module:
    """`timm.create_model` with a message for each way it can fail."""
    import timm

    from_hub = name.startswith("hf-hub:")
    if not from_hub and not timm.is_model(name):
        close = difflib.get_close_matches(name.partition(".")[0], timm.list_models(), n=3, cutoff=0.6)
        raise VizError("timm has no model '{name}'.", meant(close, "timm.list_models()"), name=name)
    if size is not None:
        options["img_size"] = size
    try:
        with no_vain_retries():
            if from_hub:  # its configuration is somebody's
                check_config(timm.models.load_model_config_from_hf(name.removeprefix("hf-hub:")))
            require_room(name, lambda: timm.create_model(name, pretrained=False, **options))
            net: nn.Module = timm.create_model(name, pretrained=pretrained, **options)
    except VizError:
        raise
    except Exception as error:  # timm, huggingface_hub and the network each raise their own kinds
        raise _explained(name, pretrained, error) from error
    _check_size(net, size)
    return net


def _check_size(net: Any, size: tuple[int, int] | None) -> None:
    """timm would leave out the last pixels of a size that is no multiple of the patch, and every patch would lie wrong."""
    patch = getattr(getattr(net, "patch_embed", None), "patch_size", None)
    if size is None or patch is None or (size[0] % patch[0] == 0 and size[1] % patch[1] == 0):
        return
    fits = "x".join(str(max(p, round(side / p) * p)) for side, p in zip(size, patch, strict=True))
    raise VizError(
        "A picture of {height}x{width} cannot be cut into patches of {patch_height}x{patch_width}.",
        "Say size={fits}.",
        height=size[0],
        width=size[1],
        patch_height=patch[0],
        patch_width=patch[1],
        fits=fits,
    )


def _explained(name: str, pretrained: bool, error: Exception) -> VizError:
    """What went wrong in words: no such weights, no network, or what the library said."""
    said = in_words(error)
    if "Invalid pretrained tag" in said or "No pretrained weights" in said:
        return VizError(
            "timm has no such pretrained weights: {said}.",
            "Leave out what stands after the dot, or see timm's list.",
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
    return VizError("{name} could not be built: {said}.", "Choose another model.", name=name, said=said)


def describe(net: Any, *, name: str, labels: tuple[str, ...], notes: tuple[str, ...] = ()) -> VisionModel:
    """The facts of a network of timm, read from the network itself. What it does not say, the capture finds."""
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
    """As the network's own configuration says, at the size that it was built for."""
    from timm.data import resolve_model_data_config

    config = resolve_model_data_config(net)
    size = getattr(getattr(net, "patch_embed", None), "img_size", None) or config["input_size"][1:]
    return preprocess_in(config, size if isinstance(size, (tuple, list)) else (size, size))


def preprocess_in(config: Mapping[str, Any], size: tuple[int, ...] | list[int]) -> Preprocess:
    """As a data configuration of timm says, for pictures of `size` (height, width)."""
    return Preprocess(
        size=(size[0], size[1]),
        mean=tuple(config["mean"]),
        std=tuple(config["std"]),
        interpolation=config["interpolation"] if config.get("interpolation") in RESAMPLE else "bicubic",
        crop=config.get("crop_pct") or 1.0,
        fit={"squash": "squash", "border": "pad"}.get(config.get("crop_mode", "center"), "crop"),  # type: ignore[arg-type]
    )


def classifiers(architecture: str) -> tuple[str, ...]:
    """What timm calls the classifiers of an architecture; () where it knows of none."""
    import timm

    known = timm.models.get_pretrained_cfg(architecture, allow_unregistered=True)
    names = getattr(known, "classifier", None) or ()
    return (names,) if isinstance(names, str) else tuple(names)


def fit_state(net: nn.Module, state: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """A checkpoint in the names and with the position embedding of `net`, as timm itself does on download."""
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
    """The state without the one name that a wrapper puts before all of its tensors: "module.", "model.", "backbone."."""
    first = {name.partition(".")[0] for name in state}
    own = {name.partition(".")[0] for name in net.state_dict()}
    if len(first) == 1 and not first & own:
        return {name.partition(".")[2]: value for name, value in state.items()}
    return dict(state)


def _prefix(net: Any) -> tuple[str, ...]:
    """The tokens before the patches, in timm's order: class, distillation, registers."""
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
    """What a network other than the plain ViT reads, where it says so plainly; "" leaves it to the capture."""
    pool = getattr(net, "global_pool", None)
    if "cls" in _prefix(net) and pool == "token":
        return "cls+dist" if "dist" in _prefix(net) else "cls"
    return "mean" if pool == "avg" else ""


def labels_of(net: Any) -> tuple[str, ...]:
    """One name per logit. CLIP's projection is no classifier: without a known label set its outputs are features."""
    if net.num_classes == 0:
        return ()
    known = imagenet_labels(net.num_classes)
    is_projection = "clip" in str(net.pretrained_cfg.get("architecture", ""))
    return known or (() if is_projection else numbered_labels(net.num_classes))


def _facts(net: Any) -> dict[str, str]:
    parameters = sum(p.numel() for p in net.parameters())
    licence = (net.pretrained_cfg or {}).get("license") or "unknown"
    return {"parameters": f"{parameters / 1e6:.1f} M", "licence": licence}
