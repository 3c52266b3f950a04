"""The textbook: chapters that drive the page, a .toml file of this folder each. See docs/extend.md.

    chapters()                  # in the order of their files
    said(chapters(), words)     # as the browser gets them, in a language
    without_server(chapters())  # of the page that `vizapp export` writes, which has less

A chapter is words, the link that it opens with (docs/links.md) and exercises, whose kinds are those of viewer/exercises.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from vizapp.errors import VizError
from vizapp.ui.words import Words
from vizapp.vocabulary import PARTS, Part
from vizapp.wording import Text

FOLDER = Path(__file__).parent
LONGEST = 120  # words of a chapter's text: what is longer is not read beside a picture
SENTENCES = ("title", "question", "answer")  # what is translated, wherever it stands in a file
TERM = re.compile(r"\[([^\]]+)\]\(([\w-]+)\)")
# What an exercise may say, and what one of a kind must; kinds that are not here need nothing but a question, if that.
SAYS = {"kind", "question", "answer", "options", "right", "done", "sets", "alone", "question_alone", "answer_alone"}
NEEDS = {"do": {"question", "done"}, "choose": {"question", "options", "right"}}
OPENS = {
    "picture",
    "model",
}  # what a link must name that opens a chapter, so that it looks the same whatever was open before
READING, LETTER = re.compile(r"\{\w+\}"), re.compile(r"[^\W\d_]")
STRONG = re.compile(r"\*\*([^*]+)\*\*")


@dataclass(frozen=True)
class Chapter:
    """One chapter.

    name       of its file without the number: what a link says
    title      a few words
    opens      the link that it opens with, without "#"
    text       paragraphs: [a word](term) is explained by the glossary, **strong**, {a reading} is a number of what is shown
    lights     panels of the viewer that it is about, by their names
    shows      other panels that it needs; beside a chapter the rest is hidden
    exercises  what the reader does, one after the other: each has a "kind" and what that kind needs
    part       of a network, of which it speaks: there the drawing of the whole network leads to it
    text_alone  paragraphs in the place of `text` where there is no server; () if they are the same
    """

    name: str
    title: str
    opens: str
    text: tuple[str, ...]
    lights: tuple[str, ...]
    exercises: tuple[Mapping[str, Any], ...]
    part: Part
    text_alone: tuple[str, ...] = ()
    shows: tuple[str, ...] = ()


def chapters(folder: Path | None = None) -> tuple[Chapter, ...]:
    """All chapters of a folder, ours if none is given, in the order of their files. Raises `VizError` for what is no chapter."""
    return tuple(map(read, sorted((folder or FOLDER).glob("*.toml"))))


def read(path: Path) -> Chapter:
    """The chapter of a file such as 05_cls.toml. Raises `VizError` that says what is wrong with it."""
    try:
        found = tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise _wrong(path, str(error)) from None
    name = re.fullmatch(r"\d+_([a-z]+)", path.stem)
    if not name:
        raise _wrong(path, "a file is called by a number and a word, as 05_cls.toml")
    _check(path, found)
    return Chapter(
        name[1],
        found["title"],
        _link(found),
        tuple(found["text"]),
        tuple(found.get("lights", ())),
        tuple(found["exercise"]),
        found["part"],
        tuple(found.get("text_alone", ())),
        tuple(found.get("shows", ())),
    )


def _check(path: Path, found: Mapping[str, Any]) -> None:
    """Raise `VizError` for what is missing in a chapter, strange, or of another kind."""
    if missing := {"title", "opens", "part", "text", "exercise"} - found.keys():
        raise _wrong(path, f"it lacks {', '.join(sorted(missing))}")
    lists = {"text", "text_alone", "lights", "shows"}
    if unknown := found.keys() - {"title", "opens", "part", "exercise", *lists}:
        raise _wrong(path, f"it may not say {', '.join(sorted(unknown))}")
    if other := [key for key in ("title", "opens") if not isinstance(found[key], str)]:
        raise _wrong(path, f"{other[0]} is no text in quotes")
    if other := [key for key in sorted(lists & found.keys()) if not _is_list(found[key], str)]:
        raise _wrong(path, f'{other[0]} is no list of texts, as ["one", "two"]')
    if not _is_list(found["exercise"], dict):
        raise _wrong(path, "an exercise begins with the line [[exercise]]")
    if found["part"] not in PARTS:
        raise _wrong(path, f"its part is {found['part']!r}, and the parts of a network are {', '.join(PARTS)}")
    if missing := OPENS - dict(parse_qsl(_link(found))).keys():
        raise _wrong(path, f"the link that opens it names no {' and no '.join(sorted(missing))}")
    length = max(sum(len(one.split()) for one in found.get(text, ())) for text in ("text", "text_alone"))
    if length > LONGEST:
        raise _wrong(path, f"its text has {length} words, more than {LONGEST}")
    for one in found["exercise"]:
        if "kind" not in one:
            raise _wrong(path, "an exercise lacks its kind")
        if missing := NEEDS.get(one["kind"], set()) - one.keys():
            raise _wrong(path, f"an exercise of the kind {one['kind']} lacks {', '.join(sorted(missing))}")
        if unknown := one.keys() - SAYS:
            raise _wrong(path, f"an exercise may not say {', '.join(sorted(unknown))}")
        if not isinstance(one.get("sets", ""), str) or not isinstance(one.get("done", {}), dict):
            raise _wrong(path, 'sets is a text as in a link, "layer=1", and done a table, { layer = 1 }')


def _link(found: Mapping[str, Any]) -> str:
    """The link that opens a chapter: without the "#" of a copied one, and its lines joined."""
    return str(found["opens"]).strip().removeprefix("#").replace("\n", "&")


def _is_list(given: Any, of: type) -> bool:
    return isinstance(given, list) and all(isinstance(one, of) for one in given)


def without_server(every: Sequence[Chapter]) -> tuple[Chapter, ...]:
    """The chapters of a page that has neither a server's networks nor its gradients: what is called `..._alone` in a file takes
    the place of what is called so without it, and exercises with `alone = false` are left out."""
    return tuple(
        replace(
            chapter,
            text=chapter.text_alone or chapter.text,
            exercises=tuple(_alone(one) for one in chapter.exercises if one.get("alone", True)),
        )
        for chapter in every
    )


def _alone(exercise: Mapping[str, Any]) -> dict[str, Any]:
    return dict(exercise) | {
        key.removesuffix("_alone"): said for key, said in exercise.items() if key.endswith("_alone")
    }


def sentences(every: Sequence[Chapter]) -> Iterator[Text]:
    """Everything that a table of another language translates, as it stands in the files: what has letters beside readings."""
    for chapter in every:
        said = [chapter.title, *chapter.text]
        for one in chapter.exercises:
            said += [one[key] for key in SENTENCES if key in one]
            said += one.get("options", {}).values()
        yield from (Text.again(sentence, {}) for sentence in said if LETTER.search(READING.sub("", sentence)))


def said(every: Sequence[Chapter], words: Words) -> list[dict[str, Any]]:
    """The chapters as JSON can hold them: sentences are HTML in the language of `words`, with their {readings} left open."""
    return [
        {
            "name": chapter.name,
            "title": _html(chapter.title, words),
            "part": chapter.part,
            "opens": chapter.opens,
            "text": [_html(one, words) for one in chapter.text],
            "lights": list(chapter.lights),
            "shows": list(chapter.shows),
            "exercises": [_exercise(one, words) for one in chapter.exercises],
        }
        for chapter in every
    ]


def _exercise(one: Mapping[str, Any], words: Words) -> dict[str, Any]:
    made = {key: value for key, value in one.items() if not key.endswith("alone")}
    made |= {key: _html(one[key], words) for key in SENTENCES if key in one}
    if "options" in one:
        made["options"] = {key: _html(option, words) for key, option in one["options"].items()}
    return made


def _html(sentence: str, words: Words) -> str:
    safe = escape(words.translate(Text.again(sentence, {})), quote=False)
    safe = TERM.sub(r'<span role="button" tabindex="0" data-term="\2">\1</span>', safe)
    return STRONG.sub(r"<b>\1</b>", safe)


def _wrong(path: Path, why: str) -> VizError:
    return VizError("{name} is not a chapter: {why}.", "docs/extend.md describes chapters.", name=path.name, why=why)
