"""An error as the page shows it."""

from html import escape

import gradio as gr

from vizapp.errors import VizError
from vizapp.ui.terminal import tell
from vizapp.ui.words import Words


def shown(error: VizError, words: Words) -> gr.Error:
    """Convert an error for the page, and write one line to the terminal. The page keeps its content.

    A toast is HTML, and an error quotes input, so it is escaped. Without a title Gradio writes "Error", in English.
    """
    tell(error)
    said, title = escape(words.explain(error), quote=False), words["page"]["error_title"]
    return gr.Error(said, title=title, duration=12, print_exception=False)
