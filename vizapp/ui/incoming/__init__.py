"""Takes pictures that are dropped or pasted anywhere on the page: one, several or a folder; and a camera's. See docs/pictures.md.

The browser does the work. It hands one picture to the box of `chooser.picture_input`, as if it had been chosen there. Several
make a film strip, and each is uploaded only when it is opened.
"""

import json
from html import escape
from pathlib import Path
from typing import Any

import gradio as gr

from vizapp.ui.words import Words

FOLDER = Path(__file__).parent
BUNDLE = FOLDER / "bundle.js"  # made of the modules of this folder by `npm run build`, and committed
TELL = "(what, choice) => window.vizappIncoming[what]?.(choice)"  # as a tab's `tell`
# The `js` of an event that chooses another picture: a frame of the camera that is on its way would replace it.
GIVE_WAY = "async (...chosen) => { await window.vizappIncoming.giveWay(); return chosen; }"
STRIP = """
<div class="strip"><div class="strip-head"><span class="strip-count"></span><p class="strip-said" role="status"></p>
<button type="button" class="strip-close">\u00d7</button></div>
<div class="live" hidden><video></video><span class="live-rate"></span><button type="button" class="live-freeze"></button>
<button type="button" class="live-stop"></button></div>
<div class="strip-row" role="listbox" aria-orientation="horizontal"></div></div>
"""


def strip(words: Words, public: bool) -> Any:
    """Add the film strip to the page that is being built, below the stage. It is hidden while it is empty."""
    given = json.dumps(dict(words["incoming"]))
    mount = f"window.vizappIncoming.mount(element, {given}, {json.dumps(public)});"
    return gr.HTML("", html_template=STRIP, js_on_load=mount, elem_id="strip", min_height=0)


def pickers(words: Words) -> str:
    """HTML of the buttons that choose pictures or start the camera, and of the other ways to bring one."""
    said = words["incoming"]
    buttons = (("pick-pictures", "upload"), ("pick-folder", "folder"), ("webcam", "webcam"))
    made = (
        f'<button type="button" id="{name}" title="{escape(said[f"{key}_help"])}">{escape(said[key])}</button>'
        for name, key in buttons
    )
    return f'<p id="pickers">{" ".join(made)}</p><p>{escape(said["anywhere"])}</p>'


def style() -> str:
    """The CSS of the film strip, and of what is said while something is dragged over the page."""
    return (FOLDER / "incoming.css").read_text("utf-8")


def head() -> str:
    """HTML for the head of the page, whose script runs before Gradio's."""
    return f"<style>\n{style()}</style>\n<script>\n{BUNDLE.read_text('utf-8')}</script>\n"
