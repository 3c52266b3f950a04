"""The way into Gradio's queue, which is to hold nobody up: what waits, waits for our processor, in places that are counted.

Gradio gives each event that is under way a thread. One that waits sleeps there; threads are as many as may wait, and some more
for everything that does not. Beyond that, a flood is stopped at the door.
"""

from __future__ import annotations

import os
import time
from collections import OrderedDict
from typing import Any

import gradio as gr

from vizapp.ui.limits import TURNED_AWAY, Full, Limits
from vizapp.ui.server.listeners import LISTENERS
from vizapp.ui.server.sessions import refuse_long

SPARE = 48  # threads for what is answered at once
THREADS = Limits().most + SPARE
FLOOD = 256  # events that have no thread yet: more than all visitors together would ever leave there
KEEP = 60.0  # seconds that an answer is kept for a session that nobody listens to


def widen(page: gr.Blocks) -> None:
    """Prepare the queue of a page that is about to be launched."""
    # Gradio would count its events in a table of up to 10,000 rows, anew after each of them.
    os.environ["GRADIO_ANALYTICS_MAX_EVENTS"], os.environ["GRADIO_ANALYTICS_CACHE_FREQUENCY"] = "1", str(10**9)
    queue: Any = page._queue  # of any length, as `Blocks` makes it
    queue.pending_messages_per_session.max_size = 10**6  # else the 2001st session would cut off the first: `_forget`
    push, seen = queue.push, OrderedDict[str, float]()

    async def pushed(body: Any, request: Any, username: str | None) -> Any:
        refuse_long(body.session_hash)  # before anything is kept of it
        if len(queue) >= FLOOD:
            why = Full("Too many visitors come at once.", "Try again in a minute.")
            TURNED_AWAY.keep(body.session_hash or "", why)
            return False, str(why), "queue_full"
        found = await push(body=body, request=request, username=username)
        seen[body.session_hash] = time.monotonic()
        seen.move_to_end(body.session_hash)
        _forget(queue, seen)
        return found

    queue.push = pushed


def _forget(queue: Any, seen: OrderedDict[str, float]) -> None:
    """Let go of answers that nobody has come for, which Gradio would keep."""
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
