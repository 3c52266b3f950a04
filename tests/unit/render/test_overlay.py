"""The heatmap lies exactly where the model looked. Planted truth: one bright patch, every pixel asked by itself."""

import numpy as np
import pytest

from support.networks import MIDDLE
from support.pictures import encoded, turned
from support.together import together
from vizapp.errors import VizError
from vizapp.model.frame import Frame
from vizapp.model.preprocess import FITS, Preprocess
from vizapp.picture import read_picture
from vizapp.render.colour import lut
from vizapp.render.overlay import BAND, Style, overlay

CONSTANT = Style(alpha="constant", opacity=1.0)


def noise(height: int, width: int) -> np.ndarray:
    return np.random.default_rng(height + width).integers(0, 256, (height, width, 3), dtype=np.uint8)


def frame_of(picture: np.ndarray, size: tuple[int, int], fit: str, crop: float = 0.9) -> Frame:
    return Preprocess(size, MIDDLE, MIDDLE, crop=crop)(picture, fit)[1]


def patches(frame: Frame, grid: tuple[int, int]) -> np.ndarray:
    """(H, W) the patch of each pixel, asked one by one: row * cols + col, or -1 where the model never looked."""
    height, width = frame.picture
    found = np.full((height, width), -1)
    for y in range(height):
        for x in range(width):
            cell = frame.patch_at(x + 0.5, y + 0.5, grid)
            if cell is not None:
                found[y, x] = cell[0] * grid[1] + cell[1]
    return found


SHAPES = [(60, 60), (90, 61), (47, 93), (33, 40), (8, 80)]
GRIDS = [((64, 64), (4, 4)), ((56, 56), (7, 7)), ((48, 96), (3, 6)), ((96, 48), (6, 3))]  # (input, grid)


@pytest.mark.parametrize("fit", FITS)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("size", "grid"), GRIDS)
def test_one_bright_patch_changes_its_own_pixels_and_no_other(fit, shape, size, grid):
    picture = noise(*shape)
    frame = frame_of(picture, size, fit)
    truth = patches(frame, grid)
    for patch in np.unique(truth[truth >= 0])[[0, -1]]:
        scores = np.zeros(grid)
        scores.flat[patch] = 0.3
        painted = overlay(picture, frame, scores, Style(opacity=1.0))
        expected = picture.copy()
        expected[truth == patch] = lut("viridis")[255]
        assert np.array_equal(painted[truth >= 0], expected[truth >= 0])


@pytest.mark.parametrize("fit", FITS)
@pytest.mark.parametrize("shape", SHAPES)
def test_every_patch_has_its_own_colour_where_patch_at_says(fit, shape):
    size, grid = (48, 96), (3, 6)
    picture = noise(*shape)
    frame = frame_of(picture, size, fit)
    truth = patches(frame, grid)
    scores = np.random.default_rng(0).random(grid)
    painted = overlay(picture, frame, scores, CONSTANT)
    expected = lut("viridis")[np.minimum((scores / scores.max() * 256).astype(int), 255)].reshape(-1, 3)
    assert np.array_equal(painted[truth >= 0], expected[truth[truth >= 0]])


@pytest.mark.parametrize("shape", [(60, 90), (90, 61)])
@pytest.mark.parametrize("style", [Style(), Style(alpha="constant"), Style(smooth=True), Style(high=9.0)])
def test_what_the_model_never_saw_is_grey_and_dimmed(shape, style):
    picture = np.maximum(noise(*shape), 1)
    frame = frame_of(picture, (64, 64), "crop", crop=0.8)
    unseen = patches(frame, (4, 4)) < 0
    assert unseen.any()
    assert not unseen.all()
    painted = overlay(picture, frame, np.ones((4, 4)), style)
    grey = painted[unseen]
    assert (grey.min(axis=1) == grey.max(axis=1)).all(), "r == g == b"
    assert grey.mean() < 0.6 * picture[unseen].mean()
    hidden = overlay(picture, frame, np.zeros((4, 4)), style)
    assert np.array_equal(hidden[unseen], grey), "no heat outside"


@pytest.mark.parametrize("fit", ["pad", "squash"])
def test_nothing_is_grey_when_the_whole_picture_was_seen(fit):
    picture = noise(61, 90)
    assert np.array_equal(overlay(picture, frame_of(picture, (64, 64), fit), np.zeros((4, 4))), picture)


@pytest.mark.parametrize("orientation", [1, 3, 6, 8])
def test_a_photo_taken_sideways_is_painted_upright(orientation):
    """The whole road from the file: the heat of the patch that sees the red square lies on the red square."""
    upright = np.full((90, 60, 3), 40, np.uint8)
    upright[55:63, 40:48] = (255, 0, 0)  # four patches: the window begins at row 15
    quarter_turns = {1: 0, 3: 2, 6: 1, 8: 3}[orientation]  # anticlockwise, from upright to stored
    stored = np.ascontiguousarray(np.rot90(upright, quarter_turns))
    picture = read_picture(encoded(stored, exif=turned(orientation)))
    assert np.array_equal(picture, upright)
    pixels, frame = Preprocess((60, 60), MIDDLE, MIDDLE, interpolation="nearest")(picture)
    red = pixels[0, 0] - pixels[0, 1]
    scores = red.reshape(15, 4, 15, 4).mean((1, 3)).clip(min=0).numpy()  # 15 x 15 patches of 4 x 4
    painted = overlay(picture, frame, scores, Style(opacity=1.0, low=0.9 * scores.max()))
    changed = (painted == lut("viridis")[255]).all(-1)
    y, x = np.nonzero(changed)
    assert (y.min(), y.max(), x.min(), x.max()) == (55, 62, 40, 47)


@pytest.mark.parametrize("smooth", [False, True])
@pytest.mark.parametrize("value", [1e-9, 0.2, 40.0])
def test_a_constant_map_is_one_colour(smooth, value):
    picture = noise(50, 70)
    style = Style(alpha="constant", opacity=1.0, smooth=smooth)
    painted = overlay(picture, frame_of(picture, (64, 64), "squash"), np.full((4, 4), value), style)
    assert np.array_equal(painted, np.broadcast_to(lut("viridis")[255], painted.shape))


def test_a_map_of_zeros_leaves_the_picture_alone():
    picture = noise(2 * BAND + 37, 20)
    assert np.array_equal(overlay(picture, frame_of(picture, (64, 64), "squash"), np.zeros((4, 4))), picture)
    picture = noise(30, 40)
    frame = frame_of(picture, (48, 64), "squash")
    assert np.array_equal(overlay(picture, frame, np.zeros((3, 4)), Style(colour_map="coolwarm")), picture)


def test_smooth_is_true_at_patch_centres_and_linear_between_them():
    picture = np.zeros((40, 40, 3), np.uint8)
    frame = frame_of(picture, (40, 40), "squash")
    scores = np.array([[0.0, 1.0], [0.5, 0.25]])
    painted = overlay(picture, frame, scores, Style(alpha="constant", opacity=1, smooth=True))
    index = np.array([np.argmin(np.abs(lut("viridis").astype(int) - c).sum(1)) for c in painted.reshape(-1, 3)])
    value = index.reshape(40, 40) / 256
    assert value[9:11, 29:31].mean() == pytest.approx(1.0, abs=0.03)
    assert value[29:31, 9:11].mean() == pytest.approx(0.5, abs=0.02)
    assert value[19:21, 19:21].mean() == pytest.approx(scores.mean(), abs=0.01)
    assert np.diff(value[10, 10:30]) == pytest.approx(0.05, abs=0.006)
    assert (value[0, :9] == value[9, :9]).all(), "flat beyond the outermost centres"


def test_alpha_follows_the_value_and_a_shared_scale_makes_maps_comparable():
    picture = np.full((20, 40, 3), 200, np.uint8)
    frame = frame_of(picture, (16, 32), "squash")
    painted = overlay(picture, frame, np.array([[0.5, 1.0]]), Style(opacity=0.8))
    half, full = lut("viridis")[128].astype(float), lut("viridis")[255].astype(float)
    assert painted[5, 5] == pytest.approx(200 + 0.8 * 0.5**0.5 * (half - 200), abs=0.51)
    assert painted[5, 35] == pytest.approx(200 + 0.8 * (full - 200), abs=0.51)
    # Half of `high` is the middle of the colours, although it is the maximum of its map.
    picture = noise(32, 32)
    frame = frame_of(picture, (32, 32), "squash")
    painted = overlay(picture, frame, np.full((2, 2), 0.1), Style(alpha="constant", opacity=1, high=0.2))
    assert np.array_equal(painted[0, 0], lut("viridis")[128])


@pytest.mark.parametrize("smooth", [False, True])
def test_bands_leave_no_seam(smooth):
    """Large pictures are painted band by band; the result is that of a picture painted at once."""
    height = 2 * BAND + 37
    picture = np.full((height, 12, 3), 90, np.uint8)
    frame = frame_of(picture, (64, 64), "squash")
    painted = overlay(picture, frame, np.arange(16.0).reshape(4, 4) ** 2, Style(smooth=smooth))
    step = np.abs(np.diff(painted.astype(int), axis=0)).max(axis=(1, 2))
    if smooth:
        assert step.max() <= 4
    else:
        assert set(np.nonzero(step)[0] + 1) <= {round(height * k / 4) for k in (1, 2, 3)}


def test_the_picture_is_not_written_to_and_nan_is_refused():
    picture = noise(32, 32)
    picture.setflags(write=False)
    assert overlay(picture, frame_of(picture.copy(), (32, 32), "squash"), np.ones((2, 2))).flags.writeable
    picture = noise(32, 32)
    scores = np.ones((2, 2))
    scores[0, 1] = np.nan
    with pytest.raises(VizError, match="NaN"):
        overlay(picture, frame_of(picture, (32, 32), "squash"), scores)


@together(
    ("wrong", "words"),
    [
        ({"colour_map": "jet"}, "jet"),
        ({"opacity": 1.5}, "1.5"),
        ({"opacity": float("nan")}, "nan"),
        ({"alpha": "none"}, "value, constant"),
        ({"high": float("inf")}, "inf"),
        ({"low": float("nan")}, "nan"),
    ],
)
def test_a_style_that_cannot_be_painted_is_refused(wrong, words):
    with pytest.raises(VizError, match=words):
        Style(**wrong)


def test_a_diverging_map_shows_both_signs_and_nothing_at_zero():
    """Planted: one patch for, one against, twice as weak, the rest zero. `low` does not shift the middle."""
    picture, frame = np.full((30, 40, 3), 120, np.uint8), frame_of(np.zeros((30, 40, 3), np.uint8), (48, 64), "squash")
    scores = np.zeros((3, 4))
    scores[0, 0], scores[2, 3] = 2.0, -1.0
    painted = overlay(picture, frame, scores, Style(colour_map="coolwarm", opacity=1.0, low=-7.0))
    assert np.array_equal(painted[0, 0], lut("coolwarm")[255])
    weak = np.sqrt(0.5) * lut("coolwarm")[64].astype(float) + (1 - np.sqrt(0.5)) * 120
    assert np.abs(painted[-1, -1] - weak).max() <= 1
    assert painted[-1, -1, 2] > painted[-1, -1, 0], "against is blue"
    painted[:10, :10] = painted[20:, 30:] = 120
    assert (painted == 120).all()
