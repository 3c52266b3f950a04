"""The page: a picture and a model on the left, tabs on the right, each a file of views/. One event looks at what was chosen."""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from html import escape
from typing import Any

import gradio as gr

import vizapp.pipeline as pipeline
from vizapp.analysis import Request
from vizapp.errors import VizError
from vizapp.model.downloads import heard
from vizapp.model.preprocess import FITS
from vizapp.ui import early, examples, glossary, incoming, line, link, views
from vizapp.ui.again import QUIETLY, Again, turned_away
from vizapp.ui.chooser import gallery, lesson_buttons, photo_paths, picture_input
from vizapp.ui.jobs import Stopped
from vizapp.ui.languages import in_every_language
from vizapp.ui.limits import Full
from vizapp.ui.link import Links
from vizapp.ui.model_field import TYPING, model_field, recent_models, waiting
from vizapp.ui.offer import Offer
from vizapp.ui.own_weights import weights_button
from vizapp.ui.places import PER_LESSON
from vizapp.ui.programs import events as programs
from vizapp.ui.programs.endpoints import Endpoints
from vizapp.ui.progress import Report
from vizapp.ui.server import folder
from vizapp.ui.server.outward import fetch_nothing
from vizapp.ui.server.start import launch as launch  # a page is built here and started there
from vizapp.ui.server.stray import refuse_stray
from vizapp.ui.session import AS_TRAINED, Session
from vizapp.ui.shown import shown
from vizapp.ui.terminal import tell
from vizapp.ui.views import Tab
from vizapp.ui.words import DEFAULT, Words, words_for

KEEP_STATE = 3600  # seconds that a visitor's choices are remembered
# Gradio shows the errors of events only if they went through its queue.
SAYING: dict[str, Any] = QUIETLY | {"queue": True, "concurrency_limit": None}


def open_session(model: str, *, device: str | None = None, public: bool = False) -> Session:
    """What all pages of a process share, with `model` among those that are offered."""
    listed = pipeline.model_names()
    offered = list(listed) if model in listed else [model, *listed]
    files = folder.current()
    session = Session(offered, str(files.path), device, public)
    files.spare(session.sources)
    return session


def build(model: str, *, device: str | None = None, public: bool = False) -> gr.Blocks:
    """The page in every language, with `model` chosen. A `public` one offers the listed models only, and reads no path."""
    files = folder.current()
    files.caps = folder.PUBLIC if public else files.caps
    session = open_session(model, device=device, public=public)
    openings: dict[str, early.Opening] = {}
    page = in_every_language(lambda words: page_of(words, model, session, openings))
    early.offer(page, openings)
    programs.offer(page, Endpoints(session, model))
    files.serve(page)
    refuse_stray(page, words_for(DEFAULT))
    if public:
        fetch_nothing(page, words_for(DEFAULT))
    return page


def page_of(words: Words, model: str, session: Session, openings: dict[str, early.Opening]) -> gr.Blocks:
    """The page in one language, and how it begins, in `openings`. The session is that of all of them."""
    page_words = words["page"]
    first = examples.first(pipeline.load(model, session.device).subject, session.cache)
    with gr.Blocks(title=page_words["window"], analytics_enabled=False, fill_width=True) as page:
        gr.HTML(heading(words), elem_id="heading", js_on_load=TYPING + glossary.script())
        with gr.Row(elem_id="columns"):
            with gr.Column(scale=0, elem_id="choose"):
                picture = picture_input(first, words)
                picture.keep_in_cache.add(first)
                wait = waiting(session, words)
                where = page_words["kept_public" if session.public else "kept_home"]
                gr.HTML(f"<p>{where} {incoming.pickers(words)}{link.forget(words)}</p>", elem_id="kept")
                photos = photo_paths(picture)
                with gr.Column(elem_id="shelf"):  # on a phone a strip of its own
                    lessons = lesson_buttons(words)
                    shelves = [gallery(words, photos, picture)] if photos else []
                offer = Offer(session, words)
                name = model_field(session, words, model)
                if not session.public:
                    weights_button(words, name)
                remember = recent_models(words)
                fit = gr.Dropdown(
                    [(page_words[f"fit_{way}"], way) for way in (AS_TRAINED, *FITS)],
                    value=AS_TRAINED,
                    label=page_words["fit"],
                )
            with gr.Column(scale=1, elem_id="look"):
                again, told = Again(words, "look-again"), link.line(words, list(views.found()))
                tabs, panes, refusals = tabs_of(session, words)
                incoming.strip(words)
        session.start = start = Request(str(picture.value["path"]), str(name.value), AS_TRAINED)
        openings[words.language] = early.Opening(words, heading(words, is_whole=False), _first_of(session, tabs, start))
        line.listen(page, session)
        looks = connect(
            page,
            session,
            words,
            tabs,
            (panes, refusals),
            (picture, name, fit),
            (lessons, shelves, photos),
            (again, told, wait),
        )
        offer.connect(looks, name)
        remember(looks, name)
    return page


def tabs_of(session: Session, words: Words) -> tuple[dict[str, Tab], dict[str, gr.Tab], dict[str, gr.HTML]]:
    """Put all tabs into the page that is being built, by name: what they need, where they stand, why they show nothing."""
    tabs, panes, refusals = {}, {}, {}
    with gr.Tabs(elem_id="tabs"):
        for name, view in views.found().items():
            with gr.Tab(name, id=name) as panes[name]:
                refusal = gr.HTML("", elem_id=f"refusal-{name}", elem_classes="tab-refusal")  # first: see theme.py
                tabs[name] = view.build(session, views.with_own(words, name, view))
                if tabs[name].follow and not tabs[name].is_stage:
                    refusals[name] = refusal
                else:
                    refusal.unrender()
            panes[name].label = tabs[name].title
    return tabs, panes, refusals


def connect(
    page: gr.Blocks,
    session: Session,
    words: Words,
    tabs: dict[str, Tab],
    places: tuple[dict[str, gr.Tab], dict[str, gr.HTML]],
    chosen: tuple[gr.Image, gr.Dropdown, gr.Dropdown],
    offers: tuple[dict[str, gr.Button], list[Any], dict[str, str]],
    lines: tuple[Again, Any, gr.HTML],
) -> list[Any]:
    """What happens when something is chosen, and when a tab is opened; the events that bring something to the stage.

    places  by name, where tabs stand, and where those that follow the stage say why they show nothing
    offers  lessons by name, shelves of pictures, and the photos on them by name
    lines   the one that asks again while the queue is full, the one that says something of links, and where waiting is shown
    """
    panes, refusals = places
    again, told, wait = lines
    picture, name, fit = chosen
    lessons, shelves, photos = offers
    links = Links(session, Request(str(picture.value["path"]), str(name.value), AS_TRAINED), photos)
    stages = [tab for tab in tabs.values() if tab.is_stage]
    others = {name: tab for name, tab in tabs.items() if tab.follow and not tab.is_stage}
    nothing = [*_nothing(stages), gr.skip()]

    def look(picture: str | None, name: str, fit: Any, asked: gr.Request, bar: Any, *now: Any) -> Any:
        """New values of what the stages show, and of what links say. What was chosen later than this is shown instead of it."""
        if not picture:
            return nothing
        visitor, report = asked.session_hash or "", Report(words, bar)
        try:
            request = session.request(picture, name, fit)
            with session.looking(visitor, request):
                made = session.run(
                    lambda: _followed(stages, request, now, report), visitor, about=request, on_wait=report.on_wait
                )
        except Stopped as end:
            if end.why == "stopped":
                raise shown(VizError("Stopped.", "What was shown before is shown again."), words) from None
            if end.why == "unheard":  # for whoever reads the answer at last
                raise shown(VizError("Nobody listened, so nothing was computed."), words) from None
            return nothing
        except Full as error:
            raise turned_away(error, visitor, words) from None
        except VizError as error:
            raise shown(error, words) from None
        return [*made, links.shown(request)]

    def analyse(
        picture: str | None,
        name: str,
        fit: Any,
        asked: gr.Request,
        progress: gr.Progress = gr.Progress(),  # noqa: B008  Gradio finds it by this default
        *now: Any,
    ) -> Any:
        return look(picture, name, fit, asked, progress, *now)

    def analyse_if_changed(
        picture: str | None,
        name: str,
        fit: Any,
        asked: gr.Request,
        progress: gr.Progress = gr.Progress(),  # noqa: B008
        *now: Any,
    ) -> Any:
        last = session.wanted(asked.session_hash or "")
        if last and (last.source, last.model, last.fit) == (picture, name, fit):
            return nothing
        return look(picture, name, fit, asked, progress, *now)

    def lesson_opener(lesson: str) -> Callable[..., tuple[Any, ...]]:
        def open_lesson(name: str, fit: Any, opened: dict[str, int], asked: gr.Request) -> tuple[Any, ...]:
            """The next picture of a lesson, with the model that it is for; that the model changes is no choice of its own."""
            number = (opened.get(lesson, 0) + 1) % PER_LESSON
            try:
                path = examples.lesson(lesson, number, session.cache)
            except VizError as error:  # a full disk
                raise shown(error, words) from None
            shown_by = examples.model_for(lesson, name, session.offered)
            session.want(asked.session_hash or "", session.request(path, shown_by, fit))
            return path, shown_by, opened | {lesson: number}

        return open_lesson

    def open_link(opened: dict[str, int], asked: gr.Request, event: gr.EventData) -> tuple[Any, ...]:
        """What a link says is chosen; its lesson goes on from there."""
        try:
            found = links.open(event._data)
        except VizError as error:  # a full disk
            raise shown(error, words) from None
        one, numbers = found.request, opened | dict([found.lesson] if found.lesson else [])
        session.want(asked.session_hash or "", one)
        return one.source, one.model, one.fit, numbers, links.told(found, words)

    opened = gr.State({}, time_to_live=KEEP_STATE)  # how far in each lesson
    run: dict[str, Any] = {
        "inputs": [*chosen, *(part for tab in stages for part in tab.inputs)],
        "outputs": [*(part for tab in stages for part in tab.follows), told],
        "show_progress": "minimal",
        "show_progress_on": wait,
        "api_name": "look",  # "analyse" is the name of what programs are offered
        "concurrency_limit": None,  # what waits is in the session's own queue, where maps overtake long runs
        "js": telling(stages, "choose"),
    }
    loaded = page.load(analyse, **run | {"js": link.or_open(run["js"])}, api_visibility="private")
    # `picture.change` would run the model twice when a picture replaces another (gradio issue 4589), and so would
    # `input` of a dropdown. Its `change` also follows when a failed choice is taken back: then nothing has changed.
    runs = [picture.input(analyse, **run, api_visibility="private")]
    tried = [
        *shelves,
        *(
            button.click(lesson_opener(lesson), [name, fit, opened], [picture, name, opened], **SAYING)
            for lesson, button in lessons.items()
        ),
        told.go(open_link, opened, [*chosen, opened, told], **SAYING),
    ]
    runs += [click.then(analyse, **run, api_visibility="private") for click in tried]
    runs += [gr.on([name.change, fit.change], analyse_if_changed, **run, api_visibility="private")]
    runs += [again.event(analyse, **run, api_visibility="private")]

    # What another tab says of the picture is asked for only while that tab is open.
    is_open = gr.State("", time_to_live=KEEP_STATE)
    asks: dict[str, Any] = {"show_progress": "hidden", "concurrency_limit": None, "api_visibility": "private"}
    for tab_name, pane in panes.items():
        # By itself: a tab that cannot follow is open all the same, and is asked again with the next picture.
        pane.select(_named(tab_name), None, is_open, js=link.turned(tab_name), **QUIETLY)
        if tab := others.get(tab_name):
            follows = _opener(session, words, tab)
            pane.select(follows, list(tab.inputs), [refusals[tab_name], *tab.follows], **asks)

    def staged(asked: gr.Request, is_open: str, *now: Any) -> Any:
        """New values of what follows the stage in the tab that is open."""
        request, values = session.on_stage(asked.session_hash or ""), iter(now)
        made: list[Any] = []
        for tab_name, tab in others.items():
            own = [next(values) for _ in tab.inputs]
            made += _of(session, tab, request if tab_name == is_open else None, own, words)
        return _as_outputs(made)

    def begun(asked: gr.Request, is_open: str, *now: Any) -> Any:
        """The same after the first look, which a link may have led elsewhere.

        If it did not, a tab that is open has followed already, and what was started in it meanwhile must not be wiped away.
        """
        if session.on_stage(asked.session_hash or "") == links.start:
            return _as_outputs([part for tab in others.values() for part in (gr.skip(), *_nothing([tab]))])
        return staged(asked, is_open, *now)

    def back(asked: gr.Request, *choice: Any) -> tuple[Any, ...]:
        """What failed is said in a toast; the choices go back, so that the next try can work: to what is on the stage, or

        to what was chosen meanwhile and is on its way there.

        Not so where the queue was full: that is said on a line, and the choice is tried again by itself. Nothing is skipped
        here: for Gradio that is an update, which would put another `gr.Image` in the place of ours for this visitor.
        """
        visitor = asked.session_hash or ""
        shows, said = session.wanted(visitor) or links.start, again.told(visitor)
        if said:
            try:
                shows = session.request(*_as_sent(*choice))
            except VizError:
                said = ""
        return shows.source, shows.model, shows.fit, said

    followed = [part for tab_name, tab in others.items() for part in (refusals[tab_name], *tab.follows)]
    asking = [is_open, *(part for tab in others.values() for part in tab.inputs)]
    # What is on the stage is of the choice before, until the new one is there; that is seen after half a second.
    for one in (loaded, *runs):
        one.success(None, list(chosen), js=telling(stages, "settle"), **QUIETLY)
        again.clear(one)
        one.failure(None, js=telling(stages, "wait"), **QUIETLY)
        if followed:
            one.success(begun if one is loaded else staged, asking, followed, **asks)
        taken_back = one.failure(back, list(chosen), [*chosen, again.line], preprocess=False, **QUIETLY)
        taken_back.then(None, js=telling((), "restored"), **QUIETLY)
    return [loaded, *runs]


def _as_sent(picture: Any, name: Any, fit: Any) -> tuple[str, str, Any]:
    """A choice as a browser sends it, if its picture was uploaded."""
    path = folder.current().ours(str(picture.get("path"))) if isinstance(picture, dict) else None
    if path is None:
        raise VizError("This picture is not here, or not any more.", "Upload it again.")
    return str(path), str(name), fit


def _first_of(session: Session, tabs: dict[str, Tab], start: Request) -> Callable[[], Any]:
    """What makes the value of the stage that a page begins with."""
    stage = next(tab for tab in tabs.values() if tab.is_stage)
    return lambda: session.run(lambda: _followed([stage], start, ()), about=start)[0]


def _named(name: str) -> Callable[[], str]:
    return lambda: name


def _opener(session: Session, words: Words, tab: Tab) -> Callable[..., Any]:
    def opened(asked: gr.Request, *now: Any) -> Any:
        """New values of what follows the stage in a tab that is opened."""
        return _as_outputs(_of(session, tab, session.on_stage(asked.session_hash or ""), now, words))

    return opened


def telling(tabs: Sequence[Tab], what: str) -> str:
    """JavaScript that tells tabs, the address and the film strip of a choice, and passes on what it is given."""
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
    """Why a tab shows nothing ("": it does), and new values of what in it follows the stage; without a request, no change.

    A refusal hides the tab's content (`tab-refusal` in theme.py): what stands there is of the picture before.
    """
    if request is None:
        return [gr.skip(), *_nothing([tab])]
    try:
        return ["", *_followed([tab], request, now)]
    except VizError as error:
        tell(error)
        said = words.explain(error)
    except Exception as error:  # a slip in the tab's own file; the terminal has the rest
        traceback.print_exc()
        said = type(error).__name__ if session.public else f"{type(error).__name__}: {error}"  # which may name any file
    return [f'<p role="alert">{escape(said)}</p>', *_nothing([tab])]


def _as_outputs(values: list[Any]) -> Any:
    """As Gradio takes them: a single one stands alone."""
    return values[0] if len(values) == 1 else values


def _nothing(tabs: Sequence[Tab]) -> list[Any]:
    """Everything stays as it is."""
    return [gr.skip() for tab in tabs for _ in tab.follows]


def heading(words: Words, is_whole: bool = True) -> str:
    """Title, one sentence, and the words of the page explained, one click away; else only the room that these take."""
    page = words["page"]
    below = (
        f'<a id="to-choose" href="#picture">{page["choose"]}</a>'  # on a phone, where the choice stands below the maps
    )
    tagline = f"<p>{page['tagline']}</p><p class='touch'><b>{page['tagline_touch']}</b></p>"
    helped = glossary.helped(words) if is_whole else f"<details><summary>{page['help']}</summary></details>"
    return f"<h1>{page['title']}</h1>{tagline}{helped}{below}"
