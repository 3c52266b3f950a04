"""Tabs of the page: each file here is one, found by itself. See docs/add-a-tab.md.

ORDER = 30                                              # among the tabs, from left to right
WORDS = {"title": "My tab", "hello": "Hello."}          # English, for what the tables of words do not say under its name

def build(session, words):                              # puts components and events into the page that is being built
    hello = gr.HTML(words["mine"]["hello"])
    return Tab(title=words["mine"]["title"], follow=lambda request: (...), follows=[hello])

`mine` is the name of the file; its style stands beside it, in `mine.css`.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from vizapp.ui.session import Session
from vizapp.ui.words import Words

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Tab:
    """What the page has to know of a tab.

    title     on its head
    follow    (request, values of `inputs` ...) -> values of `follows`: what depends on what is on the stage. Asked while
              the tab is open, when something else has come to the stage, and when it is opened. If it raises, its message
              stands in place of the whole tab until there are values again
    inputs    components whose values `follow` is given
    follows   components that show what it returns
    is_stage  `follow` makes what the visitor looks at: it is asked first, even while another tab is open, as a job of high
              priority; if it raises a `VizError`, the choice is taken back
    tell      JavaScript, a function (what, choice): told "choose" when a visitor chooses something, "settle" when it has come
              to the stage, and "wait" when it has failed
    """

    title: str
    follow: Callable[..., Sequence[Any]] | None = None
    inputs: Sequence[Any] = ()
    follows: Sequence[Any] = ()
    is_stage: bool = False
    tell: str = ""


class View(Protocol):
    """A file of this folder."""

    ORDER: int

    def build(self, session: Session, words: Words) -> Tab:
        """Put the tab into the page that is being built."""


def found() -> dict[str, View]:
    """Name of the file -> what is in it, in the order of the tabs."""
    names = [module.name for module in pkgutil.iter_modules(__path__)]
    views: dict[str, Any] = {name: importlib.import_module(f"{__name__}.{name}") for name in names}
    return dict(sorted(views.items(), key=lambda item: (item[1].ORDER, item[0])))


def with_own(words: Words, name: str, view: View) -> Words:
    """The same words, and those that a tab brings along, where the language says nothing of it."""
    own: Mapping[str, str] = getattr(view, "WORDS", {})
    return replace(words, sections={**words.sections, name: {**own, **words.sections.get(name, {})}})


def styles() -> str:
    """The CSS of all tabs."""
    return "\n".join(path.read_text("utf-8") for path in sorted(FOLDER.glob("*.css")))
