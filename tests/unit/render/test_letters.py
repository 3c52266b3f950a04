"""Letters that matplotlib's own font has not got: drawn in a font of the machine, or refused before they become boxes."""

import numpy as np
import pytest

from support.chinese import CHINESE
from vizapp.render import letters
from vizapp.render.figure import svg
from vizapp.render.lines import matrix
from vizapp.ui.comparison_files import drawable
from vizapp.ui.words import words_for


@pytest.fixture
def without_fonts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(letters, "further_fonts", lambda: ())


def test_without_a_font_no_letter_becomes_a_box(without_fonts: None) -> None:
    assert letters.font_for(["Rollout × 8 – 50 %", "head\n2"]) == ""
    assert drawable(words_for("en")) is words_for("en")
    assert letters.font_for([CHINESE]) is None
    assert not letters.can_write(["Rollout", CHINESE])
    assert drawable(words_for("zh")) is words_for("en")
    assert CHINESE in svg(matrix([CHINESE, "Chefer"], np.eye(2))), "and no warning, which would be an error here"
