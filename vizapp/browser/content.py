"""Collects the contents of a page without a server: networks, pictures, ready maps, and every sentence in every language.

    content(Wanted(models=("toy",), lessons=True))              # live: any picture is looked at where the page is open
    content(Wanted(models=("timm:swin_tiny_patch4_window7_224",), pictures=("photo.jpg",)))     # its maps of these pictures only

A network that runs in a browser (see network.py) is included whole. For any other, and for those that only one chapter needs,
the page contains maps that are made here: the viewer's payload, as a server sends it.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import vizapp.pipeline as pipeline
from vizapp.analysis import Analysis
from vizapp.analysis.provenance import of_model, own_version
from vizapp.browser.cargo import Cargo
from vizapp.browser.methods import elsewhere, method_list, two_sided
from vizapp.browser.network import pack_network
from vizapp.browser.precomputed import Answers, Ready, answered, caution_of, moments, ready
from vizapp.browser.quantised import for_a_page
from vizapp.browser.shelf import FIRST, WITH_THEIR_OWN, Shown, from_analysis, lesson, lessons, photo
from vizapp.errors import VizError
from vizapp.model.spec import VisionModel
from vizapp.model.zoo import ModelName
from vizapp.ui import glossary, textbook
from vizapp.ui.progress import model_in
from vizapp.ui.viewer.resources import colour_tables, metric_list
from vizapp.ui.words import Words, all_words, tag_of, words_for
from vizapp.vocabulary import Question
from vizapp.wording import Text

PARTS = ("page", "viewer", "link", "incoming", "export")  # sections of words that the page shows
# Kind of exercise -> the question that it asks the server, whose answer the page must contain.
ASKED_BY: dict[Question, Callable[[VisionModel], Any]] = {
    "classes": lambda model: None,
    "trial": lambda model: len(model.attention) - 1,
}
# Sentence of the viewer -> the one that the page uses instead.
INSTEAD = {"asked": "making", "asked_lost": "readyLost", "only_mean": "readyMean", "no_rollout_large": "readyRollout"}
LARGEST = 64_000_000  # bytes of a network's file; of a larger one the page contains only maps
Progress = Callable[[str, int, int], None]
LARGEST_PICTURE = 16_000_000  # bytes of a losslessly encoded picture


@dataclass(frozen=True)
class Wanted:
    """The contents that a page should have.

    models     as `vizapp.load` takes them; the first one is shown first
    pictures   files that it offers, besides those that a visitor brings
    lessons    whether to include the drawn scenes and the textbook, for networks of the toy world
    languages  () for all; the first one is used if the browser asks for none of them
    """

    models: Sequence[str] = ("toy",)
    pictures: Sequence[str | Path] = ()
    lessons: bool = False
    languages: Sequence[str] = ()


@dataclass
class _Page:
    """A page while it is built."""

    cargo: Cargo
    words: dict[str, Words]
    models: list[dict[str, Any]] = field(default_factory=list)
    pictures: dict[str, dict[str, Any]] = field(default_factory=dict)
    maps: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)  # model -> picture -> its ready maps
    answers: dict[str, dict[str, dict[str, dict[str, Any]]]] = field(default_factory=dict)  # and its answers
    moments: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)  # for films: model -> picture -> step

    def add_picture(self, shown: Shown) -> None:
        self.pictures.setdefault(shown.name, shown.said(self.cargo, self.words))

    def add_maps(self, model: str, picture: str, made: Ready) -> None:
        self.maps.setdefault(model, {})[picture] = made.said(self.cargo)
        self.add_answers(model, picture, made.answers)

    def add_answers(self, model: str, picture: str, answers: Answers) -> None:
        known = self.answers.setdefault(model, {}).setdefault(picture, {})
        for language, found in answers.items():
            known.setdefault(language, {}).update(found)

    def add_model(self, name: str, model: VisionModel, blob: str | None, why: str = "") -> None:
        """Add a network. `why`: the reason why it is not included, unless the page shows it elsewhere."""
        self.models.append(
            {
                "name": name,
                "blob": blob,
                "why": self._said(why),
                "subject": model.subject,
                "labels": {
                    language: [words.translate(one) for one in model.labels]
                    for language, words in self.words.items()
                    if any(words.translate(one) != one for one in model.labels)
                },
                "titles": self._titles(name),
                "about": {"vizapp": own_version(), **of_model(model)},
                "notes": {
                    language: [words.translate(one) for one in model.notes] for language, words in self.words.items()
                },
            }
        )

    def _titles(self, name: str) -> dict[str, str]:
        return {language: model_in(words, name) for language, words in self.words.items()}

    def _said(self, sentence: str) -> dict[str, str]:
        return {language: words.translate(sentence) for language, words in self.words.items()} if sentence else {}

    def add_picture_of(self, title: str, shown: Shown, made: Ready, why: str) -> None:
        """Add the maps of one picture by a network that is not included itself."""
        unknown: dict[str, Any] = {"subject": "", "notes": {}, "labels": {}, "about": {}}
        self.models.append(
            {"name": title, "titles": self._titles(title), "blob": None, "why": self._said(why)} | unknown
        )
        self.add_maps(title, shown.name, made)

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


def content(wanted: Wanted, on_progress: Progress = lambda part, done, of: None) -> Cargo:
    """Load the networks, make the maps that have to be ready, and collect everything.

    on_progress  called with "networks" or "maps", how many are done, and of how many
    Raises `VizError` for a model or a picture that cannot be loaded, and if there would be nothing to show.
    """
    page = _Page(Cargo(), {one: words_for(one) for one in wanted.languages} or all_words())
    names = {name: _title(name) for name in wanted.models}
    own = [photo(path) for path in wanted.pictures]
    drawn = list(lessons()) if wanted.lessons else []
    live: set[str] = set()
    work: list[tuple[int, Callable[[], None]]] = []  # the number of maps, and the function that makes them
    for number, name in enumerate(wanted.models, 1):
        model = replace(pipeline.load(name), name=names[name])
        (model, data, why), name = _on_board(model), model.name
        page.add_model(name, model, None if data is None else page.cargo.add(data), why)
        on_progress("networks", number, len(wanted.models))
        if data is not None:
            live.add(name)
            continue
        suitable = [*(drawn if model.subject == "scenes" else ()), *own]
        if not suitable:
            raise VizError(
                "'{name}' does not run in a browser, and there are no pictures whose maps could be shown. {why}",
                "Name some: --pictures photo.jpg ...",
                name=name,
                why=why,
            )
        work += [(1, partial(_add_ready, page, model, shown)) for shown in suitable]
    chapters = textbook.chapters() if wanted.lessons else ()
    work += [(0, partial(page.add_picture, shown)) for shown in (*drawn, *own)]
    for name, count in WITH_THEIR_OWN.items() if wanted.lessons else ():
        work += [(1, partial(_add_own, page, name, number, live)) for number in range(count)]
    work += [(_maps_in(chapter), partial(_add_chapter, page, chapter, live)) for chapter in chapters]
    done, of = 0, sum(count for count, _ in work)
    for count, make in work:
        make()
        done += count
        if count:
            on_progress("maps", done, of)
    if not page.pictures:
        raise VizError("The page would have no picture.", "Name some with --pictures, or take the lessons: --lessons.")
    first = names[wanted.models[0]]
    return page.finished((first, _first(page, first)), chapters)


def content_of(seen: Analysis, *, drawn: bool = False) -> Cargo:
    """The contents of one analysis's page, in every language: its picture, and its network if that runs in a browser, or maps."""
    page, model = _Page(Cargo(), all_words()), seen.context.model if seen.context else None
    title = _title(seen.model_name)
    data, why = _carried_of(seen, model, title)
    shown = from_analysis(seen, "picture", is_exact=data is not None, drawn=drawn)
    if data is not None and len(shown.file) > LARGEST_PICTURE:
        data, why = None, Text("The picture is too large to be carried without loss, so only its maps are here.")
    if model is not None and data is not None:
        page.add_model(title, model, page.cargo.add(data))
    else:
        shown = from_analysis(seen, "picture", is_exact=False, drawn=drawn)
        caution = caution_of(model, shown) if model else ""
        page.add_picture_of(title, shown, Ready.of(seen, page.words, caution=caution), why)
    page.add_picture(shown)
    return page.finished((title, shown.name), ())


def _first(page: _Page, model: str) -> str:
    """The picture that the page begins with: the server page's first if it is included, or one that the first network takes."""
    maps = page.maps.get(model, {})
    able = [name for name in page.pictures if not maps or name in maps]
    return f"lesson/{FIRST}" if f"lesson/{FIRST}" in able else able[0]


def _add_ready(page: _Page, model: VisionModel, shown: Shown) -> None:
    page.add_maps(model.name, shown.name, ready(model, shown, page.words))


def _add_own(page: _Page, name: str, number: int, live: Collection[str]) -> None:
    """Add a picture of a lesson that has a network of the same name."""
    _add_short(page, name, pipeline.load(name), lesson(f"{name}/{number}"), live)


def _maps_in(chapter: textbook.Chapter) -> int:
    """The number of maps that a chapter needs; a film needs one for each step."""
    film = pipeline.load(_asked(chapter)["model"]).film
    return 1 + (len(film.steps) if film else 0)


def _asked(chapter: textbook.Chapter) -> dict[str, str]:
    return dict(part.split("=", 1) for part in chapter.opens.split("&"))


def _add_chapter(page: _Page, chapter: textbook.Chapter, live: Collection[str]) -> None:
    """Add the pictures of a chapter, their maps if its network is not included, and the answers that its exercises need but a
    browser cannot compute, because they take gradients or other weights."""
    link = _asked(chapter)
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
    """Add a picture, and if the network is not included, the maps of the classifier's query in every layer and head."""
    page.add_picture(shown)
    if name in live:
        return
    if name not in [one["name"] for one in page.models]:
        page.add_model(name, model, None)
    if shown.name not in page.maps.get(name, {}):
        page.add_maps(name, shown.name, ready(model, shown, page.words, is_short=True))


def _title(name: str) -> str:
    """The page's name for a model. For weights in a file it is the network's name, not the path on this computer."""
    found = ModelName.parse(name)
    if found.source != "file":
        return name
    return found.options.get("arch") or Path(found.name).stem


def _on_board(model: VisionModel) -> tuple[VisionModel, bytes | None, str]:
    """The network as a page carries it, and `_carried` of that; the network as it is if the page has only maps of it."""
    try:
        smaller = for_a_page(model)
    except VizError as error:
        return model, None, error.message
    data, why = _carried(smaller)
    return (model if data is None else smaller), data, why


def _carried(model: VisionModel) -> tuple[bytes | None, str]:
    """The file of a network and "" if it runs in a browser; None and the reason if it does not, or is too large."""
    try:
        data = pack_network(model)
    except VizError as error:
        return None, error.message
    if len(data) <= LARGEST:
        return data, ""
    return None, Text(
        "{name} takes {size:.0f} MB, and a page carries at most {limit:.0f}.",
        name=model.name,
        size=len(data) / 1e6,
        limit=LARGEST / 1e6,
    )


def _carried_of(seen: Analysis, model: VisionModel | None, title: str) -> tuple[bytes | None, str]:
    """`_carried` for an analysis. None unless the browser would compute from exactly the same pixels in the same way, because
    its numbers must be those of the analysis."""
    if model is None:
        return None, Text("The analysis came without its network, so only its maps are here.")
    if seen.edits:
        edits = ", ".join(map(str, seen.edits))
        return None, Text("The pass was edited ({edits}), so only its maps are here.", edits=edits)
    if seen.fit != model.preprocess.fit:
        return None, Text(
            "The picture was fitted by {fit}, and the network was trained by {trained}, so only its maps are here.",
            fit=seen.fit,
            trained=model.preprocess.fit,
        )
    return _carried(replace(model, name=title))


def said_in(words: Words) -> dict[str, Any]:
    """What a page says in a language, with a server or without one."""
    parts = {part: dict(words[part]) for part in PARTS}
    return {"tag": tag_of(words.language), **parts, "help": glossary.helped(words), "metrics": metric_list(words)}


def _language(words: Words, chapters: Sequence[textbook.Chapter]) -> dict[str, Any]:
    said = said_in(words)
    # Sentences of the page with a server that name the server must name the engine here, or say that nobody can be asked.
    said["viewer"] |= {key: words["export"][here] for key, here in INSTEAD.items()}
    return said | {
        "methods": {"here": method_list(words), "elsewhere": elsewhere(words)},
        "chapters": textbook.said(textbook.without_server(chapters), words),
    }
