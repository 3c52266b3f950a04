"""`vizapp export` says what is not in the page that it has written."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from vizapp import cli


def test_a_page_of_named_pictures_says_that_it_has_no_textbook(
    picture: np.ndarray, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Image.fromarray(picture).save(tmp_path / "photo.png")
    cli.main(["export", "--pictures", str(tmp_path / "photo.png"), "--lang", "en", "-o", str(tmp_path / "page.html")])
    assert "The textbook is not in it: --lessons adds it" in capsys.readouterr().out
