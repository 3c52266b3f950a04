"""What is written about methods is what they are, and the example of how to add one works as it stands."""

import re
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import vizapp
from docs.methods import PAGE, page
from support.paths import ROOT
from vizapp.core import methods as room
from vizapp.model.toy.lessons import LESSONS


def test_the_page_about_methods_is_fresh() -> None:
    assert PAGE.read_text("utf-8") == page(), "run: python -m docs.methods"


def test_the_example_of_a_new_method_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file of the page, put into a folder of methods, is found by itself; the function before it and what uses it run."""
    function, method, use, *_ = re.findall(
        r"```python\n(.*?)```", (ROOT / "docs" / "extend.md").read_text("utf-8"), re.DOTALL
    )
    (tmp_path / "far_attention.py").write_text(method)
    monkeypatch.setattr(room, "__path__", [*room.__path__, str(tmp_path)])
    Image.fromarray(LESSONS["one"].example(0, 112).picture).save(tmp_path / "photo.jpg")
    monkeypatch.chdir(tmp_path)
    room.methods.cache_clear()
    room._own_methods.cache_clear()
    try:
        names: dict = {}
        exec(compile(function, "extend.md", "exec"), names)
        assert set(names["found"].maps) > {"rollout", "lower_half"}
        assert names["relevance"].settings == {"share": 0.25}
        exec(compile(use, "extend.md", "exec"), names)
        seen, relevance = names["seen"], names["relevance"]
    finally:
        monkeypatch.undo()  # first the folder, then what was found in it
        room.methods.cache_clear()
        room._own_methods.cache_clear()
        sys.modules.pop(f"{room.__name__}.far_attention", None)
    plain = vizapp.explain(seen, "attention", query="5,7").scores
    near = np.zeros(plain.shape, bool)
    near[3:8, 5:10] = True
    np.testing.assert_array_equal(relevance.scores, np.where(near, 0, plain))
    assert (tmp_path / "far.png").stat().st_size > 1000
