"""What the page asks its server: maps of a picture, answers about them, and work of many passes (sources/server.js)."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import wraps
from typing import Any, get_type_hints

import gradio as gr
from gradio.context import LocalContext

from vizapp.analysis import Request
from vizapp.core.pauses import may_pause
from vizapp.errors import VizError
from vizapp.model.downloads import heard
from vizapp.model.named_weights import full_name
from vizapp.model.timm_names import known
from vizapp.pipeline import load
from vizapp.server.comparison import DONE, Call, Kept, Question, refuse
from vizapp.server.fields import settings_of
from vizapp.server.glance import glanced
from vizapp.server.photos import Fetches, offer
from vizapp.ui.jobs import LIMIT, Stopped, too_long
from vizapp.ui.limits import Full, Priority
from vizapp.ui.link import Links
from vizapp.ui.model_field import choices
from vizapp.ui.photo_fetching import Photos
from vizapp.ui.programs.arguments import check, picture_of
from vizapp.ui.programs.endpoints import offered
from vizapp.ui.programs.events import in_words, prepare
from vizapp.ui.progress import Report
from vizapp.ui.server import folder
from vizapp.ui.session import Session
from vizapp.ui.viewer.ask import door
from vizapp.ui.viewer.run import known_run
from vizapp.ui.views.attention import value_for
from vizapp.ui.words import DEFAULT, Words, languages, words_for

Answer = dict[str, Any]
PREFIX = "page_"  # of the names of its events, which are not those of programs


@dataclass(frozen=True)
class Calls:
    """The questions of the page, a method for each. They compute in the session of all pages, and queue with its visitors."""

    session: Session
    links: Links
    kept: Kept = field(default_factory=Kept)
    fetches: Fetches = field(default_factory=Fetches)

    def look(self, file: Any, choice: dict[str, Any], language: str) -> Answer:
        """Maps of the picture that `choice` names, or of an uploaded `file`: the viewer's value, with what is said of it."""
        words, visitor = _words(language), _visitor()
        path = None if file is None else picture_of(file, folder.current())
        opened = self.links.open({**choice, "path": path, "own": True})
        wanted = opened.request
        request = replace(self.session.request(wanted.source, wanted.model, wanted.fit), page=wanted.page)
        self.session.turn(visitor, request)
        folder.current().claim(request.source)
        report = Report(words, gr.Progress(), request.model)

        def work() -> Answer:
            if not self.session.has_network(request):
                report.on_loading()
            with heard(report.on_download):
                return value_for(self.session, request, words)

        photos = Photos(self.session, words)
        try:
            with self.session.looking(visitor, request):
                made = self._run(work, visitor, request, "map", report)
        except VizError as error:
            if not photos.is_missing(request.model):
                raise
            return offer(photos, words["page"]["offer_missing"], request.model) | {"why": words.explain(error)}
        if self._is_strange(request):
            made |= offer(photos)
        said = words.told(words["link"][key].replace("{name}", name) for key, name in opened.said)
        return made | {"said": said}

    def glance(self, file: Any, choice: dict[str, Any], language: str) -> Answer:
        """What the classifier's query attends to in a frame of a moving picture (glance.py). Nothing of it is kept."""
        wanted = self.links.open({**choice, "own": True}).request
        request = self.session.request(picture_of(file, folder.current()), wanted.model, wanted.fit)
        report = Report(_words(language), gr.Progress(), request.model)
        return self._run(lambda: glanced(self.session.analysed(request)), _visitor(), request, "map", report)

    def weights(self, file: Any, language: str) -> Answer:
        """The name of the network whose weights a file has; one that ends in "?arch=", and why, if the file does not tell."""
        path = file.get("path") if isinstance(file, dict) else file  # Gradio may have taken the path out
        ours = folder.current().ours(path) if isinstance(path, str) and not self.session.public else None
        if ours is None:
            raise VizError("This page takes no weights.", "vizapp on your own computer does.")
        folder.current().claim(str(ours))
        try:
            return {"name": full_name(ours, known()), "asks": ""}
        except VizError as error:
            return {"name": f"file:{ours}?arch=", "asks": _words(language).explain(error)}

    def ask(self, asked: list[Any], language: str) -> Answer:
        """Answer a question of the viewer about maps that it has: [kind, run, what]."""
        return door(_words(language))(asked)

    def work(
        self,
        call: Call,
        run: str,
        what: dict[str, Any],
        language: str,
    ) -> Answer:
        """Do work of many passes about a run: {"answer"}, as the engine in a page gives it (browser/engine/explaining.js)."""
        refuse(self.session, what)
        words, known = _words(language), known_run(run)
        if known is None or (request := known.request) is None:
            raise VizError("These maps are not here any more.", "Choose the picture again.")
        report = Report(words, gr.Progress(), request.model)

        def on_progress(step: str, share: float) -> None:
            report.on_progress(step, share)
            may_pause()

        question = Question(self.session, request, what, words, on_progress, self.kept)
        return self._run(lambda: {"answer": DONE[call](question)}, _visitor(), request, "long", report)

    def settings(self, method: str, written: dict[str, Any], language: str) -> Answer:
        """Why a method cannot have the settings that stand in its fields: {"why"}; {} where it can."""
        try:
            settings_of(offered(self.session, method), written)
        except VizError as error:
            return {"why": _words(language).explain(error)}
        return {}

    def networks(self, language: str) -> list[tuple[str, str]]:
        """(label, name) of the networks that can be searched: none in public, where only those on offer can be chosen."""
        return [] if self.session.public else choices(self.session, _words(language))

    def stop(self) -> Answer:
        """End the visitor's long work."""
        return {"stopped": self.session.stop(_visitor())}

    def fetch(self, chosen: str, language: str) -> Answer:
        """Fetch the best network for photographs that can be had: {"model"}, or {"offer"} with why it is not here."""
        bar = gr.Progress()
        return self.fetches.fetch(
            Photos(self.session, _words(language)), chosen, lambda share, said: bar(share, desc=said)
        )

    def stop_fetching(self) -> Answer:
        """End the download; nothing of it is kept."""
        return {"stopped": not self.session.public and self.fetches.stop()}

    def give_up(self) -> Answer:
        """End what brings the visitor's choice to the stage, such as a download."""
        return {"stopped": self.session.give_up(_visitor())}

    # ---- helpers

    def _is_strange(self, request: Request) -> bool:
        """Tell whether a network that knows only drawn scenes looks at another picture."""
        if self.session.lesson(request) is not None or not self.session.has_network(request):
            return False
        return load(request.model, self.session.device).subject == "scenes"

    def _run(
        self, work: Callable[[], Answer], visitor: str, about: Request, priority: Priority, report: Report
    ) -> Answer:
        limit = LIMIT if self.session.public and priority == "long" else None
        how: dict[str, Any] = {"priority": priority, "about": about, "limit": limit, "on_wait": report.on_wait}
        try:
            return self.session.run(work, visitor, **how)
        except Full as full:
            return {"full": report.words.translate(full.message)}
        except Stopped as end:
            if end.why == "too_long":
                raise too_long(limit) from None
            return {"ended": end.why}


def _words(language: str) -> Words:
    return words_for(language if language in languages() else DEFAULT)


def _visitor() -> str:
    asked = LocalContext.request.get(None)
    return str(getattr(asked, "session_hash", None) or "")


def add(page: gr.Blocks, calls: Calls) -> None:
    """Add the questions to a page that is built, as events that its own JavaScript asks through Gradio's client."""
    works = [method for name, method in inspect.getmembers(calls, inspect.ismethod) if not name.startswith("_")]
    with page:
        for work in works:
            how: dict[str, Any] = {
                "concurrency_limit": None,
                "queue": work.__name__ in ("look", "glance", "work", "fetch"),
            }
            gr.api(_event(work), api_name=PREFIX + work.__name__, api_visibility="undocumented", **how)
    prepare(page, [PREFIX + work.__name__ for work in works])


def _event(work: Callable[..., Any]) -> Callable[..., Any]:
    names, kinds = list(inspect.signature(work).parameters), get_type_hints(work)

    def checked(asked: dict[str, Any]) -> dict[str, Any]:
        for name, value in asked.items():
            check(name, value, kinds[name])
        return asked

    @wraps(work)
    def event(*given: Any) -> Any:
        asked = dict(zip(names, given, strict=False))
        try:
            return in_words(lambda: work(**checked(asked)))
        except VizError as error:
            said = _words(str(asked.get("language", DEFAULT))).explain(error)
            raise gr.Error(said, title="", print_exception=False) from None

    return event
