"""The road load -> analyse -> explain -> paint, as a notebook walks it."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from matplotlib.ticker import PercentFormatter
from PIL import Image

import vizapp
import vizapp.model as models
from support.checkpoints import save_vit
from support.networks import small_vit
from vizapp import painting, pipeline
from vizapp.analysis import Analysis
from vizapp.core.attention.layers import DenseAttention
from vizapp.core.attention.trace import AttentionTrace
from vizapp.errors import VizError
from vizapp.model.frame import Frame
from vizapp.model.spec import TokenLayout, VisionModel
from vizapp.pipeline import loading
from vizapp.recent import Recent
from vizapp.render.colour import lut
from vizapp.render.overlay import Style


@pytest.fixture(scope="module")
def name(tmp_path_factory: pytest.TempPathFactory) -> str:
    return save_vit(tmp_path_factory.mktemp("model") / "small.safetensors")


@pytest.fixture(scope="module")
def seen(name: str, picture: np.ndarray) -> Analysis:
    return vizapp.analyse(vizapp.load(name, "cpu"), picture)


def planted(bright: tuple[int, int]) -> Analysis:
    """Two layers of two heads over 2 x 3 patches, where all attention goes to one patch."""
    layout = TokenLayout(("cls",), (2, 3))
    matrix = torch.zeros(2, 7, 7)
    matrix[:, :, layout.token_of(*bright)] = 1
    layers = (DenseAttention("0", matrix), DenseAttention("1", matrix))
    frame = Frame(picture=(20, 30), input=(20, 30), scale=(1.0, 1.0), origin=(0.0, 0.0))
    trace = AttentionTrace(layers, layout, None, "cls")
    return Analysis(np.full((20, 30, 3), 200, np.uint8), frame, trace, "planted", (), ())


def test_results_are_compared_and_put_into_sets_as_themselves(seen: Analysis) -> None:
    """`==` of the arrays that they hold would be no yes or no."""
    truth, stages = vizapp.Truth("a", np.ones((2, 2), bool)), vizapp.Sanity(("a", "b"), {"rollout": np.ones(2)})
    results = (seen, seen.trace, vizapp.explain(seen, "rollout"), vizapp.compare(seen, ["rollout"]), truth, stages)
    assert len({*results, *results, *map(replace, results)}) == 2 * len(results)


def test_the_road_in_five_lines(name: str, picture: np.ndarray, tmp_path: Path) -> None:
    """What stands in the docstring of the package works as it stands there."""
    photo = tmp_path / "photo.png"
    Image.fromarray(picture).save(photo)
    model = vizapp.load(name)
    seen = vizapp.analyse(model, photo)
    relevance = vizapp.explain(seen, "rollout")
    painted = vizapp.paint(seen, relevance)
    vizapp.save(seen, relevance, tmp_path / "figure.pdf")
    assert relevance.scores.shape == (4, 4)
    assert relevance.scores.sum() + sum(relevance.on_prefix.values()) == pytest.approx(1)
    assert (painted.shape, painted.dtype) == ((40, 60, 3), np.uint8)
    assert (tmp_path / "figure.pdf").read_bytes().startswith(b"%PDF")


def test_the_callers_own_code_runs_as_he_wants_it(name: str, picture: np.ndarray) -> None:
    """What brings pictures, and what is told, between the forward passes: without gradients if he switched them off."""
    modes: list[tuple[bool, bool]] = []

    def pictures() -> Iterator[np.ndarray]:
        for _ in range(2):
            modes.append((torch.is_grad_enabled(), torch.is_inference_mode_enabled()))
            yield picture

    def on_progress(done: int) -> None:
        modes.append((torch.is_grad_enabled(), torch.is_inference_mode_enabled()))

    for context, expected in ((torch.no_grad(), (False, False)), (torch.inference_mode(), (False, True))):
        with context:
            assert len(list(vizapp.analyse_many(name, pictures(), batch=1, on_progress=on_progress))) == 2
        assert modes == [expected] * 4
        modes.clear()


def test_an_analysis_says_how_its_picture_was_fitted(name: str, picture: np.ndarray) -> None:
    """Files of maps say it, too."""
    assert [vizapp.analyse(name, picture, fit=fit).fit for fit in (None, "pad", "squash")] == ["crop", "pad", "squash"]


def test_several_pictures_are_several(name: str, picture: np.ndarray) -> None:
    for pictures, batch, words in (
        ([picture], 0, "at least one"),
        ("photo.jpg", 8, "Several pictures"),
        (3, 8, "but got int"),
    ):
        with pytest.raises(VizError, match=words):
            list(vizapp.analyse_many(name, pictures, batch=batch))


def test_who_works_in_inference_mode_gets_gradients_all_the_same(picture: np.ndarray, tmp_path: Path) -> None:
    """Whatever is made there, and kept: the network that was loaded, pixels, coordinates, copies that forget."""
    name = save_vit(tmp_path / "fresh.safetensors")
    with torch.inference_mode():
        seen = vizapp.analyse(name, picture)
        (also,) = vizapp.analyse_many(name, [picture])
        inside = vizapp.explain(seen, "chefer").scores
        assert np.isfinite(vizapp.sanity(seen, ["chefer"]).correlation["chefer"]).all()
    for one in (seen, also, vizapp.analyse(name, picture)):
        np.testing.assert_allclose(vizapp.explain(one, "chefer").scores, inside, rtol=1e-4, atol=1e-7)


def test_the_public_names_are_all_there() -> None:
    assert all(hasattr(vizapp, name) for name in vizapp.__all__)


def test_top_is_the_softmax_of_the_logits(seen: Analysis) -> None:
    top = seen.top(3)
    probabilities = seen.trace.logits.softmax(-1).numpy()
    assert [label for label, _ in top] == [seen.labels[i] for i in np.argsort(-probabilities)[:3]]
    assert [share for _, share in top] == pytest.approx(sorted(probabilities)[::-1][:3])
    assert len(seen.top(99)) == len(seen.labels)
    assert replace(seen, trace=replace(seen.trace, logits=None)).top() == ()


def test_an_analysis_holds_no_network(name: str, picture: np.ndarray) -> None:
    """A trace may outlive its model, which is large."""
    seen = vizapp.analyse(vizapp.load(name, "cpu"), picture)
    held = [value for layer in seen.trace.layers for value in vars(layer).values()]
    assert not any(isinstance(value, torch.nn.Module) for value in held)
    assert all(not value.requires_grad for value in held if isinstance(value, torch.Tensor))


def test_two_loads_give_one_object(name: str) -> None:
    with ThreadPoolExecutor(4) as threads:
        loaded = [future.result() for future in [threads.submit(vizapp.load, name) for _ in range(4)]]
    assert all(one is loaded[0] for one in loaded)
    assert vizapp.load(name, "cpu") is vizapp.load(name, "cpu")


def test_the_model_that_rested_longest_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory stays bounded, however many names visitors ask for."""
    monkeypatch.setattr(loading, "_kept", Recent(loading.MODELS_KEPT))
    built: list[str] = []

    def build(name: str, device: str) -> VisionModel:
        built.append(name)
        return small_vit()

    monkeypatch.setattr(models, "load", build)
    for name in ("a", "b", "c", "a", "d", "a", "b"):
        pipeline.load(name, "cpu")
    assert built == ["a", "b", "c", "d", "b"], "b rested longest when d came, a did not"
    assert len(loading._kept) == loading.MODELS_KEPT


def test_the_scale_is_the_maximum_of_what_is_compared(seen: Analysis) -> None:
    maps = np.stack([layer.map().numpy()[:, 0, 1:] for layer in seen.trace.layers])  # (layer, head, patch) of CLS
    one = vizapp.explain(seen, "attention", layer=1, head=2)
    assert painting.scaled(seen, one, "map", None).high == pytest.approx(maps[1, 2].max())
    assert painting.scaled(seen, one, "layer", None).high == pytest.approx(maps[1].max())
    assert painting.scaled(seen, one, "all", None).high == pytest.approx(maps.max())
    assert painting.scaled(seen, one, 0.05, None).high == 0.05
    fused = vizapp.explain(seen, "attention", layer=1)
    assert painting.scaled(seen, fused, "all", None).high == pytest.approx(maps.mean(1).max())
    rolled = vizapp.explain(seen, "rollout", layer=2, start_layer=1)
    followed = [vizapp.explain(seen, "rollout", layer=layer, start_layer=1).scores.max() for layer in (1, 2)]
    assert painting.scaled(seen, rolled, "all", None).high == pytest.approx(max(followed))


def test_a_style_with_a_top_keeps_it(seen: Analysis) -> None:
    style = Style(high=0.3, colour_map="magma")
    assert painting.scaled(seen, vizapp.explain(seen), "all", style) == style


@pytest.mark.parametrize("scale", ["everything", 0, -0.1])
def test_a_scale_that_is_none_is_refused(seen: Analysis, scale: object) -> None:
    with pytest.raises(vizapp.VizError, match="scale"):
        vizapp.paint(seen, vizapp.explain(seen), scale=scale)


def test_the_one_patch_that_holds_all_is_the_only_bright_one() -> None:
    """A planted case, to the pixel: patch (1, 2) covers rows 10 to 20 and columns 20 to 30."""
    seen = planted((1, 2))
    for method in ("attention", "rollout"):
        relevance = vizapp.explain(seen, method, query="0,0" if method == "attention" else None)
        painted = vizapp.paint(seen, relevance, style=Style(opacity=1, alpha="value"))
        assert (painted[10:, 20:] == lut("viridis")[255]).all()
        painted[10:, 20:] = 200
        if method == "attention":
            assert (painted == 200).all(), "value alpha leaves the rest as it is"


def test_a_scale_over_all_layers_is_shared_by_their_pictures(seen: Analysis) -> None:
    """The weaker of two layers looks weaker, which it does not when each map has its own scale."""
    pictures = {}
    for scale in ("map", "all"):
        for layer in range(3):
            relevance = vizapp.explain(seen, "attention", layer=layer)
            style = Style(opacity=1, alpha="constant")
            pictures[scale, layer] = vizapp.paint(seen, relevance, scale=scale, style=style)
    top = lut("viridis")[255]
    touch = {key: bool((painted == top).all(-1).any()) for key, painted in pictures.items()}
    assert [touch["map", layer] for layer in range(3)] == [True] * 3
    assert sum(touch["all", layer] for layer in range(3)) == 1


def test_a_signed_map_goes_both_ways_from_zero(seen: Analysis) -> None:
    """What speaks against the class is as visible as what speaks for it, in the picture and on the colour bar."""
    signed = vizapp.explain(seen, "attn_lrp")
    assert signed.scores.min() < 0 < signed.scores.max()
    style = painting.scaled(seen, signed, "map", Style(opacity=1, alpha="constant"))
    assert (style.colour_map, style.high) == ("coolwarm", pytest.approx(np.abs(signed.scores).max()))
    # Planted, since extremes that differ by less than a colour reach both ends: in what attn_lrp finds, they may.
    planted = replace(
        signed, scores=np.linspace(-0.5, 1, signed.scores.size, dtype=np.float32).reshape(signed.scores.shape)
    )
    turned = replace(planted, scores=-planted.scores)
    tops = {
        one: vizapp.paint(seen, map_, style=Style(opacity=1)) for one, map_ in (("for", planted), ("against", turned))
    }
    reached = {
        one: [bool((picture == lut("coolwarm")[end]).all(-1).any()) for end in (0, -1)] for one, picture in tops.items()
    }
    assert reached == {"for": [False, True], "against": [True, False]}, "the strongest patch, on its side of zero"
    low, high = vizapp.plot(seen, signed).axes[2].get_ylim()
    assert (low, high) == pytest.approx((-style.high, style.high))
    assert painting.scaled(seen, signed, "map", Style(colour_map="viridis")).colour_map == "viridis", "who asks gets it"
    assert painting.scaled(seen, vizapp.explain(seen), "map", None).colour_map == "viridis"


def test_only_shares_are_in_per_cent(seen: Analysis) -> None:
    """A part of a logit is no share of attention, and no multiple of an even spread."""
    axes = {name: vizapp.plot(seen, vizapp.explain(seen, name)).axes[2] for name in ("attn_lrp", "rollout")}
    per_cent = {name: isinstance(ax.yaxis.get_major_formatter(), PercentFormatter) for name, ax in axes.items()}
    assert per_cent == {"attn_lrp": False, "rollout": True}


def test_plot_says_what_is_shown(seen: Analysis) -> None:
    drawn = vizapp.plot(seen, vizapp.explain(seen, "attention", layer=0))
    words = [text.get_text() for text in drawn.texts]
    assert any("attention" in text and "layer=0" in text for text in words)
    assert any("patches" in text and "on cls" in text for text in words)
