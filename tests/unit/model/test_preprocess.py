"""Preprocess: the same pixels that the checkpoint was evaluated with, and a Frame that tells where they came from."""

import itertools
from functools import cache

import numpy as np
import pytest
import torch
from PIL import Image
from timm.data import create_transform

from support.versions import since_timm
from vizapp.errors import VizError
from vizapp.model import preprocess
from vizapp.model.preprocess import FITS, Preprocess

MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
PICTURES = ((224, 224), (300, 401), (401, 299), (61, 50))  # (height, width)
THIN = ((375, 125), (90, 411))
TIMM_MODES = {"crop": "center", "squash": "squash", "pad": "border"}


@cache
def noise(height: int, width: int) -> np.ndarray:
    return np.random.default_rng(height * width).integers(0, 256, (height, width, 3), dtype=np.uint8)


def assert_equals_timm(size: tuple[int, int], interpolation: str, crop: float, fit: str, shapes=PICTURES) -> None:
    ours = Preprocess(size, MEAN, STD, interpolation, crop, fit)
    theirs = create_transform(
        input_size=(3, *size),
        is_training=False,
        interpolation=interpolation,
        mean=MEAN,
        std=STD,
        crop_pct=crop,
        crop_mode=TIMM_MODES[fit],
    )
    for shape in shapes:
        picture = noise(*shape)
        pixels, _ = ours(picture)
        assert pixels.shape == (1, 3, *size)
        assert pixels.dtype == torch.float32
        torch.testing.assert_close(pixels[0], theirs(Image.fromarray(picture)), atol=1e-6, rtol=0, msg=str(shape))


@pytest.mark.parametrize(
    ("side", "interpolation", "crop"),
    [
        *itertools.product([224, 336], ["bicubic", "bilinear"], [0.875, 0.9, 0.95, 1.0]),
        *itertools.product([518], ["bicubic", "bilinear"], [0.95, 1.0]),
    ],
)
def test_twin_of_timm_for_a_centre_crop(side, interpolation, crop):
    assert_equals_timm((side, side), interpolation, crop, "crop")


@pytest.mark.parametrize("fit", FITS)
@pytest.mark.parametrize("crop", [0.9, 1.0])
def test_twin_of_timm_for_thin_pictures(crop, fit):
    assert_equals_timm((224, 224), "bicubic", crop, fit, THIN)


@pytest.mark.parametrize("fit", ["squash", "pad"])
@pytest.mark.parametrize("crop", [0.9, 1.0])
@pytest.mark.parametrize("side", [224, 336])
def test_twin_of_timm_for_squash_and_border(side, crop, fit):
    assert_equals_timm((side, side), "bicubic", crop, fit)


@since_timm("1.0.31", "it cropped another part where the input is not square")
@pytest.mark.parametrize("fit", FITS)
@pytest.mark.parametrize("size", [(256, 192), (96, 224)])
@pytest.mark.parametrize("crop", [0.875, 1.0])
def test_twin_of_timm_for_inputs_that_are_not_square(size, crop, fit):
    assert_equals_timm(size, "bicubic", crop, fit)


@pytest.mark.parametrize("fit", ["squash", "pad"])
def test_who_asks_for_another_fit_sees_the_whole_picture(fit):
    """The crop of a checkpoint belongs to its own way to fit."""
    picture = noise(300, 400)
    _, frame = Preprocess((224, 224), MEAN, STD, crop=0.875)(picture, fit)
    assert frame.seen == pytest.approx((0, 0, 400, 300))
    _, own = Preprocess((224, 224), MEAN, STD, crop=0.875, fit="squash")(picture)
    assert own.seen[0] > 20


@pytest.mark.parametrize("fit", FITS)
@pytest.mark.parametrize("shape", [(90, 150), (150, 91), (331, 217)])
@pytest.mark.parametrize(("size", "grid"), [((64, 64), (8, 8)), ((48, 96), (6, 12))])
def test_a_painted_patch_is_found_where_the_frame_says(shape, size, grid, fit):
    """Planted: the picture is red in the box of one patch; the model gets red in this patch, and grey in the others."""
    prepare = Preprocess(size, MEAN, STD, crop=0.875, fit=fit)
    _, frame = prepare(np.zeros((*shape, 3), np.uint8))
    height, width = size[0] // grid[0], size[1] // grid[1]
    for row, col in [(grid[0] // 2, grid[1] // 2), (grid[0] // 2 - 1, grid[1] // 2 + 1)]:
        left, top, right, bottom = frame.box_of(row, col, grid)
        picture = np.full((*shape, 3), 128, np.uint8)
        picture[round(top) : round(bottom), round(left) : round(right)] = (255, 0, 0)
        pixels, _ = prepare(picture)
        redness = (pixels[0, 0] - pixels[0, 1]).reshape(grid[0], height, grid[1], width).mean((1, 3))
        assert divmod(int(redness.argmax()), grid[1]) == (row, col)
        redness[row, col] = 0
        assert redness.max() < 0.35, "little of it may spill over"
        assert frame.patch_at((left + right) / 2, (top + bottom) / 2, grid) == (row, col)


@pytest.mark.parametrize("shape", [(200, 100), (101, 202)])
def test_padding_is_the_mean_colour(shape):
    """The mean colour is zero after normalising: nothing to see, up to the rounding to 8 bits."""
    pixels, frame = Preprocess((64, 64), MEAN, STD)(np.full((*shape, 3), 255, np.uint8), "pad")
    outside = torch.ones(64, 64, dtype=torch.bool)
    left, top = frame.to_model(0, 0)
    right, bottom = frame.to_model(shape[1], shape[0])
    outside[round(top) : round(bottom), round(left) : round(right)] = False
    assert outside.any()
    assert pixels[0][:, outside].abs().max() < 0.5 / 255 / min(STD) + 1e-6
    assert pixels[0][:, ~outside].min() > 2


@pytest.mark.parametrize("shape", [(10, 1000), (1000, 10), (8, 800)])
def test_a_strip_is_not_blown_up_whole(shape, monkeypatch):
    """1:100 at 518 would be an image of 592 x 59200, of which the model sees the 518 in the middle."""
    made, resize = [], Image.Image.resize

    def watched(self, size, *args, **kwargs):
        made.append(size[0] * size[1])
        return resize(self, size, *args, **kwargs)

    prepare, picture = Preprocess((518, 518), MEAN, STD, crop=0.875), noise(*shape)
    monkeypatch.setattr(Image.Image, "resize", watched)
    pixels, frame = prepare(picture)
    assert max(made) <= preprocess.LARGEST_RESIZED
    monkeypatch.setattr(preprocess, "LARGEST_RESIZED", 2**40)
    whole, same_frame = prepare(picture)
    assert max(made) > 2**24
    assert frame == same_frame
    steps = (pixels - whole).abs() * 0.5 * 255
    assert steps.max() < 1.01, "the same pixels, up to the last bit"
    assert (steps > 0.5).float().mean() < 0.01


def test_the_largest_window_of_the_longest_strip_and_an_unknown_fit():
    pixels, _ = Preprocess((1024, 1024), MEAN, STD, crop=0.875)(noise(8, 800))
    assert pixels.shape == (1, 3, 1024, 1024)
    with pytest.raises(VizError, match="crop, pad, squash"):
        Preprocess((32, 32), MEAN, STD)(noise(40, 40), "stretch")
