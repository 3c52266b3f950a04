"""The film of a training, as the page shows it."""

from vizapp.analysis import Analysis, Request
from vizapp.model.toy.lessons import LESSONS

PICTURE = LESSONS["shortcut"].example(3, 112).picture
FILM = "born-shortcut"


class Looker:
    """What a session is to the page; it lives as long as the test, as a run holds it weakly."""

    def __init__(self, seen: Analysis) -> None:
        self.seen = seen

    def look(self, request: Request) -> Analysis:
        return self.seen


LINK = f"#v=1&picture=lesson/shortcut/3&model={FILM}"
