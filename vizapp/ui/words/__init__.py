"""Every sentence on the page, in the visitor's language: a table per file of this folder, all of one shape.

words = words_for("en")
words["page"]["title"]                              # a section, as builders and the browser get it
words.say("page", "title_class", model="toy", label="cup")      # {braces} filled in
words.translate(note)                               # a `Text`, which has its English with it; other strings stay as they are
words.explain(error)                                # message and hint of a `VizError`
words.told(sentences), words.listed(names)          # one after the other, as this language sets them apart
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from vizapp.errors import VizError
from vizapp.wording import Text

Section = Mapping[str, str]
DEFAULT = "en"
LISTED = re.compile(r"\{part0\}(.*?)\{part1\}(?:\1\{part\d+\})*")  # the keys that `vizapp.wording.listed` makes


@dataclass(frozen=True)
class Words:
    """One language.

    sections  name -> key -> sentence
    texts     English sentence with its braces, as code says it (see `Text`) -> the same in this language
    """

    language: str
    sections: Mapping[str, Section] = field(repr=False)
    texts: Mapping[str, str] = field(default_factory=dict, repr=False)

    def __getitem__(self, section: str) -> Section:
        return self.sections[section]

    def say(self, section: str, key: str, /, **values: Any) -> str:
        """A sentence with its values; those that are `Text` are translated."""
        return self.sections[section][key].format(**self._translated(values))

    def explain(self, error: VizError) -> str:
        """What an error says to a visitor: its message and its hint."""
        return self.told(map(self.translate, (error.message, error.hint)))

    def told(self, sentences: Iterable[str]) -> str:
        """Several sentences, one after the other; those that are empty are left out."""
        return self["viewer"]["sentence_gap"].join(filter(None, sentences))

    def listed(self, things: Iterable[str]) -> str:
        """Several names, with what this language has for a comma between them."""
        return self["viewer"]["list_comma"].join(things)

    def translate(self, text: str) -> str:
        """A sentence made in code, in this language; as it stands where the language has no words for it."""
        if not isinstance(text, Text):
            return text
        template = self.texts.get(text.key, text.key)
        if parts := LISTED.fullmatch(text.key):
            between = {", ": self.listed, " ": self.told}.get(parts[1], parts[1].join)
            return between(self._translated(text.values).values())
        return template.format(**self._translated(text.values)) if text.values else template

    def _translated(self, values: Mapping[str, Any]) -> dict[str, Any]:
        return {name: self.translate(one) if isinstance(one, Text) else one for name, one in values.items()}


def languages() -> tuple[str, ...]:
    """The languages there are: the files of this folder."""
    return tuple(sorted(module.name for module in pkgutil.iter_modules(__path__)))


@cache
def words_for(language: str) -> Words:
    """The table of a language, "en", "zh" ...; raises `VizError` if there is none."""
    if language not in languages():
        raise VizError(
            "There is no language '{name}'.", "Choose one of: {names}.", name=language, names=", ".join(languages())
        )
    table = importlib.import_module(f"{__name__}.{language}")
    return Words(language, table.SECTIONS, table.TEXTS)


def all_words() -> dict[str, Words]:
    """The table of each language by its name; the default comes first."""
    return {one: words_for(one) for one in (DEFAULT, *(one for one in languages() if one != DEFAULT))}


def tag_of(language: str) -> str:
    """The name of a language for `<html lang>`: "pt_br", a file's name, is pt-br."""
    return language.replace("_", "-")
