"""Figures for papers: the colour bar tells the truth, and the same figure is the same file."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import matplotlib
import numpy as np
import pytest
from matplotlib.figure import Figure

import vizapp.render.figure as module
from support.networks import MIDDLE
from vizapp.errors import VizError
from vizapp.model.preprocess import Preprocess
from vizapp.render.figure import save
from vizapp.render.overlay import Style, overlay
from vizapp.render.sheet import Bar, Panel, sheet
from vizapp.render.small import resized

SCORES = np.array([[0.0, 0.01, 0.02], [0.03, 0.04, 0.08]])  # 2 x 3 patches
N = 7  # tokens: cls and the patches
SIZE = (32, 48)
SHARES = {"unit": "share", "shares": True, "n_tokens": N}


@pytest.fixture(autouse=True)
def _small(monkeypatch):
    """A tenth of the resolution: nothing here looks at fine print."""
    monkeypatch.setattr(module, "DPI", 40)


def drawn(
    scores: np.ndarray = SCORES,
    style: Style | None = None,
    shape: tuple[int, int] = (40, 64),
    title: str = "a title",
    caption: str = "small print",
    **of_bar: Any,
) -> Figure:
    """One map as `vizapp.plot` draws it, in fewer pixels."""
    style = style or Style()
    picture = np.random.default_rng(0).integers(0, 256, (*shape, 3), dtype=np.uint8)
    picture, frame = resized(picture, Preprocess(SIZE, MIDDLE, MIDDLE)(picture)[1], (80, 160))
    panels = [Panel(picture), Panel(overlay(picture, frame, scores, style))]
    bar = Bar(style.colours, *style.range_of(scores), **of_bar)
    return sheet(panels, 2, [bar], side=3.6, title=title, caption=caption)


def texts(made: Figure) -> list[str]:
    made.draw_without_rendering()
    return [text.get_text() for text in made.findobj(matplotlib.text.Text) if text.get_text()]


def test_shares_are_written_in_per_cent_and_in_multiples_of_uniform():
    made = drawn(**SHARES)
    bar = made.axes[2]
    second = bar.child_axes[-1]
    said = texts(made)
    assert bar.get_ylim() == pytest.approx((0, 0.08))
    assert second.get_ylim() == pytest.approx((0, 0.08 * N))
    assert "share" in said
    assert f"× uniform (1/{N})" in said
    assert any(text.endswith("%") for text in said)
    assert {"a title", "small print"} <= set(said)


def test_other_units_have_one_axis_and_the_bar_spans_what_was_painted():
    said = texts(drawn(unit="gradient x attention"))
    assert "gradient x attention" in said
    assert not any(text.endswith("%") or "uniform" in text for text in said)
    assert drawn(style=Style(low=0.01, high=0.5)).axes[2].get_ylim() == pytest.approx((0.01, 0.5))


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
    save(drawn(**SHARES), first)
    save(drawn(**SHARES), str(second))
    assert first.read_bytes() == second.read_bytes()
    assert b"Date" not in first.read_bytes()


def test_an_svg_keeps_words_as_they_are_and_cells_crisp(tmp_path):
    save(drawn(**SHARES), tmp_path / "a.svg")
    svg = (tmp_path / "a.svg").read_text()
    assert ">a title</text>" in svg
    assert "image-rendering:pixelated" in svg
    # A file name may hold what matplotlib would read as mathematics.
    save(drawn(title="$5_\\frac{$", caption="$\\frac$ " + "very long " * 60, unit="$\\frac$"), tmp_path / "a.svg")
    assert "$5_\\frac{$" in (tmp_path / "a.svg").read_text()


@pytest.mark.parametrize(
    ("name", "words"),
    [(name, r"\.png, \.svg, \.pdf") for name in ("a.jpg", "a", "a.png.exe")] + [("nowhere/a.png", "cannot be written")],
)
def test_where_no_figure_can_be_saved_is_said(name, words, tmp_path):
    with pytest.raises(VizError, match=words):
        save(drawn(), tmp_path / name)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("scores", [np.zeros((2, 3)), np.full((2, 3), -1.0), np.full((2, 3), 1e-12)])
def test_flat_maps_have_a_bar_too(scores, tmp_path):
    made = drawn(scores, **SHARES)
    save(made, tmp_path / "a.svg")
    assert made.axes[2].get_ylim() == pytest.approx((0, max(scores.max(), 0) or 1))


@pytest.mark.parametrize("shape", [(8, 800), (800, 8)])
def test_thin_pictures_are_drawn(shape, tmp_path):
    """As thin as they are, to a pixel, and not bent to a square."""
    made = drawn(shape=shape, **SHARES)
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


def test_rows_and_columns_are_as_narrow_as_their_pictures() -> None:
    """Each picture has its shape and the same longest side; an empty place keeps its name; names stand above their column."""
    shapes = [(20, 40), (40, 40), (40, 20)]
    one, two, three = (Panel(np.zeros((*shape, 3), np.uint8), "a name") for shape in shapes)
    made = sheet([one, Panel(None, "empty"), two, three], 2, [Bar("viridis")], side=2.0, rows=["first", "second"])
    inches = [ax.get_position().size * made.get_size_inches() for ax in made.axes[:3]]
    assert np.allclose(inches, [(2, 1), (2, 2), (1, 2)])
    assert len(made.axes) == 4, "the fourth is the bar"
    said = [text.get_text() for text in made.texts]
    assert {"empty", "first", "second"} <= set(said)
    assert said.count("a name") == 3
    narrow = sheet([three] * 3, 3, [Bar("viridis")], side=2.0)
    wide = sheet([one] * 3, 3, [Bar("viridis")], side=2.0)
    assert wide.get_figwidth() - narrow.get_figwidth() == pytest.approx(3)
    assert narrow.get_figheight() > wide.get_figheight()


def test_bars_with_words_lie_below_and_names_are_shortened_to_their_picture() -> None:
    picture = np.zeros((40, 40, 3), np.uint8)
    bars = [Bar("viridis", words=("none", "", "most")), Bar("coolwarm", words=("against", "0", "for"))]
    thin = Panel(np.zeros((800, 8, 3), np.uint8), "no wider than its picture")
    assert any(text.get_text() == "no wider …" for text in sheet([thin], 1, [], side=2.2).texts), (
        "but wide enough to be read"
    )
    made = sheet([Panel(picture, "a name", "said " * 20)], 4, bars, side=2.2)
    assert [[tick.get_text() for tick in ax.get_xticklabels()] for ax in made.axes[1:]] == [list(b.words) for b in bars]
    assert all(ax.get_position().y1 < made.axes[0].get_position().y0 for ax in made.axes[1:])
    assert any(text.get_text().endswith(" …") for text in made.texts)
