"""Pictures that come from outside: dropped or pasted anywhere on the page, one, several or a folder. See docs/pictures.md.

The browser does all of it: one picture is handed to the box of `chooser.picture_input`, as if it had been chosen there;
several make a film strip, of which one is uploaded when it is looked at.
"""

from __future__ import annotations

import json
from html import escape
from pathlib import Path
from typing import Any

import gradio as gr

from vizapp.ui.words import Words

FOLDER = Path(__file__).parent
BUNDLE = FOLDER / "bundle.js"  # made of the modules of this folder by `npm run build`, and committed
TELL = "(what, choice) => window.vizappIncoming[what]?.(choice)"  # as a tab's `tell`
STRIP = """
<div class="strip"><div class="strip-head"><span class="strip-count"></span><p class="strip-said" role="status"></p>
<button type="button" class="strip-close">\u00d7</button></div>
<div class="strip-row" role="listbox" aria-orientation="horizontal"></div></div>
"""


def strip(words: Words) -> Any:
    """Put the film strip into the page that is being built: below what is shown, and not there while there is nothing in it."""
    given = json.dumps(dict(words["incoming"]))
    mount = f"window.vizappIncoming.mount(element, {given});"
    return gr.HTML("", html_template=STRIP, js_on_load=mount, elem_id="strip", min_height=0)


def pickers(words: Words) -> str:
    """HTML of two buttons that choose several pictures, for those who cannot drop them."""
    said = words["incoming"]
    buttons = (("more-pictures", "several"), ("picture-folder", "folder"))
    made = (
        f'<button type="button" id="{name}" title="{escape(said[f"{key}_help"])}">{escape(said[key])}</button>'
        for name, key in buttons
    )
    return f'<span id="several">{" ".join(made)}</span>'


def head() -> str:
    """What stands in the head of the page: it is run before all that Gradio makes."""
    style = (FOLDER / "incoming.css").read_text("utf-8")
    return f"<style>\n{style}</style>\n<script>\n{BUNDLE.read_text('utf-8')}</script>\n"
