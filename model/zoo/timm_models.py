"""Vision Transformers of timm: timm:NAME and hf-hub:OWNER/NAME. ViT, DeiT, DINO, DINOv2, CLIP's vision tower, SigLIP."""

from __future__ import annotations

import difflib
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlparse
from urllib.request import getproxies

import torch
from torch import nn

from model.errors import VizError
from model.labels import imagenet_labels, numbered_labels
from model.preprocess import RESAMPLE, Preprocess
from model.spec import VisionModel
from model.zoo import ModelName, parse_size

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
)


def names() -> tuple[str, ...]:
    return LISTED


def load(asked: ModelName) -> VisionModel:
    options = asked.take(pretrained="yes", size="")
    if options["pretrained"] not in {"yes", "no"}:
        raise VizError(f"pretrained={options['pretrained']} is not possible.", "Say pretrained=yes or pretrained=no.")
    pretrained = options["pretrained"] == "yes"
    full_name = asked.name if asked.source == "timm" else f"hf-hub:{asked.name}"
    net = create(full_name, pretrained=pretrained, size=parse_size(options["size"]))
    notes = () if pretrained else ("The weights are random: nothing was learned, so these maps mean nothing.",)
    return describe(net, name=asked.text, labels=_labels(net), notes=notes)


def create(name: str, *, pretrained: bool, size: tuple[int, int] | None, **options: Any) -> nn.Module:
    """`timm.create_model` with a message for each way it can fail."""
    import timm

    from_hub = name.startswith("hf-hub:")
    if not from_hub and not timm.is_model(name):
        plain = timm.list_models(["vit_*", "deit*"])
        close = difflib.get_close_matches(name.partition(".")[0], plain, n=3, cutoff=0.5)
        hint = f"Did you mean {', '.join(close)}?" if close else "timm.list_models() lists its names."
        raise VizError(f"timm has no model '{name}'.", hint)
    if size is not None:
        options["img_size"] = size
    try:
        with _no_vain_retries():
            net: nn.Module = timm.create_model(name, pretrained=pretrained, **options)
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
        f"A picture of {size[0]}x{size[1]} cannot be cut into patches of {patch[0]}x{patch[1]}.", f"Say size={fits}."
    )


@contextmanager
def _no_vain_retries() -> Iterator[None]:
    """Without a network, huggingface_hub tries for 25 to 50 seconds and prints each try. Tell it that it is offline.

    Weights that were fetched before load as ever.
    """
    from huggingface_hub import constants

    if constants.HF_HUB_OFFLINE or getproxies() or _resolves(urlparse(constants.ENDPOINT).hostname):
        yield
        return
    constants.HF_HUB_OFFLINE = True
    try:
        yield
    finally:
        constants.HF_HUB_OFFLINE = False


def _resolves(host: str | None) -> bool:
    try:
        return bool(socket.getaddrinfo(host, 443))
    except OSError:
        return False


def _explained(name: str, pretrained: bool, error: Exception) -> VizError:
    """What went wrong in words: no such weights, no network, or what the library said."""
    said = " ".join(str(error).split())[:200].rstrip(".")
    if "Invalid pretrained tag" in said or "No pretrained weights" in said:
        return VizError(
            f"timm has no such pretrained weights: {said}.", "Leave out what stands after the dot, or see timm's list."
        )
    if "img_size" in said or "Input" in said:
        return VizError(
            f"{name} cannot take this input size: {said}.", "Leave out ?size=, or choose a multiple of the patch size."
        )
    if pretrained or name.startswith("hf-hub:"):
        return VizError(
            f"The weights of {name} could not be downloaded: no network, or no such model on the Hugging Face hub.",
            "They are fetched once and then kept. Without a network there are the built-in model 'toy' and files of your "
            "own, file:PATH.safetensors?arch=NAME.",
        )
    return VizError(f"{name} could not be built: {said}.", "Choose another model.")


def describe(net: nn.Module, *, name: str, labels: tuple[str, ...], notes: tuple[str, ...] = ()) -> VisionModel:
    """The facts of a timm Vision Transformer, read from the network itself."""
    from timm.data import resolve_model_data_config
    from timm.models.vision_transformer import VisionTransformer

    if not isinstance(net, VisionTransformer):
        raise VizError(
            f"{name} is a {type(net).__name__}; only plain Vision Transformers can be shown yet.",
            "Try a vit_*, deit_*, DINO, DINOv2, CLIP or SigLIP model, such as timm:deit_small_patch16_224.",
        )
    if not all(hasattr(block, "attn") for block in net.blocks):
        raise VizError(
            f"{name} has blocks of several attentions side by side, which cannot be shown yet.", "Try another ViT."
        )
    config = resolve_model_data_config(net)
    height, width = net.patch_embed.img_size or config["input_size"][1:]
    mode = config.get("crop_mode", "center")
    return VisionModel(
        name=name,
        net=net,
        attention=tuple(f"blocks.{i}.attn" for i in range(len(net.blocks))),
        prefix=_prefix(net),
        patch=tuple(net.patch_embed.patch_size),
        preprocess=Preprocess(
            size=(height, width),
            mean=tuple(config["mean"]),
            std=tuple(config["std"]),
            interpolation=config["interpolation"] if config["interpolation"] in RESAMPLE else "bicubic",
            crop=config["crop_pct"],
            fit={"squash": "squash", "border": "pad"}.get(mode, "crop"),  # type: ignore[arg-type]
        ),
        labels=labels,
        readout=_readout(net),
        pool="attn_pool" if getattr(net, "attn_pool", None) is not None else None,
        notes=notes,
        facts=_facts(net),
    )


def fit_state(net: nn.Module, state: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """A checkpoint in the names and with the position embedding of `net`, as timm itself does on download."""
    from timm.models.vision_transformer import checkpoint_filter_fn

    try:
        return dict(checkpoint_filter_fn(_without_wrapper(net, state), net))
    except RuntimeError as error:
        raise VizError(
            f"The position embedding of the file does not fit this network ({error}).",
            "Trained on another shape? Say &size=HEIGHTxWIDTH. With other prefix tokens? Name that architecture.",
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
    cls = ("cls",) if net.cls_token is not None else ()
    dist = ("dist",) if getattr(net, "dist_token", None) is not None else ()
    registers = tuple(f"reg{i}" for i in range(net.num_prefix_tokens - len(cls) - len(dist)))
    return cls + dist + registers


def _readout(net: Any) -> str:
    if net.global_pool == "map":
        return "pool"
    if net.cls_token is None or net.global_pool not in {"token", ""}:
        return "mean"
    return "cls+dist" if "dist" in _prefix(net) else "cls"  # DeiT averages the logits of both


def _labels(net: Any) -> tuple[str, ...]:
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
