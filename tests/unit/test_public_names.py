"""What a user types: public names, names of methods and models, tables in a terminal, pictures that are skipped."""

import doctest
import logging
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import vizapp
from support.networks import small_vit
from vizapp import VizError


def test_classes_that_users_name_are_public() -> None:
    seen = vizapp.analyse("toy", np.zeros((64, 64, 3), np.uint8))
    assert isinstance(seen.context.model, vizapp.VisionModel)
    assert isinstance(vizapp.explain(seen), vizapp.Relevance)
    assert vizapp.Truth("cat", np.ones((64, 64), bool)).is_object
    assert issubclass(vizapp.Edit, object)


def test_methods_and_models_are_listed_by_name() -> None:
    assert {"attention", "rollout", "chefer"} <= set(vizapp.methods())
    assert "toy" in vizapp.models()


@pytest.mark.parametrize(("typed", "meant"), [("analyze", "analyse"), ("explian", "explain")])
def test_a_name_that_was_meant_is_said(typed: str, meant: str) -> None:
    with pytest.raises(AttributeError, match=f"no attribute '{typed}'. Did you mean '{meant}'"):
        getattr(vizapp, typed)
    assert not hasattr(vizapp, "_ipython_display_")


def test_what_is_printed_is_a_small_table(picture: np.ndarray) -> None:
    seen = vizapp.analyse(small_vit(), picture)
    compared = str(vizapp.compare(seen, ["attention", "rollout"], steps=0)).splitlines()
    assert [line.split()[0] for line in compared[1:4]] == ["method", "attention", "rollout"]
    sane = str(vizapp.sanity(seen, ["rollout"])).splitlines()
    assert sane[0].split() == ["randomised", "rollout"]
    assert len(sane) == 2 + len(seen.trace.layers)
    checked = str(vizapp.check(small_vit())).splitlines()
    assert checked[0] == "exact"
    assert [line.split()[0] for line in checked[1:]] == [layer.name for layer in seen.trace.layers]
    assert max(map(len, [*compared, *sane, *checked])) <= 130


def test_a_picture_that_cannot_be_read_is_skipped_if_asked(
    tmp_path: Path, picture: np.ndarray, caplog: pytest.LogCaptureFixture
) -> None:
    Image.fromarray(picture).save(tmp_path / "good.png")
    (tmp_path / "bad.png").write_bytes(b"no picture")
    some = [tmp_path / "bad.png", tmp_path / "good.png", tmp_path / "none.png", tmp_path / "good.png"]
    heard: list[tuple[int, str]] = []
    with caplog.at_level(logging.WARNING, "vizapp"):
        skipped = list(vizapp.analyse_many(small_vit(), some, batch=3, on_error="skip"))
    told = list(
        vizapp.analyse_many(small_vit(), some, on_error=lambda number, error: heard.append((number, str(error))))
    )
    assert len(skipped) == len(told) == 2
    assert [one.getMessage().partition(" was skipped")[0] for one in caplog.records] == ["picture 0", "picture 2"]
    assert [number for number, _ in heard] == [0, 2]
    with pytest.raises(VizError, match=r"bad\.png"):
        list(vizapp.analyse_many(small_vit(), some))
    with pytest.raises(VizError, match="Choose 'raise', 'skip'"):
        list(vizapp.analyse_many(small_vit(), some, on_error="ignore"))


FUNCTIONS = sorted(name for name in vizapp.__all__ if not isinstance(getattr(vizapp, name), type))
ELSEWHERE = {
    "text",
    "zero_shot",
    "video",
    "widget",
}  # they need a model of two towers, a film, a notebook: their own tests


@pytest.mark.parametrize("name", sorted({*FUNCTIONS} - ELSEWHERE))
def test_the_example_of_each_function_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It prints what it says, and is no longer than what somebody would type."""
    monkeypatch.chdir(tmp_path)
    Image.fromarray(np.zeros((64, 64, 3), np.uint8)).save("one.jpg")
    (tmp_path / "broken.jpg").write_bytes(b"")
    found = doctest.DocTestParser().get_doctest(getattr(vizapp, name).__doc__, {"vizapp": vizapp}, name, None, 0)
    assert 0 < len(found.examples) <= 4
    said: list[str] = []
    doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS).run(found, out=said.append)
    assert said == []
