"""The end of a visit to the page: a tab that is closed, and a browser that falls silent during a long run.

A closed tab closes its connections, and Gradio notices that at once (`unload`). If a laptop is shut, or a phone loses its
network, they go silent without closing, and the system may take many minutes to notice. So during a long run the page sends a
sign of life every few seconds (browser/page/sources/alive.js).
"""

import gradio as gr

from vizapp.ui.session import Session


def offer(page: gr.Blocks, session: Session) -> None:
    """Add both to a page that is built."""

    def page_alive(request: gr.Request) -> bool:
        session.hear(str(request.session_hash))
        return True

    def left(request: gr.Request) -> None:
        session.leave(str(request.session_hash))

    with page:
        gr.api(page_alive, api_name="page_alive", api_visibility="undocumented", queue=False)
        page.unload(left)
