"""Refuses calls that no page makes, such as values that a component cannot hold, with one line in the log and no traceback.

Gradio prints a traceback for each, as for a bug, so a stranger could fill the log with them. That of an error of our own
functions is still printed, but no line of it is longer than those of `tell`.
"""

import inspect
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, get_type_hints

import gradio as gr
from fastapi.exceptions import RequestValidationError
from gradio.processing_utils import check_all_files_in_cache
from gradio.route_utils import FnIndexInferError
from starlette.requests import Request
from starlette.responses import JSONResponse

from vizapp.errors import VizError
from vizapp.ui.errors import shown
from vizapp.ui.languages import language_of, words_of
from vizapp.ui.programs.arguments import check
from vizapp.ui.terminal import tell, tell_slip
from vizapp.ui.words import Words, words_for


def refuse_stray(page: gr.Blocks) -> None:
    """Let all events of a page refuse such calls, in the language of the page that the event belongs to."""
    take, call, process = page.preprocess_data, page.call_function, page.process_api
    tell = page._queue.send_message

    async def processed(block_fn: Any, *given: Any, event_data: Any = None, **named: Any) -> Any:
        try:
            check_all_files_in_cache(
                event_data and event_data._data
            )  # Gradio does that again, as a part of our function
        except Exception as error:
            _note(error)
            raise refusal(words_of(block_fn)) from None
        return await process(block_fn, *given, event_data=event_data, **named)

    async def taken(event: Any, *given: Any, **named: Any) -> Any:
        try:
            values = await take(event, *given, **named)
        except gr.Error as error:
            if error.print_exception:  # Gradio raised it, for a choice that is not in the list
                _note(error)
                error.print_exception = False
            raise
        except Exception as error:
            _note(error)
            raise refusal(words_of(event)) from None
        if event.fn is not None and event.api_visibility == "private":  # an endpoint for programs checks its own
            try:
                for (name, kind), part, value in zip(_declared(event.fn), event.inputs, values, strict=False):
                    if not isinstance(part, gr.State):  # the server's own
                        check(name, value, kind)
            except VizError as error:
                raise shown(error, words_of(event)) from None
        return values

    async def called(event: Any, *given: Any, **named: Any) -> Any:
        if event.fn is None:
            raise refusal(words_of(event))
        try:
            return await call(event, *given, **named)
        except gr.Error:
            raise
        except Exception:
            tell_slip()
            raise shown(VizError("The server failed to do this.", "Its terminal says why."), words_of(event)) from None

    def told(*given: Any, **named: Any) -> None:
        with suppress(KeyError):  # nobody listens to the session, as for the name ""
            tell(*given, **named)

    page.preprocess_data, page.call_function, page.process_api = taken, called, processed
    page._queue.send_message = told


def _declared(work: Callable[..., Any]) -> Iterator[tuple[str, Any]]:
    """The name and the type of each value that a page sends to an event's function; those of `*rest` without end."""
    kinds = get_type_hints(work)
    for name, one in inspect.signature(work).parameters.items():
        kind = kinds.get(name, Any)
        if inspect.isclass(kind) and issubclass(kind, gr.Request | gr.Progress | gr.EventData):
            continue  # Gradio's own
        yield name, kind
        while one.kind is one.VAR_POSITIONAL:
            yield name, kind


async def unreadable(request: Request, error: Exception) -> JSONResponse:
    """The answer to a request that no route of Gradio understands, for example for an event that does not exist."""
    _note(error)
    return JSONResponse({"detail": "This request cannot be read."}, 422)


async def refused(request: Request, error: Exception) -> JSONResponse:
    """The answer to a request that raised `VizError` while Gradio's routes were still reading it."""
    assert isinstance(error, VizError)  # HANDLERS maps only VizError to this function
    tell(error)
    return JSONResponse({"detail": words_for(language_of(request.headers, request.url.query)).explain(error)}, 422)


async def unknown(request: Request, error: Exception) -> JSONResponse:
    """The answer to a call by a name that no event has."""
    _note(error)
    return JSONResponse({"detail": "There is no endpoint of this name. /gradio_api/info lists them."}, 404)


# The errors that Gradio's routes raise on such requests. FastAPI's own handler of RequestValidationError quotes the body, and
# fails if it contains NaN.
_KINDS = (RequestValidationError, LookupError, TypeError, ValueError, AttributeError)
HANDLERS = dict.fromkeys(_KINDS, unreadable) | {VizError: refused, FnIndexInferError: unknown}


def _note(error: Exception) -> None:
    said = str(error).strip().partition("\n")[0]
    tell(f"a call was not taken: {type(error).__name__}: {said[:200]!r}")


def refusal(words: Words) -> gr.Error:
    """The error that answers a call which no page makes."""
    return shown(VizError("Nothing on this page asks for that.", "Reload the page."), words)
