"""Tabs of the page: each file here is one, found by itself. See docs/extend.md.

ORDER = 30                                              # among the tabs, from left to right
WORDS = {"title": "My tab", "hello": "Hello."}          # English, if the tables of words have nothing under its name

def build(session, words):                              # adds components and events to the page
    hello = gr.HTML(words["mine"]["hello"])
    return Tab(title=words["mine"]["title"], follow=lambda request: (...), follows=[hello])

`mine` is the name of the file; its style stands beside it, in `mine.css`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from vizapp.registry import modules_in
from vizapp.ui.session import Session
from vizapp.ui.words import Words

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Tab:
    """The parts of a tab that the page needs.

    title     on its head
    follow    (request, values of `inputs` ...) -> values of `follows`: the parts that depend on the stage. It is called when
              the tab is opened, and while it is open, when something else has come to the stage. If it raises, its message
              stands in place of the whole tab until there are values again
    inputs    components whose values `follow` gets
    follows   components that show the values of `follow`
    is_stage  `follow` makes the maps that the visitor looks at: it is called first, even while another tab is open, as a job
              of high priority; if it raises a `VizError`, the choice is taken back
    tell      JavaScript, a function (what, choice): called with "choose" when a visitor chooses something, "settle" when it
              has come to the stage, and "wait" when it has failed
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
        """Add the tab to the page."""


def found() -> dict[str, View]:
    """Return the modules by the name of their file, in the order of the tabs."""
    views: dict[str, Any] = {**modules_in(__name__)}
    return dict(sorted(views.items(), key=lambda item: (item[1].ORDER, item[0])))


def with_own(words: Words, name: str, view: View) -> Words:
    """Add a tab's own words, if the language has none under its name."""
    own: Mapping[str, str] = getattr(view, "WORDS", {})
    return replace(words, sections={**words.sections, name: {**own, **words.sections.get(name, {})}})


def styles() -> str:
    """Return the CSS of all tabs."""
    return "\n".join(path.read_text("utf-8") for path in sorted(FOLDER.glob("*.css")))
