"""What was measured while a map was made stands beside it: in code, in figures and files, on the command line, on the page."""

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import vizapp
from support.layer_payloads import seen_by
from vizapp.analysis import Analysis
from vizapp.analysis.record import describe, where_it_went
from vizapp.cli import main
from vizapp.model.toy.lessons import LESSONS

KEPT = "Of the class's relevance 100.0% arrive at the first layer"


@pytest.fixture(scope="module")
def seen() -> Analysis:
    return vizapp.analyse("toy", LESSONS["one"].example(0, 112).picture)


def test_what_was_measured_is_said_with_the_map(seen: Analysis) -> None:
    relevance = vizapp.explain(seen, "transformer_attribution")
    assert relevance.notes == (f"{KEPT}.",)
    assert where_it_went(seen, relevance).endswith(KEPT)
    assert vizapp.explain(seen, "attention").notes == ()
    assert "arrive" not in where_it_went(seen, vizapp.explain(seen, "attention"))
    plain, changed = (vizapp.explain(seen, "partial_lrp", **one) for one in ({}, {"dtype": "network"}))
    assert "dtype" not in describe(plain)
    assert "dtype=network" in describe(changed)
    assert plain.settings["dtype"] == "float64"


def test_integrated_gradients_say_how_near_they_come(seen: Analysis) -> None:
    pytest.importorskip("captum", reason="captum is an extra: pip install vizapp[methods]")
    near, coarse = (vizapp.explain(seen, "integrated_gradients", steps=steps) for steps in (32, 1))
    (said,) = near.notes
    total, wanted = (float(said.values[name]) for name in ("total", "wanted"))
    assert total == pytest.approx(near.scores.sum(), rel=1e-2)
    assert total == pytest.approx(wanted, rel=0.05)
    assert coarse.notes[0].values["wanted"] == said.values["wanted"]
    assert abs(float(coarse.notes[0].values["total"]) - wanted) > abs(total - wanted)


def test_it_goes_into_files_and_onto_the_terminal(
    seen: Analysis, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    relevance = vizapp.explain(seen, "transformer_attribution")
    vizapp.save(seen, relevance, tmp_path / "map.npz")
    with np.load(tmp_path / "map.npz") as saved:
        assert f"{KEPT}." in json.loads(str(saved["about"]))["notes"]
    shown = "".join(
        text.get_text() for text in vizapp.plot(seen, relevance).findobj(lambda one: hasattr(one, "get_text"))
    )
    assert KEPT in shown.replace("\n", " ")
    Image.fromarray(seen.picture).save(tmp_path / "photo.png")
    assert (
        main(["explain", str(tmp_path / "photo.png"), "--method", "partial_lrp", "-o", str(tmp_path / "map.png")]) == 0
    )
    assert KEPT in capsys.readouterr().out


def test_it_stands_under_the_map_on_the_page(seen: Analysis) -> None:
    board = pytest.importorskip("vizapp.ui.comparison_maps", reason="gradio is an extra")
    from vizapp.ui.comparison_html import cards
    from vizapp.ui.words import words_for

    result = vizapp.compare(seen, ["attention", "partial_lrp"], steps=0)
    words = words_for("en")
    told = board.comparison(words, result, None, cards(words, result, None))
    notes = {one["name"]: [map_["told"]["notes"] for map_ in one["maps"]] for one in told["methods"]}
    assert notes["attention"] == [[]]
    assert any(KEPT in note for note in notes["partial_lrp"][0])


def test_a_hidden_patch_has_no_number_on_the_page() -> None:
    """It is hatched in the picture: a 0 beside it would be told as a share."""
    board = pytest.importorskip("vizapp.ui.comparison_maps", reason="gradio is an extra")
    from vizapp.ui.comparison_html import cards
    from vizapp.ui.words import words_for

    swin = seen_by("swin")
    result = vizapp.compare(swin, ["attention", "rollout"], query="0,0", steps=0, settings={"attention": {"layer": 0}})
    words, hidden = words_for("en"), result.maps["attention"].hidden
    assert hidden is not None
    told = board.comparison(words, result, None, cards(words, result, None))
    scores = {one["name"]: np.array(one["maps"][0]["scores"]) for one in told["methods"]}
    np.testing.assert_array_equal(scores["attention"] == None, hidden)  # noqa: E711
    np.testing.assert_allclose(
        scores["attention"][~hidden].astype(float), result.maps["attention"].scores[~hidden], rtol=5e-3
    )
    assert scores["rollout"].dtype == float
    assert told["words"]["hidden"]


def test_a_class_bears_its_name_in_the_language_of_the_page() -> None:
    pytest.importorskip("gradio", reason="gradio is an extra")
    from vizapp.ui.comparison_html import said_of
    from vizapp.ui.words import words_for

    seen = vizapp.analyse("toy", "example")
    face = seen.labels.index("face")
    assert [said_of(words_for(one), seen, face) for one in ("en", "zh")] == ["face", "脸"]
    assert said_of(words_for("zh"), seen, None) == ""
