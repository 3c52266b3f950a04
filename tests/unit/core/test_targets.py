"""What is explained: an index without labels, or any number that a function makes of the output, for every method of classes."""

import json
import pickle
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import timm
import torch
import torch.nn.functional as F
from torch import Tensor, nn

import vizapp
from support.networks import sharpen, small_vit
from support.together import together
from vizapp import VizError
from vizapp.analysis.record import describe
from vizapp.core.methods import methods
from vizapp.core.target import Named, measured
from vizapp.model.vit import ViT
from vizapp.ui.targets import choices_of
from vizapp.ui.words import words_for

CLASS_METHODS = [name for name, one in methods().items() if one.class_specific]
QUICK = {"rise": {"masks": 24}, "integrated_gradients": {"steps": 4}, "smooth_grad": {"samples": 4}}


@pytest.fixture(scope="module")
def pixels() -> Tensor:
    return torch.randn(1, 3, 64, 64, generator=torch.Generator().manual_seed(1))


def plain(**options: object) -> nn.Module:
    torch.manual_seed(0)
    return sharpen(
        timm.create_model("vit_tiny_patch16_224", img_size=64, embed_dim=32, depth=2, num_heads=2, **options)
    )


def cosine(reference: Tensor, output: Tensor) -> Tensor:
    return F.cosine_similarity(output, reference)


@pytest.mark.parametrize("name", CLASS_METHODS)
def test_an_output_is_explained_by_index_by_label_and_by_a_function(name: str, pixels: Tensor) -> None:
    net = plain(num_classes=5)
    named = vizapp.analyse(net, pixels, labels=tuple("abcde"))
    unnamed = vizapp.analyse(net, pixels, labels=())
    settings = QUICK.get(name, {})
    expected = vizapp.explain(named, name, target="d", **settings)
    if name != "rise":  # of probabilities, where there are classes
        by_index = vizapp.explain(unnamed, name, target=3, **settings)
        np.testing.assert_allclose(by_index.scores, expected.scores, rtol=0, atol=1e-6 * np.abs(expected.scores).max())
        assert by_index.target == 3
    score = (lambda output: output.softmax(1)[0, 3]) if name == "rise" else (lambda output: output[:, 3])
    by_function = vizapp.explain(unnamed, name, target=score, **settings)
    np.testing.assert_allclose(
        by_function.scores, expected.scores, rtol=0, atol=1e-5 * np.abs(expected.scores).max(), err_msg=name
    )
    assert by_function.target == "a function of the output"
    assert "class" not in by_function.unit


@pytest.mark.parametrize("name", CLASS_METHODS)
def test_a_network_without_a_head_is_explained_by_a_cosine(name: str, pixels: Tensor) -> None:
    net = plain(num_classes=0)
    other = net(pixels.flip(-1)).detach()
    seen = vizapp.analyse(net, pixels)
    assert seen.trace.logits is None
    found = vizapp.explain(seen, name, target=partial(cosine, other), **QUICK.get(name, {}))
    assert found.target == "cosine"
    assert found.scores.shape == (4, 4)
    assert np.ptp(found.scores) > 0


@pytest.mark.parametrize("name", CLASS_METHODS)
def test_without_labels_the_largest_output_is_explained(name: str, pixels: Tensor) -> None:
    """It is called by its number."""
    net = plain(num_classes=0)
    largest, seen = int(net(pixels).argmax()), vizapp.analyse(net, pixels)
    found = vizapp.explain(seen, name, **QUICK.get(name, {}))
    assert (found.target, found.explained, found.label) == (largest, f"output {largest}", f"output {largest}")
    expected = vizapp.explain(seen, name, target=largest, **QUICK.get(name, {}))
    np.testing.assert_array_equal(found.scores, expected.scores)


def test_the_largest_output_is_named_in_captions_and_files(pixels: Tensor, tmp_path: Path) -> None:
    net = plain(num_classes=5)
    seen = vizapp.analyse(net, pixels, labels=())
    said = f"output {int(net(pixels).argmax())}"
    found = vizapp.explain(seen, "chefer")
    assert describe(found) == f"chefer of cls for {said} (start_layer=0)"
    vizapp.save(seen, found, tmp_path / "map.npz")
    with np.load(tmp_path / "map.npz") as kept:
        assert json.loads(str(kept["about"]))["provenance"]["class"] == said
    result = vizapp.compare(seen, ["chefer", "rollout"], steps=2)
    assert {"chefer", "rollout"} <= result.curves.keys()
    assert {row["class"] for row in result._rows_of} == {said}
    assert vizapp.sanity(seen, "chefer").correlation["chefer"].shape == (3,)
    (many,) = vizapp.explain_many([seen], "chefer")
    np.testing.assert_array_equal(many.scores, found.scores)
    assert choices_of(words_for("en"), seen, None) == [(f"{said}, the largest", found.target)]
    assert seen.top() == (), "it is no class"
    with pytest.raises(VizError, match=r"none is the most probable.*target= takes"):
        vizapp.explain(vizapp.analyse(net, pixels, labels=(), activation="none"), "chefer")


class Several(nn.Module):
    """A network that gives its logits in a way that says nothing of them: on a grid, one among others, or no numbers."""

    def __init__(self, give: Callable[[Tensor], object]) -> None:
        super().__init__()
        self.net, self.give = plain(num_classes=4), give

    def forward(self, pixels: Tensor) -> object:
        return self.give(self.net(pixels))


@together(
    "give",
    {
        "a grid": lambda logits: logits.reshape(1, 1, 2, 2),
        "by name": lambda logits: {"logits": logits},
        "several": lambda logits: (logits, logits),
        "whole numbers": lambda logits: logits.long(),
        "not finite": lambda logits: logits / 0,
    }.values(),
)
def test_what_is_no_row_of_outputs_asks_for_a_target_first(give: Callable[[Tensor], object], pixels: Tensor) -> None:
    seen = vizapp.analyse(Several(give).eval(), pixels)
    with pytest.raises(VizError) as caught:
        vizapp.explain(seen, "chefer")
    assert caught.value.hint.startswith("target= takes the index of an output, or a function")
    assert "output=" in caught.value.hint
    found = vizapp.compare(seen, ["rollout", "chefer"])
    assert set(found.maps) == {"rollout", "random", "centre"}
    assert "target= takes" in found.skipped["chefer"]
    assert (found.target, found.curves) == (None, {})


def test_two_functions_are_two_targets(pixels: Tensor) -> None:
    """Also where one is gone when the other is made, and may lie where it lay in memory."""
    seen = vizapp.analyse(plain(num_classes=5), pixels, labels=())
    found = [vizapp.explain(seen, "chefer", target=lambda out, index=index: out[0, index]).scores for index in range(5)]
    for index in range(5):
        np.testing.assert_allclose(found[index], vizapp.explain(seen, "chefer", target=index).scores, rtol=1e-5)
        assert all(np.abs(found[index] - found[other]).max() > 1e-6 for other in range(index))


def test_names_and_captions(pixels: Tensor, tmp_path) -> None:
    seen = vizapp.analyse(plain(num_classes=5), pixels, labels=())
    found = vizapp.explain(seen, "chefer", target=partial(cosine, torch.ones(1, 5)))
    assert isinstance(found.target, Named)
    assert type(pickle.loads(pickle.dumps(found.target))) is str
    assert describe(found) == "chefer of cls for cosine (start_layer=0)"
    assert found.unit == "relevance to the target"
    assert describe(vizapp.explain(seen, "chefer", target=2)) == "chefer of cls for output 2 (start_layer=0)"
    vizapp.save(seen, found, tmp_path / "map.npz")
    vizapp.save(seen, found, tmp_path / "map.png", scale="all")
    again = vizapp.explain(seen, "chefer", target=found.target)
    np.testing.assert_array_equal(again.scores, found.scores)


def test_a_regression_has_no_probability(pixels: Tensor) -> None:
    net = plain(num_classes=1)
    seen = vizapp.analyse(net, pixels, labels=("age",), activation="none")
    assert seen.top() == ()
    found = vizapp.explain(seen, "rise", masks=16)
    assert found.target == 0
    result = vizapp.compare(seen, ["chefer"], steps=2)
    assert result.curves["chefer"].deletion[0] == pytest.approx(float(seen.trace.logits[0]), rel=1e-4)
    two = vizapp.analyse(plain(num_classes=2), pixels, labels=("x", "y"), activation="none")
    with pytest.raises(VizError, match="none is the most probable"):
        vizapp.explain(two, "chefer")
    assert vizapp.explain(two, "chefer", target="y").target == 1


def test_each_by_itself(pixels: Tensor) -> None:
    seen = vizapp.analyse(plain(num_classes=5), pixels, labels=tuple("abcde"), activation="sigmoid")
    expected = seen.trace.logits.sigmoid()
    assert seen.best(5) == tuple((int(index), float(expected[index])) for index in expected.argsort(descending=True))
    curve = vizapp.compare(seen, ["chefer"], target="b", steps=2).curves["chefer"]
    assert curve.deletion[0] == pytest.approx(float(expected[1]), rel=1e-4)


def test_deletion_and_insertion_watch_the_score(pixels: Tensor) -> None:
    net = plain(num_classes=0)
    target = partial(cosine, net(pixels).detach())
    seen = vizapp.analyse(net, pixels)
    result = vizapp.compare(seen, ["rollout", "chefer"], target=target, steps=4)
    assert result.target == "cosine"
    assert result.curves["chefer"].deletion[0] == pytest.approx(1, abs=1e-4), "the picture's own embedding"
    assert result.curves["chefer"].insertion[-1] == pytest.approx(1, abs=1e-4)
    assert result.curves["chefer"].insertion[0] < 0.999
    assert result.rows()[0]["deletion"] < 1
    left = vizapp.sanity(seen, ["chefer"], target=target).correlation["chefer"]
    assert left.shape == (3,)


def test_a_probability_is_as_exact_as_the_network() -> None:
    """It was rounded to float32 in a network of float64."""
    net = plain(num_classes=5).double()
    pictures = torch.randn(2, 3, 64, 64, dtype=torch.float64)
    torch.testing.assert_close(measured(net, pictures, 3), net(pictures).softmax(-1)[:, 3], rtol=1e-14, atol=0)


def test_an_edited_network_is_explained_by_the_same_function(pixels: Tensor) -> None:
    net = plain(num_classes=0)
    target = partial(cosine, torch.ones(1, 32))
    seen = vizapp.analyse(net, pixels, edits="head-off:0.0")
    before = vizapp.analyse(net, pixels)
    one, other = (vizapp.explain(each, "occlusion", target=target).scores for each in (seen, before))
    assert np.abs(one - other).max() > 1e-6


SLIPS = {
    "many numbers": (
        lambda seen: vizapp.explain(seen, "chefer", target=lambda out: out),
        r"gives 1 x 5 of float32 .*not one",
    ),
    "whole numbers": (lambda seen: vizapp.explain(seen, "chefer", target=lambda out: out.argmax()), "of int64"),
    "no such output": (lambda seen: vizapp.explain(seen, "chefer", target=7), "no class 7. Classes go from 0 to 4"),
    "no label": (
        lambda seen: vizapp.explain(seen, "chefer", target="cat"),
        "no labels, so none of them is called 'cat'.*target= takes its index",
    ),
    "no gradient": (
        lambda seen: vizapp.explain(seen, "chefer", target=lambda out: out.detach()[0, 1]),
        r"The target \(.*gives a number without a gradient",
    ),
    "no class method": (
        lambda seen: vizapp.explain(seen, "rollout", target=lambda out: out[0, 1]),
        "same for every class",
    ),
}


@together("slip", SLIPS)
def test_a_slip_is_a_sentence(slip: str, pixels: Tensor) -> None:
    make, words = SLIPS[slip]
    with pytest.raises(VizError, match=words):
        make(vizapp.analyse(plain(num_classes=5), pixels, labels=()))


def test_a_method_of_ones_own_gets_the_function() -> None:
    model = small_vit()
    seen = vizapp.analyse(model, np.zeros((32, 32, 3), np.uint8))

    def mine(context, query):
        return np.full((4, 4), float(context.explained(torch.ones(1, 5))))

    def total(output: Tensor) -> Tensor:
        return output.sum()

    found = vizapp.explain(seen, mine, target=total)
    assert (found.scores[0, 0], found.target) == (5.0, "total")
    assert ViT is type(model.net)
