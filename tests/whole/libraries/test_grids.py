"""Grids of tokens in many families."""

import pytest
import timm
import torch

from support.grids import seen, unknown
from vizapp.core.methods import method_named
from vizapp.errors import VizError


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


def test_two_branches_are_not_one_chain() -> None:
    net = timm.create_model("crossvit_tiny_240", num_classes=1)
    with pytest.raises(VizError, match=r"blocks\.0\.blocks\.0.*blocks\.0\.blocks\.1.*side by side"):
        method_named("rollout")(seen(unknown(net, (240, 240)), torch.float32))


def test_channel_attention_is_named_and_not_painted() -> None:
    net = timm.create_model("davit_tiny", num_classes=1, depths=(1, 1, 1, 1))
    trace = seen(unknown(net, (224, 224)), torch.float32)
    assert len(trace.layers) == 4
    assert set(trace.skipped.values()) == {"it weighs channels, not patches"}
    trace = seen(unknown(timm.create_model("xcit_nano_12_p16_224", depth=1, num_classes=1), (224, 224)), torch.float32)
    assert (trace.layers, len(trace.cross)) == ((), 2)
    assert trace.skipped == {"blocks.0.attn": "it weighs channels, not patches"}
