"""A pseudo-language, made from English by a program: each sentence in brackets and 40 % longer. What has no brackets is not
in the tables; what is cut off or overlaps would be so in German.

    with pseudo_language(folder) as name:              # one file in `folder`, for as long as the block lasts
        words_for(name)["page"]["compare"]             # "\u27e6Compare ~~~~\u27e7"
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from vizapp.ui import words

OPEN, CLOSE = "\u27e6", "\u27e7"
LONGER = 0.4
FILLING = "l\u00e4nger so "  # in words, so that it may be broken into lines as a sentence may
KEPT = re.compile(r"<[^<>]*>|&\w+;|\{[^{}]*\}")  # tags, entities and fields, which no translator touches

ONE_FILE = """
from support.pseudo import Everything, pseudo_sections
from vizapp.ui.words.en import SECTIONS as ENGLISH

SECTIONS = pseudo_sections(ENGLISH)
TEXTS = Everything()
"""


def pseudo(sentence: str) -> str:
    """A sentence of the pseudo-language: tags, entities and {fields} are kept."""
    letters = len(KEPT.sub("", sentence))
    more = -(-int(letters * LONGER * 10) // 10)
    filling = (FILLING * (more // len(FILLING) + 1))[:more].strip()
    return f"{OPEN}{sentence}{' ' if filling else ''}{filling}{CLOSE}"


def pseudo_sections(english: Mapping[str, Mapping[str, str]]) -> dict[str, dict[str, str]]:
    """Every sentence; what is blank, as the gap between two, stays so."""
    return {
        name: {key: pseudo(said) if said.strip() else said for key, said in section.items()}
        for name, section in english.items()
    }


class Everything(Mapping[str, str]):
    """The TEXTS of the pseudo-language: any sentence that code says, whatever it is."""

    def __getitem__(self, key: str) -> str:
        return pseudo(key)

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


@contextmanager
def pseudo_language(folder: Path, name: str = "xp") -> Iterator[str]:
    """The language `name`: the page finds its one file as it finds those of its own folder."""
    (folder / f"{name}.py").write_text(ONE_FILE, "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(words, "__path__", [*words.__path__, str(folder)])
        yield name
