"""Deletion and insertion on a network of which it is known where it looks: a single patch decides."""

import itertools

import numpy as np
import pytest
import torch
from torch import nn

from support.together import together
from vizapp.core.trust.faithfulness import FINE, Curves, blurred, coarse, curves
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


@pytest.mark.parametrize(
    ("grid", "steps", "counts"),
    [((3, 4), 4, (0, 3, 6, 9, 12)), ((10, 10), FINE, (0, 1, 2, 4, 8, 16, 32, 64, 100))],
    ids=["even", "uneven"],
)
def test_it_is_the_loop_of_the_paper(grid: tuple[int, int], steps: object, counts: tuple[int, ...]) -> None:
    """By hand: the trapezoids between the true shares of patches, each as wide as it is."""
    torch.manual_seed(0)
    pixels = torch.randn(1, 3, 2 * grid[0], 2 * grid[1], dtype=torch.float64)
    net = nn.Sequential(nn.Flatten(), nn.Linear(pixels.numel(), 5)).double()
    scores = np.random.default_rng(0).random(grid)
    mean = pixels.mean((2, 3), keepdim=True)
    areas = []
    for start, end in ((pixels, mean), (mean, pixels)):
        curve = []
        for k in counts:
            one, other = start.expand_as(pixels).clone(), end.expand_as(pixels)
            for place in np.argsort(-scores.ravel())[:k]:
                r, c = divmod(int(place), grid[1])
                where = (slice(None), slice(None), slice(2 * r, 2 * r + 2), slice(2 * c, 2 * c + 2))
                one[where] = other[where]
            curve.append(net(one).detach().softmax(-1)[0, 2].item())
        widths = [(b - a) / scores.size for a, b in itertools.pairwise(counts)]
        areas.append(sum(w * (a + b) / 2 for w, (a, b) in zip(widths, itertools.pairwise(curve), strict=True)))
    found = curves(net, pixels, scores, 2, steps=steps)
    assert found.share.tolist() == [k / scores.size for k in counts]
    assert found.areas == pytest.approx(tuple(areas))


def test_a_map_has_the_shape_of_the_picture_and_points_are_numbers_of_patches(pixels: torch.Tensor) -> None:
    with pytest.raises(VizError, match="does not fit"):
        curves(OnePatch(), pixels, np.zeros((3, 4)), 1)
    found = curves(OnePatch(), pixels, np.arange(16.0).reshape(4, 4), 1, steps=FINE)
    assert (16 * found.share).tolist() == [0, 1, 3, 5, 10, 16]


def test_what_is_missing_can_be_blurred(pixels: torch.Tensor) -> None:
    flat = torch.full((1, 3, 40, 60), 0.7)
    torch.testing.assert_close(blurred(flat), flat)
    spot = torch.zeros(1, 3, 40, 60)
    spot[:, :, 18:22, 28:32] = 1.0
    found = blurred(spot)
    assert found.shape == spot.shape
    assert float(found.max()) < 0.2
    assert float(found.sum()) == pytest.approx(48, rel=0.02)
    right = np.zeros((4, 4))
    right[1, 2] = 1
    found = curves(OnePatch(), pixels, right, 1, steps=16, empty="blur")
    assert found.share.tolist() == [step / 16 for step in range(17)]
    assert (found.deletion[0], found.insertion[-1]) == (pytest.approx(1), pytest.approx(1))
    assert found.deletion[1] < found.deletion[0] - 0.01  # on 8 pixels a tenth of the side blurs little


def test_the_first_patches_are_seen_to_matter(pixels: torch.Tensor) -> None:
    """Planted: a single patch decides. A map that names it second is no worse in 8 even steps; in finer ones it is."""
    first = -np.arange(16.0).reshape(4, 4)
    second = first.copy()
    first[1, 2], second[1, 2] = 1, -0.5
    assert curves(OnePatch(), pixels, first, 1).areas == curves(OnePatch(), pixels, second, 1).areas
    shares = (0, 1 / 16, 1 / 8, 1)
    one, other = (curves(OnePatch(), pixels, scores, 1, steps=shares).areas for scores in (first, second))
    assert one == pytest.approx((1 / 32, 31 / 32), abs=1e-6)
    assert other == pytest.approx((3 / 32, 29 / 32), abs=1e-6)


@pytest.mark.parametrize("steps", [FINE, 8, 20, 40, 100], ids=str)
def test_random_orders_have_the_points_by_which_a_map_is_compared(steps: object) -> None:
    """Whatever rounding to whole patches makes of them: of 40 patches, or in 20 steps, some are nearer than others."""
    shares = np.linspace(0, 1, steps + 1) if isinstance(steps, int) else steps
    for patches in (4, 16, 20, 39, 40, 64, 100, 196, 256, 576, 1369):
        asked = np.unique(np.round(np.array(shares) * patches)) / patches
        assert Curves(asked, asked, asked).coarse.share.tolist() == list(coarse(steps, patches)), patches
        drawn = np.unique(np.round(np.array(coarse(steps, patches)) * patches)) / patches
        assert Curves(drawn, drawn, drawn).coarse.share.tolist() == drawn.tolist(), "no point is left out once more"


def test_what_is_the_same_for_every_map_need_not_be_measured_again(pixels: torch.Tensor) -> None:
    seen = []

    class Counting(OnePatch):
        def forward(self, pixels: torch.Tensor) -> torch.Tensor:
            seen.append(len(pixels))
            return super().forward(pixels)

    scores = np.arange(16.0).reshape(4, 4)
    whole = curves(Counting(), pixels, scores, 1, steps=4)
    ends = float(whole.deletion[0]), float(whole.deletion[-1])
    fewer = curves(Counting(), pixels, scores, 1, steps=4, ends=ends)
    assert seen == [10, 6]
    for name in ("share", "deletion", "insertion"):
        np.testing.assert_allclose(getattr(fewer, name), getattr(whole, name), atol=1e-7)


@together("steps", [(), (0, 1.5), (0, 0.5, 0.5, 1), (0.1, 1), (0, 0.5), 0])
def test_steps_that_are_none_are_refused(pixels: torch.Tensor, steps: object) -> None:
    with pytest.raises(VizError, match=r"no shares|At least one"):
        curves(OnePatch(), pixels, np.zeros((4, 4)), 1, steps=steps)


def test_one_step_between_ends_that_are_known_needs_no_pass(pixels: torch.Tensor) -> None:
    """Of 0 pictures a Vision Transformer makes no tensor."""
    scores = np.arange(16.0).reshape(4, 4)
    whole = curves(OnePatch(), pixels, scores, 1, steps=1)
    ends = float(whole.deletion[0]), float(whole.deletion[-1])
    found = curves(nn.Module(), pixels, scores, 1, steps=1, ends=ends)
    assert found.deletion == pytest.approx(whole.deletion)
    assert found.insertion == pytest.approx(whole.insertion)
    with pytest.raises(VizError, match="is no number"):
        curves(nn.Module(), pixels, scores, 1, steps=1, ends=(float("nan"), 0.0))
