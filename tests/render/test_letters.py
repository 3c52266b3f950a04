"""Letters that matplotlib's own font has not got: drawn in a font of the machine, or refused before they become boxes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from vizapp.render import letters
from vizapp.render.figure import save, svg
from vizapp.render.lines import matrix
from vizapp.ui.comparison_files import drawable
from vizapp.ui.words import words_for

CHINESE = "梯度注意力展开"
NO_FONT = "no font with Chinese letters here: fonts-noto-cjk is one"


@pytest.fixture
def without_fonts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(letters, "further_fonts", lambda: ())


def test_latin_needs_no_further_font(without_fonts: None) -> None:
    assert letters.font_for(["Rollout × 8 – 50 %", "head\n2"]) == ""
    assert drawable(words_for("en")) is words_for("en")


def test_where_there_is_no_font_a_file_says_it_in_english(without_fonts: None) -> None:
    assert letters.font_for([CHINESE]) is None
    assert not letters.can_write(["Rollout", CHINESE])
    assert drawable(words_for("zh")) is words_for("en")


def test_on_a_page_text_stays_text_whatever_fonts_there_are(without_fonts: None) -> None:
    assert CHINESE in svg(matrix([CHINESE, "Chefer"], np.eye(2))), "and no warning, which would be an error here"


def test_chinese_is_drawn(tmp_path: Path) -> None:
    """No letter is missing, which matplotlib would say as a warning, and a box is not what was drawn."""
    if not letters.can_write([CHINESE]):
        pytest.skip(NO_FONT)
    assert drawable(words_for("zh")) is words_for("zh")
    drawn = matrix([CHINESE, "Chefer"], np.eye(2))
    save(drawn, tmp_path / "chinese.png")
    assert {len(one.get_fontfamily()) for one in drawn.axes[0].get_yticklabels()} == {2}
