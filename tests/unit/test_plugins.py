"""Another package adds a method, a metric and a source of models; one that is broken is named and takes no other down."""

import json
import logging
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch

import vizapp
import vizapp.model as models
from support.together import together
from vizapp.analysis import Analysis
from vizapp.cli import main
from vizapp.core import methods as method_room
from vizapp.core import metrics as metric_room
from vizapp.core.attention.trace import AttentionTrace
from vizapp.core.context import ExplainContext
from vizapp.data.evaluation import evaluate
from vizapp.data.report import table
from vizapp.errors import VizError
from vizapp.model import zoo
from vizapp.model.spec import TokenLayout
from vizapp.model.toy.lessons import LESSONS
from vizapp.plugins import problems
from vizapp.ui import comparison_html
from vizapp.ui.app import build
from vizapp.ui.words import words_for

METHODS = """
from typing import Annotated
import torch
from vizapp.core.attention.trace import AttentionTrace
from vizapp.core.methods import method
from vizapp.core.setting import Setting
from vizapp.model.spec import TokenLayout


@method(title="Upside down", sentence="Rows of patches by number.", paper="none", unit=lambda settings: "rows")
def upside_down(
    trace: AttentionTrace, query: torch.Tensor, *, step: Annotated[float, Setting("Step", "Per row.")] = 1.0
) -> tuple[torch.Tensor, TokenLayout]:
    rows, cols = trace.layout.grid
    return step * torch.arange(rows).repeat_interleave(cols).double(), TokenLayout((), (rows, cols))
"""
METRICS = """
from vizapp.core.metrics import cover, metric


@metric(title="In the corner", sentence="is the first patch object?", paper="none", uninformed="anything", short="corner",
        direction="lower", main=True)
def corner(scores, mask):
    return 0 * scores[:, 0, 0] + cover(mask, scores.shape[1:])[0, 0]
"""
MODELS = """
from dataclasses import replace
import vizapp.model

PREFIXES = ("strangers",)


def names():
    return ("strangers:toy",)


def load(asked):
    return replace(vizapp.model.load("toy", "cpu"), name=asked.text)
"""
TAKEN = METHODS.replace("upside_down", "rollout")
UNTYPED = METHODS.replace("upside_down", "untyped").replace(
    'step: Annotated[float, Setting("Step", "Per row.")] = 1.0', "step=(1, 2)"
)
ENTRIES = """
[vizapp.methods]
good = strangers.methods:upside_down
lost = strangers.nowhere
number = strangers:VERSION
taken = strangers.taken
untyped = strangers.untyped
[vizapp.metrics]
good = strangers.metrics
lost = strangers.nowhere
[vizapp.models]
good = strangers.models
bad = strangers
"""


@pytest.fixture
def strangers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """A package as pip leaves it: a folder of modules, and beside it the facts of its distribution."""
    files = {
        "strangers/__init__.py": "VERSION = 1",
        "strangers/methods.py": METHODS,
        "strangers/metrics.py": METRICS,
        "strangers/models.py": MODELS,
        "strangers/taken.py": TAKEN,
        "strangers/untyped.py": UNTYPED,
        "strangers-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: strangers\nVersion: 1.0\n",
        "strangers-1.0.dist-info/entry_points.txt": ENTRIES,
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    caches = (method_room.methods, metric_room.metrics, zoo.sources)
    monkeypatch.syspath_prepend(str(tmp_path))
    for cache in caches:
        cache.cache_clear()
    caplog.set_level(logging.WARNING, logger="vizapp")
    yield
    monkeypatch.undo()  # first the folder, then what was found in it
    for cache in caches:
        cache.cache_clear()
        cache()


@pytest.fixture(scope="module")
def seen() -> Analysis:
    return vizapp.analyse("toy", LESSONS["one"].example(0, 112).picture)


@pytest.mark.usefixtures("strangers")
def test_a_method_of_another_package(seen: Analysis, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["methods"]) == 0
    assert "upside_down: Rows of patches by number." in capsys.readouterr().out
    found = vizapp.explain(seen, "upside_down", step=2.0)
    np.testing.assert_array_equal(found.scores, 2.0 * np.arange(14)[:, None].repeat(14, 1))
    listed = json.dumps(build("toy").config, default=str)
    assert '["Upside down", "upside_down"]' in listed
    assert '"Step"' in listed


@pytest.mark.usefixtures("strangers")
def test_a_metric_of_another_package() -> None:
    example = LESSONS["one"].example(0, 112)
    truth = example.truth.copy()
    truth[:8, :8] = True
    compared = vizapp.compare(vizapp.analyse("toy", example.picture), ["rollout"], truth=truth, steps=0)
    assert [row["corner"] for row in compared.rows()] == [1.0, 1.0, 1.0]
    assert comparison_html.table(words_for("en"), compared)["headers"][-1] == "In the corner (lower is better)"
    printed = table(evaluate(vizapp.load("toy", "cpu"), "one", methods=["rollout"], count=1))
    assert printed.splitlines()[1].split()[-2:] == ["near", "corner"], "after ours"


@pytest.mark.usefixtures("strangers")
def test_a_source_of_models_of_another_package(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models"]) == 0
    assert "strangers:toy" in capsys.readouterr().out.splitlines()
    assert models.load("strangers:toy", "cpu").name == "strangers:toy"
    assert '"strangers:toy"' in json.dumps(build("toy").config, default=str)


@pytest.mark.usefixtures("strangers")
def test_what_is_broken_is_named_and_takes_no_other_down(seen: Analysis, caplog: pytest.LogCaptureFixture) -> None:
    own = method_room.methods()["rollout"]
    assert own.function.__module__ == "vizapp.core.methods.rollout"
    said = "\n".join(problems(method_room.GROUP))
    assert "'lost' of strangers 1.0 is left out. ModuleNotFoundError: No module named 'strangers.nowhere'" in said
    assert (
        "'number' of strangers 1.0 is left out. Expected a function with @method, or a module that has one; got 1."
        in said
    )
    assert "'taken' of strangers 1.0 has a name that is taken: 'rollout'." in said
    assert "The setting 'step' of untyped needs a default and a type" in said
    assert len(problems(method_room.GROUP)) == 4
    assert caplog.messages[:4] == list(problems(method_room.GROUP))
    with pytest.raises(VizError, match=r"There is no method 'lost'.*No module named 'strangers.nowhere'"):
        vizapp.explain(seen, "lost")
    with pytest.raises(VizError, match=r"There is no metric 'dice'.*'lost' of strangers 1.0 is left out"):
        metric_room.metric_named("dice")
    with pytest.raises(VizError, match=r"'bad' of strangers 1.0 is left out. Expected PREFIXES"):
        models.load("bad:name")


@pytest.mark.usefixtures("strangers")
def test_what_is_ours_asks_no_plugin(seen: Analysis, caplog: pytest.LogCaptureFixture) -> None:
    assert vizapp.explain(seen, "rollout").method == "rollout"
    assert models.load("toy", "cpu").name == "toy"
    assert caplog.messages == []
    method_room.methods()
    assert len(caplog.messages) == 4


def test_without_plugins_nothing_is_said() -> None:
    method_room.methods()
    with pytest.raises(VizError) as said:
        method_room.method_named("lime")
    assert said.value.hint.endswith("value_rollout.")


def test_a_function_is_a_method(seen: Analysis, tmp_path: Path) -> None:
    """As methods return it; given the context, the query as weights, and its settings; then painted as any other."""

    def mine(context: ExplainContext, query: torch.Tensor, *, layer: int = -1) -> tuple[torch.Tensor, TokenLayout]:
        return context.trace.layer(layer).attend(query).mean(0), context.trace.layout

    found = vizapp.explain(seen, mine, query="3,4", layer=2)
    np.testing.assert_array_equal(found.scores, vizapp.explain(seen, "attention", query="3,4", layer=2).scores)
    assert (found.method, found.asked, found.settings, found.target) == ("mine", "3,4", {"layer": 2}, None)
    assert vizapp.paint(seen, found).shape == seen.picture.shape
    vizapp.save(seen, found, tmp_path / "mine.png")
    vizapp.save(seen, found, tmp_path / "mine.npz")
    with pytest.raises(VizError, match="mine is not known by its name"):
        vizapp.paint(seen, found, scale="all")


def test_a_function_may_give_an_array_for_the_grid_and_errors_are_its_own(seen: Analysis) -> None:
    rows = np.arange(196).reshape(14, 14)
    for given in (rows, rows.astype(np.float32), torch.from_numpy(rows), rows - 100 > 0):
        found = vizapp.explain(seen, lambda trace, query, given=given: given)
        np.testing.assert_array_equal(found.scores, np.asarray(given, float))
        assert not found.signed
    signed = vizapp.explain(seen, lambda context, query: rows - 100.0)
    assert signed.signed
    assert vizapp.paint(seen, signed).any()
    with pytest.raises(ZeroDivisionError):
        vizapp.explain(seen, lambda trace, query: 1 / 0)


def test_a_function_may_explain_a_class(seen: Analysis) -> None:
    """Through the context of this class, whose gradients are there when asked for."""

    def score(context: ExplainContext, query: torch.Tensor) -> np.ndarray:
        assert context.gradients
        return np.full((14, 14), float(context.explained))

    assert vizapp.explain(seen, score, target="cup").scores[0, 0] == seen.labels.index("cup")
    assert vizapp.explain(seen, score, target="cup").target == seen.labels.index("cup")
    with pytest.raises(VizError, match="the same for every class"):
        vizapp.explain(seen, lambda trace, query: np.zeros((14, 14)), target="cup")


def annotated(anything: AttentionTrace, query: torch.Tensor) -> np.ndarray:
    """Given a trace by its annotation."""
    assert isinstance(anything, AttentionTrace)
    return np.ones((14, 14))


class Callable:
    """An object with state is a callable, too."""

    def __call__(self, trace: AttentionTrace, query: torch.Tensor) -> np.ndarray:
        return annotated(trace, query)


@pytest.mark.parametrize("function", [annotated, Callable(), Callable().__call__], ids=["function", "object", "bound"])
def test_what_takes_a_trace_needs_no_network(seen: Analysis, function: object) -> None:
    assert vizapp.explain(vizapp.leave_out(seen, [(3, 4)]), function).scores.all()


@together(
    ("function", "said"),
    [
        (lambda trace, query: None, "returned NoneType, which is no map"),
        (lambda trace, query: "a map", "returned str, which is no map"),
        (lambda trace, query: [[1.0] * 14] * 14, "returned list, which is no map"),
        (lambda trace, query: np.zeros((3, 4)), r"an array of \(3, 4\).*such as \(14, 14\)"),
        (lambda trace, query: np.zeros(197), r"an array of \(197,\)"),
        (lambda trace, query: np.full((14, 14), np.nan), "no numbers"),
        (lambda trace, query: np.zeros((14, 14), complex), "which is no map"),
        (lambda trace, query: (torch.zeros(7), trace.layout), r"returned \(7,\) values"),
        (lambda trace: np.zeros((14, 14)), "cannot be called as a method"),
        (lambda: None, "cannot be called as a method"),
        (lambda trace, query, *, needed: None, "needs the setting 'needed'"),
    ],
)
def test_what_is_no_map_is_refused_in_words(seen: Analysis, function: object, said: str) -> None:
    with pytest.raises(VizError, match=said):
        vizapp.explain(seen, function)


def test_settings_of_a_function_are_checked(seen: Analysis) -> None:
    def mine(trace: AttentionTrace, query: torch.Tensor, *, share: float = 0.5) -> np.ndarray:
        return np.full((14, 14), share)

    def any_at_all(trace: AttentionTrace, query: torch.Tensor, **settings: float) -> np.ndarray:
        return np.full((14, 14), settings["share"])

    with pytest.raises(VizError, match=r"mine has no setting 'shares'. Did you mean share\? It has: share."):
        vizapp.explain(seen, mine, shares=0.1)
    with pytest.raises(VizError, match=r"has no setting 'a'. It has: no settings."):
        vizapp.explain(seen, annotated, a=1)
    assert (
        vizapp.explain(seen, mine, share=0.1).scores[0, 0] == vizapp.explain(seen, any_at_all, share=0.1).scores[0, 0]
    )
