"""The films that vizapp ships."""

from dataclasses import replace
from functools import partial

import pytest

import vizapp
from train.card import CHOSEN_ON, loaded
from train.film_measures import measured
from train.recipes import RECIPES
from vizapp.model.zoo import bundled


@pytest.mark.parametrize("name", [name for name in ("born", "born-shortcut") if name in bundled.names()])
class TestBundled:
    """The films that ship: small, and as good as their cards say."""

    def test_any_step_opens(self, name: str) -> None:
        film = vizapp.load(name, "cpu").film
        assert film is not None
        assert film.at == film.steps[-1]
        assert len(film.steps) <= 24
        for step in (film.steps[0], film.steps[len(film.steps) // 2]):
            model = vizapp.load(f"{name}?step={step}", "cpu")
            assert model.film is not None
            assert model.film.at == step

    def test_what_the_file_keeps_is_measured_again(self, name: str) -> None:
        """Right answers and CLS on the object at three steps, on the first 120 of the pictures that the file was measured on."""
        film = vizapp.load(name, "cpu").film
        assert film is not None
        steps = [film.steps[0], film.steps[len(film.steps) // 2], film.steps[-1]]
        file = bundled.FOLDER / f"{name}.safetensors"
        found = measured(partial(loaded, name, file), steps, replace(RECIPES[name], held_out=120), CHOSEN_ON)
        for curve, rows in found["curves"].items():
            for row, whole in zip(rows, film.curves[curve], strict=True):
                expected = [whole[film.steps.index(step)] for step in steps]
                assert row == pytest.approx(expected, abs=0.12 if curve in ("accuracy", "unmarked") else 0.08), curve

    def test_its_story(self, name: str) -> None:
        """It begins at chance and ends knowing; attention moves to the object, or to the bar code that gives the class away."""
        film = vizapp.load(name, "cpu").film
        assert film is not None
        (accuracy,) = film.curves["accuracy"]
        assert accuracy[0] < 0.15
        assert accuracy[-1] > 0.88
        assert set(film.learned.values()) <= set(film.steps)
        place = "mark" if "mark" in film.curves else "object"
        assert max(row[0] for row in film.curves[place]) < 2 * film.levels[place]
        assert max(row[-1] for row in film.curves[place]) > 3 * film.levels[place]
        if place == "mark":
            assert max(row[-1] for row in film.curves["object"]) < 1.5 * film.levels["object"], (
                "it looks past the thing"
            )
            assert film.curves["unmarked"][0][-1] < 0.3
