"""Networks of Hugging Face's transformers: hf:OWNER/NAME, or hf:PATH of a folder that save_pretrained wrote.

A checkpoint with a classifier is loaded with it; from one with two towers (CLIP, SigLIP) only the vision tower is loaded.
"""

import inspect
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from vizapp.errors import VizError
from vizapp.memory import require_room
from vizapp.model.bounds import check_config
from vizapp.model.downloads import (
    RANDOM,
    in_words,
    is_out_of_reach,
    is_pretrained,
    no_vain_retries,
    not_downloaded,
    not_installed,
    refuse_cut,
    tokenizer_of,
)
from vizapp.model.inputs import IMAGENET_MEAN, IMAGENET_STD, input_size
from vizapp.model.labels import imagenet_labels, numbered_labels
from vizapp.model.preprocess import Fit, Preprocess
from vizapp.model.processor import PROBE, Processor, measured
from vizapp.model.spec import VisionModel
from vizapp.model.text_tower import Reader, TextTower
from vizapp.model.zoo import ModelName, parse_size
from vizapp.wording import Text

PREFIXES = ("hf",)

TOWERS = ("vision_model", "vision_tower", "visual")
MEAN = ("CLIP", "MetaClip2", "Siglip", "IJepa")  # whose classifiers read the mean of the patches
HIERARCHY = (
    "depths",
    "hidden_sizes",
    "embed_dims",
    "num_stages",
    "window_size",
)  # words of networks with several grids
PREFIX = {"cls_token": "cls", "class_embedding": "cls", "distillation_token": "dist"}


def names() -> tuple[str, ...]:
    listed = ("hf:google/vit-base-patch16-224", "hf:facebook/dinov2-with-registers-small")
    return listed if find_spec("transformers") else ()


def load(asked: ModelName) -> VisionModel:
    options = asked.take(pretrained="yes", size="")
    pretrained, size = is_pretrained(options["pretrained"]), parse_size(options["size"])
    if find_spec("transformers") is None:
        raise not_installed("transformers", "hf")
    try:
        with no_vain_retries():
            if not Path(asked.name).is_dir() and is_out_of_reach(asked.name):
                raise not_downloaded(asked.name)  # the next line takes seconds
            import transformers

            check_config(transformers.PreTrainedConfig.get_config_dict(asked.name)[0])
            config = transformers.AutoConfig.from_pretrained(asked.name, trust_remote_code=False)
            net, whole = _network(asked.name, config, pretrained)
            processor = processor_of(asked.name)
    except VizError:
        raise
    except OSError as error:  # also what huggingface_hub raises
        raise not_downloaded(asked.name) from error
    except Exception as error:
        said = in_words(error)
        raise VizError(
            "{name} could not be loaded by transformers: {said}.", "Choose another model.", name=asked.name, said=said
        ) from error
    model = describe(net, processor, name=asked.text, size=size, notes=() if pretrained else (RANDOM,))
    if not hasattr(whole, "get_text_features") or not hasattr(whole, "logit_scale"):
        return model
    return replace(model, texts=Reader(partial(text_tower, whole, asked.name)))


def _network(name: str, config: Any, pretrained: bool) -> tuple[Any, Any]:
    """Load the network, with the classifier if the checkpoint has one; of two towers, return the vision tower, and both."""
    from transformers import AutoModel, AutoModelForImageClassification

    classifies = any("ForImageClassification" in kind for kind in config.architectures or ())
    kind = AutoModelForImageClassification if classifies else AutoModel
    if hasattr(config, "mask_ratio"):
        config.mask_ratio = 0.0  # a masked autoencoder should see the whole picture
    require_room(name, lambda: kind.from_config(config, trust_remote_code=False))
    if pretrained:
        net = kind.from_pretrained(name, config=config, trust_remote_code=False)
    else:
        net = kind.from_config(config, trust_remote_code=False)
    return net if classifies else next((getattr(net, tower) for tower in TOWERS if hasattr(net, tower)), net), net


def text_tower(whole: Any, name: str) -> TextTower:
    """Return the tower of `whole` that reads sentences. Raises `VizError` if the tokenizer of `name` is not available."""
    from transformers import AutoTokenizer

    tokenizer = tokenizer_of(name, lambda: AutoTokenizer.from_pretrained(name, trust_remote_code=False))
    length = getattr(whole.config.text_config, "max_position_embeddings", None)
    # As in their training: SigLIP read sentences that were all padded to one length, CLIP with a mask.
    padding: Any = "max_length"
    words = ["input_ids"]
    if getattr(whole, "logit_bias", None) is None:
        padding, words = True, ["input_ids", "attention_mask"]

    def encode(sentences: Sequence[str]) -> Tensor:
        tokens = tokenizer(list(sentences), padding=padding, truncation=True, max_length=length, return_tensors="pt")
        for sentence, ids in zip(sentences, tokens["input_ids"].tolist(), strict=True):
            if set(ids) <= set(tokenizer.all_special_ids):  # transformers returns this silently if files are missing
                raise VizError(
                    "The tokenizer of {name} knows no word of '{sentence}'.",
                    "It is downloaded once, from the hub, or lies beside the weights (tokenizer.json).",
                    name=name,
                    sentence=sentence,
                )
        given = {word: tokens[word].to(whole.logit_scale.device) for word in words if word in tokens}
        found = whole.eval().get_text_features(**given)
        vectors: Tensor = found if isinstance(found, Tensor) else found.pooler_output
        return vectors

    return TextTower.of(whole, encode, getattr(getattr(whole, "visual_projection", None), "weight", None))


def processor_of(name: str, only_here: bool = False) -> Any:
    """Load the image processor that the checkpoint declares; None if it declares none.

    only_here  download nothing: use a folder, or an earlier download
    """
    from transformers import AutoImageProcessor

    try:
        return AutoImageProcessor.from_pretrained(name, local_files_only=only_here, trust_remote_code=False)
    except (OSError, ValueError, KeyError, ImportError):  # an ImportError names a package that this processor needs
        return None


def describe(
    net: Any,
    processor: Any,
    *,
    name: str,
    size: tuple[int, int] | None = None,
    notes: tuple[str, ...] = (),
) -> VisionModel:
    """Read the facts of a network of transformers from its parts and its config. The capture finds the missing ones."""
    config = _config(net)
    if processor is None:
        assumed = "The checkpoint does not say how pictures are prepared: the colours of ImageNet are assumed."
        notes = (*notes, Text(assumed))
        preprocess, flips = Preprocess(size or input_size(config), IMAGENET_MEAN, IMAGENET_STD), False
    else:
        does = measured(processor)
        preprocess, flips = preprocess_of(does, size, input_size(config)), does.flips
    pixels = _Pixels(net, flips)
    patch: Any = getattr(config, "patch_size", None)
    plain = isinstance(patch, int) and not any(hasattr(config, word) for word in HIERARCHY)
    if plain:
        refuse_cut(preprocess.size, (patch, patch))
    return VisionModel(
        name=name,
        net=pixels,
        attention=(),
        prefix=_prefix(net) if plain else (),
        patch=(patch, patch) if plain else None,
        preprocess=preprocess,
        labels=labels_of(net),
        activation=activation_of(net.config),
        readout=_readout(net),
        notes=notes,
        facts={"parameters": f"{sum(p.numel() for p in net.parameters()) / 1e6:.1f} M"},
    )


def _config(net: Any) -> Any:
    """Return the config of the vision part."""
    return getattr(net.config, "vision_config", net.config)


class _Pixels(nn.Module):
    """The network as a function of its pixels: the logits, or the pooled features, or the tokens."""

    def __init__(self, net: Any, flips: bool) -> None:
        super().__init__()
        self.net, self.flips = net, flips
        takes = inspect.signature(net.forward).parameters
        needs = [
            one.name for one in list(takes.values())[1:] if one.default is one.empty and one.kind <= one.KEYWORD_ONLY
        ]
        needs = [one for one in needs if one not in {"kwargs", "pixel_values"}]
        if "pixel_values" not in takes or needs:
            message = Text("{kind} takes no pixels, and vizapp can give nothing else.", kind=type(net).__name__)
            if needs:
                message = Text(
                    "{kind} needs {names}, which vizapp cannot give.", kind=type(net).__name__, names=", ".join(needs)
                )
            raise VizError(
                message, "Load it with transformers, and give the other inputs: vizapp.describe(net, inputs=...)."
            )
        self.interpolates, self.shuffles = "interpolate_pos_encoding" in takes, "noise" in takes

    def forward(self, pixels: Tensor) -> Tensor:
        options: dict[str, Any] = {}
        if self.interpolates and pixels.shape[-2:] != input_size(_config(self.net)):
            options["interpolate_pos_encoding"] = True
        if self.shuffles:  # a masked autoencoder sorts its patches by this noise: keep their order
            patch = _config(self.net).patch_size
            n_patches = (pixels.shape[-2] // patch) * (pixels.shape[-1] // patch)
            options["noise"] = torch.arange(n_patches, device=pixels.device).float().expand(len(pixels), -1)
        out = self.net(pixel_values=pixels.flip(1) if self.flips else pixels, **options)
        for word in ("logits", "pooler_output"):
            if getattr(out, word, None) is not None:
                found: Tensor = getattr(out, word)
                return found
        tokens: Tensor = out[0]
        return tokens


def preprocess_of(does: Processor, asked: tuple[int, int] | None, own: tuple[int, int]) -> Preprocess:
    """Prepare pictures by an image processor, at its own size, or at the network's `own` where its size follows the picture's.

    At another size that is `asked`, and where a caller chooses another fit, a picture is prepared alike as far as the colours,
    the crop and the interpolation go.
    """
    alike = partial(Preprocess, interpolation=does.interpolation)
    if does.why_not is not None:
        return alike(asked or own, IMAGENET_MEAN, IMAGENET_STD, own=does)
    (height, width), (rows, cols) = does.usual.size, does.usual.scaled
    if does.usual.size != does.turned.size:
        return alike(asked or own, does.mean, does.std, fit="squash", own=does if asked in {None, own} else None)
    ratios = height / rows, width / cols
    keeps_shape = abs(rows / cols * PROBE[1] / PROBE[0] - 1) < 0.02  # up to rounding
    fit: Fit = "squash" if not keeps_shape else "pad" if min(ratios) >= 1 else "crop"
    crop = min(ratios) if fit == "pad" else max(ratios)
    size = asked or (height, width)
    return alike(size, does.mean, does.std, crop=crop, fit=fit, own=does if size == (height, width) else None)


def _prefix(net: Any) -> tuple[str, ...]:
    """The learned tokens before the patches, by the names of its parameters, in the order that transformers knows."""
    words = {name.rpartition(".")[2]: parameter for name, parameter in net.named_parameters()}
    found = tuple(dict.fromkeys(PREFIX[word] for word in PREFIX if word in words))
    registers = words["register_tokens"].shape[-2] if "register_tokens" in words else 0
    return found + tuple(f"reg{i}" for i in range(registers))


def _readout(net: Any) -> str:
    """Name the tokens that the classifier reads, if transformers' code tells; "" leaves it to the capture."""
    kind, prefix = type(net).__name__, _prefix(net)
    if getattr(net.config, "use_mean_pooling", False):
        return "mean"
    if "ForImageClassification" not in kind:
        return "cls" if "cls" in prefix else ""
    if kind.endswith("WithTeacher"):
        return "cls+dist"
    return "mean" if kind.startswith(MEAN) else "cls" if "cls" in prefix else ""


def activation_of(config: Any) -> str:
    """Return the activation as in `VisionModel`: "none" for a regression, "" if the config does not tell."""
    kind = getattr(config, "problem_type", None)
    if kind == "regression" or (kind is None and getattr(config, "num_labels", 2) == 1):  # as transformers trains it
        return "none"
    return "sigmoid" if kind == "multi_label_classification" else ""


def labels_of(net: Any) -> tuple[str, ...]:
    """Name each logit of a classifier; () for any other network."""
    if "ForImageClassification" not in type(net).__name__:
        return ()
    said = net.config.id2label
    labels = tuple(str(said.get(index, f"LABEL_{index}")) for index in range(net.config.num_labels))
    if all(label.startswith("LABEL_") for label in labels):
        return imagenet_labels(len(labels)) or numbered_labels(len(labels))
    return labels
