"""Limits what a stranger may send: bytes, files, slowness. It also protects files from deletion while they are read.

Gradio alone accepts a thousand files of any total size in one request, and leaves a partial file behind when a connection
breaks.
"""

import asyncio
import json
import re
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from gradio import processing_utils
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from vizapp.errors import VizError
from vizapp.ui.languages import language_of
from vizapp.ui.server.disk_full import full, is_full
from vizapp.ui.server.folder import Folder
from vizapp.ui.server.visitor import owner_of
from vizapp.ui.terminal import tell
from vizapp.ui.words import words_for

MB = 2**20
PART = re.compile(rb"bytes=(\d{1,15}-\d{1,15})")
NAMED = re.compile(r".*-([0-9a-f]{64})\.\w+")  # as `Folder.put` names a file
UPLOAD = "/gradio_api/upload"  # the only route for files, compared whole: other routes may end like it


@dataclass(frozen=True)
class Limits:
    """The limits, each for one request unless it says otherwise.

    file      bytes of one file
    files     in one upload
    upload    bytes of one upload
    at_once   bytes of all running uploads of one address; all addresses together may have five times as many
    message   bytes of any other request
    lists     JSON lists and objects in such a request: Gradio copies each in the thread that serves everybody (2 to 6 s per MB)
    silence   seconds until the next piece must arrive, and the seconds that any request may take in all
    slowest   bytes a second that a request must keep up after that: 128 kbit/s, a phone with poor reception
    longest   seconds for the whole request
    """

    file: int = 400 * MB  # the weights of a ViT-B take 350
    files: int = 32
    upload: int = 400 * MB
    at_once: int = 800 * MB
    message: int = 4 * MB
    lists: int = 20_000
    silence: float = 20.0
    slowest: float = 16 * 2**10
    longest: float = 600.0


HOME = Limits()
PUBLIC = replace(HOME, file=20 * MB, files=8, upload=40 * MB, at_once=200 * MB, message=MB, longest=180.0)


class Refused(MultiPartException):
    """The request is refused. It is a `MultiPartException` because Gradio's parser deletes its partial files on that one."""

    def __init__(self, error: VizError, status: int) -> None:
        super().__init__(str(error))
        self.error, self.status = error, status


@dataclass
class Bounded:
    """The ASGI middleware: one for each page, alive as long as the server."""

    app: ASGIApp
    folder: Folder
    limits: Limits = HOME
    _on_their_way: Counter[str] = field(default_factory=Counter)  # address -> bytes

    def __post_init__(self) -> None:
        # Gradio names an uploaded file by its content and a seed stored in its installation. All containers of one image share
        # that seed, so the names could be guessed.
        processing_utils.hash_seed = self.folder.name(b"uploads").encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "").removeprefix(scope.get("root_path", ""))
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        asked = path.partition("/file=")[2] if scope["method"] in ("GET", "HEAD") else ""
        if asked:
            if self.folder.is_hidden(asked):
                return await PlainTextResponse("Not Found\n", 404)(scope, receive, send)
            tag = _tag_of(asked, self.folder)
            # In place: the access log reads the route from this scope.
            scope["headers"] = [*_plain(scope["headers"], tag)]
            send = _tagged(send, tag) if tag else send
        is_upload = path == UPLOAD and scope["method"] == "POST"
        with self.folder.reading(asked) if asked else nullcontext():
            await _Sent(self, scope, receive, send, is_upload).handle()


class _Sent:
    """One request while its body arrives."""

    def __init__(self, bounds: Bounded, scope: Scope, receive: Receive, send: Send, is_upload: bool) -> None:
        self.bounds, self.scope, self._receive, self._send = bounds, scope, receive, send
        self.limits, self.folder = bounds.limits, bounds.folder
        self.headers, self.is_upload = Headers(scope=scope), is_upload
        self.owner = owner_of((scope.get("client") or ("",))[0], self.headers)
        self.who = self.owner.address
        self.most = self.limits.upload if is_upload else self.limits.message
        self.taken, self.parts, self.lists, self.tail = 0, 0, 0, b""
        self.delimiter = _delimiter(self.headers.get("content-type", "")) if is_upload else None
        self.began = asyncio.get_running_loop().time()
        self.status, self.answer = 0, b""
        self.refused: Refused | None = None
        self.is_over = self.has_begun = False  # the body has arrived; the answer has begun

    async def handle(self) -> None:
        """Pass the request on piece by piece, and answer with a sentence if it is refused."""
        way = self.bounds._on_their_way
        try:
            said = self.headers.get("content-length", "")
            if said.isdigit() and int(said) > self.most:
                raise self._too_large()
            if self.is_upload:
                self._make_room(int(said) if said.isdigit() else 0)
            await self.bounds.app(self.scope, self.receive, self.send)
        except Refused as refused:
            self.refused = refused
        except RuntimeError as error:
            if not isinstance(error.__cause__, HTTPException):
                raise
            # Gradio notices an unknown session only after its answer has begun, and raises: end the answer empty.
            await self._send({"type": "http.response.body", "body": b"", "more_body": False})
        except OSError as error:
            if not is_full(error):
                raise
            self.refused = Refused(full(), 507)
        finally:
            if self.is_upload:
                way[self.who] -= self.taken
                way += Counter()  # drops the addresses that are at zero
                if not way:
                    self.folder.remove_parts()
        if self.refused and not self.has_begun:
            await self._say(self.refused)

    # ---- the request

    async def receive(self) -> Message:
        """The next piece of the body. Raises `Refused` if it is too late or too much."""
        if self.is_over:
            return await self._receive()
        if self.refused:
            raise self.refused
        try:
            message = await self._next()
            if message["type"] == "http.request":
                self._count(message.get("body", b""))
                self.is_over = not message.get("more_body", False)
            elif self.is_upload:
                raise Refused(VizError("The upload broke off."), 400)
        except Refused as refused:
            self.refused = refused
            raise
        return message

    async def _next(self) -> Message:
        limits, now = self.limits, asyncio.get_running_loop().time()
        due = self.began + min(limits.longest, max(limits.silence, self.taken / limits.slowest))
        try:
            return await asyncio.wait_for(self._receive(), max(min(limits.silence, due - now), 0.01))
        except TimeoutError:
            raise Refused(VizError("The request did not arrive in time.", "Try again."), 408) from None

    def _count(self, body: bytes) -> None:
        self.taken += len(body)
        if self.is_upload:
            self.bounds._on_their_way[self.who] += len(body)
        if self.taken > self.most:
            raise self._too_large()
        if not self.is_upload:
            self.lists += body.count(b"[") + body.count(b"{")
            if self.lists > self.limits.lists:
                raise Refused(VizError("A message may have {n} lists and objects at most.", n=self.limits.lists), 413)
            return
        way, most = self.bounds._on_their_way, self.limits.at_once
        if way[self.who] > most or way.total() > 5 * most:
            raise Refused(VizError("Too many files are being uploaded at once.", "Try again in a minute."), 503)
        if self.delimiter:
            seen = self.tail + body
            self.parts += seen.count(self.delimiter)
            self.tail = seen[len(seen) - len(self.delimiter) + 1 :] if len(self.delimiter) > 1 else b""
            if self.parts > self.limits.files + 1:  # one more delimiter ends the last part
                raise Refused(VizError("At most {n} files can be uploaded at once.", n=self.limits.files), 413)
        if shutil.disk_usage(self.folder.path).free < len(body) + MB:
            raise Refused(full(), 507)

    def _make_room(self, size: int) -> None:
        try:
            self.folder.make_room(size, self.owner)
        except VizError as error:
            raise Refused(error, 507) from None

    def _too_large(self) -> Refused:
        most = self.limits.file if self.is_upload else self.most
        return Refused(VizError("This is larger than the {mb} MB that are allowed here.", mb=most // MB), 413)

    # ---- the answer

    async def send(self, message: Message) -> None:
        """Pass the answer on, and note the files of an upload that succeeded."""
        if self.refused and not self.has_begun:
            return  # drop Gradio's own message: `handle` answers
        self.has_begun = True
        if self.is_upload and message["type"] == "http.response.start":
            self.status = message["status"]
        elif self.is_upload and message["type"] == "http.response.body" and self.status == 200:
            self.answer += message.get("body", b"")
            if not message.get("more_body", False):
                self._note()
        await self._send(message)

    def _note(self) -> None:
        try:
            for path in json.loads(self.answer):
                self.folder.note(Path(path), self.owner)
        except (ValueError, TypeError):
            tell("Gradio answers uploads in a way that is not known here")

    async def _say(self, refused: Refused) -> None:
        words = words_for(language_of(self.headers, self.scope.get("query_string", b"").decode("latin-1")))
        tell(refused.error)
        answer = PlainTextResponse(words.explain(refused.error), refused.status, {"connection": "close"})
        await answer(self.scope, self._receive, self._send)


def _plain(headers: Iterable[tuple[bytes, bytes]], tag: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The headers of a request for a file, without those that must not reach Gradio. `tag`: the file's own, if it has one."""
    for name, value in headers:
        if name == b"if-range" and tag and value == tag:
            continue  # it is still that file; Starlette, which knows another tag of it, would send the whole
        if name != b"range":
            yield name, value
        # Gradio answers a range request with all headers of the request, cookies included. HTTP ignores the extra space, but it
        # keeps Gradio from recognising the range, so Starlette answers it. The viewer asks for one range only; more are dropped.
        elif part := PART.fullmatch(value):
            yield name, b"bytes= " + part[1]


def _tag_of(path: str, folder: Folder) -> bytes:
    """The HTTP entity tag of a file that is named after its content; b"" for any other."""
    ours = folder.ours(path)
    found = NAMED.fullmatch(ours.name) if ours and ours.parent == folder.path else None
    return f'"{found[1]}"'.encode() if found else b""


def _tagged(send: Send, tag: bytes) -> Send:
    """Send an answer with the file's own tag.

    Starlette makes its tag from the time of the file, which changes while the file is used. A browser that comes back for
    another part would be sent the whole.
    """

    async def told(message: Message) -> None:
        if message["type"] == "http.response.start" and message["status"] in (200, 206):
            headers = [one for one in message["headers"] if one[0].lower() != b"etag"]
            message = {**message, "headers": [*headers, (b"etag", tag)]}
        await send(message)

    return told


def _delimiter(content_type: str) -> bytes | None:
    """The line that precedes each part of a form; None if the content type names no boundary."""
    from python_multipart.multipart import parse_options_header

    boundary: Any = parse_options_header(content_type)[1].get(b"boundary")
    return b"--" + boundary if boundary else None
