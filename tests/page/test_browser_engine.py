"""The browser's forward pass gives Python's numbers: vizapp/browser/engine in Node, for each kind of network that it knows."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import timm
import torch
from torch import Tensor

import vizapp
from support.engine import FULL, HALF, SMALL, run_node, write, write_curve
from support.families import family
from support.networks import small_vit
from support.node import needs_node
from support.paths import ROOT
from support.together import together
from vizapp.browser.network import pack_network
from vizapp.errors import VizError
from vizapp.model.preprocess import Preprocess
from vizapp.model.spec import VisionModel
from vizapp.model.vit import ViT

ENGINE = ROOT / "vizapp" / "browser" / "engine"
BUNDLED = ("toy", "registers", "mean", "crate")


@needs_node
def test_a_pass_in_the_browser_gives_the_numbers_of_python(tmp_path: Path) -> None:
    """Logits, q, k, v, residual stream, norms, and attention of the first token; with heads switched off, too. Weights of 8 bits
    are Python's to the last bit, so their numbers are as close as those of all weights in full."""
    for name, changes in SMALL.items():
        edits = name in ("registers", "head_dim")
        write(tmp_path, f"small-{name}", small_vit(**changes), half=False, bound=FULL, edits=edits)
    toy = vizapp.load("toy", "cpu")
    write(tmp_path, "toy-half", toy, half=True, bound=HALF)
    write(tmp_path, "toy-rounded", vizapp.quantised(toy), half=True, bound=FULL)
    write_curve(tmp_path)
    run_node(tmp_path)


@pytest.mark.parametrize("name", BUNDLED)
def test_the_file_is_hardly_larger_than_the_weights(name: str) -> None:
    model = vizapp.load(name, "cpu")
    in_half = 2 * sum(value.numel() for value in model.net.state_dict().values())
    assert len(pack_network(model)) <= 1.05 * in_half


def header_of(made: bytes) -> dict[str, Any]:
    return json.loads(made[8 : 8 + int.from_bytes(made[4:8], "little")])


@pytest.mark.parametrize(("factor", "kind"), [(1.0, "f16"), (1e6, "f32"), (1e-6, "f32")])
def test_what_half_precision_would_spoil_stays_as_it_is(factor: float, kind: str) -> None:
    """Numbers beyond 65504, and numbers so small that few digits would be left."""
    model = small_vit()
    model.net.blocks[1].mlp.fc1.weight.mul_(factor)  # type: ignore[union-attr]
    tensors = header_of(pack_network(model))["tensors"]
    assert tensors["blocks.1.mlp.fc1.weight"][1] == kind
    assert tensors["blocks.0.mlp.fc1.weight"][1] == "f16"
    assert tensors["blocks.0.mlp.fc1.bias"][1] == "f32"


def timm_model(name: str, **options: Any) -> VisionModel:
    net = timm.create_model(name, img_size=32, patch_size=8, embed_dim=48, depth=2, num_heads=4, **options).eval()
    return VisionModel(
        "of timm",
        net,
        ("blocks.0.attn", "blocks.1.attn"),
        ("cls",),
        (8, 8),
        Preprocess((32, 32), (0.5,) * 3, (0.5,) * 3),
        readout="",
    )


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("vit_base_patch16_224", {}),
        ("deit_base_distilled_patch16_224", {}),
        ("vit_base_patch14_reg4_dinov2", {"num_classes": 3}),
        ("vit_base_patch16_clip_224", {}),
        ("vit_base_patch16_224", {"global_pool": "avg", "class_token": False}),
        ("vit_base_patch16_224", {"pos_embed": "none"}),
        ("vit_base_patch16_224", {"act_layer": "relu"}),
        ("vit_base_patch16_224", {"act_layer": "gelu_tanh"}),
        ("vit_base_patch16_224", {"scale_mlp_norm": True}),
    ],
)
def test_networks_of_timm_are_packed(name: str, options: dict[str, Any]) -> None:
    """By proof: a replica of what is written gives their numbers."""
    model = timm_model(name, **options)
    tensors = header_of(pack_network(model))["tensors"]
    assert tensors.keys() == model.net.state_dict().keys()


class PostNorm(timm.models.vision_transformer.Block):
    """Norms behind attention and MLP, by the same names."""

    def forward(self, x: Tensor, *given: Any, **named: Any) -> Tensor:
        x = x + self.norm1(self.attn(x))
        return x + self.norm2(self.mlp(x))


@together(
    ("name", "options", "why"),
    [
        ("vit_base_patch16_224", {"act_layer": "hard_swish"}, "activation of its MLPs is Hardswish"),
        ("vit_base_patch16_224", {"block_fn": PostNorm}, "gives other numbers"),
        ("vit_base_patch16_224", {"global_pool": "max"}, r"in another way \('max'\)"),
        ("vit_base_patch16_224", {"scale_attn_norm": True}, "norm after the values"),
        ("vit_base_patch16_224", {"norm_layer": "rmsnorm"}, "no layer norms"),
        ("vit_base_patch16_rope_mixed_224", {}, "differ from layer to layer"),
        ("cait_xxs24_224", {}, "talking heads"),
    ],
)
def test_other_networks_are_refused_in_words(name: str, options: dict[str, Any], why: str) -> None:
    with pytest.raises(VizError, match=why) as refused:
        pack_network(timm_model(name, **options))
    assert refused.value.hint


def test_what_cannot_be_packed_is_said() -> None:
    """What is written is what was read from names; that the network computes with it is shown on noise."""
    model = family("beit")
    model.net.blocks[1].attn.relative_position_index.add_(1).remainder_(700)  # type: ignore[union-attr, operator]
    with pytest.raises(VizError, match="gives other numbers"):
        pack_network(model)
    with pytest.raises(VizError, match=r"reads \(reg7\) is none of its tokens"):
        pack_network(replace(small_vit(), readout="reg7"))
    model = small_vit()
    model.net.blocks[1].mlp.fc1.weight.data[0, 0] = torch.nan  # type: ignore[union-attr, index]
    with pytest.raises(VizError, match=r"blocks\.1\.mlp\.fc1\.weight has values that are no numbers"):
        pack_network(model)
    model = timm.create_model("resnet18").eval()
    described = VisionModel("resnet", model, (), (), None, Preprocess((64, 64), (0.5,) * 3, (0.5,) * 3))
    with pytest.raises(VizError, match="cannot be run in the browser"):
        pack_network(described)
    with pytest.raises(VizError, match=r"one tensor \(4, 17, 8\) for each of 3 layers"):
        pack_network(small_vit(), head_means=[torch.zeros(4, 17, 8)] * 2)


@pytest.mark.parametrize(
    ("name", "options", "prefix", "readout"),
    [
        ("deit_tiny_distilled_patch16_224", {"img_size": 32}, ["cls", "dist"], "cls+dist"),
        ("vit_small_patch14_reg4_dinov2", {"img_size": 28}, ["cls", "reg0", "reg1", "reg2", "reg3"], "cls"),
        ("deit_tiny_patch16_224", {"img_size": 32, "class_token": False, "global_pool": "avg"}, [], "mean"),
    ],
)
@pytest.mark.parametrize("is_analysed", [False, True])
def test_what_a_described_network_reads_has_a_name_in_its_file(
    name: str, options: dict[str, Any], prefix: list[str], readout: str, is_analysed: bool
) -> None:
    """Its prefix tokens are numbered once a picture was looked at, and what is read is not known before."""
    model = vizapp.describe(timm.create_model(name, depth=1, num_classes=3, **options).eval())
    if is_analysed:
        seen = vizapp.analyse(model, np.zeros((32, 32, 3), np.uint8))
        assert seen.context is not None
        model = seen.context.ready().model
    header = header_of(pack_network(model))
    assert (header["prefix"], header["readout"]) == (prefix, readout)


class Flipped(ViT):
    """Derived from ours, and another network."""

    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x.flip(-1))


def test_small_layer_scales_and_children_of_ours_hide_nothing() -> None:
    """Logits alone would prove neither: they hardly know of a layer whose scale is tiny."""
    net = timm.create_model("vit_tiny_patch16_224", img_size=32, depth=1, num_classes=3, init_values=1e-5).eval()
    pack_network(vizapp.describe(net))
    net.blocks[0].attn.fused_attn, net.blocks[0].attn.scale = False, 8 * net.blocks[0].attn.scale
    with pytest.raises(VizError, match="gives other numbers"):
        pack_network(vizapp.describe(net))
    model = small_vit()
    model.net.__class__ = Flipped
    with pytest.raises(VizError, match="gives other numbers"):
        pack_network(model)


def test_the_engine_stands_by_itself() -> None:
    """It runs in a page, a Worker and Node: it imports its own files, two of the viewer's numbers, and the vocabulary."""
    own = {*ENGINE.rglob("*.js"), *ENGINE.glob("*.wasm")}
    numbers = (ROOT / "vizapp" / "ui" / "viewer" / "numbers").resolve()
    shared = {numbers / "half.js", numbers / "prototypes.js", (ROOT / "vizapp" / "vocabulary.js").resolve()}
    sources = sorted(one for one in ENGINE.rglob("*.js") if one.name != "bundle.js")
    assert len(sources) > 8
    for path in (*sources, ENGINE / "kernels.ts"):
        text = path.read_text("utf-8")
        found = {
            (path.parent / one).resolve() for one in re.findall(r'^(?:import|export)\b.*?from "([^"]+)"', text, re.M)
        }
        assert found <= {*own, *shared}, path.name
        assert text.count("\n") < 400, path.name
        assert max(map(len, text.splitlines())) <= 130, path.name
