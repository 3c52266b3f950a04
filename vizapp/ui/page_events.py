"""The events of the page: a choice brings a picture to the stage, and the open tab follows it."""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from html import escape
from typing import Any

import gradio as gr

from vizapp.analysis import Request
from vizapp.errors import VizError
from vizapp.model.downloads import heard
from vizapp.ui import examples, incoming, link
from vizapp.ui.errors import shown
from vizapp.ui.jobs import Stopped
from vizapp.ui.lesson_pictures import PER_LESSON
from vizapp.ui.limits import Full
from vizapp.ui.link import Links
from vizapp.ui.progress import Report
from vizapp.ui.retry import QUIETLY, Again, turned_away
from vizapp.ui.server import folder
from vizapp.ui.server.malformed_events import refusal
from vizapp.ui.session import AS_TRAINED, Session
from vizapp.ui.terminal import tell, tell_slip
from vizapp.ui.views import Tab
from vizapp.ui.words import Words

KEEP_STATE = 3600  # seconds that a visitor's choices are remembered
# Gradio shows the errors of events only if they went through its queue.
SAYING: dict[str, Any] = QUIETLY | {"queue": True, "concurrency_limit": None}
ASKS: dict[str, Any] = {"show_progress": "hidden", "concurrency_limit": None, "api_visibility": "private"}


@dataclass(frozen=True)
class Controls:
    """The components of a page beside its tabs.

    picture, name, fit  the choice: a picture, a model, and how the picture is fitted to the model's input
    lessons  buttons by the name of the lesson; shelves  photos to press; photos  those on the shelves, by name
    again    asks again while the queue is full; told  shows messages about links; wait  shows that a map is loading
    """

    picture: Any
    name: Any
    fit: Any
    lessons: Mapping[str, gr.Button]
    shelves: Sequence[Any]
    photos: dict[str, str]
    again: Again
    told: Any
    wait: gr.HTML

    @property
    def chosen(self) -> list[Any]:
        """Return the three components of the choice."""
        return [self.picture, self.name, self.fit]


class Stage:
    """Analyses the choice, and shows it in the tabs that are a stage."""

    def __init__(self, session: Session, words: Words, tabs: Sequence[Tab], controls: Controls) -> None:
        self.session, self.words, self.tabs, self.controls = session, words, tabs, controls
        start = Request(str(controls.picture.value["path"]), str(controls.name.value), AS_TRAINED)
        self.links = Links(session, start, controls.photos)
        self._opened = gr.State({}, time_to_live=KEEP_STATE)  # the visitor's position in each lesson
        self._lent = gr.State((), time_to_live=KEEP_STATE)  # a lesson's network, and the one in whose place it came

    def connect(self, page: gr.Blocks) -> list[Any]:
        """Make the events that bring something to the stage; the first of them is the load of the page."""
        of, again = self.controls, self.controls.again
        run: dict[str, Any] = {
            "inputs": [*of.chosen, *(part for tab in self.tabs for part in tab.inputs)],
            "outputs": [*(part for tab in self.tabs for part in tab.follows), of.told],
            "show_progress": "minimal",
            "show_progress_on": of.wait,
            "api_name": "look",  # "analyse" is the name of the endpoint for programs
            "concurrency_limit": None,  # jobs wait in the session's own queue, where maps overtake long runs
            "trigger_mode": "multiple",  # Gradio drops or delays a choice while the one before is on its way; it replaces that
            "js": telling(self.tabs, "choose"),
            "api_visibility": "private",
        }
        loaded = page.load(self.analyse, **run | {"js": link.or_open(run["js"])})
        # `picture.change` would run the model twice when a picture replaces another (gradio issue 4589), and so would
        # `input` of a dropdown. Its `change` also fires when a failed choice is taken back: then nothing has changed.
        runs = [of.picture.input(self.analyse, **run)]
        runs += [click.then(self.analyse, **run) for click in self._offers()]
        runs += [gr.on([of.name.change, of.fit.change], self.analyse_if_changed, **run)]
        runs += [again.event(self.analyse, **run)]
        return [loaded, *runs]

    def _offers(self) -> list[Any]:
        """Make the events of shelves, lessons and links. Each changes the choice."""
        of, kept = self.controls, [self._opened, self._lent]
        saying = SAYING | {"js": incoming.GIVE_WAY}
        photos = (
            shelf.click(
                self.open_photo,
                [shelf, of.name, of.fit, self._lent],
                [of.picture, of.name],
                **QUIETLY | {"js": incoming.GIVE_WAY},
            )
            for shelf in of.shelves
        )
        lessons = (
            button.click(self._lesson_opener(lesson), [of.name, of.fit, *kept], [of.picture, of.name, *kept], **saying)
            for lesson, button in of.lessons.items()
        )
        followed = of.told.go(self.open_link, self._opened, [*of.chosen, *kept, of.told], **saying)
        return [*photos, *lessons, followed]

    def _look(self, picture: str | None, name: str, fit: Any, asked: gr.Request, bar: Any, now: Sequence[Any]) -> Any:
        """Return new values of the stages and of the message about links. A later choice replaces this one."""
        nothing = [*_nothing(self.tabs), gr.skip()]
        if not picture:
            return nothing
        visitor, report = asked.session_hash or "", Report(self.words, bar, name)

        def work() -> list[Any]:
            if not self.session.has_network(request):
                report.on_loading()
            return _followed(self.tabs, request, now, report)

        try:
            request = self.session.request(picture, name, fit, visitor)
            folder.current().claim(request.source)
            with self.session.looking(visitor, request):
                made = self.session.run(work, visitor, about=request, on_wait=report.on_wait)
        except Stopped as end:
            if end.why == "stopped":
                raise shown(VizError("Stopped.", "The earlier maps are shown again."), self.words) from None
            if end.why == "unheard":  # for a client that reads the answer too late
                raise shown(VizError("Nobody listened, so nothing was computed."), self.words) from None
            return nothing
        except Full as error:
            raise turned_away(error, visitor, self.words) from None
        except VizError as error:
            raise shown(error, self.words) from None
        return [*made, self.links.shown(request)]

    def analyse(
        self,
        picture: str | None,
        name: str,
        fit: Any,
        asked: gr.Request,
        progress: gr.Progress = gr.Progress(),  # noqa: B008  Gradio finds it by this default
        *now: Any,
    ) -> Any:
        """Analyse the choice."""
        return self._look(picture, name, fit, asked, progress, now)

    def analyse_if_changed(
        self,
        picture: str | None,
        name: str,
        fit: Any,
        asked: gr.Request,
        progress: gr.Progress = gr.Progress(),  # noqa: B008
        *now: Any,
    ) -> Any:
        """Analyse the choice, unless it is on the stage already."""
        last = self.session.wanted(asked.session_hash or "")
        if last and (last.source, last.model, last.fit) == (picture, name, fit):
            return [*_nothing(self.tabs), gr.skip()]
        return self._look(picture, name, fit, asked, progress, now)

    def _lesson_opener(self, lesson: str) -> Callable[..., tuple[Any, ...]]:
        def open_lesson(
            name: str, fit: Any, opened: dict[str, int], lent: tuple[str, ...], asked: gr.Request
        ) -> tuple[Any, ...]:
            """Choose the next picture of a lesson, with its model; the change of the model does not count as a second choice."""
            session, number = self.session, (opened.get(lesson, 0) + 1) % PER_LESSON
            try:
                path = examples.lesson(lesson, number, session.cache)
            except VizError as error:  # a full disk
                raise shown(error, self.words) from None
            shown_by = examples.model_for(lesson, name, session.offered)
            session.want(asked.session_hash or "", session.request(path, shown_by, fit))
            before = name if not examples.is_of_toy_world(name) else lent[1] if name in lent[:1] else ""
            return path, shown_by, opened | {lesson: number}, (shown_by, before) if before else ()

        return open_lesson

    def open_photo(self, index: Any, name: str, fit: Any, lent: tuple[str, ...], asked: gr.Request) -> tuple[str, str]:
        """Choose a photo of a shelf. A lesson's network gives way to the one in whose place it came."""
        paths = list(self.controls.photos.values())
        if not isinstance(index, int) or not 0 <= index < len(paths):
            raise refusal(self.words)  # `gr.skip()` would also replace our `gr.Image`
        shown_by = lent[1] if name in lent[:1] else name
        if shown_by == name:
            return paths[index], name
        try:
            request = self.session.request(paths[index], shown_by, fit)
        except VizError as error:  # a fit that no page sends
            raise shown(error, self.words) from None
        self.session.want(asked.session_hash or "", request)  # the change of the model is no second choice
        return paths[index], shown_by

    def open_link(self, opened: dict[str, int], asked: gr.Request, event: gr.EventData) -> tuple[Any, ...]:
        """Choose what a link names; its lesson continues from there."""
        try:
            found = self.links.open(event._data)
        except VizError as error:  # a full disk
            raise shown(error, self.words) from None
        one, numbers = found.request, opened | dict([found.lesson] if found.lesson else [])
        self.session.turn(asked.session_hash or "", one)
        self.session.want(asked.session_hash or "", one)
        return one.source, one.model, one.fit, numbers, (), self.links.told(found, self.words)

    def settle(self, look: Any) -> None:
        """Mark the stage as outdated, after half a second, until the new choice is on it."""
        look.success(None, self.controls.chosen, js=telling(self.tabs, "settle"), **QUIETLY)
        self.controls.again.clear(look)
        look.failure(None, js=telling(self.tabs, "wait"), **QUIETLY)

    def take_back(self, look: Any) -> None:
        """Take back a choice that failed."""
        of = self.controls
        taken_back = look.failure(self.back, of.chosen, [*of.chosen, of.again.line], preprocess=False, **QUIETLY)
        taken_back.then(None, js=telling((), "restored"), **QUIETLY)

    def back(self, asked: gr.Request, *choice: Any) -> tuple[Any, ...]:
        """Show a failure in a toast, and restore the choices, so that the next try can work.

        They go back to those on the stage, or to a later choice that is on its way there. If the queue was full, the choices
        stay: a line says so, and the page tries again by itself. No output is skipped here: for Gradio a skip is an update,
        which would replace our `gr.Image` by another one for this visitor.
        """
        visitor = asked.session_hash or ""
        shows, said = self.session.wanted(visitor) or self.links.start, self.controls.again.told(visitor)
        if said:
            try:
                shows = self.session.request(*_as_sent(*choice), visitor)
            except VizError:
                said = ""
        self.session.turn(visitor, shows)
        return shows.source, shows.model, shows.fit, said


class Followers:
    """The tabs that follow the stage. They are updated only while they are open.

    panes     by name, the places of all tabs
    refusals  by name, the elements in which following tabs say why they show nothing
    """

    def __init__(
        self, stage: Stage, tabs: Mapping[str, Tab], panes: Mapping[str, gr.Tab], refusals: Mapping[str, gr.HTML]
    ) -> None:
        self._session, self._words, self._start = stage.session, stage.words, stage.links.start
        self._tabs = {name: tab for name, tab in tabs.items() if tab.follow and not tab.is_stage}
        self._panes, self._refusals = panes, refusals
        self._is_open = gr.State("", time_to_live=KEEP_STATE)

    def open(self) -> None:
        """Let a tab follow when it is opened."""
        for name, pane in self._panes.items():
            # In a step of its own: a tab that cannot follow is open all the same, and is updated with the next picture.
            pane.select(_named(name), None, self._is_open, js=link.turned(name), **QUIETLY)
            if tab := self._tabs.get(name):
                pane.select(self._opener(tab), list(tab.inputs), [self._refusals[name], *tab.follows], **ASKS)

    def follow(self, look: Any, is_first: bool) -> None:
        """Let the open tab follow an analysis that succeeded."""
        followed = [part for name, tab in self._tabs.items() for part in (self._refusals[name], *tab.follows)]
        asking = [self._is_open, *(part for tab in self._tabs.values() for part in tab.inputs)]
        if followed:
            if is_first:
                look.success(self.begun, asking, followed, **QUIETLY)  # beside the queue: one round trip, not two
            else:
                look.success(self.staged, asking, followed, **ASKS)

    def staged(self, asked: gr.Request, is_open: str, *now: Any) -> Any:
        """Return new values of the components that follow the stage in the open tab."""
        request, values = self._session.on_stage(asked.session_hash or ""), iter(now)
        made: list[Any] = []
        for name, tab in self._tabs.items():
            own = [next(values) for _ in tab.inputs]
            made += _of(self._session, tab, request if name == is_open else None, own, self._words)
        return _as_outputs(made)

    def begun(self, asked: gr.Request, is_open: str, *now: Any) -> Any:
        """Do the same after the first analysis, which a link may have led elsewhere.

        If it did not, the open tab has followed already, and a run that was started in it meanwhile must not be erased.
        """
        if self._session.on_stage(asked.session_hash or "") == self._start:
            return _as_outputs([part for tab in self._tabs.values() for part in (gr.skip(), *_nothing([tab]))])
        return self.staged(asked, is_open, *now)

    def _opener(self, tab: Tab) -> Callable[..., Any]:
        def opened(asked: gr.Request, *now: Any) -> Any:
            """Return new values of the components that follow the stage in a tab that is opened."""
            request = self._session.on_stage(asked.session_hash or "")
            return _as_outputs(_of(self._session, tab, request, now, self._words))

        return opened


def connect(
    page: gr.Blocks, stage: Stage, tabs: Mapping[str, Tab], panes: Mapping[str, gr.Tab], refusals: Mapping[str, gr.HTML]
) -> list[Any]:
    """Connect the events; return those that bring something to the stage. The arguments are those of `Followers`."""
    loaded, *runs = stage.connect(page)
    followers = Followers(stage, tabs, panes, refusals)
    followers.open()
    for one in (loaded, *runs):
        stage.settle(one)
        followers.follow(one, is_first=one is loaded)
        stage.take_back(one)
    return [loaded, *runs]


def first_of(session: Session, tabs: dict[str, Tab], start: Request) -> Callable[[], Any]:
    """Return a function that computes the first value of the stage."""
    stage = next(tab for tab in tabs.values() if tab.is_stage)
    return lambda: session.run(lambda: _followed([stage], start, ()), about=start)[0]


def _as_sent(picture: Any, name: Any, fit: Any) -> tuple[str, str, Any]:
    """Read a choice that a browser sent. Raises `VizError` unless its picture is an upload that is still here."""
    path = folder.current().ours(str(picture.get("path"))) if isinstance(picture, dict) else None
    if path is None:
        raise VizError("This picture is not here, or not any more.", "Upload it again.")
    return str(path), str(name), fit


def _named(name: str) -> Callable[[], str]:
    return lambda: name


def telling(tabs: Sequence[Tab], what: str) -> str:
    """Write JavaScript that tells tabs, the address and the film strip about a choice, and passes its arguments on."""
    tells = [*(tab.tell for tab in tabs if tab.tell), link.TELL, incoming.TELL]
    calls = "".join(f"({tell})({json.dumps(what)}, choice);" for tell in tells)
    return f"(...chosen) => {{ const choice = chosen.length ? JSON.stringify(chosen.slice(0, 3)) : 0; {calls} return chosen; }}"


def _followed(tabs: Sequence[Tab], request: Request, now: Sequence[Any], report: Report | None = None) -> list[Any]:
    values, made = iter(now), list[Any]()
    with heard(report.on_download) if report else nullcontext():
        for tab in tabs:
            assert tab.follow is not None
            made += tab.follow(request, *(next(values) for _ in tab.inputs))
    return made


def _of(session: Session, tab: Tab, request: Request | None, now: Sequence[Any], words: Words) -> list[Any]:
    """Return why a tab shows nothing ("": it does), and new values of its following components; without a request, no change.

    A refusal hides the tab's content (`tab-refusal` in page.css), which belongs to the earlier picture.
    """
    if request is None:
        return [gr.skip(), *_nothing([tab])]
    try:
        return ["", *_followed([tab], request, now)]
    except VizError as error:
        tell(error)
        said = words.explain(error)
    except Exception as error:  # a slip in the tab's own file; the terminal has the rest
        tell_slip()
        said = (
            type(error).__name__ if session.public else f"{type(error).__name__}: {error}"
        )  # the message may name any file
    return [f'<p role="alert">{escape(said)}</p>', *_nothing([tab])]


def _as_outputs(values: list[Any]) -> Any:
    """Convert outputs to Gradio's form: a single one is not in a list."""
    return values[0] if len(values) == 1 else values


def _nothing(tabs: Sequence[Tab]) -> list[Any]:
    """Return outputs that change nothing."""
    return [gr.skip() for tab in tabs for _ in tab.follows]
