"""Refuses calls that no page makes, such as values that a component cannot hold, with one line in the log and no traceback.

Gradio prints a traceback for each, as for a bug, so a stranger could fill the log with them. Errors of our own functions are
still printed whole.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import gradio as gr
from fastapi.exceptions import RequestValidationError
from gradio.route_utils import FnIndexInferError
from starlette.requests import Request
from starlette.responses import JSONResponse

from vizapp.errors import VizError
from vizapp.ui.errors import shown
from vizapp.ui.languages import language_of, words_of
from vizapp.ui.terminal import tell
from vizapp.ui.words import Words, words_for


def refuse_stray(page: gr.Blocks) -> None:
    """Let all events of a page refuse such calls, in the language of the page that the event belongs to."""
    take, call, tell = page.preprocess_data, page.call_function, page._queue.send_message

    async def taken(event: Any, *given: Any, **named: Any) -> Any:
        try:
            return await take(event, *given, **named)
        except gr.Error as error:
            if error.print_exception:  # Gradio raised it, for a choice that is not in the list
                _note(error)
                error.print_exception = False
            raise
        except Exception as error:
            _note(error)
            raise refusal(words_of(event)) from None

    async def called(event: Any, *given: Any, **named: Any) -> Any:
        if event.fn is None:
            raise refusal(words_of(event))
        return await call(event, *given, **named)

    def told(*given: Any, **named: Any) -> None:
        with suppress(KeyError):  # nobody listens to the session, as for the name ""
            tell(*given, **named)

    page.preprocess_data, page.call_function, page._queue.send_message = taken, called, told


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
