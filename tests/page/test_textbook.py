"""The chapters of the textbook: short, whole, and saying nothing that the page has not."""

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import numpy as np
import pytest

from support.english import GLOSSARY
from support.node import needs_node, node_tests
from support.together import together
from support.viewer_files import PANELS, SOURCES
from vizapp.core.metrics import metrics
from vizapp.errors import VizError
from vizapp.pipeline import analyse, load, model_names
from vizapp.ui import textbook, views
from vizapp.ui.lesson_pictures import Place
from vizapp.ui.words import words_for
from vizapp.vocabulary import COLOUR_MAPS

CHAPTERS = textbook.chapters()
ALONE = textbook.without_server(CHAPTERS)  # in the page that vizapp export writes
KINDS = {re.search(r'kind: "(\w+)"', source)[1] for name, source in SOURCES.items() if name.startswith("exercises/")}
READINGS = set(
    re.findall(r"^  (\w+): \(", SOURCES["numbers/readings.js"].partition("export const READINGS")[2], re.MULTILINE)
)
FOUND = {"trial": {"tenth", "tenth_chance", "most", "most_chance"}}  # what an exercise finds itself
READ = re.compile(r"\{(\w+)\}")
PACE, EACH = 200, 20  # words a minute, and seconds for one thing to do
LONGEST = 25  # minutes: a lesson has 45, and the rest is talk


def everything(chapter: textbook.Chapter) -> str:
    return " ".join(textbook.sentences([chapter]))


def opened(chapter: textbook.Chapter) -> dict[str, str]:
    """The keys of the link that opens a chapter, with their values."""
    return dict(parse_qsl(chapter.opens, strict_parsing=True))


def shape_of(name: str) -> dict[str, Any]:
    """The values that a link may give of a network: its layers, heads and tokens."""
    model = load(name, "cpu")
    trace = analyse(model, np.zeros((64, 64, 3), np.uint8)).trace
    return {"layers": len(trace.layers), "heads": trace.layers[0].n_heads, "tokens": [*model.prefix, "mean"]}


@together("chapter", [*CHAPTERS, *ALONE])
def test_a_chapter_says_what_there_is(chapter: textbook.Chapter) -> None:
    """Its picture and network are offered, its panels, words, numbers and exercises known."""
    link = opened(chapter)
    said, kinds = everything(chapter), {one["kind"] for one in chapter.exercises}
    found = {name for one in chapter.exercises for name in FOUND.get(one["kind"], ())}
    strange = {
        "models": {link["model"]} - set(model_names()),
        "panels": {*chapter.lights, *chapter.shows} - {Path(one).stem for one in PANELS},
        "kinds of exercise": kinds - KINDS,
        "words of the glossary": {key for _, key in textbook.TERM.findall(said)} - GLOSSARY.keys(),
        "readings": set(READ.findall(said)) - READINGS - found,
        "right answers": {
            one["right"]
            for one in chapter.exercises
            if one["kind"] == "choose" and one["right"] not in {*one["options"], *READINGS}
        },
    }
    assert not any(strange.values()), f"{chapter.name} names what there is not: {strange}"
    assert Place.of(link["picture"].removeprefix("lesson/")), f"{chapter.name}: {link['picture']}"
    assert "](" not in textbook.TERM.sub("", said), (
        f"{chapter.name}: a word in brackets is [a word](key of the glossary)"
    )
    assert chapter.exercises, f"{chapter.name} asks for nothing"


def test_each_name_once_and_all_of_it_within_a_lesson() -> None:
    assert len({one.name for one in CHAPTERS}) == len(CHAPTERS) >= 11
    words = sum(len(everything(one).split()) for one in CHAPTERS)
    actions = sum(spec["kind"] != "guesses" for one in CHAPTERS for spec in one.exercises)  # those are only looked at
    minutes = words / PACE + actions * EACH / 60
    assert minutes <= LONGEST, (
        f"the book takes {minutes:.1f} minutes, at most {LONGEST}: shorten a chapter, or raise LONGEST"
    )


def test_sentences_are_html_of_our_own_making(tmp_path: Path) -> None:
    """Whatever a chapter's file says: marks become elements, all else is text."""
    path = tmp_path / "01_bad.toml"
    path.write_text(
        'title = "<script>"\nopens = "#picture=lesson/one/1&model=toy"\npart = "layers"\n'
        'text = ["[a patch](patch) **so** <i>{rows}</i>"]\n'
        '[[exercise]]\nkind = "choose"\nquestion = "1 < 2"\noptions = { yes = "<b>" }\nright = "yes"\n',
        "utf-8",
    )
    (made,) = textbook.said([textbook.read(path)], words_for("en"))
    assert made["title"] == "&lt;script&gt;"
    assert made["text"] == [
        '<span role="button" tabindex="0" data-term="patch">a patch</span> <b>so</b> &lt;i&gt;{rows}&lt;/i&gt;'
    ]
    assert made["exercises"][0]["question"] == "1 &lt; 2"
    assert made["exercises"][0]["options"] == {"yes": "&lt;b&gt;"}


def test_without_a_server_no_chapter_speaks_of_what_is_not_there() -> None:
    """The page that is exported has one network, no gradients and no photos."""
    said = " ".join(map(everything, ALONE))
    for missing in ("**Methods**", "toy, with registers", "press one of the photos", "being learnt**"):
        assert missing in " ".join(map(everything, CHAPTERS))
        assert missing not in said
    assert not any("model" in one.get("done", {}) for chapter in ALONE for one in chapter.exercises)
    made = textbook.said(CHAPTERS, words_for("en"))
    assert not any(key.endswith("alone") for one in made for exercise in one["exercises"] for key in exercise)


RIGHT = """title = "T"
opens = "picture=lesson/one/1&model=toy"
part = "layers"
text = ["a"]
[[exercise]]
kind = "do"
question = "Do it."
done = { layer = 1 }
"""


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("01_x.toml", "title = ", "Invalid value"),
        ("01_x.toml", 'title = "T"', "it lacks exercise, opens, part, text"),
        ("01_x.toml", RIGHT.replace('kind = "do"', ""), "an exercise lacks its kind"),
        ("01_x.toml", RIGHT.replace('"a"', f'"{"word " * 121}"'), "121 words"),
        ("01_x.toml", RIGHT.replace("layers", "wheels"), "its part is 'wheels', and the parts"),
        ("01_x.toml", f"colour = 1\n{RIGHT}", "it may not say colour"),
        ("01_x.toml", RIGHT.replace('"T"', "12"), "title is no text in quotes"),
        ("01_x.toml", RIGHT.replace('["a"]', '"a"'), "text is no list of texts"),
        ("01_x.toml", RIGHT.replace("picture=lesson/one/1&", ""), "the link that opens it names no picture"),
        ("01_x.toml", RIGHT.replace("done", "set"), "an exercise of the kind do lacks done"),
        ("01_x.toml", f"{RIGHT}set = 'layer=1'", "an exercise may not say set"),
        ("01_x.toml", f"{RIGHT}sets = 3", "sets is a text as in a link"),
        ("first.toml", RIGHT, "called by a number and a word"),
    ],
)
def test_what_is_no_chapter_is_refused_in_words(name: str, text: str, why: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text, "utf-8")
    with pytest.raises(VizError, match=re.escape(why)):
        textbook.chapters(tmp_path)


@needs_node
def test_a_page_understands_chapters_which_set_and_undo_its_state(tmp_path: Path) -> None:
    """Their links and exercises, and every ordered pair of them, in tests/js/book.test.js, which asks for the file."""
    offers = {"colours": COLOUR_MAPS, "metric": [*metrics()], "chapter": [one.name for one in CHAPTERS]}
    given = {
        "chapters": textbook.said(CHAPTERS, words_for("en")),
        "alone": textbook.said(ALONE, words_for("en")),
        "networks": {name: shape_of(name) | {"offers": offers} for name in {opened(one)["model"] for one in CHAPTERS}},
        "tabs": [path.stem for path in views.FOLDER.glob("[a-z]*.py")],
    }
    told = tmp_path / "chapters.json"
    told.write_text(json.dumps(given), "utf-8")
    node_tests("book.test.js", VIZAPP_CHAPTERS=str(told))
