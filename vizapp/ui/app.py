"""The page: heading, stage and tray, and tabs, each a file of views/. Its events are in page_events.py."""

import gradio as gr

import vizapp.pipeline as pipeline
from vizapp.model.preprocess import FITS
from vizapp.ui import drawers, early, examples, glossary, gradio_words, heartbeat, incoming, link, textbook, views
from vizapp.ui.chooser import gallery, lesson_buttons, photo_paths, picture_input
from vizapp.ui.languages import in_every_language
from vizapp.ui.model_field import TYPING, model_field, recent_models, waiting
from vizapp.ui.own_weights import weights_button
from vizapp.ui.page_events import Controls, Stage, connect, first_of
from vizapp.ui.photo_offer import Offer
from vizapp.ui.programs import events as programs
from vizapp.ui.programs.endpoints import Endpoints
from vizapp.ui.retry import Again
from vizapp.ui.server import folder
from vizapp.ui.server.malformed_events import refuse_stray
from vizapp.ui.server.ssrf import fetch_nothing
from vizapp.ui.server.start import launch as launch  # a page is built here and started there
from vizapp.ui.session import AS_TRAINED, Session
from vizapp.ui.views import Tab
from vizapp.ui.words import DEFAULT, Words, words_for


def open_session(model: str, *, device: str | None = None, public: bool = False) -> Session:
    """Make the session that all pages of a process share; `model` is among the offered ones."""
    listed = pipeline.model_names()
    offered = list(listed) if model in listed else [model, *listed]
    files = folder.current()
    session = Session(offered, str(files.path), device, public)
    files.spare(session.sources)
    return session


def build(model: str, *, device: str | None = None, public: bool = False) -> gr.Blocks:
    """Build the page in every language, with `model` chosen. A `public` page offers listed models only, and reads no path."""
    textbook.chapters()  # an unreadable chapter ends the start in words; otherwise each visit would be a server error
    files = folder.current()
    files.caps = folder.PUBLIC if public else files.caps
    session = open_session(model, device=device, public=public)
    openings: dict[str, early.Opening] = {}
    page = in_every_language(lambda words: page_of(words, model, session, openings))
    page.vizapp_session = session
    early.offer(page, openings)
    programs.offer(page, Endpoints(session, model))
    files.serve(page)
    refuse_stray(page)
    if public:
        fetch_nothing(page, words_for(DEFAULT))
    return page


def page_of(words: Words, model: str, session: Session, openings: dict[str, early.Opening]) -> gr.Blocks:
    """Build the page in one language, and put its opening into `openings`. All languages share the session."""
    page_words = words["page"]
    first = examples.first(pipeline.load(model, session.device).subject, session.cache)
    with gr.Blocks(title=page_words["window"], analytics_enabled=False, fill_width=True) as page:
        gr.HTML(
            heading(words, model),
            elem_id="heading",
            js_on_load=TYPING + glossary.script() + drawers.script() + gradio_words.script(words),
        )
        with gr.Row(elem_id="columns"):
            with gr.Column(scale=0, elem_id="choose"):  # the tray below the stage
                drawers.plus(words)
                with gr.Column(elem_id="add", elem_classes="drawer"):
                    picture = picture_input(first, words)
                    picture.keep_in_cache.add(first)
                    where = page_words["kept_public" if session.public else "kept_home"]
                    gr.HTML(f"{incoming.pickers(words)}<p>{where} {link.forget(words)}</p>", elem_id="kept")
                link.shelf(words)
                photos = photo_paths(picture)
                with gr.Column(elem_id="shelf"):
                    shelves = [gallery(words, photos, picture)] if photos else []
                    lessons = lesson_buttons(words)
                with gr.Column(elem_id="model-box", elem_classes="drawer"):
                    name = model_field(session, words, model)
                    if not session.public:
                        weights_button(words, name)
                    remember = recent_models(words)
                    fit = gr.Dropdown(
                        [(page_words[f"fit_{way}"], way) for way in (AS_TRAINED, *FITS)],
                        value=AS_TRAINED,
                        label=page_words["fit"],
                        info=page_words["fit_help"],
                    )
            with gr.Column(scale=1, elem_id="look"):
                wait = waiting(session, words)
                again, told = Again(words, "look-again"), link.line(words, list(views.found()))
                offer = Offer(session, words)
                tabs, panes, refusals = tabs_of(session, words)
                incoming.strip(words, session.public)
        controls = Controls(picture, name, fit, lessons, shelves, photos, again, told, wait)
        stage = Stage(session, words, [tab for tab in tabs.values() if tab.is_stage], controls)
        session.start = start = stage.links.start
        openings[words.language] = early.Opening(
            words, heading(words, model, is_whole=False), first_of(session, tabs, start)
        )
        heartbeat.listen(page, session)
        looks = connect(page, stage, tabs, panes, refusals)
        offer.connect(looks, name)
        remember(looks, name)
    return page


def tabs_of(session: Session, words: Words) -> tuple[dict[str, Tab], dict[str, gr.Tab], dict[str, gr.HTML]]:
    """Add all tabs to the page. Returns, by name, each `Tab`, its place, and the element of its refusal."""
    tabs, panes, refusals = {}, {}, {}
    with gr.Tabs(elem_id="tabs"):
        for name, view in views.found().items():
            with gr.Tab(name, id=name) as panes[name]:
                refusal = gr.HTML("", elem_id=f"refusal-{name}", elem_classes="tab-refusal")  # first: see page.css
                tabs[name] = view.build(session, words)
                if tabs[name].follow and not tabs[name].is_stage:
                    refusals[name] = refusal
                else:
                    refusal.unrender()
            panes[name].label = tabs[name].title
    return tabs, panes, refusals


def heading(words: Words, model: str, is_whole: bool = True) -> str:
    """Make the HTML of title, model and glossary; unless `is_whole`, only the space that the glossary takes."""
    page = words["page"]
    helped = glossary.helped(words) if is_whole else "<details><summary>?</summary></details>"
    return f"<h1>{page['title']}</h1>{drawers.chip(words, model)}{helped}"
