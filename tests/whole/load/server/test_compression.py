"""The page travels compressed to those who can read it, whole to the others; only what has its content in its name is kept."""

import asyncio
import gzip
import io
import re

import brotli
import pytest
from PIL import Image
from starlette.datastructures import Headers
from starlette.responses import HTMLResponse, PlainTextResponse, Response, StreamingResponse
from starlette.types import Message, Scope

from support.serving import Server
from support.together import together
from support.waiting import awaited
from vizapp.ui import examples
from vizapp.ui.server.compression import FOREVER, Smaller, coding_for

PAGE = "<p>patch</p>" * 500
READ = {"br": brotli.decompress, "gzip": gzip.decompress}


def answered(answer: Response, path: str = "/", accepts: str = "", method: str = "GET") -> tuple[Headers, bytes]:
    """Heads and body of what reaches the browser."""
    sent: list[Message] = []
    scope: Scope = {"type": "http", "method": method, "path": path, "headers": [(b"accept-encoding", accepts.encode())]}

    async def receive() -> Message:
        await asyncio.sleep(60)  # the browser stays
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        sent.append(message)

    async def asked() -> None:
        await Smaller(answer)(scope, receive, send)

    awaited(asked())
    assert [one["type"] for one in sent[:1]] == ["http.response.start"]
    return Headers(raw=sent[0]["headers"]), b"".join(one.get("body", b"") for one in sent[1:])


@pytest.mark.parametrize("coding", ["br", "gzip"])
def test_a_page_is_compressed_and_reads_the_same(coding: str) -> None:
    heads, body = answered(HTMLResponse(PAGE), accepts=coding)
    assert heads["content-encoding"] == coding
    assert heads["vary"] == "Accept-Encoding"
    assert int(heads["content-length"]) == len(body) < len(PAGE) / 5
    assert READ[coding](body).decode() == PAGE


def test_what_is_not_compressed_and_what_comes_in_pieces() -> None:
    pieces = StreamingResponse(iter([PAGE[:3000], PAGE[3000:]]), media_type="text/html")
    heads, body = answered(pieces, accepts="br")
    assert (heads["content-encoding"], READ["br"](body).decode()) == ("br", PAGE)
    for answer, accepts in (
        (HTMLResponse(PAGE), ""),
        (HTMLResponse(PAGE), "zstd, br;q=0"),
        (HTMLResponse("short"), "br"),
        (PlainTextResponse(PAGE), "br"),  # a stream of events is none that could wait for its end
        (HTMLResponse(PAGE, headers={"content-encoding": "x"}), "br"),
    ):
        heads, body = answered(answer, accepts=accepts)
        assert body == answer.body
        assert heads.get("content-encoding") in (None, "x")
        assert int(heads["content-length"]) == len(body)


@together(
    ("accepts", "coding"),
    [
        ("gzip, deflate, br", "br"),
        ("gzip;q=1.0", "gzip"),
        ("br; q=0, gzip", "gzip"),
        ("*", ""),
        ("identity", ""),
        ("", ""),
    ],
)
def test_which_coding(accepts: str, coding: str) -> None:
    assert coding_for(accepts) == coding


def test_photos_are_stamps_and_only_assets_that_are_there_are_kept(server: Server) -> None:
    assert answered(Response(b"x"), "/assets/a-1.js")[0]["cache-control"] == FOREVER
    assert "cache-control" not in answered(Response(b"x", 404), "/assets/a-1.js")[0]
    assert "cache-control" not in answered(Response(b"x"), "/theme.css")[0]
    config = server.http.get(server.url + "config").json()
    shelf = next(one["props"] for one in config["components"] if one["type"] == "dataset")
    shown = [server.http.get(sample[0]["url"]) for sample in shelf["samples"]]
    assert len(shown) == len(examples.photos()) > 0
    for answer in shown:
        with Image.open(io.BytesIO(answer.content)) as stamp:
            assert min(stamp.size) == examples.SHELF
        assert len(answer.content) < 20_000


def test_of_the_server(server: Server) -> None:
    whole = server.http.get(server.url, headers={"accept-encoding": "identity"})
    small = server.http.get(server.url, headers={"accept-encoding": "gzip, br"})
    assert small.headers["content-encoding"] == "br"
    assert small.text == whole.text
    assert int(small.headers["content-length"]) < len(whole.content) / 4
    assert small.headers["x-content-type-options"] == "nosniff"
    script = re.search(r'src="\./?(assets/[^"]+\.js)"', whole.text)
    assert script is not None
    assert server.http.get(server.url + script[1]).headers["cache-control"] == FOREVER
