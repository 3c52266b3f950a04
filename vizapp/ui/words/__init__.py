"""Every sentence on the page, in the visitor's language: a catalog (TOML) per language in this folder, all of one shape.

words = words_for("en")
words["page"]["title"]                              # a section, as builders and the browser get it
words.say("page", "title_class", model="toy", label="cup")      # {braces} filled in
words.translate(note)                               # a `Text`, which has its English with it; other strings stay as they are
words.explain(error)                                # message and hint of a `VizError`, in one language
words.told(sentences), words.listed(names)          # one after the other, as this language sets them apart
"""

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from vizapp.errors import VizError
from vizapp.wording import Text

Section = Mapping[str, str]
DEFAULT = "en"
LETTERS = re.compile(r"[^\W\d_](?![^{]*\})")  # outside of braces
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
        """Write an error for a visitor: its message and its hint, in one language."""
        return self.told(self.parts(error)) if self._has(error) else str(error)

    def parts(self, error: VizError) -> tuple[str, str]:
        """Message and hint of an error. Where this language lacks words for one, both are English: half of each helps nobody."""
        message, hint = error.message, error.hint
        return (self.translate(message), self.translate(hint)) if self._has(error) else (str(message), str(hint))

    def told(self, sentences: Iterable[str]) -> str:
        """Put several sentences one after the other; those that are empty are left out."""
        return self["viewer"]["sentence_gap"].join(filter(None, sentences))

    def listed(self, things: Iterable[str]) -> str:
        """List several names, with what this language has for a comma between them."""
        return self["viewer"]["list_comma"].join(things)

    def translate(self, text: str) -> str:
        """A sentence made in code, in this language; as it stands where the language has no words for it."""
        if not isinstance(text, Text):
            return text
        template = self.texts.get(text.key, text.key)
        if parts := LISTED.fullmatch(text.key):
            if parts[1] == " " and not self._knows(text):  # sentences, as those of one error
                return str(text)
            between = {", ": self.listed, " ": self.told}.get(parts[1], parts[1].join)
            return between(self._translated(text.values).values())
        return template.format(**self._translated(text.values)) if text.values else template

    def _has(self, error: VizError) -> bool:
        return self._knows(error.message) and self._knows(error.hint)

    def _knows(self, text: str) -> bool:
        """Tell whether this language has every part of a text. What is no `Text` is a name, or a number."""
        if not isinstance(text, Text) or not text or self.language == DEFAULT:
            return True
        is_said = text.key in self.texts or LISTED.fullmatch(text.key) is not None or not LETTERS.search(text.key)
        return is_said and all(map(self._knows, text.values.values()))

    def _translated(self, values: Mapping[str, Any]) -> dict[str, Any]:
        return {name: self.translate(one) if isinstance(one, Text) else one for name, one in values.items()}


def _catalogs() -> dict[str, Path]:
    found = [file for folder in __path__ for file in Path(folder).glob("*.toml")]
    return {file.stem: file for file in sorted(found, key=lambda file: file.stem)}


def languages() -> tuple[str, ...]:
    """The languages there are: the catalogs of this folder."""
    return tuple(_catalogs())


@cache
def words_for(language: str) -> Words:
    """The words of a language, "en", "zh" ..., in English where its table lacks them; raises `VizError` if there is no table."""
    english, own = table_of(DEFAULT), table_of(language)
    sections = {name: {**section, **own.sections.get(name, {})} for name, section in english.sections.items()}
    return Words(language, {**own.sections, **sections}, own.texts)


@cache
def table_of(language: str) -> Words:
    """Read the catalog of a language, and nothing beyond it; raises `VizError` if there is none."""
    catalogs = _catalogs()
    if language not in catalogs:
        raise VizError(
            "There is no language '{name}'.", "Choose one of: {names}.", name=language, names=", ".join(catalogs)
        )
    sections = tomllib.loads(catalogs[language].read_text("utf-8"))
    texts = sections.pop("texts", {})
    if camera := sections.pop("camera", {}):  # both pages have one
        sections |= {name: {**sections.get(name, {}), **camera} for name in ("incoming", "export")}
    return Words(language, sections, texts)


def all_words() -> dict[str, Words]:
    """The table of each language by its name; the default comes first."""
    return {one: words_for(one) for one in (DEFAULT, *(one for one in languages() if one != DEFAULT))}


def tag_of(language: str) -> str:
    """The name of a language for `<html lang>`: "pt_br", a file's name, is pt-br."""
    return language.replace("_", "-")
