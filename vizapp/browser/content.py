"""What goes into a page without a server: networks, pictures, maps that are ready, and every sentence in every language.

    content(Wanted(models=("toy",), lessons=True))              # live: any picture is looked at where the page is open
    content(Wanted(models=("timm:swin_tiny_patch4_window7_224",), pictures=("photo.jpg",)))     # its maps of these pictures only

A network that runs in a browser (network.py says which) is sent whole. Of any other, and of those that only one chapter
needs, the page has maps that were made here: the payload of the viewer, as a server sends it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import vizapp.pipeline as pipeline
from vizapp.analysis import Analysis
from vizapp.analysis.provenance import of_model, own_version
from vizapp.browser.cargo import Cargo
from vizapp.browser.methods import elsewhere, method_list, two_sided
from vizapp.browser.network import pack_network
from vizapp.browser.ready import Answers, Ready, answered, moments, ready
from vizapp.browser.shelf import FIRST, WITH_THEIR_OWN, Shown, from_analysis, lesson, lessons, photo
from vizapp.errors import VizError
from vizapp.model.spec import VisionModel
from vizapp.model.zoo import ModelName
from vizapp.ui import glossary, textbook
from vizapp.ui.viewer.given import colour_tables, metric_list
from vizapp.ui.words import Words, all_words, tag_of, words_for

PARTS = ("page", "viewer", "link", "export")  # sections of words that the page shows
# Kind of exercise -> what it asks the server, of the answer of its name.
ASKED_BY: dict[str, Callable[[VisionModel], Any]] = {
    "classes": lambda model: None,
    "trial": lambda model: len(model.attention) - 1,
}
# Sentence of the viewer -> what the page says in its place.
INSTEAD = {"asked": "making", "asked_lost": "readyLost", "only_mean": "readyMean", "no_rollout_large": "readyRollout"}
LARGEST = 64_000_000  # bytes of a network's file: what is larger is not carried in a page, only its maps
LARGEST_PICTURE = 16_000_000  # bytes of a picture without loss


@dataclass(frozen=True)
class Wanted:
    """What a page is to have.

    models     as `vizapp.load` takes them; the first one is shown first
    pictures   files that it can show beside those that a visitor brings
    lessons    the drawn scenes whose answer is known, and the textbook; for networks of the toy world
    languages  () for all that there are; the first one is shown where the browser asks for none of them
    """

    models: Sequence[str] = ("toy",)
    pictures: Sequence[str | Path] = ()
    lessons: bool = False
    languages: Sequence[str] = ()


@dataclass
class _Page:
    """A page in the making."""

    cargo: Cargo
    words: dict[str, Words]
    models: list[dict[str, Any]] = field(default_factory=list)
    pictures: dict[str, dict[str, Any]] = field(default_factory=dict)
    maps: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)  # model -> picture -> what is ready of it
    answers: dict[str, dict[str, dict[str, dict[str, Any]]]] = field(default_factory=dict)  # and what was asked of it
    moments: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)  # of films: model -> picture -> step

    def add_picture(self, shown: Shown) -> None:
        self.pictures.setdefault(shown.name, shown.said(self.cargo, self.words))

    def add_maps(self, model: str, picture: str, made: Ready) -> None:
        self.maps.setdefault(model, {})[picture] = made.said(self.cargo)
        self.add_answers(model, picture, made.answers)

    def add_answers(self, model: str, picture: str, answers: Answers) -> None:
        known = self.answers.setdefault(model, {}).setdefault(picture, {})
        for language, found in answers.items():
            known.setdefault(language, {}).update(found)

    def add_model(self, name: str, model: VisionModel, blob: str | None) -> None:
        self.models.append(
            {
                "name": name,
                "blob": blob,
                "subject": model.subject,
                "labels": {
                    language: [words.translate(one) for one in model.labels]
                    for language, words in self.words.items()
                    if any(words.translate(one) != one for one in model.labels)
                },
                "about": {"vizapp": own_version(), **of_model(model)},
                "notes": {
                    language: [words.translate(one) for one in model.notes] for language, words in self.words.items()
                },
            }
        )

    def finished(self, start: tuple[str, str], chapters: Sequence[textbook.Chapter]) -> Cargo:
        self.cargo.about = {
            "version": own_version(),
            "start": dict(zip(("model", "picture"), start, strict=True)),
            "languages": {one: _language(words, chapters) for one, words in self.words.items()},
            "colours": colour_tables(),
            "twoSided": two_sided(),
            "models": self.models,
            "pictures": list(self.pictures.values()),
            "maps": self.maps,
            "answers": self.answers,
            "moments": self.moments,
        }
        return self.cargo


def content(wanted: Wanted) -> Cargo:
    """Load the networks, make the maps that have to be ready, and put all on board.

    Raises `VizError` for a model or a picture that cannot be had, and where there would be nothing to show.
    """
    page = _Page(Cargo(), {one: words_for(one) for one in wanted.languages} or all_words())
    names = {name: _title(name) for name in wanted.models}
    own = [photo(path) for path in wanted.pictures]
    drawn = list(lessons()) if wanted.lessons else []
    live = set()
    for name in wanted.models:
        model = replace(pipeline.load(name), name=names[name])
        data, name = _carried(model), model.name
        page.add_model(name, model, None if data is None else page.cargo.add(data))
        if data is not None:
            live.add(name)
            continue
        suitable = [*(drawn if model.subject == "scenes" else ()), *own]
        if not suitable:
            raise VizError(
                "'{name}' does not run in a browser, and there are no pictures whose maps could be shown.",
                "Name some: --pictures photo.jpg ...",
                name=name,
            )
        for shown in suitable:
            page.add_maps(name, shown.name, ready(model, shown, page.words))
    chapters = textbook.chapters() if wanted.lessons else ()
    for shown in (*drawn, *own):
        page.add_picture(shown)
    for name, count in WITH_THEIR_OWN.items() if wanted.lessons else ():
        for number in range(count):
            _add_short(page, name, pipeline.load(name), lesson(f"{name}/{number}"), live)
    for chapter in chapters:
        _add_chapter(page, chapter, live)
    if not page.pictures:
        raise VizError("The page would have no picture.", "Name some with --pictures, or take the lessons: --lessons.")
    first = names[wanted.models[0]]
    return page.finished((first, _first(page, first)), chapters)


def content_of(seen: Analysis, name: str = "picture") -> Cargo:
    """A page of one analysis, in every language: its picture, with its network where that runs in a browser, else its maps."""
    page, model = _Page(Cargo(), all_words()), seen.context.model if seen.context else None
    title = _title(seen.model_name)
    # The browser looks at the very same pixels in the very same way, or not at all: no other number stands for one of these.
    is_plain = model is not None and not seen.edits and seen.fit == model.preprocess.fit
    data = _carried(replace(model, name=title)) if model is not None and is_plain else None
    shown = from_analysis(seen, name, is_exact=data is not None)
    if model is not None and data is not None and len(shown.file) <= LARGEST_PICTURE:
        page.add_model(title, model, page.cargo.add(data))
    else:
        shown = from_analysis(seen, name, is_exact=False)
        page.models.append({"name": title, "blob": None, "subject": "", "notes": {}, "labels": {}, "about": {}})
        page.add_maps(title, shown.name, Ready.of(seen, page.words))
    page.add_picture(shown)
    return page.finished((title, shown.name), ())


def _first(page: _Page, model: str) -> str:
    """The picture that the page begins with: one that its first network can look at, that of the other page if it is here."""
    maps = page.maps.get(model, {})
    able = [name for name in page.pictures if not maps or name in maps]
    return f"lesson/{FIRST}" if f"lesson/{FIRST}" in able else able[0]


def _add_chapter(page: _Page, chapter: textbook.Chapter, live: Collection[str]) -> None:
    """The pictures of a chapter, their maps where its network is not on board, and the answers to what its exercises ask, where
    a browser has none: they need gradients, or other weights."""
    link = dict(part.split("=", 1) for part in chapter.opens.split("&"))
    name, place = link["model"], link["picture"].removeprefix("lesson/")
    model, kinds = pipeline.load(name), {one["kind"] for one in chapter.exercises}
    for one in (place, f"{place}/bare") if "mark" in kinds else (place,):
        shown = lesson(one)
        _add_short(page, name, model, shown, live)
        if model.film and name not in live:
            page.moments.setdefault(name, {})[shown.name] = moments(name, shown, page.words, page.cargo)
        if asked := [(kind, what(model)) for kind, what in ASKED_BY.items() if kind in kinds]:
            page.add_answers(name, shown.name, answered(pipeline.analyse(model, shown.pixels), page.words, asked))


def _add_short(page: _Page, name: str, model: VisionModel, shown: Shown, live: Collection[str]) -> None:
    """A picture, and where the network is not on board its maps of what the classifier reads, in every layer and head."""
    page.add_picture(shown)
    if name in live:
        return
    if name not in [one["name"] for one in page.models]:
        page.add_model(name, model, None)
    if shown.name not in page.maps.get(name, {}):
        page.add_maps(name, shown.name, ready(model, shown, page.words, is_short=True))


def _title(name: str) -> str:
    """What the page calls a model: of weights in a file, the network's name, not the place on this computer."""
    found = ModelName.parse(name)
    if found.source != "file":
        return name
    return found.options.get("arch") or Path(found.name).stem


def _carried(model: VisionModel) -> bytes | None:
    """The file of a network that runs in a browser; None for one that does not, or is too large to be carried."""
    try:
        data = pack_network(model)
    except VizError:
        return None
    return data if len(data) <= LARGEST else None


def _language(words: Words, chapters: Sequence[textbook.Chapter]) -> dict[str, Any]:
    parts = {part: dict(words[part]) for part in PARTS}
    # Where the page with a server names the server, here it is the engine, or nobody who could be asked.
    parts["viewer"] |= {said: words["export"][here] for said, here in INSTEAD.items()}
    return {
        "tag": tag_of(words.language),
        **parts,
        "help": glossary.helped(words),
        "metrics": metric_list(words),
        "methods": {"here": method_list(words), "elsewhere": elsewhere(words)},
        "chapters": textbook.said(textbook.without_server(chapters), words),
    }
