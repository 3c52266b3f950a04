"""What a patch is before the first layer, in networks of timm."""

from typing import Any

import numpy as np
import timm
import torch
from torch import Tensor, nn

import vizapp
from vizapp.core.signals.embedding import Embedding

PICTURE = np.random.default_rng(0).integers(0, 256, (120, 150, 3), dtype=np.uint8)

CLOSE = 1e-3  # of the largest absolute value of a vector: what the page is promised


def close(found: Tensor | None, expected: Tensor) -> None:
    assert found is not None
    assert found.shape == expected.shape
    assert float((found - expected).abs().max()) <= CLOSE * float(expected.abs().max())


def entering(net: nn.Module, block: str, pixels: Tensor) -> Tensor:
    """What a block is given, of the first picture."""
    kept: list[Tensor] = []
    handle = net.get_submodule(block).register_forward_pre_hook(lambda module, args: kept.append(args[0].detach()))
    with torch.no_grad():
        net(pixels)
    handle.remove()
    return kept[0][0]


def compare(seen: vizapp.Analysis, found: Embedding, conv: nn.Module, row: int, col: int) -> Tensor:
    """The convolution on one patch alone, number by number; returns what it gives."""
    weight = conv.weight.detach()
    bias = weight.new_zeros(len(weight)) if conv.bias is None else conv.bias.detach()
    h, w = weight.shape[-2:]
    cut = seen.context.pixels[0, :, row * h : (row + 1) * h, col * w : (col + 1) * w]
    made = torch.stack([(one * cut).sum() for one in weight]) + bias
    close(found.pixels, cut)
    close(found.weights, weight[found.dimensions])
    close(found.made, made)
    assert float((found.bias - bias[found.dimensions]).abs().max()) <= 1e-5 * float(made.abs().max())
    assert conv.bias is not None or not bool(found.bias.any())
    return made


def described(name: str, **more: Any) -> tuple[Any, vizapp.Analysis]:
    torch.manual_seed(0)
    net = timm.create_model(name, num_classes=5, **more).eval()
    return net, vizapp.analyse(vizapp.describe(net), PICTURE)
