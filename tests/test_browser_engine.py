"""The browser's forward pass gives Python's numbers: vizapp/browser/engine in Node, for each kind of network that it knows."""

from __future__ import annotations

import json
import math
import os
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import timm
import torch
from conftest import small_vit
from families import FAMILIES, family
from together import together
from torch import Tensor, nn

import vizapp
from vizapp.browser.network import pack_network
from vizapp.core.capture.forward import capture
from vizapp.errors import VizError
from vizapp.model.crate import CRATE
from vizapp.model.preprocess import Preprocess
from vizapp.model.spec import VisionModel
from vizapp.model.vit import ViT
from vizapp.picture import read_picture

ROOT = Path(__file__).parents[1]
ENGINE = ROOT / "vizapp" / "browser" / "engine"
NODE = shutil.which("node")
needs_node = pytest.mark.skipif(not NODE, reason="Node is not installed: only those who change the engine need it")
ASC = NODE and (ROOT / "node_modules" / "assemblyscript").is_dir()
needs_asc = pytest.mark.skipif(
    not ASC, reason="`npm ci` has not been run here: only those who change the kernels need it"
)
BUNDLED = ("toy", "registers", "mean", "crate")
FAMILY = 1e-4  # of the largest logit, and of any attention value; sharp maps of made-up weights are no easy case
HALF, FULL = 1e-3, 1e-5  # of the largest logit, and of any attention value
SMALL: dict[str, dict[str, Any]] = {  # an option each, and sizes that no vector divides
    "plain": {},
    "pre_norm": {"pre_norm": True},
    "qk_norm": {"qk_norm": True},
    "layer_scale": {"init_values": 0.3},
    "distilled": {"distilled": True},
    "registers": {"reg_tokens": 3},
    "patches_only": {"reg_tokens": 2, "no_embed_class": True},
    "not_square": {"img_size": (24, 56)},
    "many_tokens": {"img_size": (64, 56)},
    "few_tokens": {"img_size": (8, 16)},
    "head_dim": {"head_dim": 5, "qk_norm": True},
    "odd_width": {"embed_dim": 30, "num_heads": 3, "mlp_ratio": 2.4, "init_values": 0.3},
    "average": {"global_pool": "avg"},
    "no_cls": {"global_pool": "avg", "class_token": False, "reg_tokens": 1},
    "representation": {"representation_size": 12},
    "no_bias": {"qkv_bias": False, "norm_eps": 1e-5},
    "features": {"num_classes": 0},
}


def pixels_of(model: VisionModel) -> Tensor:
    """The example picture, as the network is given it."""
    return model.preprocess(read_picture(ROOT / "assets" / "examples" / "scene-1.jpg"))[0]


@torch.no_grad()
def numbers_of(model: VisionModel, pixels: Tensor) -> dict[str, Tensor]:
    """What a pass should leave, by hooks on the network; the maps as vizapp captures them."""
    net: Any = model.net
    found = {"pixels": pixels}
    handles = []
    for layer, block in enumerate(net.blocks):

        def attended(module: nn.Module, given: Any, out: Any, layer: int = layer) -> None:
            heads = module.num_heads
            if isinstance(net, CRATE):
                q = k = v = module.subspaces(given[0]).unflatten(-1, (heads, -1)).transpose(1, 2)[0]
            else:
                q, k, v = module.qkv(given[0]).unflatten(-1, (3, heads, -1)).permute(2, 0, 3, 1, 4)[:, 0]
                q, k = module.q_norm(q), module.k_norm(k)
            found.update({f"q.{layer}": q * module.scale, f"k.{layer}": k, f"v.{layer}": v})

        def left(module: nn.Module, given: Any, out: Tensor, layer: int = layer) -> None:
            found.update({f"tokens.{layer}": out[0], f"norms.{layer}": out[0].norm(dim=-1)})

        handles += [block.attn.register_forward_hook(attended), block.register_forward_hook(left)]
    found["logits"] = net(pixels)[0]
    for handle in handles:
        handle.remove()
    for layer, one in enumerate(capture(model, pixels).layers):
        found[f"cls.{layer}"] = one.rows(torch.tensor([0]))[:, 0]
    return found


@torch.no_grad()
def switched_off(model: VisionModel, pixels: Tensor, layer: int, head: int, by: str, mean: Tensor) -> Tensor:
    """Logits where a hook replaces what one head gives to `proj`."""
    net: Any = model.net
    attention = net.blocks[layer].attn
    values = numbers_of(model, pixels)[f"v.{layer}"][head]
    width = values.shape[-1]

    def instead(module: nn.Module, given: tuple[Tensor]) -> tuple[Tensor]:
        written = given[0].clone()
        ways = {"zero": torch.zeros_like(values), "uniform": values.mean(0).expand_as(values), "mean": mean[head]}
        written[0, :, head * width : (head + 1) * width] = ways[by]
        return (written,)

    handle = attention.proj.register_forward_pre_hook(instead)
    try:
        return net(pixels)[0]
    finally:
        handle.remove()


@torch.no_grad()
def numbers_of_family(model: VisionModel, pixels: Tensor) -> dict[str, Tensor]:
    """What a pass should leave, as vizapp captures it of any network: q, k and all maps, the tokens, what a pooling looks at."""
    net: Any = model.net
    found, handles = {"pixels": pixels}, []
    for layer, block in enumerate(net.blocks):

        def left(module: nn.Module, given: Any, out: Tensor, layer: int = layer) -> None:
            found.update({f"tokens.{layer}": out[0], f"norms.{layer}": out[0].norm(dim=-1)})

        handles.append(block.register_forward_hook(left))
    found["logits"] = net(pixels)[0]
    for handle in handles:
        handle.remove()
    trace = capture(model, pixels)
    for layer, one in enumerate(trace.layers):
        found |= {f"q.{layer}": one.q, f"k.{layer}": one.k, f"maps.{layer}": one.map()}  # type: ignore[attr-defined]
    if "pool" in trace.queries:
        found["pool"] = trace.query("pool")
    return found


def write(folder: Path, name: str, model: VisionModel, *, half: bool, bound: float, edits: bool = False) -> None:
    """The network's file, Python's numbers for it, and how far off the browser's may be."""
    pixels = pixels_of(model)
    found = numbers_of(model, pixels)
    means = None
    if edits:
        generator = torch.Generator().manual_seed(3)
        means = [torch.randn(found[f"v.{layer}"].shape, generator=generator) for layer in range(len(model.attention))]
        for layer, head, by in ((0, 1, "zero"), (1, 0, "uniform"), (2, 2, "mean")):
            found[f"edit.{layer}.{head}.{by}"] = switched_off(model, pixels, layer, head, by, means[layer])
    (folder / f"{name}.vzn").write_bytes(pack_network(model, half=half, head_means=means))
    write_numbers(folder, name, found, bound=bound)


def write_numbers(folder: Path, name: str, numbers: dict[str, Tensor], **about: Any) -> None:
    """Numbers for tests/js/engine.js, and what else is to be known of them."""
    places, at, blocks = {}, 0, []
    for key, values in numbers.items():
        block = values.float().contiguous().numpy().astype("<f4").tobytes()
        places[key] = [at, len(block) // 4]
        at += len(block)
        blocks.append(block)
    (folder / f"{name}.bin").write_bytes(b"".join(blocks))
    (folder / f"{name}.json").write_text(json.dumps(about | {"places": places}), "utf-8")


def write_curve(folder: Path) -> None:
    """GELU in double precision, tails and all."""
    x = np.linspace(-9, 9, 4000).astype(np.float32).astype(np.float64)
    gelu = np.array([one * 0.5 * math.erfc(-one / math.sqrt(2)) for one in x])
    for name, values in (("x", x), ("gelu", gelu)):
        (folder / f"curve.{name}").write_bytes(values.astype("<f8").tobytes())


def run_node(folder: Path, tests: str = "engine.test.js") -> None:
    """The tests in Node, whose failures are ours. Node 20 knows fused multiply-add by a flag only."""
    said = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout
    flags = ["--experimental-wasm-relaxed-simd"] if int(said.lstrip("v").split(".")[0]) < 21 else []
    command = ["node", *flags, "--test", str(ROOT / "tests" / "js" / tests)]
    done = subprocess.run(
        command, cwd=ROOT, env=os.environ | {"VIZAPP_ENGINE": str(folder)}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


@needs_node
def test_a_pass_in_the_browser_gives_the_numbers_of_python(tmp_path: Path) -> None:
    """Logits, q, k, v, residual stream, norms, and attention of the first token; with heads switched off, too. Weights of 8 bits
    are Python's to the last bit, so their numbers are as close as those of all weights in full."""
    for name, changes in SMALL.items():
        edits = name in ("registers", "head_dim")
        write(tmp_path, f"small-{name}", small_vit(**changes), half=False, bound=FULL, edits=edits)
    for name in BUNDLED:
        model = vizapp.load(name, "cpu")
        write(tmp_path, f"{name}-half", model, half=True, bound=HALF)
        write(tmp_path, f"{name}-rounded", vizapp.quantised(model), half=True, bound=FULL)
        write(tmp_path, name, model, half=False, bound=FULL)
    write_curve(tmp_path)
    run_node(tmp_path)


@needs_node
def test_a_pass_of_each_family_gives_the_numbers_of_python(tmp_path: Path) -> None:
    """Real shapes, two layers: rotary positions, gated MLPs, relative position bias, attention pooling and the like."""
    for name in FAMILIES:
        model = family(name)
        (tmp_path / f"{name}.vzn").write_bytes(pack_network(model, half=False))
        write_numbers(tmp_path, name, numbers_of_family(model, pixels_of(model)), bound=FAMILY)
    run_node(tmp_path, "families.test.js")


@needs_node
def test_the_real_deit_gives_the_numbers_of_python(tmp_path: Path, deit_name: str) -> None:
    model = vizapp.load(deit_name, "cpu")
    write(tmp_path, "small-plain", small_vit(), half=False, bound=FULL)  # what the other tests of the file ask for
    write(tmp_path, "deit-half", model, half=True, bound=HALF)
    write(tmp_path, "deit-rounded", vizapp.quantised(model), half=True, bound=FULL)
    write(tmp_path, "deit", model, half=False, bound=FULL)
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


def test_a_table_that_the_network_no_longer_uses_is_noticed() -> None:
    """What is written is what was read from names; that the network computes with it is shown on noise."""
    model = family("beit")
    model.net.blocks[1].attn.relative_position_index.add_(1).remainder_(700)  # type: ignore[union-attr, operator]
    with pytest.raises(VizError, match="gives other numbers"):
        pack_network(model)


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


def test_what_is_read_and_is_no_token_is_refused() -> None:
    with pytest.raises(VizError, match=r"reads \(reg7\) is none of its tokens"):
        pack_network(replace(small_vit(), readout="reg7"))


def test_weights_that_are_no_numbers_are_refused() -> None:
    model = small_vit()
    model.net.blocks[1].mlp.fc1.weight.data[0, 0] = torch.nan  # type: ignore[union-attr, index]
    with pytest.raises(VizError, match=r"blocks\.1\.mlp\.fc1\.weight has values that are no numbers"):
        pack_network(model)


def test_what_half_precision_cannot_hold_stays_as_it_is() -> None:
    model = small_vit()
    model.net.blocks[1].mlp.fc1.weight.data[0, 0] = 1e20  # type: ignore[union-attr, index]
    assert header_of(pack_network(model))["tensors"]["blocks.1.mlp.fc1.weight"][1] == "f32"


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


def test_a_network_that_is_no_vit_at_all_is_refused() -> None:
    model = timm.create_model("resnet18").eval()
    described = VisionModel("resnet", model, (), (), None, Preprocess((64, 64), (0.5,) * 3, (0.5,) * 3))
    with pytest.raises(VizError, match="cannot be run in the browser"):
        pack_network(described)


def test_means_of_heads_must_fit() -> None:
    with pytest.raises(VizError, match=r"one tensor \(4, 17, 8\) for each of 3 layers"):
        pack_network(small_vit(), head_means=[torch.zeros(4, 17, 8)] * 2)


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


@needs_asc
@pytest.mark.parametrize("kind", ["plain", "relaxed"])
def test_the_kernels_are_those_of_their_source(tmp_path: Path, kind: str) -> None:
    made = tmp_path / "kernels.wasm"
    command = ["npm", "run", "--silent", f"build:kernels:{kind}", "--", "-o", str(made)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    committed = ENGINE / ("kernels.wasm" if kind == "plain" else "kernels.relaxed.wasm")
    assert made.read_bytes() == committed.read_bytes(), "run `npm run build:kernels` and commit the kernels"
