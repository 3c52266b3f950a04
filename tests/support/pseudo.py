"""A pseudo-language, made from English by a program: each sentence in brackets and 40 % longer. What has no brackets is not
in the tables; what is cut off or overlaps would be so in German.

    with pseudo_language(folder) as name:              # one file in `folder`, for as long as the block lasts
        words_for(name)["page"]["compare"]             # "\u27e6Compare ~~~~\u27e7"
"""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from support.english import SECTIONS
from vizapp.ui import words
from vizapp.ui.words._owed import said

OPEN, CLOSE = "\u27e6", "\u27e7"
LONGER = 0.4
FILLING = "l\u00e4nger so "  # in words, so that it may be broken into lines as a sentence may
KEPT = re.compile(r"<[^<>]*>|&\w+;|\{[^{}]*\}")  # tags, entities and fields, which no translator touches


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


def line(key: str, sentence: str) -> str:
    """One sentence of a catalog. JSON's strings are TOML's."""
    return f"{json.dumps(key)} = {json.dumps(sentence)}\n"


@contextmanager
def pseudo_language(folder: Path, name: str = "xp") -> Iterator[str]:
    """The language `name`: the page finds its one file as it finds those of its own folder."""
    tables = pseudo_sections({**SECTIONS, "texts": {one: one for one in said()}})
    lines = [f"[{table}]\n" + "".join(map(line, one, one.values())) for table, one in tables.items()]
    (folder / f"{name}.toml").write_text("".join(lines), "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(words, "__path__", [*words.__path__, str(folder)])
        yield name
