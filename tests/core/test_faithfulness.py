"""Deletion and insertion on a network of which it is known where it looks: a single patch decides."""

import itertools

import numpy as np
import pytest
import torch
from torch import nn

from vizapp.core.trust.faithfulness import blurred, curves
from vizapp.errors import VizError


class OnePatch(nn.Module):
    """Class 1 if the patch in row 1, column 2 (of 4 x 4, 2 pixels each) is bright, else class 0; nearly certain."""

    def forward(self, pixels: torch.Tensor) -> torch.Tensor:
        bright = pixels[:, :, 2:4, 4:6].mean((1, 2, 3))
        return torch.stack([torch.zeros_like(bright), 100 * (bright - 0.5)], 1)


@pytest.fixture
def pixels() -> torch.Tensor:
    pixels = torch.zeros(1, 3, 8, 8)
    pixels[:, :, 2:4, 4:6] = 1
    return pixels


def test_the_map_that_names_the_patch_is_the_most_faithful(pixels: torch.Tensor) -> None:
    """16 steps: one patch each. The right map: gone after one step, there after one. The inverse: the other way round."""
    right = np.zeros((4, 4))
    right[1, 2] = 1
    assert curves(OnePatch(), pixels, right, 1, steps=16).areas == pytest.approx((1 / 32, 31 / 32))
    assert curves(OnePatch(), pixels, -right, 1, steps=16).areas == pytest.approx((31 / 32, 1 / 32))


def test_it_is_the_loop_of_the_paper() -> None:
    torch.manual_seed(0)
    net = nn.Sequential(nn.Flatten(), nn.Linear(3 * 6 * 8, 5)).double()
    pixels = torch.randn(1, 3, 6, 8, dtype=torch.float64)
    scores = np.random.default_rng(0).random((3, 4))
    mean = pixels.mean((2, 3), keepdim=True)
    points: list[list[float]] = [[], []]
    for k in (0, 3, 6, 9, 12):
        gone, come = pixels.clone(), mean.expand_as(pixels).clone()
        for place in np.argsort(-scores.ravel())[:k]:
            r, c = divmod(int(place), 4)
            where = (slice(None), slice(None), slice(2 * r, 2 * r + 2), slice(2 * c, 2 * c + 2))
            gone[where], come[where] = mean, pixels[where]
        for curve, picture in zip(points, (gone, come), strict=True):
            curve.append(net(picture).detach().softmax(-1)[0, 2].item())
    expected = [sum((a + b) / 2 / 4 for a, b in itertools.pairwise(curve)) for curve in points]
    assert curves(net, pixels, scores, 2, steps=4).areas == pytest.approx(tuple(expected))


def test_a_map_of_another_picture_is_refused(pixels: torch.Tensor) -> None:
    with pytest.raises(VizError, match="does not fit"):
        curves(OnePatch(), pixels, np.zeros((3, 4)), 1)


def test_blur_keeps_the_colour_and_loses_the_thing() -> None:
    flat = torch.full((1, 3, 40, 60), 0.7)
    torch.testing.assert_close(blurred(flat), flat)
    spot = torch.zeros(1, 3, 40, 60)
    spot[:, :, 18:22, 28:32] = 1.0
    found = blurred(spot)
    assert found.shape == spot.shape
    assert float(found.max()) < 0.2
    assert float(found.sum()) == pytest.approx(48, rel=0.02)


def test_what_is_missing_can_be_blurred(pixels: torch.Tensor) -> None:
    right = np.zeros((4, 4))
    right[1, 2] = 1
    found = curves(OnePatch(), pixels, right, 1, steps=16, empty="blur")
    assert found.share.tolist() == [step / 16 for step in range(17)]
    assert (found.deletion[0], found.insertion[-1]) == (pytest.approx(1), pytest.approx(1))
    assert found.deletion[1] < found.deletion[0] - 0.01  # on 8 pixels a tenth of the side blurs little
