"""The vision towers of open_clip: open_clip:NAME?pretrained=TAG. They have no classifier, so no labels."""

from __future__ import annotations

import difflib
from importlib.util import find_spec
from typing import Any

from model.errors import VizError
from model.hub import RANDOM, in_words, no_vain_retries, not_downloaded, not_installed
from model.own import IMAGENET_MEAN, IMAGENET_STD, input_size
from model.preprocess import RESAMPLE, Preprocess
from model.spec import VisionModel
from model.zoo import ModelName, parse_size

PREFIXES = ("open_clip",)

FIT = {"shortest": "crop", "longest": "pad", "squash": "squash"}


def names() -> tuple[str, ...]:
    return ("open_clip:ViT-B-32?pretrained=laion2b_s34b_b79k",) if find_spec("open_clip") else ()


def load(asked: ModelName) -> VisionModel:
    options = asked.take(pretrained="", size="")
    try:
        import open_clip
    except ImportError as error:
        raise not_installed("open_clip_torch", "clip") from error
    from_hub = asked.name.startswith("hf-hub:")
    tag = None if from_hub else _tag(asked.name, options["pretrained"])
    try:
        with no_vain_retries():
            whole = open_clip.create_model(
                asked.name,
                pretrained=tag,
                load_weights=tag is not None or from_hub,
                force_image_size=parse_size(options["size"]),
            )
    except Exception as error:  # open_clip raises RuntimeError for nearly everything
        if tag is not None or from_hub:
            raise not_downloaded(asked.name) from error
        raise VizError(f"{asked.name} could not be built: {in_words(error)}.", "Choose another model.") from error
    random = tag is None and not from_hub
    facts = {"weights": tag} if tag else {}
    return describe(whole.visual, name=asked.text, notes=(RANDOM,) if random else (), facts=facts)


def _tag(name: str, asked: str) -> str | None:
    """The pretrained weights to take: those that were asked for, else the first; None for "no". Never a path."""
    import open_clip

    known = open_clip.list_models()
    if name not in known:
        close = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
        hint = f"Did you mean {', '.join(close)}?" if close else "open_clip.list_models() lists its names."
        raise VizError(f"open_clip has no model '{name}'.", hint)
    if asked == "no":
        return None
    tags = open_clip.list_pretrained_tags_by_model(name)
    if asked in tags or (tags and not asked):
        return asked or tags[0]
    choice = f"one of: {', '.join(tags[:8])}" if tags else "no: there are none"
    raise VizError(f"open_clip has no weights '{asked}' of {name}.", f"Say pretrained={choice}.")


def describe(tower: Any, *, name: str, notes: tuple[str, ...] = (), facts: dict[str, str] | None = None) -> VisionModel:
    """The facts of a vision tower: open_clip's own ViT says them; of a tower that timm built the capture finds them."""
    from open_clip.transformer import VisionTransformer

    plain = isinstance(tower, VisionTransformer)
    return VisionModel(
        name=name,
        net=tower,
        attention=(),
        prefix=("cls",) if plain else (),
        patch=tuple(tower.patch_size) if plain else None,
        preprocess=_preprocess(tower),
        labels=(),
        readout=_readout(tower) if plain else "",
        notes=notes,
        facts={"parameters": f"{sum(p.numel() for p in tower.parameters()) / 1e6:.1f} M"} | (facts or {}),
    )


def _readout(tower: Any) -> str:
    if tower.attn_pool is not None:
        return "pool"
    return {"tok": "cls", "avg": "mean"}.get(tower.pool_type, "")


def _preprocess(tower: Any) -> Preprocess:
    said = getattr(tower, "preprocess_cfg", {})
    size = said.get("size") or input_size(tower)
    interpolation = said.get("interpolation", "bicubic")
    return Preprocess(
        size=(size, size) if isinstance(size, int) else (size[0], size[1]),
        mean=tuple(said.get("mean", IMAGENET_MEAN)),
        std=tuple(said.get("std", IMAGENET_STD)),
        interpolation=interpolation if interpolation in RESAMPLE else "bicubic",
        fit=FIT.get(said.get("resize_mode", "shortest"), "crop"),  # type: ignore[arg-type]
    )
