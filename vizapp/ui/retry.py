"""Lets the page wait where the queue is full: it says so, counts down, and asks again, each time after a longer pause."""

import json
from collections.abc import Callable, Sequence
from typing import Any
from uuid import uuid4

import gradio as gr

from vizapp.ui.errors import shown
from vizapp.ui.limits import TURNED_AWAY, Full
from vizapp.ui.words import Words

QUIETLY: dict[str, Any] = {"show_progress": "hidden", "queue": False, "api_visibility": "private"}
FIRST, LONGEST = 2, 30  # seconds of the first pause, and of the longest
# Pauses vary. Otherwise all visitors that a full queue has sent away would come back at the same moment.
COUNT = f"""
const line = () => element.querySelector("p");
let tries = 0, timer = 0, left = 0;
const stop = () => {{ clearInterval(timer); timer = 0; }};
const say = (text) => {{ line().textContent = text; }};
function begin() {{
  stop();
  if (!props.value) {{
    tries = 0;
    return say("");
  }}
  const told = JSON.parse(props.value);
  left = Math.ceil(Math.min({LONGEST}, {FIRST} * 1.7 ** tries++) * (0.75 + Math.random() / 2));
  say(told.later.replace("{{seconds}}", left));
  timer = setInterval(() => {{
    left -= 1;
    say(left > 0 ? told.later.replace("{{seconds}}", left) : told.now);
    if (left > 0) return;
    stop();
    trigger("again");
  }}, 1000);
}}
watch("value", begin);
begin();
"""


class Again:
    """The line on the page for one kind of request. It is empty while the queue has room."""

    def __init__(self, words: Words, elem_id: str) -> None:
        self._words = words
        self.line: Any = gr.HTML(
            "", html_template='<p role="status"></p>', js_on_load=COUNT, elem_id=elem_id, elem_classes="again"
        )

    def event(self, ask: Callable[..., Any], **how: Any) -> Any:
        """Make the event that calls `ask` again after a pause. Follow it like the events that asked first."""
        return self.line.again(ask, **how)

    def clear(self, event: Any) -> None:
        """Empty the line when an event has succeeded."""
        event.success(None, None, self.line, js="() => ''", **QUIETLY)

    def following(self, events: Sequence[Any], ask: Callable[..., Any], **how: Any) -> list[Any]:
        """Return the events that may meet a full queue, and the one that then asks again."""

        def told(asked: gr.Request) -> str:
            return self.told(asked.session_hash or "")

        every = [*events, self.event(ask, **how)]
        for one in every:
            self.clear(one)
            one.failure(told, None, self.line, **QUIETLY)
        return every

    def told(self, session: str) -> str:
        """Return the line for a session that was refused just now: "" if the queue was not full."""
        why = TURNED_AWAY.take(session)
        if why is None:
            return ""
        page = self._words["page"]
        later = page["again_later"].replace("{why}", self._words.translate(why.message))
        return json.dumps({"later": later, "now": page["again_now"], "new": uuid4().hex})


def turned_away(error: Full, session: str, words: Words) -> gr.Error:
    """Make the error for a program. The page need not show it, because its line says the same."""
    if not session:
        return shown(error, words)
    TURNED_AWAY.keep(session, error)
    quiet = shown(error, words)
    quiet.visible = False
    return quiet
