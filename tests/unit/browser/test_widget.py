"""vizapp.widget without a browser: what Python may choose, what is sent, and who answers."""

import numpy as np
import pytest

import vizapp
from vizapp.errors import VizError

pytest.importorskip("anywidget", reason="widgets need anywidget: pip install vizapp[notebook]")


@pytest.fixture(scope="module")
def seen() -> vizapp.Analysis:
    picture = np.random.default_rng(0).integers(0, 256, (64, 80, 3), dtype=np.uint8)
    return vizapp.analyse("toy", picture)


def test_choices_are_checked_in_words(seen: vizapp.Analysis) -> None:
    w = vizapp.widget(seen)
    grid = seen.trace.layout.grid
    w.layer, w.head, w.query, w.mask = -1, 2, (3, 4), np.zeros(grid)
    assert (w.layer, w.head, w.query) == (len(seen.trace.layers) - 1, 2, (3, 4))
    assert (w.mask.shape, w.mask.dtype) == (grid, bool)
    for name, wrong in (("layer", 99), ("head", 99), ("query", (99, 0)), ("query", "dog"), ("mask", np.ones((2, 2)))):
        with pytest.raises(VizError):
            setattr(w, name, wrong)
    assert (w.layer, w.head, w.query) == (len(seen.trace.layers) - 1, 2, (3, 4)), "nothing is lost"


def test_what_python_chose_is_told_and_nothing_else(seen: vizapp.Analysis) -> None:
    w = vizapp.widget(seen)
    assert w.chosen == []
    w.layer = 1
    assert w.chosen == ["layer"]
    assert w.get_state()["layer"] == 1
    w.mask = np.eye(*seen.trace.layout.grid)
    assert w.get_state()["mask"][0][:2] == [True, False]
    w.set_state({"query": [2, 5], "mask": None})  # as a browser sends it
    assert (w.query, w.mask) == ((2, 5), None)


def test_the_kernel_answers_what_the_viewer_asks(seen: vizapp.Analysis, monkeypatch: pytest.MonkeyPatch) -> None:
    w, sent = vizapp.widget(seen, "zh"), []
    monkeypatch.setattr(w, "send", sent.append)
    w._handle_custom_msg({"number": "a:1", "asked": ["proof", w.run, None]}, [])
    w._handle_custom_msg({"number": "a:2", "asked": ["nonsense", w.run, None]}, [])
    w._handle_custom_msg({"number": "a:3", "asked": ["steps", w.run, [2, 0, 7]]}, [])
    assert [one["number"] for one in sent] == ["a:1", "a:2", "a:3"]
    assert sent[0]["answer"]["layers"]
    assert sent[1]["answer"] == {}
    assert sent[2]["answer"].keys() >= {"vectors", "keys"}, "the run's analysis, which is kept weakly"
