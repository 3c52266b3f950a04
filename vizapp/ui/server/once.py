"""An answer is handed out once: who comes for it again, or too late, is told so. Gradio would hold their line for ever."""

from __future__ import annotations

import json
from typing import Any

from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from vizapp.errors import VizError
from vizapp.ui.server.listeners import STREAM


def gone() -> VizError:
    """What they read."""
    return VizError(
        "This answer is not here.",
        "Each is handed out once, to whoever comes first, and is forgotten after a minute. Ask again.",
    )


class Once:
    """ASGI middleware inside of Gradio's app: looks whether an event still has its answer before Gradio streams it."""

    def __init__(self, app: ASGIApp, queue: Any) -> None:
        self.app, self.queue = app, queue
        self._taken = set[str]()  # by a stream that is open

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "").removeprefix(scope.get("root_path", ""))
        found = STREAM.fullmatch(path) if scope["type"] == "http" and scope["method"] == "GET" else None
        event = found["event"] if found else None
        if not event:
            return await self.app(scope, receive, send)
        if event in self._taken or not self._is_there(event):
            # As every other error comes on such a stream, so that a program has one way to read it.
            said = f"event: error\ndata: {json.dumps({'error': str(gone())})}\n\n"
            return await Response(said, media_type="text/event-stream")(scope, receive, send)
        self._taken.add(event)
        try:
            await self.app(scope, receive, send)
        finally:
            self._taken.discard(event)

    def _is_there(self, event: str) -> bool:
        """Is it on its way, or waiting to be fetched? Gradio forgets the event as soon as its answer is sent."""
        kept, messages = self.queue.pending_event_ids_session, self.queue.pending_messages_per_session
        return any(event in events and session in messages for session, events in list(kept.items()))
