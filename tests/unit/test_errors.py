"""One error class: sentences for people, a ValueError for programs."""

import pickle

import pytest

import vizapp
from support.paths import ROOT
from vizapp.wording import Text


def test_a_program_may_catch_a_value_error() -> None:
    with pytest.raises(ValueError, match="There is no method 'rolout'"):
        vizapp.explain(vizapp.analyse("toy", str(ROOT / "assets" / "examples" / "scene-1.jpg")), "rolout")


def test_it_says_what_and_what_to_do_and_keeps_its_values() -> None:
    error = vizapp.VizError("There is no {thing}.", "Choose one of: {names}.", thing=Text("method"), names="a, b")
    assert str(error) == "There is no method. Choose one of: a, b."
    assert (error.message.key, error.hint.values["names"]) == ("There is no {thing}.", "a, b")
    again = pickle.loads(pickle.dumps(error))  # as a worker process hands it on
    assert (str(again), again.message.key) == (str(error), error.message.key)
    assert str(vizapp.VizError("{braces} stay without values")) == "{braces} stay without values"
