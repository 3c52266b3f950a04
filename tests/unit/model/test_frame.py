"""Frame: the geometry between a picture and a model, both ways."""

import math
from functools import cache

import numpy as np
import pytest

from support.networks import MIDDLE
from support.together import together
from vizapp.errors import VizError
from vizapp.model.frame import Frame
from vizapp.model.preprocess import FITS, Fit, Preprocess

PICTURES = [(224, 224), (300, 401), (97, 333), (9, 900)]
INPUTS = [((224, 224), (14, 14)), ((126, 126), (9, 9)), ((128, 256), (8, 16))]


@cache
def frame_of(picture: tuple[int, int], size: tuple[int, int], fit: Fit) -> Frame:
    return Preprocess(size, MIDDLE, MIDDLE, crop=0.9, fit=fit)(np.zeros((*picture, 3), np.uint8))[1]


CASES = [(frame_of(p, size, f), grid) for p in PICTURES for size, grid in INPUTS for f in FITS]
each = together("case", CASES)


@each
def test_picture_model_and_patches_agree(case):
    frame, grid = case
    for x, y in [(0, 0), (3.25, 7.5), (frame.picture[1], frame.picture[0])]:
        assert frame.to_picture(*frame.to_model(x, y)) == pytest.approx((x, y), abs=1e-9)
    for row in {0, grid[0] // 3, grid[0] - 1}:
        for col in {0, grid[1] // 2, grid[1] - 1}:
            left, top, right, bottom = frame.box_of(row, col, grid)
            assert frame.patch_at((left + right) / 2, (top + bottom) / 2, grid) == (row, col)
    first, last = frame.box_of(0, 0, grid), frame.box_of(grid[0] - 1, grid[1] - 1, grid)
    assert (*first[:2], *last[2:]) == pytest.approx(frame.window)
    assert first[2] == pytest.approx(frame.box_of(0, 1, grid)[0])
    left, top, right, bottom = frame.seen
    assert 0 <= left < right <= frame.picture[1]
    assert 0 <= top < bottom <= frame.picture[0]


@each
def test_nothing_is_outside_the_window_and_no_patch_is_outside_the_grid(case):
    frame, grid = case
    left, top, right, bottom = frame.window
    middle = (left + right) / 2, (top + bottom) / 2
    step = 1e-6 * max(frame.picture)
    for x, y in [
        (left - step, middle[1]),
        (right + step, middle[1]),
        (middle[0], top - step),
        (middle[0], bottom + step),
    ]:
        assert frame.patch_at(x, y, grid) is None
    assert frame.patch_at(left + step, top + step, grid) == (0, 0)
    assert frame.patch_at(right - step, bottom - step, grid) == (grid[0] - 1, grid[1] - 1)


def test_known_numbers():
    """Rounding must not invent a row that the grid has not."""
    for size, rows in ((size, rows) for size in (224, 518, 97) for rows in range(1, 60)):
        frame = Frame(picture=(size, size), input=(size, size), scale=(1.0, 1.0), origin=(0.0, 0.0))
        edge = math.nextafter(size, 0)
        assert frame.patch_at(edge, edge, (rows, rows)) == (rows - 1, rows - 1)
    assert frame.patch_at(size, size, (rows, rows)) is None
    # A 400 x 300 photo, the short side to 256 and 224 cut out of the middle, worked out by hand.
    _, frame = Preprocess((224, 224), MIDDLE, MIDDLE, crop=0.875)(np.zeros((300, 400, 3), np.uint8))
    assert frame.scale == pytest.approx((256 / 300, 341 / 400))
    assert frame.origin == (16, 58)  # (256 - 224) / 2, and (341 - 224) / 2 = 58.5 to even
    assert frame.seen == pytest.approx((58 * 400 / 341, 16 * 300 / 256, 282 * 400 / 341, 240 * 300 / 256))


@pytest.mark.parametrize("fit", FITS)
@pytest.mark.parametrize("picture", [(300, 401), (97, 333)])
def test_a_mask_arrives_where_the_object_arrives(picture: tuple[int, int], fit: Fit) -> None:
    """A white object on black, through the preprocessing itself: the mask is what is bright there, but for its edge."""
    mask = np.zeros(picture, bool)
    mask[picture[0] // 5 : picture[0] // 2, picture[1] // 3 : -picture[1] // 4] = True
    plain = Preprocess((112, 112), mean=(0.0,) * 3, std=(1.0,) * 3, crop=0.9, fit=fit)
    pixels, frame = plain(np.repeat(mask[..., None], 3, 2).astype(np.uint8) * 255)
    bright = pixels[0, 0].numpy()
    seen = frame.mask_of(mask)
    assert seen.shape == (112, 112)
    assert seen.any()
    assert bright[seen].mean() > 0.95
    assert bright[~seen].mean() < 0.05
    assert np.mean((bright > 0.5) != seen) < 0.02
    for (y, x), is_object in np.ndenumerate(seen):
        there_x, there_y = frame.to_picture(x + 0.5, y + 0.5)
        inside = 0 <= there_y < picture[0] and 0 <= there_x < picture[1]
        assert is_object == (inside and mask[int(there_y), int(there_x)]), (y, x)


@pytest.mark.parametrize("fit", FITS)
def test_a_mask_has_whole_pixels_for_each_patch(fit: Fit) -> None:
    """Of a network that resizes its pictures a patch may have 6.4 of them: then they are made finer, and lie where they lay."""
    mask = np.random.default_rng(0).random((60, 45)) < 0.5
    frame = frame_of((60, 45), (45, 45), fit)
    found = frame.mask_of(mask, (7, 9))
    assert found.shape == (49, 45)
    for (y, x), is_object in np.ndenumerate(found):
        there_x, there_y = frame.to_picture(x + 0.5, (y + 0.5) * 45 / 49)
        inside = 0 <= there_y < 60 and 0 <= there_x < 45
        assert is_object == (inside and mask[int(there_y), int(there_x)]), (y, x)
    np.testing.assert_array_equal(frame.mask_of(mask, (9, 5)), frame.mask_of(mask))


def test_a_mask_of_another_picture_is_refused() -> None:
    with pytest.raises(VizError, match="the picture 300 x 401"):
        frame_of((300, 401), (224, 224), "crop").mask_of(np.zeros((10, 10), bool))
