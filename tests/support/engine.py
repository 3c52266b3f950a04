"""Networks as files for the browser's engine, and its tests in Node."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from support.node import node_tests
from support.paths import ROOT
from vizapp.browser.network import pack_network
from vizapp.core.capture.forward import capture
from vizapp.model.crate import CRATE
from vizapp.model.spec import VisionModel
from vizapp.picture import read_picture

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


def run_node(folder: Path, tests: str = "engine.test.js") -> None:
    """Run a file of tests/js on the networks and numbers in `folder`."""
    node_tests(tests, VIZAPP_ENGINE=str(folder))


HALF, FULL = 1e-3, 1e-5  # of the largest logit, and of any attention value


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


def write_curve(folder: Path) -> None:
    """GELU in double precision, tails and all."""
    x = np.linspace(-9, 9, 4000).astype(np.float32).astype(np.float64)
    gelu = np.array([one * 0.5 * math.erfc(-one / math.sqrt(2)) for one in x])
    for name, values in (("x", x), ("gelu", gelu)):
        (folder / f"curve.{name}").write_bytes(values.astype("<f8").tobytes())


def read_network(made: bytes) -> dict[str, tuple[str, np.ndarray]]:
    """Name -> kind and values, as vizapp/browser/engine/file.js reads a network's file."""
    start = 8 + int.from_bytes(made[4:8], "little")
    found = {}
    for name, (offset, kind, shape) in json.loads(made[8:start])["tensors"].items():
        at, rows, count = start + offset, shape[0], math.prod(shape)
        if kind == "i8":
            scales = np.frombuffer(made, "<f4", rows, at)
            values = np.frombuffer(made, np.int8, count, at + 4 * rows).reshape(rows, -1) * scales[:, None]
        else:
            values = np.frombuffer(made, {"f16": "<f2", "f32": "<f4"}[kind], count, at)
        found[name] = kind, values.reshape(shape).astype(np.float32)
    return found
