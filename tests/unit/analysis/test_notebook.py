"""What things look like in a notebook: short in words, and a picture with numbers in HTML."""

import base64
import io
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest
from PIL import Image

import vizapp
from support.networks import small_vit
from vizapp.analysis import Analysis
from vizapp.analysis.notebook import still
from vizapp.analysis.record import describe, made_from
from vizapp.render.overlay import overlay
from vizapp.render.small import resized


@pytest.fixture(scope="module")
def seen() -> Analysis:
    return vizapp.analyse(small_vit(), np.random.default_rng(0).integers(0, 256, (40, 60, 3), dtype=np.uint8))


def images(html: str) -> list[np.ndarray]:
    found = re.findall(r"data:image/webp;base64,([^\"]+)", html)
    return [np.asarray(Image.open(io.BytesIO(base64.b64decode(one))).convert("RGB")) for one in found]


def well_formed(html: str) -> bool:
    """Every element that is opened is closed."""
    open_: list[str] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: object) -> None:
            if tag not in ("img", "br"):
                open_.append(tag)

        def handle_endtag(self, tag: str) -> None:
            assert open_.pop() == tag

    Reader().feed(html)
    return not open_


def test_an_analysis_shows_picture_map_and_numbers(seen: Analysis) -> None:
    html = still(seen)
    assert well_formed(html)
    picture, mapped = images(html)
    sized, frame = resized(seen.picture, seen.frame, (224, 320))
    assert picture.shape == sized.shape
    painted = overlay(sized, frame, vizapp.explain(seen, "rollout").scores)
    assert np.abs(mapped.astype(int) - painted).mean() < 12, "the map, but for what WebP loses"
    label, probability = seen.top(1)[0]
    assert f"<td>{label}</td><td>{probability:.3g}</td>" in html
    assert "3 layers of 4 heads" in html


def test_a_map_shows_itself_with_its_scale(seen: Analysis) -> None:
    one = vizapp.explain(seen, "attention", layer=1, head=2)
    html = one._repr_html_()
    assert well_formed(html)
    assert f"{one.scores.max():.1%}" in html
    assert f"{one.on_prefix['cls']:.1%} on cls" in html
    sized, frame = resized(seen.picture, seen.frame, (224, 320))
    on_picture = overlay(sized, frame, one.scores)
    assert np.abs(images(html)[0].astype(int) - on_picture).mean() < 12, "the map, but for what WebP loses"
    cells = images(replace(one, of=None)._repr_html_())[0][7::14, 7::14].astype(int).sum(-1)
    assert np.unravel_index(cells.argmax(), cells.shape) == np.unravel_index(one.scores.argmax(), one.scores.shape)
    signed = vizapp.explain(seen, "attn_lrp")
    assert "-" in signed._repr_html_()


def test_a_map_of_a_class_bears_its_name() -> None:
    """Where the network's classes have names: in words, in a notebook, in a figure, and in what a file says of itself."""
    named = vizapp.analyse("timm:test_vit?pretrained=no", np.zeros((160, 160, 3), np.uint8))
    one = vizapp.explain(named, "chefer", target=281)
    assert "for tabby (class 281)" in describe(one)
    assert "tabby (class 281)" in repr(one)
    assert "tabby (class 281)" in one._repr_html_()
    assert (made_from(named, one)["target"], made_from(named, one)["class"]) == (281, "tabby")
    assert vizapp.explain(named, "rollout").label == ""
    bare = vizapp.explain(vizapp.analyse(small_vit(), np.zeros((40, 60, 3), np.uint8)), "chefer", target=2)
    assert "for class 2 (" in describe(bare), "a name that says no more than the number is not said twice"


def test_a_self_test_shows_its_verdict() -> None:
    html = vizapp.check(small_vit())._repr_html_()
    assert well_formed(html)
    assert "<b>exact</b>" in html
    assert html.count("blocks.") == 3


def test_a_comparison_shows_every_map_and_the_table(seen: Analysis) -> None:
    found = vizapp.compare(seen, ["rollout", "chefer"], steps=2)
    html = found._repr_html_()
    assert well_formed(html)
    assert len(images(html)) == len(found.maps) == 4
    assert "<th>deletion</th>" in html
    assert f"<td>{found.rows()[0]['deletion']:.3g}</td>" in html


def test_what_stands_in_words_is_short(seen: Analysis) -> None:
    """Without arrays: the repr of a map had 3,806 characters."""
    one = vizapp.explain(seen, "chefer", target=2)
    assert repr(one).startswith("Relevance(chefer")
    assert "class 2, 4 x 4 patches" in repr(one)
    for thing in (one, seen, vizapp.compare(seen, ["rollout"], steps=0)):
        assert len(repr(thing)) < 700
        assert "array" not in repr(thing)
