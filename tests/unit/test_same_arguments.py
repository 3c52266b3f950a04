"""What one public function takes, all take, or say in words why not: every function with every common argument."""

from __future__ import annotations

import inspect
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
from vizapp.data.evaluation import evaluate
from vizapp.doors import REFUSED, common, refused
from vizapp.errors import VizError

DOORS: dict[str, Callable[..., Any]] = {
    name: one for name in vizapp.__all__ if not isinstance(one := getattr(vizapp, name), type)
} | {"evaluate": evaluate}
EVERY = [(door, name) for door in DOORS for name in common()]
RGB = np.random.default_rng(0).integers(0, 256, (16, 16, 3), dtype=np.uint8)
PIXELS = torch.randn(1, 3, 32, 32, generator=torch.Generator().manual_seed(0))


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


def takes(door: str, name: str) -> bool:
    """Whether a function has the argument, by itself or among those that it hands on to `model_of`."""
    parameters = inspect.signature(DOORS[door]).parameters
    return name in parameters or ("described" in parameters and common()[name] == "network")


def test_the_common_arguments_are_those_of_three_functions() -> None:
    found = common()
    assert {"inputs", "output", "labels", "layout", "preprocess", "readout", "name", "activation"} == {
        name for name, kind in found.items() if kind == "network"
    }
    assert {"fit", "edits", "max_pixels", "picture", "truth", "page"} == {
        n for n, kind in found.items() if kind == "look"
    }
    assert {"query", "target"} == {name for name, kind in found.items() if kind == "question"}


@together(("door", "name"), EVERY)
def test_each_function_takes_each_argument_or_is_in_the_table(door: str, name: str) -> None:
    """A new argument, and a new function, stand here until they are taken, or named in `REFUSED` with a reason."""
    if door == "video" and common()[name] == "network":
        return  # it picks them out of the settings of its method: see below
    assert takes(door, name) or refused(door, name, common()[name]), "neither taken nor refused in vizapp/doors.py"


@together(("door", "name"), [(door, name) for door, name in EVERY if not takes(door, name)])
def test_what_means_nothing_is_refused_in_words(door: str, name: str, tmp_path: Path) -> None:
    """With the place where it is said, whatever else was given; never as a TypeError."""
    if door == "video" and common()[name] == "network":
        return
    model = analysed().context.model
    others: dict[str, tuple[Any, ...]] = {
        "analyse_many": (model, [PIXELS]),
        "evaluate": (model, "one"),
        "explain_many": ([analysed()],),
        "film": (analysed(), tmp_path / "a.gif"),
        "measure": (model, "one"),
        "video": (model, tmp_path / "a.gif", tmp_path / "b.gif"),
    }
    with pytest.raises(VizError) as caught:
        list(DOORS[door](*others.get(door, (analysed(),)), **{name: None}))
    assert f"{door} takes no {name}=" in str(caught.value)
    assert "vizapp." in caught.value.hint


@cache
def analysed() -> Analysis:
    return vizapp.analyse(small_vit(), PIXELS)


def test_the_table_names_what_there_is() -> None:
    assert {door for doors, _, _ in REFUSED for door in doors.split()} <= DOORS.keys()
    assert {name for _, names, _ in REFUSED if isinstance(names, tuple) for name in names} <= common().keys()


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


def test_a_file_to_write_is_no_output_of_a_network(tmp_path: Path) -> None:
    with pytest.raises(VizError, match=r"describe\(net, output=") as caught:
        vizapp.measure(small_vit(), str(tmp_path), output="logits")
    assert "logits" in str(caught.value)


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


def test_what_was_meant_is_said() -> None:
    """Of an argument that no function has, by every function."""
    slips: dict[str, Callable[[], Any]] = {
        "inputs": lambda: vizapp.check(NeedsMore().eval(), PIXELS, input={}),
        "edits": lambda: vizapp.analyse("toy", PIXELS, edit="head-off:1.0"),
        "labels": lambda: list(vizapp.analyse_many("toy", [PIXELS], label=["a"])),
        "target": lambda: vizapp.compare(analysed(), tarket="a"),
        "device": lambda: vizapp.load(devise="cpu"),
        "mean": lambda: vizapp.Preprocess((32, 32), mena=(0.5,) * 3),
        "skip_weight": lambda: vizapp.explain(analysed(), "rollout", skipweight=0.5),
    }
    for meant, slip in slips.items():
        with pytest.raises(VizError) as caught:
            slip()
        assert f"Did you mean {meant}" in caught.value.hint, meant
    with pytest.raises(VizError, match="load has no argument 'colour'"):
        vizapp.load(colour=3)
