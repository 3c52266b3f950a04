"""Figures for papers: the colour bar tells the truth, and the same figure is the same file."""

from concurrent.futures import ThreadPoolExecutor

import matplotlib
import numpy as np
import pytest
from matplotlib.figure import Figure

import vizapp.render.figure as module
from support.networks import MIDDLE
from vizapp.errors import VizError
from vizapp.model.preprocess import Preprocess
from vizapp.render.figure import SHARE, figure, save
from vizapp.render.overlay import Style, overlay
from vizapp.render.small import resized

SCORES = np.array([[0.0, 0.01, 0.02], [0.03, 0.04, 0.08]])  # 2 x 3 patches
N = 7  # tokens: cls and the patches
SIZE = (32, 48)


@pytest.fixture(autouse=True)
def _small(monkeypatch):
    """A tenth of the resolution: nothing here looks at fine print."""
    monkeypatch.setattr(module, "PIXELS", (80, 160))
    monkeypatch.setattr(module, "DPI", 40)


def drawn(style: Style | None = None, shape: tuple[int, int] = (40, 64), **options) -> Figure:
    picture = np.random.default_rng(0).integers(0, 256, (*shape, 3), dtype=np.uint8)
    _, frame = Preprocess(SIZE, MIDDLE, MIDDLE)(picture)
    return figure(picture, frame, SCORES, style, **({"title": "a title", "caption": "small print"} | options))


def texts(made: Figure) -> list[str]:
    made.draw_without_rendering()
    return [text.get_text() for text in made.findobj(matplotlib.text.Text) if text.get_text()]


def test_shares_are_written_in_per_cent_and_in_multiples_of_uniform():
    made = drawn(n_tokens=N)
    bar = made.axes[2]
    second = bar.child_axes[-1]
    said = texts(made)
    assert bar.get_ylim() == pytest.approx((0, 0.08))
    assert second.get_ylim() == pytest.approx((0, 0.08 * N))
    assert SHARE in said
    assert f"× uniform (1/{N})" in said
    assert any(text.endswith("%") for text in said)
    assert {"a title", "small print"} <= set(said)


def test_other_units_have_one_axis_and_the_bar_spans_what_was_painted():
    said = texts(drawn(unit="gradient x attention"))
    assert "gradient x attention" in said
    assert not any(text.endswith("%") or "uniform" in text for text in said)
    assert drawn(Style(low=0.01, high=0.5)).axes[2].get_ylim() == pytest.approx((0.01, 0.5))


def test_the_panels_are_the_picture_and_the_overlay():
    made = drawn(shape=(90, 100))
    picture = np.random.default_rng(0).integers(0, 256, (90, 100, 3), dtype=np.uint8)
    _, frame = Preprocess(SIZE, MIDDLE, MIDDLE)(picture)
    bare, painted = (ax.images[0].get_array() for ax in made.axes[:2])
    assert np.array_equal(bare, picture)
    assert np.array_equal(painted, overlay(picture, frame, SCORES))


@pytest.mark.parametrize("shape", [(40, 64), (200, 110), (90, 100), (12, 1200)])
def test_resizing_for_print_moves_no_patch(shape):
    picture = np.zeros((*shape, 3), np.uint8)
    _, frame = Preprocess(SIZE, MIDDLE, MIDDLE, crop=0.9)(picture)
    sized, on_it = resized(picture, frame, (80, 160))
    assert sized.shape[:2] == on_it.picture
    assert 80 <= max(sized.shape) <= 160
    grow = np.array([sized.shape[1] / shape[1], sized.shape[0] / shape[0]] * 2)
    assert on_it.box_of(1, 2, (2, 3)) == pytest.approx(np.array(frame.box_of(1, 2, (2, 3))) * grow)


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf", ".PNG", ".tif"])
def test_the_same_figure_is_the_same_file(suffix, tmp_path):
    first, second = tmp_path / f"a{suffix}", tmp_path / f"b{suffix}"
    save(drawn(n_tokens=N), first)
    save(drawn(n_tokens=N), str(second))
    assert first.read_bytes() == second.read_bytes()
    assert b"Date" not in first.read_bytes()


def test_an_svg_keeps_words_as_they_are_and_cells_crisp(tmp_path):
    save(drawn(n_tokens=N), tmp_path / "a.svg")
    svg = (tmp_path / "a.svg").read_text()
    assert ">a title</text>" in svg
    assert "image-rendering:pixelated" in svg
    # A file name may hold what matplotlib would read as mathematics.
    save(drawn(title="$5_\\frac{$", caption="$\\frac$ " + "very long " * 60, unit="$\\frac$"), tmp_path / "a.svg")
    assert "$5_\\frac{$" in (tmp_path / "a.svg").read_text()


@pytest.mark.parametrize("name", ["a.jpg", "a", "a.png.exe"])
def test_unknown_suffix_lists_the_known(name, tmp_path):
    with pytest.raises(VizError, match=r"\.png, \.svg, \.pdf"):
        save(drawn(), tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_a_folder_that_is_not_there_is_a_viz_error(tmp_path):
    with pytest.raises(VizError, match="cannot be written"):
        save(drawn(), tmp_path / "nowhere" / "a.png")


@pytest.mark.parametrize("scores", [np.zeros((2, 3)), np.full((2, 3), -1.0), np.full((2, 3), 1e-12)])
def test_flat_maps_have_a_bar_too(scores, tmp_path):
    picture = np.zeros((40, 64, 3), np.uint8)
    made = figure(picture, Preprocess(SIZE, MIDDLE, MIDDLE)(picture)[1], scores, n_tokens=N)
    save(made, tmp_path / "a.svg")
    assert made.axes[2].get_ylim() == pytest.approx((0, max(scores.max(), 0) or 1))


@pytest.mark.parametrize("shape", [(8, 800), (800, 8)])
def test_thin_pictures_are_drawn(shape, tmp_path):
    """As thin as they are, to a pixel, and not bent to a square."""
    made = drawn(shape=shape, n_tokens=N)
    save(made, tmp_path / "a.png")
    picture, overlaid = made.axes[:2]
    for axes in (picture, overlaid):
        height, width = axes.images[0].get_array().shape[:2]
        area = axes.get_window_extent()
        assert area.width / area.height == pytest.approx(width / height)
        scale = max(height, width) / max(shape)
        assert (height, width) == pytest.approx([scale * side for side in shape], abs=1)


def test_settings_of_matplotlib_are_left_as_found_by_threads(tmp_path):
    before = dict(matplotlib.rcParams)
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda nth: save(drawn(), tmp_path / f"{nth}.svg"), range(6)))
    assert dict(matplotlib.rcParams) == before
    assert len({path.read_bytes() for path in tmp_path.iterdir()}) == 1
