"""Networks by their names, as their libraries describe them, compiled, and with checkpoints of timm in our ViT."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import timm
import torch
from safetensors.torch import save_file
from timm.data import resolve_model_data_config
from torch import nn

import vizapp
from support.networks import off, small_vit, stir
from vizapp import VizError, model
from vizapp.model.vit import ViT, resize_pos_embed
from vizapp.model.zoo import torchvision_models


def test_random_weights_are_those_of_the_name() -> None:
    """Another network at each start, whose maps nobody could compare; and nobody else's chance is touched by it."""

    def first(name: str) -> torch.Tensor:
        return torch.cat([one.flatten() for one in model.load(name, "cpu").net.parameters()])

    torch.manual_seed(5)
    one = first("timm:test_vit?pretrained=no")
    drawn = torch.rand(3)
    torch.manual_seed(5)
    assert torch.equal(drawn, torch.rand(3)), "as if nothing had been loaded"
    torch.manual_seed(6)
    assert torch.equal(one, first("timm:test_vit?pretrained=no"))
    assert not torch.equal(one[:1000], first("timm:test_vit2?pretrained=no")[:1000])
    tower = "torchvision:swin_t?pretrained=no"
    assert torch.equal(first(tower), first(tower))


@pytest.mark.parametrize("name", ["swin_s3_tiny_224", "levit_128s", "crossvit_9_240"])
def test_a_classifier_by_another_name_is_found(tmp_path: Path, name: str) -> None:
    """Swin's is called head.fc, LeViT's head.linear, CrossViT's head.0."""
    net = timm.create_model(name, num_classes=7).eval()
    save_file({key: value.clone() for key, value in net.state_dict().items()}, tmp_path / "own.safetensors")
    loaded = model.load(f"file:{tmp_path / 'own.safetensors'}?arch={name}", "cpu")
    pixels = torch.randn(1, 3, *loaded.preprocess.size)
    with torch.no_grad():
        assert torch.equal(loaded.net(pixels), net(pixels))
    assert len(loaded.labels) == 7


@pytest.mark.parametrize(
    ("name", "readout", "prefix"),
    [
        ("swin_tiny_patch4_window7_224", "mean", ()),
        ("beit_base_patch16_224", "mean", ("cls",)),
        ("deit3_small_patch16_224", "cls", ("cls",)),
        ("maxvit_nano_rw_256", "mean", ()),
    ],
)
def test_any_network_of_timm_is_described(name: str, readout: str, prefix: tuple[str, ...]) -> None:
    """Other architectures than the plain ViT: what they say themselves; grids and windows are found by the capture."""
    found = model.load(f"timm:{name}?pretrained=no", "cpu")
    assert (found.readout, found.prefix) == (readout, prefix)
    assert found.labels[0] == "tench"
    assert (found.patch is None) == (not name.startswith("deit3"))
    assert found.preprocess.size == resolve_model_data_config(found.net)["input_size"][1:]


DINOV2 = {"img_size": 518, "patch_size": 14, "embed_dim": 384, "num_heads": 6, "num_classes": 0, "init_values": 1e-5}
REAL: dict[str, dict[str, Any]] = {
    "vit_tiny_patch16_224": {"embed_dim": 192, "num_heads": 3},
    "deit_tiny_distilled_patch16_224": {"embed_dim": 192, "num_heads": 3, "distilled": True},
    "vit_small_patch16_224.dino": {"embed_dim": 384, "num_heads": 6, "num_classes": 0},
    "deit3_small_patch16_224": {"embed_dim": 384, "num_heads": 6, "no_embed_class": True, "init_values": 1e-6},
    "vit_small_patch14_dinov2": DINOV2,
    "vit_small_patch14_reg4_dinov2": DINOV2 | {"reg_tokens": 4, "no_embed_class": True},
}


@pytest.mark.parametrize("name", REAL)
def test_loads_timm_s_own_architecture_by_name(name: str) -> None:
    """A checkpoint of this name loads with nothing missing and nothing left over, and agrees with timm as built."""
    theirs = stir(timm.create_model(name, pretrained=False).eval())
    with torch.device("meta"):  # no time for an initialisation that is overwritten
        ours = ViT(**REAL[name]).eval()
        p = ours.patch_embed.patch_size
        resized = ViT(**REAL[name] | {"img_size": (5 * p, 8 * p)}).eval()
    ours.load_state_dict(theirs.state_dict(), strict=True, assign=True)
    state = ours.state_dict()
    state["pos_embed"] = resize_pos_embed(state["pos_embed"], resized.grid, n_prefix=resized.n_embed_prefix)
    resized.load_state_dict(state, strict=True, assign=True)
    pixels = torch.randn(1, 3, *ours.img_size, generator=torch.Generator().manual_seed(4))
    with torch.inference_mode():
        if ours.img_size == (224, 224):
            assert off(ours(pixels), theirs(pixels)) < 2e-5

        theirs.set_input_size(resized.img_size)
        pixels = pixels[:, :, : 5 * p, : 8 * p]
        assert off(resized(pixels), theirs(pixels)) < 2e-5


def hf_vit(**changes: object) -> nn.Module:
    from transformers import ViTConfig, ViTForImageClassification

    options = dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64, image_size=32)
    config = ViTConfig(**options, patch_size=8, id2label={0: "cat", 1: "dog", 2: "cup"}, **changes)
    return ViTForImageClassification(config).eval()


def test_the_weights_of_torchvision_say_it() -> None:
    from torchvision.models import VisionTransformer, ViT_B_16_Weights

    weights = ViT_B_16_Weights.IMAGENET1K_SWAG_E2E_V1
    by_name = torchvision_models.preprocess_in(weights.transforms())
    net = VisionTransformer(32, 8, 2, 2, 32, 64, num_classes=1000).eval()
    for given in (weights, weights.transforms, weights.transforms()):
        model = vizapp.describe(net, preprocess=given)
        assert model.preprocess == by_name
        assert model.preprocess.size == (384, 384)
    assert vizapp.describe(net, preprocess=weights).labels[0] == "tench"
    assert "Assumed" in vizapp.describe(net).notes[0]
    with pytest.raises(VizError, match="int does not say how pictures are prepared"):
        vizapp.describe(net, preprocess=224)


def test_a_network_of_transformers_says_it(tmp_path: Path, picture: np.ndarray) -> None:
    from transformers import ViTForImageClassification, ViTImageProcessor

    net = hf_vit()
    processor = ViTImageProcessor(size={"height": 32, "width": 32}, image_mean=[0.4, 0.5, 0.6], image_std=[0.2] * 3)
    alone = vizapp.describe(net)
    assert alone.labels == ("cat", "dog", "cup")
    assert "Assumed" in alone.notes[0]
    net.save_pretrained(tmp_path)
    processor.save_pretrained(tmp_path)
    by_name = vizapp.load(f"hf:{tmp_path}", "cpu")
    beside = vizapp.describe(ViTForImageClassification.from_pretrained(tmp_path).eval())
    given = vizapp.describe(net, preprocess=processor)
    for one in (beside, given):
        assert one.preprocess == by_name.preprocess
        assert one.preprocess.mean == (0.4, 0.5, 0.6)
        assert one.notes == ()
        assert vizapp.analyse(one, picture).top() == vizapp.analyse(by_name, picture).top()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("way", ["torch.compile(net)", "net.compile()", "its blocks", "its blocks, in place"])
def test_a_compiled_network_shows_what_it_did_before(picture: np.ndarray, way: str) -> None:
    compiled: list[str] = []

    def backend(graph: torch.fx.GraphModule, inputs: object) -> object:
        compiled.append("a graph")
        return graph.forward

    given = net = small_vit().net
    before = vizapp.analyse(net, picture)
    if way == "torch.compile(net)":
        given = torch.compile(net, backend=backend)
    elif way == "net.compile()":
        net.compile(backend=backend)
    else:
        for index, block in enumerate(net.blocks):
            if way == "its blocks":
                net.blocks[index] = torch.compile(block, backend=backend)
            else:
                block.compile(backend=backend)
    seen = vizapp.analyse(given, picture)
    assert [layer.name for layer in seen.trace.layers] == [layer.name for layer in before.trace.layers]
    for one, other in zip(seen.trace.layers, before.trace.layers, strict=True):
        torch.testing.assert_close(one.map(), other.map(), rtol=0, atol=0)
    assert seen.model_name == "ViT"
    assert vizapp.check(given).holds
    assert compiled == []
    with torch.no_grad():
        given(torch.randn(1, 3, 32, 32))
    assert compiled != [], "it is still what its owner made of it"
