"""Words in another language: what code says has a key and values, all tables have one shape, and Chinese is Chinese."""

import pickle
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.chinese import english
from support.together import together
from vizapp.errors import VizError
from vizapp.ui import words
from vizapp.ui.glossary import concepts
from vizapp.ui.textbook import TERM
from vizapp.ui.words import Words, languages, table_of, words_for
from vizapp.ui.words._owed import gaps
from vizapp.ui.words._sentences import ROOT, keys, sentences_of, sources
from vizapp.wording import Text, listed

TEXT_ITSELF = ROOT / "vizapp" / "wording.py"


def test_what_code_says_can_be_said_in_another_language() -> None:
    """Constant sentences with {braces}; every brace has a value, every value a brace."""
    found = [
        f"{path.relative_to(ROOT)}:{one.line}: {fault}"
        for path in set(sources()) - {TEXT_ITSELF, ROOT / "vizapp" / "errors.py"}
        for one in sentences_of(path.read_text("utf-8"))
        for fault in one.faults
    ]
    assert not found, "\n" + "\n".join(sorted(found))


@together(
    "source",
    [
        'VizError(f"There is no {name}.")',
        'VizError("There is no " + name)',
        'VizError("There is no {name}.".format(name=name))',
        'VizError("There is no %s." % name)',
        'VizError("There is no {name}.")',
        'VizError("There is no {name}.", "Choose {names}.", name=name)',
        'VizError("There is none.", "Choose.", name=name)',
        'VizError("There is no {0}.", name=name)',
        'VizError("There is no {name}.", **values)',
        'VizError("One.", "Two.", "Three.")',
        "VizError(hint)",
        'hint = "Many" if n > 1 else f"{n}"\nVizError("There is none.", hint)',
        'Text(f"{n} tokens")',
        'Text("tokens", "patches")',
        'Text("{what} is missing.", what="the softmax" if n else "the linear layer")',
        'Text("{names} are known.", names=", ".join(known) or "none")',
        'Text("{names} are known.", names=" or ".join(known))',
        'where = f"in {block}" if block else ""\nVizError("Nothing was seen{where}.", where=where)',
    ],
)
def test_a_sentence_that_cannot_be_translated_is_found(source: str) -> None:
    """The guard itself: each of these must not get past it."""
    assert any(one.faults for one in sentences_of(source))


@together(
    "source",
    [
        'VizError("There is no {name}.", "Choose {names}.", name=name, names=names)',
        'VizError("There is no {name:g}.", name=name)',
        'VizError("A set is {{1, 2}}, not {got}.", got=got)',
        'hint = "One."\nif n > 1:\n    hint = "Many of {n}."\nVizError("There is none.", hint, n=n)',
        'VizError("There is none.", Text("Choose {n}.", n=n) if n else "Leave it out.")',
        'def f(hint: Text) -> None:\n    VizError("There is none.", hint)',
    ],
)
def test_a_sentence_that_can_be_translated_passes(source: str) -> None:
    assert [fault for one in sentences_of(source) for fault in one.faults] == []


def test_the_sentences_of_the_tree_are_found_and_tables_say_no_others() -> None:
    found = keys()
    assert "There is no language '{name}'." in found
    assert len(found) > 60
    # What it lacks is owed (`python -m vizapp.ui.words`), and no fault: a sentence may come in English first.
    found = [f"{one}: {gap}" for one in languages() for gap in gaps(table_of(one)).wrong]
    assert not found, "\n" + "\n".join(found)


def test_what_a_table_lacks_is_said_in_english(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page with a sentence in another language is better than none."""
    (tmp_path / "begun.toml").write_text('[viewer]\nmean = "begun-mean"\n', "utf-8")
    monkeypatch.setattr(words, "__path__", [*words.__path__, str(tmp_path)])
    assert words_for("begun")["viewer"]["steps_back"] == words_for("en")["viewer"]["steps_back"]
    assert words_for("begun")["viewer"]["mean"] == "begun-mean"


def test_a_table_that_lacks_something_says_what() -> None:
    """The guard itself."""
    whole = table_of("zh")
    sections = {name: dict(section) for name, section in whole.sections.items()}
    texts = dict(whole.texts)
    del sections["viewer"]["steps_back"]
    del texts["Try again in a minute."]
    sections["viewer"]["steps_front"] = "x"
    sections["page"]["photo"] = "{nom}"
    found = gaps(Words("zh", sections, texts))
    assert {"texts: Try again in a minute.", "viewer: steps_back"} <= set(found.owed)
    assert found.wrong == [
        "page: 'photo' has other braces: '{nom}'",
        "viewer: 'steps_front' is not in English, or is not said any more",
    ]


def test_a_text_is_its_english() -> None:
    text = Text("There is no method '{name}'.", name="rolout")
    assert text == "There is no method 'rolout'."
    assert (text.key, text.values) == ("There is no method '{name}'.", {"name": "rolout"})
    assert pickle.loads(pickle.dumps(text)).values == text.values
    assert Text("{n} of {{1, 2}}", n=3) == "3 of {1, 2}"
    assert Text("Write {braces}.") == "Write {braces}.", "without values braces are plain letters"


def test_an_error_travels_and_keeps_no_value_alive(tmp_path: Path) -> None:
    """An error must not keep alive what it speaks of, and must travel to another process."""
    text = Text("{path}: {shape}, {share:.1%}", path=tmp_path, shape=(3, 4), share=0.25)
    assert text == f"{tmp_path}: (3, 4), 25.0%"
    assert {type(one) for one in text.values.values()} == {str, float}
    error = VizError("There is no method '{name}'.", "Choose one of: {names}.", name="a", names="b, c")
    assert str(error) == "There is no method 'a'. Choose one of: b, c."
    assert isinstance(error, ValueError), "what a program may catch"
    assert (error.message.key, error.hint.values["names"]) == ("There is no method '{name}'.", "b, c")
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.message.key, again.hint.values["names"]) == (str(error), error.message.key, "b, c")
    assert str(VizError("{braces} stay without values")) == "{braces} stay without values"
    nested = VizError("There is no {thing}.", thing=Text("method"))
    assert str(nested) == "There is no method."


FRENCH = Words(
    "fr",
    {"page": {"title": "{model} dit \u00ab {label} \u00bb"}, "viewer": {"list_comma": "; ", "sentence_gap": " "}},
    {
        "There is no method '{name}'.": "Il n'y a pas de m\u00e9thode \u00ab {name} \u00bb.",
        "Choose one of: {names}.": "Choisissez parmi : {names}.",
        "{count} tokens ({parts})": "{count} jetons ({parts})",
        "{rows}x{cols} patches": "{rows} \u00d7 {cols} carreaux",
        "Expected {layout}.": "Attendu : {layout}.",
    },
)


def test_errors_are_explained_in_another_language() -> None:
    error = VizError("There is no method '{name}'.", "Choose one of: {names}.", name="a", names="b, c")
    assert FRENCH.explain(error) == "Il n'y a pas de m\u00e9thode \u00ab a \u00bb. Choisissez parmi : b, c."
    assert FRENCH.explain(VizError("Not {x} yet.", x=1)) == "Not 1 yet.", "English where the table has no words"
    assert words_for("en").explain(error) == str(error)


def test_an_error_is_said_in_one_language() -> None:
    """A plugin's sentence with a hint that the table knows, or the other way round: both are English then."""
    chinese, plugin = words_for("zh"), Text("My plugin wants {what}.", what="more")
    for error in (
        VizError("My plugin wants {what}.", "Try again in a minute.", what="more"),
        VizError("There is no picture.", plugin),
        VizError("There is no picture.", Text("{why}", why=plugin)),
    ):
        assert chinese.explain(error) == str(error)
        assert chinese.parts(error) == (error.message, error.hint)
        assert chinese.translate(listed([error.message, error.hint], " ")) == str(error)
    known = VizError("There is no method '{name}'.", "Choose one of: {names}.", name="a", names="b, c")
    assert chinese.explain(known) == "".join(chinese.parts(known)) != str(known)


def test_what_describes_itself_is_translated_too() -> None:
    """A value that prints as a `Text`, such as a layout, is said in the other language wherever it stands."""
    from vizapp.model.spec import TokenLayout

    layout = TokenLayout(("cls",), (2, 3))
    assert str(layout) == "7 tokens (cls + 2x3 patches)"
    error = VizError("Expected {layout}.", layout=layout)
    assert FRENCH.explain(error) == "Attendu : 7 jetons (cls + 2 \u00d7 3 carreaux)."
    assert FRENCH.say("page", "title", model="m", label=Text("{rows}x{cols} patches", rows=1, cols=2)) == (
        "m dit \u00ab 1 \u00d7 2 carreaux \u00bb"
    )


def test_a_list_of_sentences() -> None:
    both = listed([Text("{rows}x{cols} patches", rows=1, cols=2), "cls"], " + ")
    assert both == "1x2 patches + cls"
    assert FRENCH.translate(both) == "1 \u00d7 2 carreaux + cls"
    assert FRENCH.translate(listed(["a", "b", "c"])) == "a; b; c"
    assert FRENCH.translate(listed(["a"])) == "a"
    chinese = words_for("zh")
    both = listed([Text("Try again in a minute."), Text("Upload it again.")], " ")
    assert chinese.translate(both) == "请一分钟后再试。请重新上传。"
    assert chinese.explain(VizError("There is no picture.", "Upload the picture.")) == "没有图片。请上传图片。"


def said() -> Iterator[tuple[str, str]]:
    """Each sentence of the table, and of the concepts, with where it stands. What it owes is English for now, and not here."""
    table = table_of("zh")
    for name, section in table.sections.items():
        yield from ((f"{name}: {key}", sentence) for key, sentence in section.items())
    yield from ((key, TERM.sub(r"\1", sentence)) for key, sentence in table.texts.items())
    yield from (
        (f"zh.md, line {n}", line)
        for n, line in enumerate(concepts("zh").splitlines(), 1)
        if not line.startswith("    ")
    )


CODE_KEPT = re.compile(r"`[^`]*`")
HAN = r"[\u4e00-\u9fff]"
SLIPS = {
    "half-width punctuation": rf"{HAN}[,;:!?]|{HAN}\.(?![\w{{.])|{HAN}\(|\){HAN}",
    "no space between Chinese and Latin letters": rf"{HAN}[A-Za-z0-9]|[A-Za-z0-9]{HAN}",
    "a space beside full-width punctuation": r" [，。；：、！？）]|[，。；：、！？（] ",
    "italics": r"<(i|em)\b|(?<!\*)\*(?![* ])[^*\n]*[\u4e00-\u9fff][^*\n]*\*(?!\*)",
}


@pytest.mark.parametrize(
    ("sentence", "left"),
    [
        ("请 press 停止", ["press"]),
        ("Try it again in a minute.", ["Try", "it", "again", "in", "minute"]),
        ("用 `vizapp get {name}` 获取 CLS 的 softmax", []),
        ("<b>注意力汇</b>（attention sink）：", []),
    ],
)
def test_english_is_found(sentence: str, left: list[str]) -> None:
    """The guard itself."""
    assert english(sentence) == left


def test_no_english_is_left() -> None:
    found = [f"{where}: {left} in {sentence!r}" for where, sentence in said() if (left := english(sentence))]
    assert not found, "\n" + "\n".join(found)


@pytest.mark.parametrize("slip", SLIPS)
def test_it_is_typeset_as_chinese(slip: str) -> None:
    found = [
        f"{where}: {sentence!r}" for where, sentence in said() if re.search(SLIPS[slip], CODE_KEPT.sub("c", sentence))
    ]
    assert not found, "\n" + "\n".join(found)
