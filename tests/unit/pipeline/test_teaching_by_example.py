"""Things taught by example: labels of all patches, of this picture and of others, and a class that methods explain."""

import numpy as np
import pytest
import torch

import vizapp
from support.networks import Encoder
from support.pictures import NOISE
from support.taught import MARKS, NO_RULE, cover
from vizapp import VizError
from vizapp.model.toy.lessons import HELD_OUT
from vizapp.model.toy.scenes import render
from vizapp.pipeline.teaching import from_prototypes


def test_another_picture_is_labelled_by_the_same_lesson() -> None:
    """A thing of one class, taught in one scene, is found in another beside another thing."""
    right = total = 0
    for seed in range(6):
        first, other = (
            render(HELD_OUT + 60_000 + 2 * seed + i, labels=[seed % 12, (seed + 5) % 12], clutter=0, occlusion=0)
            for i in range(2)
        )
        seen, later = (vizapp.analyse("toy", one.picture) for one in (first, other))
        grid = seen.trace.layout.grid
        marks = {
            one.name: [divmod(int(i), grid[1]) for i in cover(one.mask, grid).flatten().argsort()[-3:]]
            for one in first.objects
        }
        labels = vizapp.teach(seen, marks).labels(later)
        for one in other.objects:
            counted = cover(one.mask, grid) >= 0.5
            right += int((labels.nearest[counted] == labels.things.index(one.name)).sum())
            total += int(counted.sum())
    assert right / total >= 0.9


def test_labels_say_which_thing_a_patch_is_and_how_surely() -> None:
    seen = vizapp.analyse("toy", NOISE)
    labels = vizapp.teach(seen, MARKS).labels(seen)
    assert labels.things == ("thing", "the rest")
    for one in (labels, *(vizapp.teach(seen, MARKS, temperature=end).labels(seen) for end in (1e-3, 1e3))):
        np.testing.assert_allclose(sum(one.shares.values()), 1, rtol=1e-5)
    assert [labels.of(1, 1), labels.of(9, 9)] == ["thing", "the rest"]
    assert labels.nearest.shape == seen.trace.layout.grid
    surer = vizapp.teach(seen, MARKS, temperature=0.02).labels(seen)
    assert np.array_equal(surer.nearest, labels.nearest)
    assert (surer.shares["thing"][1, 1], surer.shares["the rest"][9, 9]) > (
        labels.shares["thing"][1, 1],
        labels.shares["the rest"][9, 9],
    )


@pytest.mark.parametrize("name", ["toy", "mean"])
def test_prototypes_are_a_lesson_as_marks_are(name: str) -> None:
    seen = vizapp.analyse(name, NOISE)
    taught = vizapp.teach(seen, MARKS, temperature=0.2)
    again = from_prototypes(seen, list(MARKS), taught.prototypes.numpy(), temperature=0.2)
    assert again.things == taught.things
    for thing, share in taught.labels(seen).shares.items():
        np.testing.assert_allclose(again.labels(seen).shares[thing], share, atol=1e-6)
    maps = [
        vizapp.explain(vizapp.analyse(one.model, NOISE), "chefer", target="thing").scores for one in (taught, again)
    ]
    assert np.ptp(maps[0]) > 0
    np.testing.assert_allclose(*maps, atol=1e-6)


@pytest.mark.parametrize("method", sorted(NO_RULE))
def test_methods_without_a_rule_say_so(method: str) -> None:
    taught = vizapp.teach(vizapp.analyse("toy", NOISE), MARKS)
    with pytest.raises(VizError, match="no relevance rule for normalize"):
        vizapp.explain(vizapp.analyse(taught.model, NOISE), method, target="thing")


def test_an_edited_network_is_labelled_as_it_is_edited_and_a_patch_counts_once() -> None:
    seen = vizapp.analyse("toy", NOISE)
    taught = vizapp.teach(seen, MARKS)
    edited = vizapp.analyse("toy", NOISE, edits=["head-off:4.0", "head-off:4.1", "head-off:4.2"])
    plain, other = taught.labels(seen).shares["thing"], taught.labels(edited).shares["thing"]
    assert np.abs(plain - other).max() > 1e-3
    of_things = vizapp.analyse(taught.model, NOISE, edits=["head-off:4.0", "head-off:4.1", "head-off:4.2"])
    assert dict(of_things.top())["thing"] == pytest.approx(float(other.mean()), abs=1e-4)
    seen = vizapp.analyse("toy", NOISE)
    once = vizapp.teach(seen, {"a": [(1, 1), (5, 5)], "b": [(9, 9)]})
    twice = vizapp.teach(seen, {"a": [(1, 1), (5, 5), (1, 1)], "b": [(9, 9)]})
    assert torch.equal(once.prototypes, twice.prototypes)


def test_refusals_are_sentences() -> None:
    seen = vizapp.analyse("toy", NOISE)
    for marks, said in (
        ({"cat": [(1, 1)]}, r"1 thing was marked.*Mark two"),
        ({"cat": [(1, 1)], "dog": []}, r"No patch of dog was marked"),
        ({"cat": [(1, 1)], "dog": [(14, 0)]}, r"no patch \(14, 0\).*14 rows"),
        ({"cat": [(1, 1)], "dog": [3]}, r"3 is no patch.*\(row, col\)"),
        ({"cat": [(1, 1)], "dog": [(True, False)]}, r"\(True, False\) is no patch"),
        ({"cat": [(1, 1), (2, 2)], "dog": [(2, 2)]}, r"patch \(2, 2\) was marked for cat and for dog.*one of them"),
        ({str(i): [(1, 1)] for i in range(21)}, r"21 things are too many"),
    ):
        with pytest.raises(VizError, match=said):
            vizapp.teach(seen, marks)
    for wrong in (0, -1, 1e-40, 2e3, float("inf"), float("nan"), "0.1", True):
        with pytest.raises(VizError, match=r"A temperature is from 0\.001 to 1000"):
            vizapp.teach(seen, MARKS, temperature=wrong)
    labels = vizapp.teach(seen, MARKS).labels(seen)
    for row, col in ((-1, 0), (0, -1), (14, 0), (0, 14)):
        with pytest.raises(VizError, match=r"no patch \(.*14 rows"):
            labels.of(row, col)
    rows = vizapp.teach(seen, MARKS).prototypes.numpy()
    for things, means, said in (
        (["a"], rows[:1], r"1 thing was marked.*Mark two"),
        (["a"] * 21, np.repeat(rows[:1], 21, 0), r"21 things are too many"),
        (["a", "b"], rows[:1], r"a row of numbers for each of 2 things; got float32 of shape \(1, \d+\)"),
        (["a", "b"], rows[:, :, None], r"a row of numbers"),
        (["a", "b"], rows[:, :0], r"a row of numbers"),
        (["a", "b"], rows.astype(int), r"a row of numbers.*got int64"),
        (["a", "b"], rows * np.nan, r"values that are no numbers"),
        (["a", "b"], rows[:, 1:], r"A prototype of \d+ numbers was given, and toy has \d+ features.*teach it, too"),
    ):
        with pytest.raises(VizError, match=said):
            from_prototypes(seen, things, means)
    with pytest.raises(VizError, match=r"from 0\.001 to 1000"):
        from_prototypes(seen, list(MARKS), rows, temperature=-1)
    with pytest.raises(VizError, match=r"taught to toy, and mean looked.*teach it, too"):
        vizapp.teach(seen, MARKS).labels(vizapp.analyse("mean", NOISE))


def test_as_many_patches_in_another_grid_are_refused() -> None:
    torch.manual_seed(0)
    net = Encoder(norm_first=False).eval()  # without positions: a picture of any size
    high, wide = (
        vizapp.analyse(vizapp.describe(net, preprocess=vizapp.Preprocess(size)), NOISE) for size in ((48, 32), (32, 48))
    )
    lesson = vizapp.teach(high, {"a": [(0, 0)], "b": [(5, 3)]})
    assert lesson.labels(high).nearest.shape == (6, 4)
    with pytest.raises(VizError, match=r"taught with 24 tokens \(6x4 patches\).*has 24 tokens \(4x6 patches\)"):
        lesson.labels(wide)
