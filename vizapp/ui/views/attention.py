"""The tab "Attention": the viewer, and its data for a picture."""

from typing import Any

from vizapp.analysis import Request
from vizapp.core.capture.proof import known_proof
from vizapp.errors import VizError
from vizapp.ui.session import Session
from vizapp.ui.viewer.component import refused, value_of, viewer
from vizapp.ui.views import Tab
from vizapp.ui.words import Words

ORDER = 10
TELL = "(what, choice) => document.querySelector('.viz')?.viewer?.[what](choice)"


def build(session: Session, words: Words) -> Tab:
    """Add the viewer to the page."""
    stage = viewer(words)

    def follow(request: Request) -> tuple[Any, ...]:
        return (value_for(session, request, words),)

    return Tab(words["page"]["tab_attention"], follow, follows=[stage], is_stage=True, tell=TELL)


def value_for(session: Session, request: Request, words: Words) -> dict[str, Any]:
    """The viewer's value for a request: its maps, or why they must not be shown."""
    seen = session.analysis(request)
    assert seen.context is not None
    model = seen.context.model
    if (found := known_proof(model)) and (refusal := found.refusal(request.model)):
        return refused(refusal, words)
    try:
        seen.trace.layer(-1)
    except VizError as error:  # XCiT: no layers to draw; its class attention is available in Python
        return refused(error, words)
    lesson = session.lesson(request)
    # Its labels sound sure about any photograph: "face 88 %" for a cheetah.
    caution = words["page"]["caution_scenes"] if model.subject == "scenes" and lesson is None else ""
    return value_of(seen, model, session.analysis, (request,), words, lesson=lesson, caution=caution)
