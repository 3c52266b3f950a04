"""Tabs of the page: each file here is one, found by itself. `ORDER` is its place among them, and `build` adds it to the page; its
style stands beside it, in a .css file of its name.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
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


def styles() -> str:
    """Return the CSS of all tabs."""
    return "\n".join(path.read_text("utf-8") for path in sorted(FOLDER.glob("*.css")))
