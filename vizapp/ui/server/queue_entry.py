"""Widens Gradio's queue so that it delays nobody: events wait for our processor instead, in a limited number of places.

Gradio gives each running event a thread, and an event that waits for the processor sleeps in it. So there are as many threads
as events may wait, and `SPARE` more for events that do not wait. A flood of events beyond that is refused.
"""

import os
import time
from collections import OrderedDict
from typing import Any

import gradio as gr
from starlette.exceptions import HTTPException

from vizapp.ui.languages import words_of
from vizapp.ui.limits import TURNED_AWAY, Full, Limits
from vizapp.ui.server.listeners import LISTENERS
from vizapp.ui.server.sessions import refuse_long

SPARE = 48  # threads for events that are answered at once
THREADS = Limits().most + SPARE
FLOOD = 256  # events without a thread: more than honest visitors ever leave waiting
KEEP = 60.0  # seconds that an answer is kept for a session without a listener


def widen(page: gr.Blocks) -> None:
    """Prepare the queue of a page. Call it before the launch."""
    # Gradio recomputes its analytics over a table of up to 10,000 events after each event.
    os.environ["GRADIO_ANALYTICS_MAX_EVENTS"], os.environ["GRADIO_ANALYTICS_CACHE_FREQUENCY"] = "1", str(10**9)
    queue: Any = page._queue  # `Blocks` makes it without a limit of length
    # At 2000 sessions Gradio would drop the oldest, even if somebody listens to it. `_forget` frees the others instead.
    queue.pending_messages_per_session.max_size = 10**6
    push, seen = queue.push, OrderedDict[str, float]()

    async def pushed(body: Any, request: Any, username: str | None) -> Any:
        refuse_long(body.session_hash)  # before its name is stored anywhere
        if len(queue) >= FLOOD:
            why = Full("Too many visitors come at once.", "Try again in a minute.")
            TURNED_AWAY.keep(body.session_hash or "", why)
            # 429 rather than Gradio's status for a full queue: for that one its client shows its own sentence, in English.
            raise HTTPException(429, words_of(page.fns.get(body.fn_index)).explain(why))
        found = await push(body=body, request=request, username=username)
        seen[body.session_hash] = time.monotonic()
        seen.move_to_end(body.session_hash)
        _forget(queue, seen)
        return found

    queue.push = pushed


def _forget(queue: Any, seen: OrderedDict[str, float]) -> None:
    """Drop answers that nobody fetched within `KEEP` seconds. Gradio would keep them."""
    now = time.monotonic()
    while seen:
        session, since = next(iter(seen.items()))
        if now - since < KEEP:
            return
        del seen[session]
        events = queue.pending_event_ids_session.get(session, ())
        if LISTENERS.has(session, *events) or any(one in queue.event_ids_to_events for one in events):
            seen[session] = now
        else:
            queue.pending_messages_per_session.pop(session, None)
            queue.pending_event_ids_session.pop(session, None)
