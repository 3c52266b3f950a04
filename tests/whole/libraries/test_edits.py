"""An edit of a head in networks of timm, transformers and torchvision is what a hook on the plain network gives."""

from collections.abc import Callable
from typing import Any

import pytest
import timm
from torch import Tensor, nn

from support.edits import BOTH, assert_as_by_hand, hooked, loud, multihead_by_hand, run, unknown
from support.networks import SMALL, sharpen
from vizapp.core.interventions.head_off import HeadOff


def by_projection(
    net: nn.Module, values: str, projection: str, n_heads: int, edit: HeadOff, part: int = 0, mask: Tensor | None = None
) -> Callable[[Tensor], Tensor]:
    """A hook before the output projection, where heads lie side by side; the values by a hook on what makes them.

    part  which third of its output the values are, from 0; -1 for the last of three
    """

    def forward(pixels: Tensor) -> Tensor:
        given: list[Tensor] = []

        def before(module: nn.Module, inputs: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
            x = inputs[0].clone()
            width = x.shape[-1] // n_heads
            mine = slice(edit.head * width, (edit.head + 1) * width)
            v = (given[-1] if part == 0 else given[-1].chunk(3, -1)[part])[..., mine]
            if edit.by == "zero":
                x[..., mine] = 0
            elif mask is None:
                x[..., mine] = v.mean(-2, keepdim=True)
            else:  # (window, query, key), the same for each picture
                seen = (mask > -1).float().repeat(len(v) // len(mask), 1, 1)
                x[..., mine] = (seen / seen.sum(-1, keepdim=True)) @ v
            return (x,)

        keep = net.get_submodule(values).register_forward_hook(lambda module, inputs, output: given.append(output))
        with hooked(keep, net.get_submodule(projection).register_forward_pre_hook(before)):
            return run(net, pixels)

    return forward


@BOTH
@pytest.mark.parametrize("fused", [True, False])
def test_timm_vit(by: Any, fused: bool) -> None:
    net = sharpen(timm.create_model("vit_tiny_patch16_224", depth=3, img_size=48, num_classes=5))
    for block in net.blocks:
        block.attn.fused_attn = fused
    edit = HeadOff(1, 2, by)
    assert_as_by_hand(unknown(net), edit, by_projection(net, "blocks.1.attn.qkv", "blocks.1.attn.proj", 3, edit, -1))


@BOTH
@pytest.mark.parametrize("fused", [True, False])
@pytest.mark.parametrize("layer", [0, 1, 2])
def test_timm_swin(by: Any, fused: bool, layer: int) -> None:
    """The second layer's windows are shifted: there a key may be hidden, by -100."""
    options = {"img_size": 56, "depths": (2, 1), "num_heads": (2, 4), "num_classes": 5, "embed_dim": 32}
    net = sharpen(timm.create_model("swin_tiny_patch4_window7_224", **options))
    blocks = [(i, j) for i, stage in enumerate(net.layers) for j in range(len(stage.blocks))]
    for i, j in blocks:
        net.layers[i].blocks[j].attn.fused_attn = fused
    i, j = blocks[layer]
    block = net.layers[i].blocks[j]
    assert (block.attn_mask is not None) == (layer == 1)
    edit = HeadOff(layer, 1, by)
    where = f"layers.{i}.blocks.{j}.attn"
    hand = by_projection(net, f"{where}.qkv", f"{where}.proj", block.attn.num_heads, edit, -1, block.attn_mask)
    assert_as_by_hand(unknown(net, (56, 56)), edit, hand)


@BOTH
@pytest.mark.parametrize("implementation", ["sdpa", "eager"])
def test_transformers_vit(by: Any, implementation: str) -> None:
    transformers = pytest.importorskip("transformers")
    config = transformers.ViTConfig(
        **SMALL, image_size=48, patch_size=8, num_labels=5, attn_implementation=implementation
    )
    net = loud(transformers.ViTForImageClassification(config))
    linear = [name for name, one in net.named_modules() if isinstance(one, nn.Linear) and "attention" in name]
    (values,) = [name for name in linear if "layers.1." in name or "layer.1." in name if "v" in name.split(".")[-1]]
    (projection,) = [
        name for name in linear if "layers.1." in name or "layer.1." in name if "o_proj" in name or "output" in name
    ]
    edit = HeadOff(1, 3, by)
    assert_as_by_hand(unknown(net), edit, by_projection(net, values, projection, 4, edit))


@BOTH
def test_torchvision_vit(by: Any) -> None:
    from torchvision.models import VisionTransformer

    net = loud(VisionTransformer(48, 8, num_layers=2, num_heads=4, hidden_dim=32, mlp_dim=64, num_classes=5))
    edit = HeadOff(1, 1, by)
    name = "encoder.layers.encoder_layer_1.self_attention"
    assert_as_by_hand(unknown(net), edit, multihead_by_hand(net, name, edit))
