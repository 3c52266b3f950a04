"""Calls that no page makes: values that a component cannot hold, events without a function. A line each, and no traceback.

Gradio prints a traceback for each, as for a slip of the program: a stranger could fill the log with them. What one of our own
functions raises is still printed whole.
"""

from __future__ import annotations

import sys
from typing import Any

import gradio as gr

from vizapp.errors import VizError
from vizapp.ui.shown import shown
from vizapp.ui.words import Words


def refuse_stray(page: gr.Blocks, words: Words) -> None:
    """Let all events of a page refuse such calls in words."""
    take, call = page.preprocess_data, page.call_function

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
            raise _refusal(words) from None

    async def called(event: Any, *given: Any, **named: Any) -> Any:
        if event.fn is None:
            raise _refusal(words)
        return await call(event, *given, **named)

    page.preprocess_data, page.call_function = taken, called


def _note(error: Exception) -> None:
    said = str(error).strip().partition("\n")[0]
    print(f"vizapp: a call was not taken: {type(error).__name__}: {said[:200]!r}", file=sys.stderr)


def _refusal(words: Words) -> gr.Error:
    return shown(VizError("Nothing on this page asks for that.", "Reload the page."), words)
