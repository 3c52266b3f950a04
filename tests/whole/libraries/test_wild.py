"""Networks of the wild, from their libraries' own configurations with small random weights: exact, or refused in words.

Exact means: `check` holds, and the attention of every layer is what the library itself says (`output_attentions` of its eager
attention, or a hook on the softmax's output) to 1e-5. NETWORKS is the table: a verdict per line, to be changed where vizapp
learns to do more.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest
import timm
import torch
from torch import Tensor, nn

import vizapp
from support.networks import SMALL, heard
from vizapp import VizError
from vizapp.core.attention.layers import LayerAttention
from vizapp.model.own_network import describe
from vizapp.model.preprocess import Preprocess
from vizapp.model.spec import VisionModel

PICTURE = np.random.default_rng(0).integers(0, 256, (60, 80, 3), dtype=np.uint8)
# What the library says: (1 or windows, head, query, key) of each layer
Own = Callable[[nn.Module, Tensor], Sequence[Tensor]]


@dataclass(frozen=True)
class Network:
    """A line of the table.

    build    the network, as its library makes it, or with the few lines that a user would put around it
    size     of its pictures
    own      the library's own attention of the layers that are shown; None: it is refused
    refused  what the refusal says, as a pattern; "": it is shown
    order    of the library's tokens in vizapp's layout, where vizapp puts learned tokens in front of the patches
    aside    how many attentions vizapp does not show between patches: named in `trace.skipped`, or the pooling
    """

    build: Callable[[], nn.Module]
    size: tuple[int, int]
    own: Own | None = None
    refused: str = ""
    order: Sequence[int] | None = None
    aside: int = 0


def from_config(kind: str, **options: Any) -> nn.Module:
    """A network of transformers: its class, and what is said of its configuration."""
    transformers = pytest.importorskip("transformers", reason="transformers is an extra: pip install vizapp[hf]")
    transformers.logging.set_verbosity_error()
    net = getattr(transformers, kind)
    for name, one in options.items():
        if isinstance(one, tuple):  # (name of its class, what is said of it)
            options[name] = getattr(transformers, one[0])(**one[1])
    return net(net.config_class(**options))


class Wrapped(nn.Module):
    """A network behind a few lines of its user."""

    def __init__(self, net: nn.Module) -> None:
        super().__init__()
        self.net = net


class Spectrogram(Wrapped):
    """A network for sound that is shown the picture of it: time downwards, frequency to the right."""

    def forward(self, pixels: Tensor) -> Tensor:
        return self.net(pixels.mean(1)).logits


class WithText(Wrapped):
    """An image-text network with two texts."""

    def __init__(self, net: nn.Module) -> None:
        super().__init__(net)
        self.register_buffer("texts", torch.arange(2, 16).reshape(2, 7))

    def forward(self, pixels: Tensor) -> Tensor:
        return self.net(pixel_values=pixels, input_ids=self.texts).logits_per_image


def vit(**options: Any) -> nn.Module:
    return timm.create_model("vit_tiny_patch16_224", **{"depth": 2, "img_size": 64, "num_classes": 5, **options})


def said(where: str = "attentions", part: str = "") -> Own:
    """What transformers gives by `output_attentions`, under `where`, of the network or its `part`."""

    def own(net: nn.Module, pixels: Tensor) -> Sequence[Tensor]:
        inner = net.get_submodule(part)
        return getattr(inner(pixels, output_attentions=True, return_dict=True), where)

    return own


def in_wrapper(net: nn.Module, pixels: Tensor) -> Sequence[Tensor]:
    return net.net(pixels.mean(1), output_attentions=True).attentions


def unfused(net: nn.Module, pixels: Tensor) -> Sequence[Tensor]:
    """What timm's own attention applies where its fused kernel is off: a hook on what follows the softmax."""
    attentions = [module for module in net.modules() if hasattr(module, "fused_attn")]
    for one in attentions:
        one.fused_attn = False
    drops = {one.attn_drop for one in attentions}
    return heard(net, lambda: net(pixels), drops.__contains__, lambda module, inputs, output: inputs[0])


RESNET = ("ResNetConfig", dict(embedding_size=8, hidden_sizes=[8, 16], depths=[1, 1], out_features=["stage2"]))
VISION, TEXT = dict(image_size=32, patch_size=8, **SMALL), dict(vocab_size=50, max_position_embeddings=16, **SMALL)
DETR = dict(use_timm_backbone=False, use_pretrained_backbone=False, backbone=None, d_model=32, num_queries=5)
LAYERS = dict(encoder_layers=2, decoder_layers=2, encoder_attention_heads=4, decoder_attention_heads=4)

NETWORKS = {
    # Its decoder is aside: self attention of queries, and cross attention, of which the last is the pooling.
    "DETR": Network(
        lambda: from_config("DetrForObjectDetection", backbone_config=RESNET, **DETR, **LAYERS),
        (64, 64),
        said("encoder_attentions"),
        aside=4,
    ),
    "Segformer": Network(
        lambda: from_config(
            "SegformerForSemanticSegmentation",
            depths=[1] * 4,
            hidden_sizes=[16, 16, 32, 32],
            num_attention_heads=[1, 2, 4, 4],
            decoder_hidden_size=32,
        ),
        (64, 64),
        said(),
    ),
    # As it is, it wants no pixels but (picture, time, frequency).
    "AST": Network(
        lambda: from_config("ASTForAudioClassification", max_length=48, num_mel_bins=32, patch_size=8, **SMALL),
        (48, 32),
        refused=r"AST failed on a picture of 1 x 1 x 48 x 32.*wrap it in an nn.Module",
    ),
    "AST, its spectrogram as a picture": Network(
        lambda: Spectrogram(
            from_config(
                "ASTForAudioClassification",
                max_length=48,
                num_mel_bins=32,
                patch_size=8,
                frequency_stride=8,
                time_stride=8,
                **SMALL,
            )
        ),
        (48, 32),
        in_wrapper,
        # Its tokens go through time first, row by row of frequencies; vizapp's patches go through the picture.
        order=[0, 1, *(2 + frequency * 6 + time for time in range(6) for frequency in range(4))],
    ),
    "CLIP with text": Network(
        lambda: WithText(from_config("CLIPModel", vision_config=VISION, text_config=TEXT, projection_dim=16)),
        (32, 32),
        said(part="net.vision_model"),
        aside=2,
    ),
    "DPT": Network(
        lambda: from_config(
            "DPTForSemanticSegmentation",
            image_size=32,
            patch_size=8,
            backbone_out_indices=[0, 1, 2, 3],
            neck_hidden_sizes=[8, 8, 16, 16],
            fusion_hidden_size=16,
            use_auxiliary_head=False,
            **SMALL | {"num_hidden_layers": 4},
        ),
        (32, 32),
        said(),
    ),
    "YOLOS": Network(
        lambda: from_config(
            "YolosForObjectDetection", image_size=[32, 48], patch_size=8, num_detection_tokens=5, **SMALL
        ),
        (32, 48),
        said(),
        order=[0, *range(25, 30), *range(1, 25)],
    ),
    "one channel": Network(lambda: vit(in_chans=1), (64, 64), unfused),
}


def loud(net: nn.Module) -> nn.Module:
    """Random weights under which nothing may be forgotten: as they are made, most libraries' attention is all but even."""
    for name, parameter in net.named_parameters():
        with torch.no_grad():
            if parameter.ndim >= 2:
                looks = any(word in name for word in ("query", "key", "q_proj", "k_proj", "qkv", "in_proj"))
                gain = 2.5 if looks and "lora" not in name else 1.0
                parameter.normal_(0, gain / parameter[0].numel() ** 0.5)
            elif name.endswith("bias"):
                parameter.normal_(0, 0.2)
    return net.eval().requires_grad_(False)


@cache
def model_of(name: str) -> VisionModel:
    torch.manual_seed(0)
    net = loud(NETWORKS[name].build())
    for part in net.modules():  # the library's own words need its eager attention; a capture takes any
        if hasattr(part, "config") and hasattr(part, "set_attn_implementation"):
            part.set_attn_implementation("eager")
    return describe(net, name=name, preprocess=Preprocess(NETWORKS[name].size))


def map_of(layer: LayerAttention) -> Tensor:
    """(windows, head, query, key)."""
    return layer.parts.map().unflatten(0, (-1, layer.n_heads))


SHOWN = [name for name, one in NETWORKS.items() if one.own]
REFUSED = [name for name, one in NETWORKS.items() if one.refused]


def test_each_has_a_verdict() -> None:
    assert {*SHOWN, *REFUSED} == set(NETWORKS)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", SHOWN)
def test_it_is_exact(name: str) -> None:
    line, model = NETWORKS[name], model_of(name)
    found = vizapp.check(model)
    assert found.holds, found.problems
    assert (found.verdict == "exact") == (not line.aside), found.verdict
    seen = vizapp.analyse(model, PICTURE)
    assert len(found.calls) == len(seen.trace.layers) + line.aside
    with torch.no_grad():
        own = line.own(model.net, seen.context.pixels) if line.own else ()
    assert len(own) == len(seen.trace.layers)
    for layer, expected in zip(seen.trace.layers, own, strict=True):
        if line.order is not None:
            expected = expected[..., line.order, :][..., line.order]
        assert expected.std() > 0.1 / expected.shape[-1], "else any order of tokens would do"
        torch.testing.assert_close(map_of(layer), expected, rtol=0, atol=1e-5)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", REFUSED)
def test_it_is_refused_in_words(name: str) -> None:
    with pytest.raises(VizError, match=NETWORKS[name].refused):
        vizapp.analyse(model_of(name), PICTURE)
