"""What the page reads first: its languages, the networks and the pictures that it offers, and where it begins."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from vizapp.analysis.provenance import own_version
from vizapp.browser.content import said_in
from vizapp.browser.methods import method_list, two_sided
from vizapp.core.methods import baseline_names, method_named
from vizapp.core.metrics import metrics
from vizapp.model.toy.lessons import LESSONS
from vizapp.server.fields import fields
from vizapp.server.head import elsewhere
from vizapp.ui import examples, textbook
from vizapp.ui.comparison_files import WIDTHS
from vizapp.ui.comparison_html import header, named
from vizapp.ui.early import Opening
from vizapp.ui.lesson_pictures import PER_LESSON
from vizapp.ui.link import Links
from vizapp.ui.method_choice import lacking_here
from vizapp.ui.progress import model_in
from vizapp.ui.session import Session
from vizapp.ui.viewer.resources import colour_tables
from vizapp.ui.words import Words, all_words, words_for
from vizapp.wording import Text

FILE = "gradio_api/file="  # behind the server's address


def about(session: Session, links: Links, openings: Mapping[str, Opening], app: int, language: str) -> dict[str, Any]:
    """The description that the page's JavaScript reads, as that of an exported page (browser/page/cargo.js), in one language.

    openings  have the maps that a visit begins with, as soon as they are made: they are there without a question
    app       names this process: the browser notices by it that the server was started anew
    """
    words, opening = {language: words_for(language)}, openings.get(language)
    start = links.page(links.start)
    return {
        "version": own_version(),
        "start": {"model": start["model"], "picture": start["picture"]},
        "app": app,
        "languages": {name: _language(one, session) for name, one in words.items()},
        "others": elsewhere(all_words(), language),
        "colours": colour_tables(),
        "twoSided": two_sided(),
        "models": [_model(name, words) for name in session.offered],
        "opening": opening.value if opening else None,
        "searches": not session.public,
        "suits": {name: examples.models_for(name, session.offered) for name in LESSONS},
        "pictures": [*_photos(links), *_lessons(words)],
    }


def _language(words: Words, session: Session) -> dict[str, Any]:
    said = said_in(words)
    kept = words["page"]["kept_public" if session.public else "kept_home"]
    said["export"] |= {"kept": kept, "cameraKept": kept, "filmKept": kept, "footer": "vizapp {version}"}
    own = sorted(session.methods, key=lambda one: not one.chosen)  # those of the first choice in front
    names = [*(one.name for one in own), *baseline_names()]
    return said | {
        "methods": _methods(words, names, session),
        "chapters": textbook.said(textbook.chapters(), words),
    }


def _methods(words: Words, names: Sequence[str], session: Session) -> dict[str, Any]:
    """The methods with the fields of their settings, and what is said around them."""
    about = [
        one | {"isChosen": method_named(one["name"]).chosen, "fields": fields(words, method_named(one["name"]))}
        for one in method_list(words, names)
    ]
    page, main = words["page"], [one for one in metrics().values() if one.main]
    lacking = lacking_here(words, session.public)
    return {
        "here": about,
        "elsewhere": page["methods_public"] if session.public else "",
        "lacking": page["lacking"].format(**lacking) if lacking else "",
        "truth": page["truth_help"].replace(
            "{metrics}", words.told(named(words, words.translate(Text(one.title)), Text(one.sentence)) for one in main)
        ),
        "columns": [
            {"name": one.name, "title": words.translate(Text(one.title)), "header": header(words, one)} for one in main
        ],
        "widths": WIDTHS,
    }


def _model(name: str, words: dict[str, Words]) -> dict[str, Any]:
    titles = {language: model_in(one, name) for language, one in words.items()}
    subject = "scenes" if examples.is_of_toy_world(name) else ""
    return {"name": name, "titles": titles, "why": {}, "subject": subject}


def _photos(links: Links) -> list[dict[str, Any]]:
    return [_picture(f"photo/{name}", url=FILE + examples.small(path)) for name, path in links.photos.items()]


def _lessons(words: dict[str, Words]) -> list[dict[str, Any]]:
    return [
        _picture(
            f"lesson/{name}/{number}{bare}",
            asked={
                language: {"name": name, "title": one.translate(lesson.title), "of": PER_LESSON}
                for language, one in words.items()
            },
        )
        for name, lesson in LESSONS.items()
        for number in range(PER_LESSON)
        for bare in (("", "/bare") if lesson.bare else ("",))
    ]


def _picture(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "asked": None, "credit": ""} | more


def photos() -> dict[str, str]:
    """The photos that everybody can choose: name -> path."""
    return {Path(one).stem: one for one in examples.photos()}
