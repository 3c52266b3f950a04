"""ASGI middleware before Gradio that decides who may ask, and for what.

Every page that the owner's browser opens can reach a server on loopback: it can point its own host name to 127.0.0.1 (DNS
rebinding), and the browser then treats both as the same site. But its requests still carry that host name. So a server on
loopback answers only to the names of this computer and to those given by `--allow-host`.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from vizapp.ui.server.address import is_loopback, name_in

OURS = ("localhost", "127.0.0.1", "::1")
# A hosted notebook is reached through its own proxy, under a host name that we cannot know. No user's browser runs on that
# machine, so DNS rebinding is no danger there.
FAR_NOTEBOOKS = ("COLAB_RELEASE_TAG", "JUPYTERHUB_API_URL", "KAGGLE_KERNEL_RUN_TYPE")
ORIGIN = re.compile(r"https?://(.+)", re.IGNORECASE)
CONTROL = re.compile(r"[\x00-\x1f\x7f]")
LONGEST = 4096  # characters of a path and of a query: the longest path of a file (PATH_MAX)
# Session and upload names in addresses that are longer than any page's. `sessions` checks those in messages.
NAMES = re.compile(r"/heartbeat/[^/]{65}|[?&](?:session_hash|upload_id)=[^&]{65}")
# Routes of Gradio that this page never uses: fetching an address, keeping runs and links, streams, editing code, monitoring.
CLOSED = re.compile(
    r"(?:/gradio_api)?/(?:file=\s*https?:|file/|proxy=|run-history|runs|deep_link|process_recording|stream/|vibe-|undo-vibe-|dev/"
    r"|profiling|monitoring)",
    re.IGNORECASE,
)


@dataclass
class Hosts:
    """The host names that a server answers to, in lower case; None allows all."""

    names: set[str] | None

    @classmethod
    def of(cls, listening: str, allowed: Iterable[str] = (), environ: Mapping[str, str] = {}) -> "Hosts":
        """The names for a server that listens on the address `listening`, with the `allowed` ones of whoever started it."""
        further = {one.strip("[]").lower() for one in allowed}
        if not further and (not is_loopback(listening) or any(one in environ for one in FAR_NOTEBOOKS)):
            return cls(None)
        return cls({*OURS, *further, listening.strip("[]").lower()})

    def add(self, name: str) -> None:
        """Answer to one more name: that of a public link, which is known only after the launch."""
        if self.names is not None:
            self.names.add(name.lower())

    def takes(self, authority: str) -> bool:
        """Tell whether NAME, NAME:PORT or [ADDRESS]:PORT names this server."""
        return self.names is None or name_in(authority) in self.names


@dataclass(frozen=True)
class Guard:
    """Refuses requests under a foreign host name or from a page of another host, and requests for closed routes."""

    app: ASGIApp
    hosts: Hosts = field(default_factory=lambda: Hosts(None))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            return await self.app(scope, receive, send)
        if scope["type"] != "http":  # the page uses no web sockets
            return await send({"type": "websocket.close", "code": 1008})
        if refusal := self._refusal(scope):
            return await refusal(scope, receive, send)
        await self.app(scope, receive, send)

    def _refusal(self, scope: Scope) -> PlainTextResponse | None:
        said = {name: [v.decode("latin-1") for k, v in scope["headers"] if k == name] for name in (b"host", b"origin")}
        if self.hosts.names is not None:
            if not said[b"host"] or not all(map(self.hosts.takes, said[b"host"])):
                return PlainTextResponse(
                    "vizapp does not answer to this name. Behind a proxy, start it with --allow-host NAME, the name in the "
                    "browser's address.\n",
                    403,
                )
            origins = [ORIGIN.fullmatch(one) for one in said[b"origin"]]
            if not all(one and self.hosts.takes(one[1]) for one in origins):
                return PlainTextResponse("vizapp does not answer to pages of other servers.\n", 403)
        query = scope.get("query_string", b"").decode("latin-1")
        if max(len(scope["path"]), len(query)) > LONGEST or NAMES.search(f"{scope['path']}?{query}"):
            return PlainTextResponse("This address is too long.\n", 414)
        if CONTROL.search(scope["path"]):  # no address of ours has any, and Gradio fails on them mid-answer
            return PlainTextResponse("Not Found\n", 404)
        if CLOSED.match(scope["path"].removeprefix(scope.get("root_path", ""))):
            return PlainTextResponse("Not Found\n", 404)
        return None
