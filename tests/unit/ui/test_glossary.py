"""The glossary's words are all in the help, each term of the page is one of them, and the concepts' Markdown is HTML."""

import re
from pathlib import Path

import pytest

import vizapp.ui
from support.english import GLOSSARY
from vizapp.ui.glossary import helped, html_of
from vizapp.ui.words import words_for

ROOM = Path(vizapp.ui.__file__).parent


def test_every_term_is_in_the_glossary() -> None:
    """Those in the HTML of panels and those that Python makes; and the words that stop people are there at all."""
    files = [path for path in ROOM.rglob("*") if path.suffix in {".js", ".py"} and path.name != "bundle.js"]
    text = "\n".join(path.read_text("utf-8") for path in files)
    named = re.findall(r'data-term="([a-z ]+)"', text) + re.findall(r"""\bterm\(["']([a-z ]+)["'],""", text)
    assert len(named) > 10
    assert {key for keys in named for key in keys.split()} <= GLOSSARY.keys()
    assert GLOSSARY.keys() >= {"uniform", "score", "exact", "sinks", "auc", "iou", "skip", "cls", "rollout", "entropy"}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_help_has_every_word(language: str) -> None:
    """In the order of the table. What comes up beside a word of the page is taken from here."""
    words = words_for(language)
    explained = re.findall(r'<p data-word="(\w+)">(.*?)</p>', helped(words), flags=re.DOTALL)
    assert explained == list(words["glossary"].items())


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("# A *b*\nC **d**\ne `f < g`", "<h2>A <i>b</i></h2><p>C <b>d</b>\ne <code>f &lt; g</code></p>"),
        ("## A\nb", "<h3>A</h3><p>b</p>"),
        ("a\n\n    x_1 = 2\n    y\n\nb", "<p>a</p><pre>x_1 = 2\ny</pre><p>b</p>"),
        ("2 * 3 * 4 <script>", "<p>2 * 3 * 4 &lt;script&gt;</p>"),
    ],
)
def test_markdown(text: str, html: str) -> None:
    assert html_of(text) == html
