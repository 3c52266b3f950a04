"""The one door from the browser: each kind of question has its file, and nothing that may be sent there raises."""

import json
from typing import Any

import numpy as np
import pytest

from support.together import together
from vizapp import pipeline
from vizapp.analysis import Analysis
from vizapp.errors import VizError
from vizapp.ui.jobs import PROCESSOR
from vizapp.ui.limits import Limits
from vizapp.ui.viewer.answers import maps
from vizapp.ui.viewer.ask import door, kinds, remember
from vizapp.ui.viewer.run import Run
from vizapp.ui.words import words_for
from vizapp.vocabulary import QUESTIONS


@pytest.fixture(scope="module")
def run() -> str:
    """A run whose layers were all left out."""
    model = pipeline.load("toy", "cpu")
    seen = pipeline.analyse(model, np.zeros((112, 112, 3), np.uint8))
    remember(Run("a run", seen, model, pipeline.analyse, (model, seen.picture), False))
    return "a run"


def test_every_kind_answers(run: str) -> None:
    ask = door(words_for("en"))
    assert set(kinds()) == set(QUESTIONS), "each file is in the vocabulary"
    assert ask(["maps", run, ["from", [[0, 5], [4, 5]]]]).keys() == {"rows"}
    assert len(ask(("proof", run, None))["layers"]) == 5
    assert ask(["sinks", run, None]).keys() == {"sinks"}
    assert ask(["saving", run, None]).keys() == {"about"}
    assert ask(["steps", run, [4, 0, 7]]).keys() >= {"vectors", "keys", "at", "left_out"}
    assert ask(["steps", run, [4, 0, 10**6]]).keys() == {"why"}
    assert ask(["classes", run, None]).keys() == {"classes", "grid"}
    assert ask(["trial", run, 4]).keys() == {"label", "shares", "by_map", "by_chance", "forgotten"}
    assert ask(["film", run, "nonsense"]).keys() == {"why"}
    assert ask(["page", run, None]).keys() == {"html"}
    for kind in kinds():
        json.dumps(ask([kind, run, ["to", [[1, 2]]]]))
        assert ask([kind, "another run", ["from", [[0, 5]]]]) == {}


VIEW = {"query": [0, 0], "method": "attention", "layer": 0, "head": None, "fusion": "mean", "direction": "from", "skipWeight": 1,
        "colours": "viridis", "opacity": 1, "byValue": True, "smooth": False, "high": 1}  # fmt: skip
ABOUT_A_PICTURE = {"classes": None, "embedding": [0, 0, None], "features": None, "film": VIEW, "moments": 0, "page": None,
                   "saving": None, "sinks": None, "steps": [0, 0, 0], "trial": 0}  # fmt: skip


def test_each_answer_tells_an_error_with_its_hint(run: str) -> None:
    def look() -> Analysis:
        raise VizError("The picture {name} is gone.", "Choose it again.", name="a.png")

    model = pipeline.load("toy", "cpu")
    remember(Run("gone", pipeline.analyse(model, np.zeros((112, 112, 3), np.uint8)), model, look, (), True))
    assert {*ABOUT_A_PICTURE, "maps", "proof"} == set(QUESTIONS), (
        "these two ask the network, or keep what they answer from"
    )
    told = {kind: door(words_for("en"))([kind, "gone", what]) for kind, what in ABOUT_A_PICTURE.items()}
    assert told == {kind: {"why": "The picture a.png is gone. Choose it again."} for kind in told}


NONSENSE: list[Any] = [
    None, "maps", {}, ["maps"], ["maps", None, None], [["maps"], "a run", 1], ["os", "a run", None],
    ["maps", "a run", ["from", [[0, 5]]], "at once"],
]  # fmt: skip
LIES: list[Any] = [
    None, 1, [], ["from"], ["from", [[99, 0]]], ["from", [[0, 10**9]]], ["from", [["0", "x"]]], ["from", [[0, 1, 2]]],
    {"from": 1}, ["from", [[0, 1e400]]], ["sideways", [[0, 5]]],
]  # fmt: skip


@together("asked", NONSENSE)
def test_nonsense_is_answered_by_nothing(run: str, asked: Any) -> None:
    assert door(words_for("en"))(asked) == {}


@together("what", LIES)
def test_lies_about_maps_are_answered_by_nothing(run: str, what: Any) -> None:
    assert door(words_for("en"))(["maps", run, what]) == {}


@together("kind", ["classes", "trial"])
@together("what", [True, 99, -1, 1e400, "4", {}, ["cup"], ["cup", "no such"], [1, 2], [["cup"], None]])
def test_lies_about_experiments_are_answered_by_nothing(run: str, kind: str, what: Any) -> None:
    assert door(words_for("en"))([kind, run, what]) == {}


def test_what_breaks_is_logged_and_not_told(run: str, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setattr(maps, "_traces", None)
    assert door(words_for("en"))(["maps", run, ["from", [[0, 5]]]]) == {}
    assert "Traceback" in capsys.readouterr().err


def test_what_is_asked_unasked_is_dropped_where_there_is_no_place(run: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a free place it is answered."""
    ask = door(words_for("en"))
    assert ask(["sinks", run, None, "unasked"]).keys() == {"sinks"}
    monkeypatch.setattr(PROCESSOR, "limits", Limits(in_all={"map": 96, "ask": 64, "long": 48}))
    assert ask(["sinks", run, None, "unasked"]) == {"dropped": True}
    assert ask(["sinks", run, None]).keys() == {"sinks"}
    for how in (["soon"], ["unasked", 1], [None]):
        ask(["sinks", run, None, *how])
