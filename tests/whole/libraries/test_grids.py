"""Grids, windows and films of networks of timm and transformers."""

from collections.abc import Callable

import pytest
import timm
import torch
from torch import Tensor, nn

import vizapp
from support.frames import WAYS, Frames, described
from support.grids import seen, unknown
from support.networks import SMALL, pixels_for
from support.together import together
from vizapp.core.capture.forward import capture
from vizapp.core.capture.reading import surveyed
from vizapp.core.methods import method_named
from vizapp.errors import VizError
from vizapp.model.zoo import timm_models


@pytest.mark.parametrize(
    ("name", "options", "size", "grids", "prefix"),
    [
        ("deit_tiny_distilled_patch16_224", {"depth": 1, "img_size": 48}, 48, [(3, 3)], ("extra0", "extra1")),
        ("pvt_v2_b0", {"depths": (1, 1, 1, 1)}, 64, [(16, 16), (8, 8), (4, 4), (2, 2)], ()),
        ("hiera_tiny_224", {"img_size": 64, "stages": (1, 1, 1, 1)}, 64, [(16, 16), (8, 8), (4, 4), (2, 2)], ()),
        ("levit_128s", {}, 224, [(14, 14), (7, 7), (4, 4)], ()),
        ("volo_d1_224", {"img_size": 64}, 64, [(8, 8), (4, 4)], ()),
        ("mobilevit_xxs", {}, 64, [(8, 8), (4, 4), (2, 2)], ()),
        ("cait_xxs24_224", {"depth": 1, "img_size": 64}, 64, [(4, 4)], ()),
    ],
)
def test_grids_are_found_in_many_families(
    name: str, options: dict, size: int, grids: list[tuple[int, int]], prefix: tuple[str, ...]
) -> None:
    trace = seen(unknown(timm.create_model(name, num_classes=1, **options), (size, size)), torch.float32)
    assert list(dict.fromkeys(layer.layout.grid for layer in trace.layers)) == grids
    assert trace.layout.prefix == prefix
    assert (trace.pool is not None) == (name[:4] in {"cait", "volo"})


def test_branches_and_channels_are_named() -> None:
    net = timm.create_model("crossvit_tiny_240", num_classes=1)
    with pytest.raises(VizError, match=r"blocks\.0\.blocks\.0.*blocks\.0\.blocks\.1.*side by side"):
        method_named("rollout")(seen(unknown(net, (240, 240)), torch.float32))
    net = timm.create_model("davit_tiny", num_classes=1, depths=(1, 1, 1, 1))
    trace = seen(unknown(net, (224, 224)), torch.float32)
    assert len(trace.layers) == 4
    assert set(trace.skipped.values()) == {"it weighs channels, not patches"}
    trace = seen(unknown(timm.create_model("xcit_nano_12_p16_224", depth=1, num_classes=1), (224, 224)), torch.float32)
    assert (trace.layers, len(trace.cross)) == ((), 2)
    assert trace.skipped == {"blocks.0.attn": "it weighs channels, not patches"}


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


VIDEOS: dict[str, Callable[[], nn.Module]] = {
    "VideoMAE": lambda: transformers_video("VideoMAE", tubelet_size=2),
    "TimeSformer": lambda: transformers_video("Timesformer"),
    "TimeSformer, space only": lambda: transformers_video("Timesformer", attention_type="space_only"),
    "vit_3d": lambda: lucid_volume("vit_3d", "ViT"),
    **{f"frames by themselves, {spelt}": lambda spelt=spelt: Still(Frames(spelt), 1) for spelt in WAYS},
}


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


def test_windows_may_look_with_the_same_features() -> None:
    """Their heads stand on axes of many kinds, too, and each window has all of them."""
    model = timm_models.describe(timm.create_model("sehalonet33ts").eval(), name="sehalonet33ts", labels=())
    assert {axes.kind for axes in surveyed(model, pixels_for(model)).layouts.values()} == {"tokens"}
