"""Arguments of public functions: one name means one thing everywhere, and a wrong one is named with what was meant."""

import inspect
import pickle
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image
from torch import Tensor, nn

import vizapp
from support.networks import small_vit
from support.together import together
from vizapp.analysis import Analysis
from vizapp.arguments import hinted
from vizapp.data.evaluation import evaluate
from vizapp.errors import VizError

FUNCTIONS: dict[str, Callable[..., Any]] = {
    name: one for name in vizapp.__all__ if not isinstance(one := getattr(vizapp, name), type)
} | {"evaluate": evaluate}
RGB = np.random.default_rng(0).integers(0, 256, (16, 16, 3), dtype=np.uint8)
PIXELS = torch.randn(1, 3, 32, 32, generator=torch.Generator().manual_seed(0))
# Argument: the functions that take it.
TAKEN = {
    "fit": "analyse analyse_many check evaluate measure video",
    "edits": "analyse analyse_many check evaluate measure video",
    "max_pixels": "analyse analyse_many check",
    "described": "analyse analyse_many check evaluate measure quantised",  # arguments of `describe`
    "query": "compare explain explain_many film grid heads sanity steps video",
    "target": "compare explain explain_many film grid sanity video",
}


@together("name", list(TAKEN))
def test_an_argument_is_taken_where_it_means_something_and_in_one_way(name: str) -> None:
    """A new function stands in `TAKEN`, or does not take the argument."""
    every = {function: inspect.signature(FUNCTIONS[function]).parameters.get(name) for function in FUNCTIONS}
    found = {function: one for function, one in every.items() if one}
    assert sorted(found) == TAKEN[name].split()
    assert len({(one.kind, one.default) for one in found.values()}) == 1, found


@cache
def analysed() -> Analysis:
    return vizapp.analyse(small_vit(), PIXELS)


@together(
    ("meant", "call"),
    [
        ("inputs", lambda: vizapp.check(NeedsMore().eval(), PIXELS, input={})),
        ("edits", lambda: vizapp.analyse("toy", PIXELS, edit="head-off:1.0")),
        ("labels", lambda: list(vizapp.analyse_many("toy", [PIXELS], label=["a"]))),
        ("target", lambda: vizapp.compare(analysed(), tarket="a")),
        ("device", lambda: vizapp.load(devise="cpu")),
    ],
)
def test_the_argument_that_was_meant_is_named(meant: str, call: Callable[[], Any]) -> None:
    with pytest.raises(TypeError, match=f"got an unexpected keyword argument '.*'. Did you mean '{meant}'. It takes: "):
        call()


@together(("function", "given"), [("explain", "toy"), ("paint", None), ("find_sinks", torch.zeros(3))])
def test_what_makes_an_analysis_is_named(function: str, given: object) -> None:
    with pytest.raises(TypeError, match=rf"{function}\(\) takes an Analysis, not .*. vizapp.analyse\(model, picture\)"):
        getattr(vizapp, function)(given)


def test_other_errors_stay_what_they_are() -> None:
    def broken(context: Any, query: Any) -> Any:
        raise RuntimeError("mine")

    with pytest.raises(
        TypeError, match=r"^load\(\) got an unexpected keyword argument 'colour'. It takes: name, device.$"
    ):
        vizapp.load(colour=3)
    with pytest.raises(RuntimeError, match="mine"):
        vizapp.explain(analysed(), broken)
    with pytest.raises(TypeError, match="unsupported operand"):
        hinted(lambda one: one + "a")(1)
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'seen'"):
        vizapp.explain()


@together(
    ("said", "call"),
    [
        (
            "no setting 'skipweight'. Did you mean skip_weight",
            lambda: vizapp.explain(analysed(), "rollout", skipweight=1),
        ),
        ("4 is no method", lambda: vizapp.explain(analysed(), 4)),
        ("is not possible. Choose one of: mean, max, min", lambda: vizapp.explain(analysed(), fusion=np.zeros(3))),
        ("is no query", lambda: vizapp.explain(analysed(), query=np.array([None]))),
        ("A picture was expected, but got int.", lambda: vizapp.analyse("toy", 5)),
        ("There is no file 'aaa", lambda: vizapp.open("a" * 300)),
        ("There is no file '~nosuch/a'", lambda: vizapp.open("~nosuch/a")),
        ("There is no set 'aaa", lambda: vizapp.measure("toy", "a" * 300)),
        ("There is no folder of masks 'aaa", lambda: vizapp.measure("toy", "one", masks="a" * 300)),
        (r"describe(net, output=...)", lambda: vizapp.measure(small_vit(), "one", output="logits")),
        ("There is no grid of 9223372036854775808 x 1", lambda: analysed().on_picture((2**63, 1))),  # hung
        ("3 are no axes of matplotlib.", lambda: vizapp.plot(analysed(), vizapp.explain(analysed()), ax=3)),
    ],
)
def test_a_wrong_value_is_said_in_words(said: str, call: Callable[[], Any]) -> None:
    with pytest.raises(VizError) as caught:
        call()
    assert said in str(caught.value)
    assert caught.value.hint


def test_numbers_as_large_as_any_are_taken() -> None:
    for seed in (-1, 10**400):
        assert vizapp.sanity(analysed(), ["rollout"], seed=seed).stages
    seen = list(vizapp.analyse_many(small_vit(), [RGB], batch=10**400))
    assert len(list(vizapp.explain_many(seen, "chefer", batch=10**400))) == 1


def test_a_public_function_is_one_object_with_its_own_words() -> None:
    """So that it can be pickled, compared, and read about."""
    assert pickle.loads(pickle.dumps(vizapp.explain)) is vizapp.explain
    assert vizapp.explain.__doc__ == vizapp.pipeline.explain.__doc__
    assert inspect.signature(vizapp.explain) == inspect.signature(vizapp.pipeline.explain)


# ---- a network that says nothing of itself is described in every function


class NeedsMore(nn.Module):
    """A network of one's own that says nothing of itself: it wants a second input, and gives its logits by a name."""

    def __init__(self) -> None:
        super().__init__()
        self.vit = small_vit(depth=1, img_size=16).net

    def forward(self, pixels: Tensor, scale: Tensor) -> dict[str, Tensor]:
        return {"loss": scale.sum(), "logits": self.vit(pixels) * scale}


def film_of(folder: Path) -> Path:
    """Two frames."""
    Image.fromarray(RGB).save(folder / "a.gif", save_all=True, append_images=[Image.fromarray(255 - RGB)])
    return folder / "a.gif"


OF_IT: dict[str, Any] = {
    "inputs": {"scale": torch.ones(1, 1)},
    "output": "logits",
    "labels": list("abcde"),
    "preprocess": vizapp.Preprocess((16, 16), (0.5,) * 3, (0.5,) * 3),
}


def test_a_network_that_wants_more_is_checked_as_it_is_analysed() -> None:
    net, pixels = NeedsMore().eval(), PIXELS[..., :16, :16]
    assert vizapp.check(net, pixels, **OF_IT).holds
    assert vizapp.check(net, RGB, fit="squash", edits="head-off:0.1", max_pixels=10**6, **OF_IT).holds
    (many,) = vizapp.analyse_many(net, [pixels], max_pixels=10**6, **OF_IT)
    assert torch.equal(many.trace.logits, net(pixels, torch.ones(1, 1))["logits"][0])
    with pytest.raises(VizError, match="missing 1 required"):
        vizapp.check(net, pixels)


def test_it_is_measured_and_filmed_too(tmp_path: Path) -> None:
    """Of `measure`, output= is the file, so that the network is described before."""
    net = NeedsMore().eval()
    Image.fromarray(RGB).save(tmp_path / "a.png")
    own = vizapp.describe(net, **OF_IT)
    rows = vizapp.measure(own, str(tmp_path), count=1, fit="squash", edits="head-off:0.0=uniform")
    assert rows[0]["entropy"] == pytest.approx(np.log(5), rel=1e-4)
    assert len(vizapp.measure(net.vit, str(tmp_path), count=1, preprocess=OF_IT["preprocess"])) == 4
    assert vizapp.video(net, film_of(tmp_path), tmp_path / "b.gif", method="chefer", **OF_IT, target=first) == 2


def test_it_is_evaluated_and_rounded_too() -> None:
    net = NeedsMore().eval()
    assert evaluate(net, "one", methods="chefer", count=1, **OF_IT, fit="squash", edits="head-off:0.0").scores
    assert vizapp.quantised(net.vit, labels=list("abcde")).labels == tuple("abcde")


def first(output: Tensor) -> Tensor:
    return output[0, 0]


def test_a_query_is_asked_of_every_method(tmp_path: Path) -> None:
    """In a comparison, a grid and a test of weights as in `explain`; of those whose map depends on it."""
    seen, query = analysed(), "2,1"
    found = vizapp.compare(seen, ["rollout", "grad_cam"], query=query, steps=2)
    for name in ("rollout", "grad_cam"):
        own = {"query": query} if name == "rollout" else {}
        np.testing.assert_array_equal(found.maps[name].scores, vizapp.explain(seen, name, **own).scores)
    assert found.made_from()["query"]["rollout"] == "2,1"
    found.save(tmp_path / "table.csv", alone=True)
    assert ",2,1" in (tmp_path / "table.csv").read_text() or '"2,1"' in (tmp_path / "table.csv").read_text()
    assert "query" not in vizapp.compare(seen, ["rollout"], steps=0).made_from()
    asked, plain = (vizapp.sanity(seen, "rollout", **own).correlation["rollout"] for own in ({"query": query}, {}))
    assert not np.array_equal(asked, plain)
    drawn = [vizapp.grid(seen, "rollout", **own) for own in ({"query": query}, {})]
    assert not np.array_equal(*(one.axes[1].images[0].get_array() for one in drawn))
    for door in (vizapp.compare, vizapp.sanity):
        with pytest.raises(VizError, match="99"):
            door(seen, "rollout", query="99,0")
