"""The Chinese table: no English left outside of names and code, and typeset as Chinese is."""

import re
from collections.abc import Iterator

import pytest

from support.chinese import english
from vizapp.ui.glossary import concepts
from vizapp.ui.textbook import TERM
from vizapp.ui.words import table_of


def said() -> Iterator[tuple[str, str]]:
    """Each sentence of the table, and of the concepts, with where it stands. What it owes is English for now, and not here."""
    words = table_of("zh")
    for name, section in words.sections.items():
        yield from ((f"{name}: {key}", sentence) for key, sentence in section.items())
    yield from ((key, TERM.sub(r"\1", sentence)) for key, sentence in words.texts.items())
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
