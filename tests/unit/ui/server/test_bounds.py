"""What a stranger may send: limits of what is on its way, asked of the middleware itself."""

import asyncio
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from gradio import processing_utils
from starlette.responses import FileResponse
from starlette.testclient import TestClient

from support.waiting import awaited
from vizapp.ui.server.bounds import HOME, UPLOAD, Bounded
from vizapp.ui.server.folder import Folder


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Folder]:
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path))
    monkeypatch.setattr(processing_utils, "hash_seed", b"")  # `Bounded` sets it, for good
    folder = Folder()
    yield folder
    folder.close()


def test_what_one_address_uploads_at_once_is_bounded(files: Folder) -> None:
    """Not each upload alone, and not those of all addresses together, of which there may be five times as much."""

    async def takes(scope: Any, receive: Any, send: Any) -> None:
        while (await receive()).get("more_body"):
            pass
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"[]"})

    async def statuses() -> list[int]:
        bounded, ends = Bounded(takes, files, replace(HOME, at_once=1000, upload=800)), asyncio.Event()

        async def upload(address: str) -> int:
            told: list[Any] = []
            pieces = iter([b"x" * 600])

            async def receive() -> Any:
                if (piece := next(pieces, None)) is not None:
                    return {"type": "http.request", "body": piece, "more_body": True}
                await ends.wait()
                return {"type": "http.request", "body": b"", "more_body": False}

            async def send(message: Any) -> None:
                told.append(message)

            headers: list[Any] = []
            scope = {"type": "http", "method": "POST", "path": UPLOAD, "headers": headers, "client": (address, 1)}
            await bounded(scope, receive, send)
            return int(told[0]["status"])

        going = [asyncio.create_task(upload(one)) for one in ("9.9.9.1", "9.9.9.1", "9.9.9.2")]
        await asyncio.wait(going, return_when=asyncio.FIRST_COMPLETED)
        ends.set()
        return [*await asyncio.gather(*going)]

    assert awaited(statuses()) == [200, 503, 200]


def test_a_part_that_is_asked_for_later_does_not_bring_the_whole_file(files: Folder) -> None:
    """The time of a used file changes between two requests; its content, and so its tag, do not."""
    path = files.put("vizapp", bytes(range(200)), ".bin")

    async def serves(scope: Any, receive: Any, send: Any) -> None:
        await FileResponse(path)(scope, receive, send)

    client = TestClient(Bounded(serves, files))
    url = f"/gradio_api/file={path.as_posix()}"
    first = client.get(url, headers={"Range": "bytes=0-9"})
    assert (first.status_code, first.content) == (206, bytes(range(10)))
    os.utime(path, (1, 1))
    later = client.get(url, headers={"Range": "bytes=10-19", "If-Range": first.headers["etag"]})
    assert (later.status_code, later.content) == (206, bytes(range(10, 20)))
    assert later.headers["etag"] == first.headers["etag"]
    other = client.get(url, headers={"Range": "bytes=10-19", "If-Range": '"of another file"'})
    assert other.status_code == 200, "parts of two files are not put together"
