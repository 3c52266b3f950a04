"""The vision towers of open_clip: open_clip:NAME?pretrained=TAG. They have no classifier, so no labels."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from typing import Any

from torch import Tensor

from vizapp.errors import VizError
from vizapp.model.downloads import (
    RANDOM,
    no_vain_retries,
    not_built,
    not_downloaded,
    not_installed,
    not_known,
    tokenizer_of,
)
from vizapp.model.inputs import IMAGENET_MEAN, IMAGENET_STD, input_size
from vizapp.model.preprocess import RESAMPLE, Preprocess
from vizapp.model.spec import VisionModel
from vizapp.model.text_tower import Reader, TextTower
from vizapp.model.zoo import ModelName, parse_size
from vizapp.wording import Text

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
                weights_only=True,
            )
    except Exception as error:  # open_clip raises RuntimeError for nearly everything
        if tag is not None or from_hub:
            raise not_downloaded(asked.name) from error
        raise not_built(asked.name, error) from error
    random = tag is None and not from_hub
    facts = {"weights": tag} if tag else {}
    model = describe(whole.visual, name=asked.text, notes=(RANDOM,) if random else (), facts=facts)
    return replace(model, texts=Reader(partial(text_tower, whole, asked.name)))


def text_tower(whole: Any, name: str) -> TextTower:
    """Return the tower of `whole` that reads sentences; features of pictures are comparable with its output as they are.

    Raises `VizError` if the tokenizer of `name` is not available: some lie on the hub.
    """
    import open_clip

    tokenizer = tokenizer_of(name, lambda: open_clip.get_tokenizer(name))

    def encode(sentences: Sequence[str]) -> Tensor:
        return whole.eval().encode_text(tokenizer(list(sentences)).to(whole.logit_scale.device))

    return TextTower.of(whole, encode)


def _tag(name: str, asked: str) -> str | None:
    """Choose the pretrained weights: those that were asked for, else the first; None for "no". Never a path."""
    import open_clip

    known = open_clip.list_models()
    if name not in known:
        raise not_known("open_clip", name, known, "open_clip.list_models()")
    if asked == "no":
        return None
    tags = open_clip.list_pretrained_tags_by_model(name)
    if asked in tags or (tags and not asked):
        return asked or tags[0]
    hint = Text("Say pretrained=TAG, where TAG is one of: {tags}.", tags=", ".join(tags[:8]))
    if not tags:
        hint = Text("There are none: say pretrained=no.")
    raise VizError("open_clip has no weights '{asked}' of {name}.", hint, asked=asked, name=name)


def describe(tower: Any, *, name: str, notes: tuple[str, ...] = (), facts: dict[str, str] | None = None) -> VisionModel:
    """Read the facts of a vision tower: open_clip's own ViT declares them; the capture finds those of a tower that timm built."""
    from open_clip.transformer import VisionTransformer

    plain = isinstance(tower, VisionTransformer)
    return VisionModel(
        name=name,
        net=tower,
        attention=(),
        prefix=("cls",) if plain else (),
        patch=tuple(tower.patch_size) if plain else None,
        preprocess=preprocess_of(tower),
        labels=(),
        readout=_readout(tower) if plain else "",
        notes=notes,
        facts={"parameters": f"{sum(p.numel() for p in tower.parameters()) / 1e6:.1f} M"} | (facts or {}),
    )


def _readout(tower: Any) -> str:
    if tower.attn_pool is not None:
        return "pool"
    return {"tok": "cls", "avg": "mean"}.get(tower.pool_type, "")


def preprocess_of(tower: Any) -> Preprocess:
    """Read the preparation of pictures from the tower's own configuration."""
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
