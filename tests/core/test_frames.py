"""Videos and volumes: several tokens on one patch, or frames where others have heads, are never shown as something else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
import timm
import torch
from conftest import small_vit
from test_capture import pixels_for
from together import together
from torch import Tensor, nn

import vizapp
from vizapp.core.capture.forward import CapturedCall, capture, layer_of
from vizapp.core.capture.reading import surveyed
from vizapp.core.capture.watch import Watch
from vizapp.errors import VizError
from vizapp.model.own_network import describe
from vizapp.model.preprocess import Preprocess
from vizapp.model.spec import VisionModel
from vizapp.model.zoo import timm_models

SMALL = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64}


class Still(nn.Module):
    """A network for clips (..., frame, ...) that is shown one picture, as often as it wants frames along `axis`."""

    def __init__(self, net: nn.Module, axis: int, frames: int = 4) -> None:
        super().__init__()
        self.net, self.axis, self.frames = net, axis, frames

    def forward(self, pixels: Tensor) -> Tensor:
        found = self.net(torch.stack([pixels] * self.frames, self.axis))
        return getattr(found, "logits", found)


def transformers_video(name: str, **options: object) -> nn.Module:
    transformers = pytest.importorskip("transformers", reason="transformers is an extra: pip install vizapp[hf]")
    config = getattr(transformers, f"{name}Config")(
        image_size=32, patch_size=8, num_frames=4, num_labels=3, **SMALL, **options
    )
    return Still(getattr(transformers, f"{name}ForVideoClassification")(config), 1)


def lucid_volume(module: str, name: str) -> nn.Module:
    vit_pytorch = pytest.importorskip(f"vit_pytorch.{module}", reason="vit-pytorch is not installed")
    sizes = {"image_size": 32, "frames": 4, "image_patch_size": 8, "frame_patch_size": 2}
    return Still(getattr(vit_pytorch, name)(**sizes, num_classes=5, dim=32, depth=2, heads=4, mlp_dim=64), 2)


class Frames(nn.Module):
    """Looks at each frame by itself, as pictures of one batch, and takes the mean; its attention is `spelt` in some way."""

    def __init__(self, spelt: str) -> None:
        super().__init__()
        self.patches, self.attention = nn.Conv2d(3, 16, 8, 8), Spelt(spelt)

    def forward(self, clip: Tensor) -> Tensor:
        tokens = self.patches(clip.flatten(0, 1)).flatten(2).transpose(1, 2)
        return self.attention(tokens).mean(1).unflatten(0, clip.shape[:2]).mean(1)


class Spelt(nn.Module):
    """Attention of 4 heads of 4 features over tokens (picture, token, 16), its heads on axes of many kinds."""

    def __init__(self, spelt: str) -> None:
        super().__init__()
        self.spelt = spelt
        self.weights = nn.Parameter(torch.randn(3, 16, 16) / 4)
        self.joint = nn.MultiheadAttention(16, 4, batch_first=True)

    def forward(self, x: Tensor) -> Tensor:
        if self.spelt.startswith("nn.MultiheadAttention"):
            return self.joint(x, x, x, need_weights="weights" in self.spelt)[0]
        if self.spelt == "one axis of heads":
            return attend(*(part.unflatten(-1, (4, 4)).transpose(1, 2) for part in x @ self.weights[:, None])).mean(1)
        if self.spelt == "two axes of heads":
            parts = (part.unflatten(-1, (2, 2, 4)).permute(0, 2, 3, 1, 4) for part in x @ self.weights[:, None])
            return attend(*parts).mean((1, 2))
        if self.spelt == "heads and pictures in one axis":
            parts = (part.unflatten(-1, (4, 4)).transpose(1, 2).flatten(0, 1) for part in x @ self.weights[:, None])
            return attend(*parts).unflatten(0, (-1, 4)).mean(1)
        assert self.spelt == "weights with an axis of heads"
        weights = self.weights.unflatten(-1, (4, 4))
        return attend(*(torch.einsum("bnd,dhk->hbnk", x, one) for one in weights)).mean(0)


def attend(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return (q @ k.transpose(-2, -1)).softmax(-1) @ v


WAYS = (
    "nn.MultiheadAttention",
    "nn.MultiheadAttention, weights",
    "one axis of heads",
    "two axes of heads",
    "heads and pictures in one axis",
    "weights with an axis of heads",
)
VIDEOS: dict[str, Callable[[], nn.Module]] = {
    "VideoMAE": lambda: transformers_video("VideoMAE", tubelet_size=2),
    "TimeSformer": lambda: transformers_video("Timesformer"),
    "TimeSformer, joint": lambda: transformers_video("Timesformer", attention_type="joint_space_time"),
    "TimeSformer, space only": lambda: transformers_video("Timesformer", attention_type="space_only"),
    "vit_3d": lambda: lucid_volume("vit_3d", "ViT"),
    "simple_vit_3d": lambda: lucid_volume("simple_vit_3d", "SimpleViT"),
    **{f"frames by themselves, {spelt}": lambda spelt=spelt: Still(Frames(spelt), 1) for spelt in WAYS},
}


def described(net: nn.Module) -> VisionModel:
    return describe(net.eval(), preprocess=Preprocess((32, 32)))


@together("name", VIDEOS)
def test_a_video_is_refused_in_words(name: str) -> None:
    torch.manual_seed(0)
    model = described(VIDEOS[name]())
    pixels = pixels_for(model)
    with pytest.raises(VizError, match=r"several of its tokens stand on one patch.*Videos and volumes are not shown"):
        capture(model, pixels)
    found = vizapp.check(model)
    assert found.calls
    assert {call.kind for call in found.calls} == {"frames"}


@pytest.mark.parametrize("spelt", WAYS)
def test_heads_on_other_axes_are_still_heads(spelt: str) -> None:
    """Planted: the same attention on one picture, wherever its heads are."""

    class One(Frames):
        def forward(self, pixels: Tensor) -> Tensor:
            return super().forward(pixels[:, None])

    torch.manual_seed(0)
    model = described(One(spelt))
    (layer,) = capture(model, pixels_for(model)).layers
    assert (layer.n_heads, layer.n_queries) == (4, 16)
    assert {call.kind for call in vizapp.check(model).calls} == {"tokens"}


def test_tokens_are_compared_with_the_layout() -> None:
    """Whatever went wrong before: a layer of more tokens than patches is never made."""
    model = small_vit()
    model = replace(model, patch=None, attention=())
    calls: list[CapturedCall] = []
    pixels = pixels_for(model)
    with torch.no_grad(), Watch(model.net, lambda call: calls.append(CapturedCall.of(call))):
        model.net(pixels)
    axes = next(iter(surveyed(model, pixels).layouts.values()))
    assert layer_of(calls[0], axes).n_queries == 17
    with pytest.raises(VizError, match=r"has 17 tokens where 16 tokens \(4x4 patches\) were found"):
        layer_of(calls[0], replace(axes, layout=vizapp.TokenLayout((), (4, 4))))


@pytest.mark.parametrize("name", ["twins_svt_small", "sehalonet33ts"])
def test_windows_may_look_with_the_same_features(name: str) -> None:
    """Their heads stand on axes of many kinds, too, and each window has all of them."""
    model = timm_models.describe(timm.create_model(name).eval(), name=name, labels=())
    assert {axes.kind for axes in surveyed(model, pixels_for(model)).layouts.values()} == {"tokens"}
