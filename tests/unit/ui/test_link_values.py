"""A chapter's links are refused by name where no page would understand them; what the browser reads is what is checked here."""

import re
from pathlib import Path

import pytest

from support.together import together
from support.viewer_files import SOURCES
from vizapp.errors import VizError
from vizapp.model.zoo import bundled
from vizapp.pipeline import load
from vizapp.ui import textbook
from vizapp.ui.link_values import KEYS, MOST_STEPS, PAGE_KEYS, PASSING, network_of, strange
from vizapp.vocabulary import ATLAS_ORDERS, CHAINS, DIRECTIONS, FUSIONS, SCALES

CHAPTER = """title = "T"
opens = "picture=lesson/one/1&model={model}{opens}"
part = "layers"
text = ["a"]
[[exercise]]
kind = "do"
question = "Do it."
done = {{ {done} }}
sets = "{sets}"
"""


def chapter(folder: Path, opens: str = "", done: str = "layer = 1", sets: str = "", model: str = "toy") -> None:
    path = folder / "01_x.toml"
    path.write_text(CHAPTER.format(opens=opens and f"&{opens}", done=done, sets=sets, model=model), "utf-8")
    textbook.read(path)


WRONG = {
    "opens": {
        "layer=99": "layer=99 cannot be: the network has 5 layers, from 0 to 4",
        "layer=-1": "layer=-1 cannot be: it is a whole number from 0",
        "layer=1.5": "layer=1.5 cannot be: it is a whole number",
        "layer=last": "layer=last cannot be",
        "head=77": "head=77 cannot be: the network has 6 heads, from 0 to 5",
        "direction=into": "direction=into cannot be: it is one of from, to",
        "method=chefer": "method=chefer cannot be: it is one of attention, rollout",
        "token=clss": "token=clss cannot be: the network has cls, mean",
        "token=reg0": "token=reg0 cannot be: the network has cls, mean",
        "fusion=median": "it is one of one, mean, max, min",
        "pinned=yes": "pinned=yes cannot be: it is 0 or 1",
        "opacity=80": "it is a number from 0 to 1",
        "skipWeight=nan": "it is a number from 0 to 1",
        "place=0.5": "it is two shares of the picture",
        "colours=jet": "colours=jet cannot be: it is one of viridis",
        "metric=luck": "metric=luck cannot be: it is one of",
        "scale=huge": "it is one of map, layer, all, fixed",
        "order=size": "it is one of layers",
        "step=12": "it is a whole number from 0 to 11",
        "tab=settings": "tab=settings cannot be: it is one of attention, methods",
        "fit=stretch": "it is one of as_trained, crop, pad, squash",
        "v=2": "v=2 cannot be: versions are 1",
        "lyer=1": "lyer=1 cannot be: no link has this key",
        "hover=0.5,0.5": "no link has this key",
        "layer": "'layer' is no key=value",
    },
    "sets": {
        "head=6": "in the sets of an exercise, head=6 cannot be: the network has 6 heads",
        "model=toy": "only the link that opens a chapter has this key",
        "layer=last&head=2": "layer=last cannot be",
    },
    "done": {
        "layer = 5": "in the done of an exercise, layer = 5 cannot be done: the network has 5 layers",
        'layer = "first"': "layer = first cannot be done: it is a number",
        'head = "last"': "head = last cannot be done",
        "pinned = 1": "pinned = 1 cannot be done: it is true or false",
        "method = true": "method = true cannot be done: it is a text",
        'method = "chefer"': "method = chefer cannot be done: it is one of attention, rollout",
        'token = "reg9"': "token = reg9 cannot be done: the network has cls, mean",
        'skipWeight = ">=much"': "it is no number",
        'place = "0.5,0.5"': "it is one of changed, any, none",
        "picture = 3": "picture = 3 cannot be done",
        "lyer = 1": "the page has no key lyer",
    },
}


@together(("where", "text"), [(where, text) for where, some in WRONG.items() for text in some])
def test_what_no_page_understands_is_refused_by_name(where: str, text: str, tmp_path: Path) -> None:
    with pytest.raises(VizError, match=re.escape(WRONG[where][text])):
        chapter(tmp_path, **{where: text})


def test_a_picture_or_a_network_that_there_is_not(tmp_path: Path) -> None:
    for wrong, why in (("toyy", "model=toyy cannot be: there is no such network"), ("", "names no model")):
        with pytest.raises(VizError, match=why):
            chapter(tmp_path, model=wrong)
    for picture in ("lesson/one/99", "lesson/none/1", "upload/abc", "photo/"):
        assert list(strange(f"picture={picture}", with_page=True)), picture


def test_what_a_page_understands_is_read(tmp_path: Path) -> None:
    chapter(tmp_path, "layer=4&head=5&fusion=one&place=0.25,0.5&pinned=1&token=cls&colours=magma&step=11")
    chapter(tmp_path, "token=reg3", 'token = "reg0", layer = "last"', "token=reg2&place=&moment=", model="registers")
    chapter(tmp_path, sets="layer=last", done='place = "changed", moment = "none", guess = "any", skipWeight = ">=0.9"')
    chapter(tmp_path, "layer=99&head=20&token=reg7", model="timm:deit_small_patch16_224.fb_in1k")  # it is not on board
    with pytest.raises(VizError, match="it is one of cls, dist"):
        chapter(tmp_path, "token=clss", model="timm:deit_small_patch16_224.fb_in1k")


def test_the_networks_are_as_their_files_say() -> None:
    """Compared with one that is loaded: depth, heads, and the tokens before the patches."""
    assert {"toy", "registers", "mean", "crate"} <= {*bundled.names()}
    for name in ("toy", "registers", "mean", "crate"):
        found, model = network_of(name), load(name, "cpu")
        assert found is not None
        assert found.layers == len(model.attention), name
        assert found.tokens == (*model.prefix, "mean"), name


def test_keys_and_kinds_are_those_of_the_browser() -> None:
    """Of every key that a file of the viewer declares: its kind, its bounds, and whether a link holds it."""
    declared = (
        r"(?:^ +|state: \{ |, )(\w+): ((?:moving\(|passing\()*)(flag|index|json|name|number|oneOf|place)\((?=([^\n]*))"
    )
    found = {}
    for name, source in SOURCES.items():
        if name == "keys.js" or name.startswith("panels/"):
            found |= {key: (wrap, kind, rest) for key, wrap, kind, rest in re.findall(declared, source, re.MULTILINE)}
    assert {key for key, (wrap, _, _) in found.items() if "passing" in wrap} == PASSING
    kinds = {key: kind for key, (wrap, kind, _) in found.items() if "passing" not in wrap}
    assert kinds == {key: one.kind for key, one in KEYS.items()}
    for key, (_, kind, rest) in found.items():
        if kind == "number":
            assert re.search(r", 0, 1\)", rest), key
        if kind == "index" and key in KEYS:
            assert ("MOST_STEPS" in rest) == (key == "step"), key
    assert f"MOST_STEPS = {MOST_STEPS};" in SOURCES["drawing/step_bodies.js"]
    lists = {"fusion": ("one", *FUSIONS), "method": CHAINS, "direction": DIRECTIONS, "scale": SCALES}
    lists["order"] = ATLAS_ORDERS
    named = {
        "fusion": "FUSIONS",
        "method": "CHAINS",
        "direction": "DIRECTIONS",
        "scale": "SCALES",
        "order": "ATLAS_ORDERS",
    }
    for key, names in lists.items():
        assert KEYS[key].names == names
        assert named[key] in found[key][2], key
    assert re.findall(r'"(\w+)"', SOURCES["version.js"].partition("PAGE_KEYS = ")[2].partition("]")[0]) == [*PAGE_KEYS]
