"""Tells a client that asks for an answer again, or too late, that it is gone. Gradio would keep that connection open for ever."""

import json
from typing import Any

from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from vizapp.errors import VizError
from vizapp.ui.server.listeners import STREAM


def gone() -> VizError:
    """The error that such a client reads."""
    return VizError(
        "This answer is not here.",
        "Each answer is handed out once, to the first client, and is forgotten after a minute. Ask again.",
    )


class Once:
    """ASGI middleware inside Gradio's app: checks that an event still has an answer before Gradio streams it."""

    def __init__(self, app: ASGIApp, queue: Any) -> None:
        self.app, self.queue = app, queue
        self._taken = set[str]()  # events that an open stream is answering

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "").removeprefix(scope.get("root_path", ""))
        found = STREAM.fullmatch(path) if scope["type"] == "http" and scope["method"] == "GET" else None
        event = found["event"] if found else None
        if not event:
            return await self.app(scope, receive, send)
        if event in self._taken or not self._is_there(event):
            # Sent as an error event, as Gradio sends every other error on such a stream: a program needs one way to read it.
            said = f"event: error\ndata: {json.dumps({'error': str(gone())})}\n\n"
            return await Response(said, media_type="text/event-stream")(scope, receive, send)
        self._taken.add(event)
        try:
            await self.app(scope, receive, send)
        finally:
            self._taken.discard(event)

    def _is_there(self, event: str) -> bool:
        """Tell whether an event is running or its answer is waiting. Gradio forgets the event as soon as the answer is sent."""
        kept, messages = self.queue.pending_event_ids_session, self.queue.pending_messages_per_session
        return any(event in events and session in messages for session, events in list(kept.items()))
