"""Every sentence on the page, in the visitor's language: a table per file of this folder, all of one shape.

words = words_for("en")
words["page"]["title"]                              # a section, as builders and the browser get it
words.say("page", "title_class", model="toy", label="cup")      # {braces} filled in
words.translate(note)                               # a `Text`, which has its English with it; other strings stay as they are
words.explain(error)                                # message and hint of a `VizError`
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from vizapp.errors import VizError
from vizapp.wording import Text

Section = Mapping[str, str]
DEFAULT = "en"


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
        return f"{self.translate(error.message)} {self.translate(error.hint)}".strip()

    def translate(self, text: str) -> str:
        """A sentence made in code, in this language; as it stands where the language has no words for it."""
        if not isinstance(text, Text):
            return text
        template = self.texts.get(text.key, text.key)
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
