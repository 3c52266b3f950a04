"""Pictures whose last pixels do not suffice for another patch: the others lie where they do, not spread over all of it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import timm
import torch
from conftest import sharpen
from torch import Tensor, nn

import vizapp
from vizapp.model.vit import ViT

SIDE, TARGET = 18, 2


class Strided(nn.Module):
    """Patches cut by `kernel` pixels every 4, then our own ViT on a picture of them."""

    def __init__(self, kernel: int) -> None:
        super().__init__()
        self.cut = nn.Conv2d(3, 8, kernel, 4)
        self.net = ViT(img_size=4, patch_size=1, in_chans=8, embed_dim=16, depth=2, num_heads=2, num_classes=5)

    def forward(self, pixels: Tensor) -> Tensor:
        return self.net(self.cut(pixels))


def stock() -> nn.Module:
    """As timm's SigLIP of 384 pixels, whose patches of 14 leave out 6."""
    sizes = dict(img_size=SIDE, patch_size=4, embed_dim=16, depth=2, num_heads=2)
    return timm.create_model("vit_tiny_patch16_224", num_classes=5, **sizes)


# What makes it, and where its first patch of 4 pixels begins: a kernel of 6 lies around its middle four.
NETWORKS: dict[str, tuple[Callable[[], nn.Module], int]] = {
    "own": (lambda: Strided(4), 0),
    "overlapping": (lambda: Strided(6), 1),
    "timm": (stock, 0),
}


@pytest.mark.parametrize("name", NETWORKS)
def test_pixels_are_summed_where_patches_are(name: str) -> None:
    """Correlations with the patches themselves were 0.60 and 0.91."""
    pytest.importorskip("captum", reason="captum is an extra: pip install vizapp[methods]")
    make, start = NETWORKS[name]
    net = sharpen(make()).double()
    pixels = torch.randn(1, 3, SIDE, SIDE, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    seen = vizapp.analyse(net, pixels, labels=tuple("abcde"))
    assert seen.trace.layout.grid == (4, 4)
    given = pixels.clone().requires_grad_(True)
    with torch.enable_grad():
        (gradient,) = torch.autograd.grad(net(given)[0, TARGET], given)
    one_colour = pixels.mean((2, 3), keepdim=True)
    first_order, covered = np.zeros((4, 4)), np.zeros((4, 4))
    for row in range(4):
        for col in range(4):
            patch = (..., slice(start + 4 * row, start + 4 * row + 4), slice(start + 4 * col, start + 4 * col + 4))
            first_order[row, col] = float((gradient * pixels)[patch].sum())
            without = pixels.clone()
            without[patch] = one_colour
            covered[row, col] = float((net(pixels) - net(without))[0, TARGET])
    for method, expected in (("input_gradient", first_order), ("occlusion", covered)):
        found = vizapp.explain(seen, method, target=TARGET).scores
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6 * np.abs(expected).max(), err_msg=method)
