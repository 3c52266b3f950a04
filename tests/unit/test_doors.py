"""The same names in every door: Python, the command line and the files take what any of them takes, and know what was meant."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image

import vizapp
from support import deep_pictures
from support.checkpoints import save_vit
from support.networks import small_vit
from support.paths import ROOT
from vizapp.analysis import Analysis
from vizapp.browser import precomputed
from vizapp.browser.cargo import Cargo
from vizapp.browser.shelf import COPYRIGHT, from_analysis, photo
from vizapp.cli import main
from vizapp.core.attention.trace import AttentionTrace
from vizapp.core.context import ExplainContext
from vizapp.core.methods import method_named
from vizapp.data.evaluation import evaluate
from vizapp.picture import read_picture
from vizapp.picture.frames import is_film
from vizapp.pipeline.batches import explain_many
from vizapp.ui.viewer.payload import Packed
from vizapp.ui.words import all_words

SCENE = ROOT / "assets" / "examples" / "scene-1.jpg"


@pytest.fixture(scope="module")
def seen() -> Analysis:
    labels = ("house", "tree", "fish", "cup", "tabby, tabby cat")
    return vizapp.analyse(replace(small_vit(), labels=labels), str(SCENE))


def slips(tried: dict[str, Callable[[], object]]) -> dict[str, str]:
    """What did not hold, all at once: name -> what was said instead."""
    found = {}
    for name, one in tried.items():
        try:
            if one() is False:
                found[name] = "it is not the same"
        except Exception as error:
            found[name] = f"{type(error).__name__}: {error}"
    return found


def as_given(trace: AttentionTrace, query: torch.Tensor, *, share: float = 1.0) -> np.ndarray:
    """A callable of one's own that is given attention."""
    return np.asarray(method_named("rollout")(trace, query).scores * share)


def of_a_class(context: ExplainContext, query: torch.Tensor) -> np.ndarray:
    """One that is given the network, and which class."""
    return np.asarray(method_named("grad_cam")(context).scores)


def test_the_example_is_known_in_every_door(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By its name, as for `vizapp explain example`; a file of that name in the folder goes first, as it does there."""
    monkeypatch.chdir(tmp_path)
    expected = read_picture(SCENE)
    taken = {
        "read_picture": lambda: np.array_equal(read_picture("example"), expected),
        "analyse": lambda: np.array_equal(vizapp.analyse("toy", "example").picture, expected),
        "analyse picture=": lambda: np.array_equal(
            vizapp.analyse("toy", torch.zeros(3, 112, 112), picture="example", fit="squash").picture, expected
        ),
        "analyse_many": lambda: np.array_equal(next(vizapp.analyse_many("toy", ["example"])).picture, expected),
        "check": lambda: vizapp.check("toy", "example").holds,
        "film": lambda: not is_film("example"),
        "vizapp explain": lambda: main(["explain", "example", "-o", "a.npz"]) == 0,
        "vizapp export": lambda: np.array_equal(photo("example").pixels, expected),
    }
    assert slips(taken) == {}
    (tmp_path / "example").write_text("no picture")
    with pytest.raises(vizapp.VizError, match="is not a picture"):
        vizapp.analyse("toy", "example")


def test_a_page_knows_whose_photo_it_carries(tmp_path: Path) -> None:
    """As the file states it, on one line; also of a format that the page cannot carry as it is."""
    about = Image.Exif()
    about[COPYRIGHT] = "Ann Example,\n CC BY 4.0 " + "x" * 1000
    with Image.open(SCENE) as scene:
        for name in ("a.jpg", "a.png", "a.tif"):
            scene.save(tmp_path / name, exif=about)
            credit = photo(tmp_path / name).credit
            assert credit.startswith("Ann Example, CC BY 4.0 x"), name
            assert len(credit) == 200
        scene.save(tmp_path / "nobody.jpg", exif=b"Exif\0\0MM broken")
    assert photo(tmp_path / "nobody.jpg").credit == ""


def test_a_page_in_one_file_carries_no_huge_photo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As it is where it is small; else as WebP, of which the page and the network see the same pixels."""
    noise = np.random.default_rng(0).integers(0, 256, (64, 48, 3), dtype=np.uint8)
    Image.fromarray(noise).save(tmp_path / "noise.png")
    small = photo(tmp_path / "noise.png")
    assert (small.type, small.file) == ("image/png", (tmp_path / "noise.png").read_bytes())
    monkeypatch.setattr("vizapp.browser.shelf.LARGEST", len(small.file) - 1)
    large = photo(tmp_path / "noise.png")
    assert large.type == "image/webp"
    assert np.array_equal(read_picture(large.file), large.pixels)


def test_a_page_says_how_a_picture_of_12_bits_was_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a TIFF, whose place another file takes, in the words of each language; of a PNG the page finds it out."""
    said = "No value of the picture is above 4095, so 4095 is white, not 65535."
    (tmp_path / "ray.tif").write_bytes(deep_pictures.tiff(deep_pictures.shades()))
    (tmp_path / "ray.png").write_bytes(deep_pictures.png(deep_pictures.shades()))
    of_tiff, of_png = photo(tmp_path / "ray.tif"), photo(tmp_path / "ray.png")
    told = of_tiff.said(Cargo(), all_words())["notes"]
    assert (told["en"], len(told)) == ([said], len(all_words()))
    assert of_png.said(Cargo(), all_words())["notes"] == {}
    monkeypatch.setattr(precomputed, "BY_ITSELF", ())  # the self-test and the like take seconds
    made = precomputed.ready(small_vit(), of_png, {"en": all_words()["en"]}, is_short=True)
    assert Packed.of(made.payload).header["notes"] == [said]
    seen = vizapp.analyse(small_vit(), deep_pictures.shades())
    assert from_analysis(seen, "ray", is_exact=True, drawn=False).said(Cargo(), all_words())["notes"]["en"] == [said]


def test_a_lone_method_is_a_list_of_one(seen: Analysis) -> None:
    """By its name, as what @method made, or a callable."""
    for one in ("rollout", method_named("rollout"), as_given):
        name = getattr(one, "name", None) or getattr(one, "__name__", one)
        taken = {
            "compare": lambda one=one, name=name: name in vizapp.compare(seen, one, steps=0).maps,
            "sanity": lambda one=one, name=name: list(vizapp.sanity(seen, one).correlation) == [name],
            "grid": lambda one=one: vizapp.grid([seen], one) is not None,
            "explain_many": lambda one=one, name=name: [m.method for m in explain_many([seen], one)] == [name],
        }
        assert (one, slips(taken)) == (one, {})
    found = evaluate(vizapp.load("toy", "cpu"), "one", methods="rollout", count=1)
    assert "rollout" in {one.method for one in found.scores}


def test_what_explain_takes_the_others_take(seen: Analysis, tmp_path: Path) -> None:
    """Callables of the user's own beside names: the same maps, under their own names, with settings and the class."""
    found = vizapp.compare(
        seen, ["rollout", as_given, of_a_class], target="cup", steps=4, settings={"as_given": {"share": 0.5}}
    )
    np.testing.assert_allclose(found.maps["as_given"].scores, found.maps["rollout"].scores / 2, rtol=1e-6)
    expected = vizapp.explain(seen, "grad_cam", target="cup")
    np.testing.assert_allclose(found.maps["of_a_class"].scores, expected.scores, rtol=1e-6)
    assert found.maps["of_a_class"].target == seen.labels.index("cup")
    rows = {row["method"]: row for row in found.rows()}
    assert [rows[one]["class_specific"] for one in ("rollout", "as_given", "of_a_class")] == [False, False, True]
    assert rows["as_given"]["deletion"] == pytest.approx(rows["rollout"]["deletion"], abs=1e-4), "the same order"
    found.save(tmp_path / "table.csv")
    assert "as_given" in (tmp_path / "table.csv").read_text()
    left = vizapp.sanity(seen, ["grad_cam", of_a_class], target="cup").correlation
    np.testing.assert_allclose(left["of_a_class"], left["grad_cam"], atol=1e-6)
    assert len(vizapp.grid([seen], ["rollout", as_given]).axes) > 1


def test_methods_that_cannot_be_told_apart_are_refused(seen: Analysis) -> None:
    def rollout(trace: AttentionTrace, query: torch.Tensor) -> np.ndarray:
        return np.ones((4, 4))

    wrong: dict[Any, str] = {
        ("rollout", rollout): "Two methods are called rollout",
        (3,): "3 is no method",
        (lambda context: context,): "cannot be called as a method",
        ("rolout",): "There is no method 'rolout'",
    }
    for names, said in wrong.items():
        for door in (vizapp.compare, vizapp.sanity):
            with pytest.raises(vizapp.VizError, match=said):
                door(seen, names)
    assert vizapp.compare(seen, rollout, steps=0).maps["rollout"].scores.max() == 1, "alone it is no other than itself"


def test_film_takes_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    """Of a picture and of a film, as `vizapp explain` does."""
    name = save_vit(tmp_path / "small.safetensors")
    monkeypatch.chdir(tmp_path)
    frames = [Image.fromarray(np.random.default_rng(n).integers(0, 255, (64, 80, 3), np.uint8)) for n in range(2)]
    frames[0].save("moves.gif", save_all=True, append_images=frames[1:], duration=100)
    made = {}
    for source in ("example", "moves.gif"):
        for settings in ([], ["--set", "fusion=max"]):
            out = f"{Path(source).stem}{len(settings)}.gif"
            assert main(["film", source, "-o", out, "--model", name, *settings]) == 0, capsys.readouterr().err
            made[out] = Path(out).read_bytes()
    assert len(set(made.values())) == 4
    for wrong, said in (("colour=red", "'colour=red' is no setting of attention"), ("layer=1", "")):
        code = main(["film", "example", "--model", name, "--set", wrong])
        assert (code, said in capsys.readouterr().err) == (2, True), wrong


def test_what_was_meant_is_said(seen: Analysis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    """Of methods, settings and classes, as of models."""
    monkeypatch.chdir(tmp_path)

    def said(wrong: Callable[[], object]) -> str:
        try:
            wrong()
        except vizapp.VizError as error:
            return str(error)
        return capsys.readouterr().err

    typed = {
        "rollout": lambda: vizapp.explain(seen, "rolout"),
        "grad_cam": lambda: vizapp.compare(seen, ["gradcam"]),
        "legrad": lambda: vizapp.sanity(seen, "le_grad"),
        "skip_weight": lambda: vizapp.explain(seen, "rollout", skipweight=0.3),
        "fusion": lambda: main(["explain", "example", "--set", "fusoin=max"]),
        "share": lambda: vizapp.explain(seen, as_given, shares=2),
        "tabby, tabby cat": lambda: seen.class_index("tabyb cat"),
        "cup": lambda: vizapp.explain(seen, "chefer", target="cupp"),
        "fish": lambda: main(["explain", "example", "--method", "chefer", "--target", "fihs"]),
    }
    assert {name: text for name, one in typed.items() if f"Did you mean {name}" not in (text := said(one))} == {}
    assert "Did you mean" not in said(lambda: vizapp.explain(seen, "xyz")), "nothing is like it"
