"""Calls that no page makes: values that a component cannot hold, events without a function. A line each, and no traceback.

Gradio prints a traceback for each, as for a slip of the program: a stranger could fill the log with them. What one of our own
functions raises is still printed whole.
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
from vizapp.ui.shown import shown
from vizapp.ui.terminal import tell
from vizapp.ui.words import Words


def refuse_stray(page: gr.Blocks, words: Words) -> None:
    """Let all events of a page refuse such calls in words."""
    take, call, tell = page.preprocess_data, page.call_function, page._queue.send_message

    async def taken(*given: Any, **named: Any) -> Any:
        try:
            return await take(*given, **named)
        except gr.Error as error:
            if error.print_exception:  # Gradio's own, of a choice that is not in a list
                _note(error)
                error.print_exception = False
            raise
        except Exception as error:
            _note(error)
            raise refusal(words) from None

    async def called(event: Any, *given: Any, **named: Any) -> Any:
        if event.fn is None:
            raise refusal(words)
        return await call(event, *given, **named)

    def told(*given: Any, **named: Any) -> None:
        with suppress(KeyError):  # of a session that nobody listens to, such as ""
            tell(*given, **named)

    page.preprocess_data, page.call_function, page._queue.send_message = taken, called, told


async def unreadable(request: Request, error: Exception) -> JSONResponse:
    """The answer to a request that none of Gradio's routes understands: of events and components that there are not, say."""
    _note(error)
    return JSONResponse({"detail": "This request cannot be read."}, 422)


async def refused(request: Request, error: Exception) -> JSONResponse:
    """The answer to a request that was refused in words before Gradio's routes had read it to the end."""
    tell(error)
    return JSONResponse({"detail": str(error)}, 422)


async def unknown(request: Request, error: Exception) -> JSONResponse:
    """The answer to a call by a name that no event has."""
    _note(error)
    return JSONResponse({"detail": "There is no endpoint of this name. /gradio_api/info lists them."}, 404)


# By kind, as Gradio's routes raise them. FastAPI's own handler of the first quotes the body, and fails on NaN in it.
_KINDS = (RequestValidationError, LookupError, TypeError, ValueError, AttributeError)
HANDLERS = dict.fromkeys(_KINDS, unreadable) | {VizError: refused, FnIndexInferError: unknown}


def _note(error: Exception) -> None:
    said = str(error).strip().partition("\n")[0]
    tell(f"a call was not taken: {type(error).__name__}: {said[:200]!r}")


def refusal(words: Words) -> gr.Error:
    """What a call is answered that no page makes."""
    return shown(VizError("Nothing on this page asks for that.", "Reload the page."), words)
