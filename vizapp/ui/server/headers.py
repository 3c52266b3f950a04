"""What every answer tells the browser besides itself: what the page may load, run and send, and who may frame it."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import parse_qs

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

# Gradio starts from scripts in its page and makes functions of strings (`js_on_load`), so scripts cannot be told apart here:
# what is escaped where it is written keeps strangers' scripts out. What this holds is the rest: nothing is loaded from, or sent
# to, another server, whatever runs; no plug-ins, no other base address, no form that leads elsewhere.
CONTENT = {
    "default-src": "'self'",
    "script-src": "'self' 'unsafe-inline' 'unsafe-eval' 'wasm-unsafe-eval' blob:",
    "style-src": "'self' 'unsafe-inline'",
    "img-src": "'self' blob: data:",
    "media-src": "'self' blob: data:",
    "font-src": "'self' data:",
    "worker-src": "'self' blob:",
    "connect-src": "'self' blob: data:",
    "object-src": "'none'",
    "base-uri": "'self'",
    "form-action": "'self'",
}


def policy(is_framed_anywhere: bool) -> str:
    """The Content-Security-Policy of an answer."""
    # "*" means http and https; a notebook in an editor is a page of a scheme of its own.
    frames = "* vscode-webview:" if is_framed_anywhere else "'self'"
    return "; ".join(f"{name} {value}" for name, value in {**CONTENT, "frame-ancestors": frames}.items())


@dataclass(frozen=True)
class Headers:
    """Puts the headers on every answer, errors and refusals included.

    framed  other pages may frame this one, as a Space's or a notebook's do; else only where `?embed=1` asks for it
    """

    app: ASGIApp
    framed: bool = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        asked = parse_qs(scope["query_string"].decode("latin-1")).get("embed")

        async def told(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers["Content-Security-Policy"] = policy(self.framed or asked == ["1"])
                headers["X-Content-Type-Options"] = "nosniff"
                headers["Referrer-Policy"] = "same-origin"
            await send(message)

        await self.app(scope, receive, told)
