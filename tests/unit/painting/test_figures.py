"""Several maps at once: every map is the one that `explain` gives, on one scale, beside one bar."""

from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

import vizapp
from support.networks import small_vit
from vizapp import painting
from vizapp.analysis import Analysis
from vizapp.errors import VizError
from vizapp.painting.figures import SIDES
from vizapp.render.overlay import Style, overlay
from vizapp.render.small import resized


@pytest.fixture(scope="module")
def pair() -> list[Analysis]:
    noise = np.random.default_rng(0).integers(0, 256, (2, 40, 60, 3), dtype=np.uint8)
    model = small_vit()
    return [vizapp.analyse(model, noise[0]), vizapp.analyse(model, noise[1, :, :40])]


def shown(figure: Figure) -> list[np.ndarray]:
    return [ax.images[0].get_array() for ax in figure.axes if ax.images]


def painted(seen: Analysis, scores: np.ndarray, style: Style) -> np.ndarray:
    return overlay(*resized(seen.picture, seen.frame, SIDES), scores, style)


def bar_of(figure: Figure) -> tuple[float, float]:
    (bar,) = [ax for ax in figure.axes if not ax.images]
    return bar.get_ylim()


def test_a_grid_is_pictures_by_methods(pair: list[Analysis], tmp_path: Path) -> None:
    made = vizapp.grid(pair, ["rollout", "attention"], names=["first", "second"])
    cells = shown(made)
    assert len(cells) == 2 * 3
    for row, seen in enumerate(pair):
        assert np.array_equal(cells[3 * row], resized(seen.picture, seen.frame, SIDES)[0])
        for column, method in enumerate(("rollout", "attention")):
            scores = vizapp.explain(seen, method).scores
            expected = painted(seen, scores, Style(colour_map="viridis", high=float(scores.max())))
            assert np.array_equal(cells[3 * row + 1 + column], expected)
    assert bar_of(made) == (0, 1)
    said = [text.get_text() for text in made.texts]
    assert {"rollout", "attention", "first", "second"} <= set(said)
    made.savefig(tmp_path / "grid.pdf")


def test_one_scale_for_methods_of_one_unit(pair: list[Analysis]) -> None:
    made = vizapp.grid(pair, "attention", scale="same", settings={"attention": {"layer": 1}})
    maps = [vizapp.explain(seen, "attention", layer=1).scores for seen in pair]
    top = max(float(one.max()) for one in maps)
    assert bar_of(made) == pytest.approx((0, top))
    for cell, seen, scores in zip(shown(made)[1::2], pair, maps, strict=True):
        assert np.array_equal(cell, painted(seen, scores, Style(high=top)))
    assert bar_of(vizapp.grid(pair, "attention", scale=0.25)) == (0, 0.25)
    with pytest.raises(VizError, match="no scale in common"):
        vizapp.grid(pair, ["attention", "chefer"], scale="same")
    with pytest.raises(VizError, match="'best' is no scale"):
        vizapp.grid(pair, ["attention"], scale="best")


def test_signed_maps_make_the_bar_go_both_ways(pair: list[Analysis]) -> None:
    made = vizapp.grid(pair[0], ["rollout", "attn_lrp"], target=1)
    assert bar_of(made) == (-1, 1)
    scores = vizapp.explain(pair[0], "attn_lrp", target=1).scores
    style = Style(colour_map="coolwarm", high=float(np.abs(scores).max()))
    assert np.array_equal(shown(made)[2], painted(pair[0], scores, style))


def test_a_place_without_a_map_stays_empty(pair: list[Analysis]) -> None:
    alone = vizapp.leave_out(pair[1], [(0, 0)])
    assert len(shown(vizapp.grid([pair[0], alone], ["rollout", "chefer"]))) == 3 + 2
    with pytest.raises(VizError, match="holds no network"):
        vizapp.grid(alone, ["chefer"])
    with pytest.raises(VizError, match="nothing to draw"):
        vizapp.grid([], [])


@pytest.mark.parametrize(("direction", "other"), [("from", "to"), ("to", "from")])
def test_all_heads_of_a_layer(pair: list[Analysis], direction: str, other: str) -> None:
    """`direction` reaches every map: what the query gives to each patch, or what they give to the query."""
    made = vizapp.heads(pair[0], 1, query="1,2", direction=direction)
    asked = {"layer": 1, "query": "1,2"}
    maps = [
        vizapp.explain(pair[0], "attention", head=head, direction=direction, **asked).scores
        for head in (0, 1, 2, 3, None)
    ]
    top = max(float(one.max()) for one in maps)
    assert bar_of(made) == pytest.approx((0, top))
    for cell, scores in zip(shown(made), maps, strict=True):
        assert np.array_equal(cell, painted(pair[0], scores, Style(high=top)))
    turned = vizapp.explain(pair[0], "attention", head=0, direction=other, **asked).scores
    assert not np.array_equal(shown(made)[0], painted(pair[0], turned, Style(high=top)))
    said = [text.get_text() for text in made.texts if text.get_text()]
    assert said[-5:] == ["head 0", "head 1", "head 2", "head 3", "mean"]


def test_the_figure_of_a_map_is_the_picture_and_the_map(pair: list[Analysis]) -> None:
    one = vizapp.explain(pair[0], "attention")
    small = painting.in_size(pair[0], painting.PIXELS)
    made = vizapp.plot(pair[0], one)
    bare, over = shown(made)
    assert np.array_equal(bare, small.picture)
    assert np.array_equal(over, painting.painted(small, one, painting.scaled(pair[0], one, "map", None)))
    assert bar_of(made) == pytest.approx((0, one.scores.max()))


def test_a_map_on_axes_of_ones_own(pair: list[Analysis], tmp_path: Path) -> None:
    seen = pair[0]
    relevance = vizapp.explain(seen, "attention", head=1)
    mine = Figure()
    left, right = mine.subplots(1, 2)
    right.plot([0, 1])
    assert vizapp.plot(seen, relevance, ax=left, scale="layer") is mine
    assert np.array_equal(left.images[0].get_array(), vizapp.paint(seen, relevance, scale="layer"))
    bar = mine.axes[2]
    every = [vizapp.explain(seen, "attention", head=head).scores.max() for head in range(4)]
    assert bar.get_ylim() == pytest.approx((0, max(every)))
    assert any(text.get_text().endswith("%") for text in bar.get_yticklabels())
    part = Figure().subfigures(1, 2)[0]
    assert vizapp.plot(seen, relevance, ax=part.subplots()) is part.canvas.figure
