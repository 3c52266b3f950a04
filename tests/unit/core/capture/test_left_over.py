"""Patches that overlap and end before the picture does: pixels are summed around their middles, not spread over all of it."""

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import vizapp
from support.networks import sharpen
from vizapp.model.vit import ViT

SIDE, TARGET = 18, 2
START = 1  # a kernel of 6 every 4 pixels lies around its middle four


class Overlapping(nn.Module):
    """Patches cut as PiT cuts them, without padding, then our own ViT on a picture of them."""

    def __init__(self) -> None:
        super().__init__()
        self.cut = nn.Conv2d(3, 8, 6, 4)
        self.net = ViT(img_size=4, patch_size=1, in_chans=8, embed_dim=16, depth=2, num_heads=2, num_classes=5)

    def forward(self, pixels: Tensor) -> Tensor:
        return self.net(self.cut(pixels))


def test_pixels_are_summed_where_patches_are() -> None:
    """A map of 4 x 4 patches of 4 pixels was summed over 18 pixels, and occluded from the corner on."""
    pytest.importorskip("captum", reason="captum is an extra: pip install vizapp[methods]")
    net = sharpen(Overlapping()).double()
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
            patch = (..., slice(START + 4 * row, START + 4 * row + 4), slice(START + 4 * col, START + 4 * col + 4))
            first_order[row, col] = float((gradient * pixels)[patch].sum())
            without = pixels.clone()
            without[patch] = one_colour
            covered[row, col] = float((net(pixels) - net(without))[0, TARGET])
    for method, expected in (("input_gradient", first_order), ("occlusion", covered)):
        found = vizapp.explain(seen, method, target=TARGET).scores
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6 * np.abs(expected).max(), err_msg=method)
