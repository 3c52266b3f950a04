"""Finds the sentences that the table of a language lacks, has too much, or says with other braces than English."""

from typing import NamedTuple

from vizapp.ui import textbook
from vizapp.ui.words import DEFAULT, Words, words_for
from vizapp.ui.words._sentences import fields, keys
from vizapp.vocabulary import keys as declared


class Gaps(NamedTuple):
    """Sentences by name, "viewer: steps_back".

    owed   not said yet: English stands in their place, and a release wants none
    wrong  said otherwise than English can be filled in, or said of nothing: a fault today
    """

    owed: list[str]
    wrong: list[str]


def gaps(table: Words) -> Gaps:
    """Compare a table with the English one, and with every sentence that code and textbook say."""
    english = words_for(DEFAULT).sections
    owed = [f"{name}: the section" for name in sorted(english.keys() - table.sections.keys())]
    wrong = [f"{name}: no section in English" for name in sorted(table.sections.keys() - english.keys())]
    for name in sorted(english.keys() & table.sections.keys()):
        _compare(name, dict(english[name]), dict(table.sections[name]), owed, wrong)
    if table.language == DEFAULT:  # to which every other is compared
        owed += [f"viewer: {key}" for key in sorted({*declared()} - table["viewer"].keys())]
    else:
        _compare("texts", {one: one for one in said()}, dict(table.texts), owed, wrong)
    return Gaps(owed, wrong)


def _compare(name: str, ours: dict[str, str], theirs: dict[str, str], owed: list[str], wrong: list[str]) -> None:
    owed += [f"{name}: {key}" for key in sorted(ours.keys() - theirs.keys())]
    wrong += [
        f"{name}: {key!r} is not in English, or is not said any more" for key in sorted(theirs.keys() - ours.keys())
    ]
    wrong += [
        f"{name}: {key!r} has other braces: {theirs[key]!r}"
        for key in sorted(ours.keys() & theirs.keys())
        if set(_braces(ours[key])) != set(_braces(theirs[key]))
    ]


def said() -> set[str]:
    """Every sentence that code and textbook say, in English."""
    chapters = textbook.chapters()
    return {*keys(), *map(str, textbook.sentences([*chapters, *textbook.without_server(chapters)]))}


def _braces(sentence: str) -> list[str]:
    """List the fields of a sentence; [] if it has no values, so that its braces are plain letters."""
    try:
        return fields(sentence)
    except ValueError:
        return []
