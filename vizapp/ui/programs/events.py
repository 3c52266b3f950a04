"""Offers the endpoints as named events of the page's server, for gradio_client and curl (docs/api.md)."""

import inspect
from collections.abc import Callable, Collection
from functools import wraps
from typing import Any, TypeVar

import gradio as gr
from gradio.context import LocalContext

from vizapp.errors import VizError
from vizapp.ui.programs.arguments import checked
from vizapp.ui.programs.caller import Caller, asked_by
from vizapp.ui.programs.endpoints import Answer, Endpoints, endpoints_of
from vizapp.ui.terminal import tell, tell_slip

Result = TypeVar("Result")


def offer(page: gr.Blocks, own: Endpoints) -> None:
    """Add the endpoints to a page that is built. They show nothing on it."""
    works = endpoints_of(own)
    with page:
        for work in works:
            gr.api(_event(page, work), api_name=work.__name__, concurrency_limit=None)
    prepare(page, [work.__name__ for work in works])


def answered(work: Callable[..., Answer], given: dict[str, Any], by: Caller) -> Answer:
    """Call an endpoint. Every error is raised as a `VizError` that a stranger may read."""
    with asked_by(by):
        return in_words(lambda: work(**checked(work, given)))


def in_words(work: Callable[[], Result]) -> Result:
    """Do the work. Every error goes to the terminal, and is raised as a `VizError` that a stranger may read."""
    try:
        return work()
    except VizError as error:
        tell(error)
        raise
    except Exception:  # a bug of ours, whose message may name files of this computer
        tell_slip()
        raise VizError("The server failed to do this.", "Its terminal says why.") from None


def _event(page: gr.Blocks, work: Callable[..., Answer]) -> Callable[..., Answer]:
    names = list(inspect.signature(work).parameters)

    @wraps(work)
    def event(*given: Any) -> Answer:
        asked = LocalContext.request.get(None)
        session = str(getattr(asked, "session_hash", None) or "")
        # A program has no page that needs its state, but Gradio would keep the last answer of ten thousand sessions.
        page.state_holder.session_data.pop(session, None)
        page.state_holder.time_last_used.pop(session, None)
        try:
            return answered(work, dict(zip(names, given, strict=False)), Caller(session))
        except VizError as error:
            raise gr.Error(str(error), title="", print_exception=False) from None

    return event


def prepare(page: gr.Blocks, names: Collection[str]) -> None:
    """Let calls leave out arguments at the end, and give files as plain paths, before Gradio checks them.

    Gradio's own clients fill arguments in, but curl does not. For a file that was not uploaded, Gradio only reports some error,
    and it would fetch a file that is an address; `picture_of` explains both.
    """
    validate = page.validate_inputs

    def prepared(event: Any, given: list[Any]) -> None:
        if event.api_name in names:
            given[:] = [one.get("path") if isinstance(one, dict) and "path" in one else one for one in given]
            given += [one.value for one in event.inputs[len(given) :]]
        validate(event, given)

    page.validate_inputs = prepared
