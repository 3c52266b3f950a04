"""Answers /health and /ready, for programs that watch a server: is it alive, and should it get visitors?

The server listens only after its first model is loaded, so there is no answer before. /health says that the process answers.
/ready is 503 while the next visitor would be refused, and says why. `HEAD /`, which some watchers send, is answered at once.
"""

import shutil
from dataclasses import dataclass, field

from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from vizapp.ui.jobs import PROCESSOR, Processor

LEAST_DISK = 256 * 2**20  # bytes: a few uploads of 20 MB, and their maps


@dataclass(frozen=True)
class Health:
    """Answers /health, /ready and `HEAD /`, and passes everything else on.

    folder  where uploads and maps are kept
    """

    app: ASGIApp
    folder: str
    processor: Processor = field(default_factory=lambda: PROCESSOR)
    least_disk: int = LEAST_DISK

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] in ("GET", "HEAD"):
            path = scope["path"].removeprefix(scope.get("root_path", ""))
            if path in ("", "/") and scope["method"] == "HEAD":  # Gradio would build the whole page and discard it
                return await Response(media_type="text/html")(scope, receive, send)
            if path == "/health":
                return await JSONResponse({"alive": True})(scope, receive, send)
            if path == "/ready":
                why = self.reasons()
                answer = JSONResponse({"ready": not why, "why": why}, 503 if why else 200)
                return await answer(scope, receive, send)
        await self.app(scope, receive, send)

    def reasons(self) -> list[str]:
        """The reasons why the next visitor would be refused; empty if all is well."""
        found = [] if self.processor.has_room() else ["the queue is full"]
        try:
            is_full = shutil.disk_usage(self.folder).free < self.least_disk
        except OSError:
            return [*found, "the folder of uploads cannot be used"]
        return [*found, "the disk is full"] if is_full else found
