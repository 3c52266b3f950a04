"""Checks that the visitor is still there: during a long run, the browser sends a sign of life every few seconds.

A closed tab closes its connection, and Gradio notices that immediately (`page.unload`). If a laptop is shut, or a phone loses its
network, the connection goes silent without closing, and the system may take many minutes to notice.
"""

from typing import Any

import gradio as gr

from vizapp.ui.session import Session

SECONDS = 5  # between two signs of life; several may be lost before the silence counts

# In a background tab the browser slows the page's timers down to one tick a minute, which would look like silence. A worker's
# timers are not slowed down, and neither are its messages to the page, so a worker sets the pace.
BEAT = f"""
const tick = "setInterval(() => postMessage(0), {1000 * SECONDS})";
let runs = 0, stop = null;
const start = () => {{
  try {{
    const url = URL.createObjectURL(new Blob([tick], {{ type: "text/javascript" }}));
    const worker = new Worker(url);
    worker.onmessage = () => trigger("beat");
    return () => {{ worker.terminate(); URL.revokeObjectURL(url); }};
  }} catch {{
    const timer = setInterval(() => trigger("beat"), {1000 * SECONDS}); // where a policy allows no worker
    return () => clearInterval(timer);
  }}
}};
document.addEventListener("vizapp-run", ({{ detail }}) => {{
  runs = detail ? Math.max(0, runs + detail) : 0;
  if (runs && !stop) stop = start();
  else if (!runs && stop) stop = void stop();
}});
"""


def _telling(change: int) -> str:
    event = f'new CustomEvent("vizapp-run", {{ detail: {change} }})'
    return f"(...all) => {{ document.dispatchEvent({event}); return all; }}"


BEGIN = _telling(1)  # the `js` of the event that starts a long run,
END = _telling(-1)  # of the event that follows it, however it ended,
ABANDON = _telling(0)  # and of the event that stops all


def listen(page: gr.Blocks, session: Session) -> None:
    """Add the components of the heartbeat to the page."""

    def heard(request: gr.Request) -> None:
        session.hear(str(request.session_hash))

    def left(request: gr.Request) -> None:
        session.leave(str(request.session_hash))

    line: Any = gr.HTML("", elem_id="line", js_on_load=BEAT)
    line.beat(heard, None, None, queue=False, show_progress="hidden", api_visibility="private")
    page.unload(left)
