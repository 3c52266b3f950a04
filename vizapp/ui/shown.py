"""An error as the page shows it."""

from __future__ import annotations

from html import escape

import gradio as gr

from vizapp.errors import VizError
from vizapp.ui.terminal import tell
from vizapp.ui.words import Words


def shown(error: VizError, words: Words) -> gr.Error:
    """The same error for the page, and one line in the terminal. What is on the page stays there.

    A toast is HTML, and an error quotes what was typed or sent.
    """
    tell(error)
    return gr.Error(escape(words.explain(error), quote=False), title="", duration=12, print_exception=False)
