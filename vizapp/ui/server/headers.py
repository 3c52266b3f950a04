"""Sets the security headers of every answer: what the page may load, run and send, and who may frame it."""

from dataclasses import dataclass
from urllib.parse import parse_qs

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

# Gradio starts from inline scripts and evaluates strings (`js_on_load`), so this policy cannot block a stranger's script: the
# code that writes HTML keeps those out by escaping. The policy guards the rest. Whatever runs can neither load from nor send to
# another server, and the page has no plug-ins, no other base address and no form that leads elsewhere.
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
    # "*" covers http and https only, and a notebook in VS Code is a page of the scheme vscode-webview.
    frames = "* vscode-webview:" if is_framed_anywhere else "'self'"
    return "; ".join(f"{name} {value}" for name, value in {**CONTENT, "frame-ancestors": frames}.items())


@dataclass(frozen=True)
class Headers:
    """ASGI middleware: sets the headers on every answer, errors and refusals included.

    framed  whether other pages may frame this one, as a Space or a notebook does; otherwise only `?embed=1` allows it
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
