"""What strangers send: how much, how many, how slowly, where it lies and what its names tell. Without a browser."""

import hashlib
import os
import shutil
import socket
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlparse

import httpx
import numpy as np
import pytest
from PIL import Image

from support.pictures import encoded
from support.serving import Server, serving
from support.waiting import patience, until
from vizapp.ui.server import bounds, folder
from vizapp.ui.server.folder import Folder
from vizapp.ui.server.ledger import Ages, Caps, Kept, Owner

MB = 2**20
TIGHT = replace(bounds.PUBLIC, file=2 * MB, files=4, upload=3 * MB, at_once=5 * MB, message=100_000, silence=5.0)


@pytest.fixture(scope="module")
def public(cache: Path, models: SimpleNamespace) -> Iterator[Server]:
    """A page for strangers that takes less than others, so that a test need not send as much."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bounds, "PUBLIC", TIGHT)
        with serving(models.registers, public=True) as running:
            yield running


@pytest.fixture
def files(public: Server) -> Folder:
    return folder.current()


def noise(seed: int = 0) -> bytes:
    return encoded(Image.fromarray(np.random.default_rng(seed).integers(0, 256, (40, 50, 3), dtype=np.uint8)))


def sizes(files: Folder) -> dict[Path, int]:
    found = {}
    for path in files.path.rglob("*"):
        with suppress(FileNotFoundError):  # the server deletes meanwhile
            if path.is_file():
                found[path] = path.stat().st_size
    return found


def post(public: Server, *contents: bytes, who: str = "") -> httpx.Response:
    parts = [("files", (f"{number}.png", content)) for number, content in enumerate(contents)]
    return public.http.post(f"{public.url}gradio_api/upload", files=parts, headers={"x-forwarded-for": who})


def test_many_files_in_one_request_are_refused_and_leave_nothing(public: Server, files: Folder) -> None:
    before = sizes(files)
    answer = post(public, *[b"x" * 100] * 900)
    assert (answer.status_code, answer.text) == (413, "At most 4 files can be uploaded at once.")
    assert sizes(files) == before
    assert post(public, *[b"y" * 100] * 4).status_code == 200


def test_an_address_has_a_share_of_the_disk(public: Server, files: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """12 x 19 MB in a second, of everybody's disk: now the sender's own older ones go, and others' stay."""
    monkeypatch.setattr(files, "caps", Caps(total=10**9, visitor=5 * MB, files=1000))
    alice, bob = "8.8.8.8", "9.9.9.9"  # not from here: the maps that other tests have asked for are on that account

    def owned(who: str) -> list[Kept]:
        return [one for one in list(files._ledger.files.values()) if Owner(who) in one.owners]

    hers = post(public, noise(1), who=alice).json()[0]
    sent = [post(public, bytes([number]) * MB + os.urandom(8), who=bob).json()[0] for number in range(12)]
    assert sum(one.size for one in owned(bob)) <= 5 * MB
    assert [Path(path).exists() for path in sent] == [False] * 8 + [True] * 4
    assert Path(hers).exists()
    monkeypatch.setattr(files, "caps", Caps(total=10**9, visitor=10**9, files=10))
    for number in range(20):
        post(public, os.urandom(20 + number), who=bob)
    assert len(owned(bob)) <= 10


def look(public: Server, path: str, model: str, session: str) -> None:
    """As a page does it when a picture is chosen."""
    asked = {"data": [{"path": path}, model, "as_trained"], "session_hash": session}
    config = public.http.get(f"{public.url}config").json()
    asked["fn_index"] = next(one["id"] for one in config["dependencies"] if one["api_name"] == "look")
    public.http.post(f"{public.url}gradio_api/queue/join", json=asked).raise_for_status()
    with public.http.stream("GET", f"{public.url}gradio_api/queue/data?session_hash={session}") as events:
        said = next(line for line in events.iter_lines() if "process_completed" in line)
    assert '"success":true' in said, said


def test_what_is_on_a_stage_goes_last(
    public: Server, files: Folder, models: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "ages", Ages(rest=0))
    files.sweep()  # what other tests have left would go first
    monkeypatch.setattr(files, "ages", Ages(fresh=0))
    rested, staged = public.upload(noise(3), "rested.png"), public.upload(noise(2), "staged.png")
    for path in (rested, staged):
        look(public, path, models.registers, "somebody")
    assert Path(staged) in files._on_stage()
    assert Path(rested) not in files._on_stage()
    payload = files.put("filler", b"x" * 1000, ".bin")
    most = files._ledger.total - 1  # one is to go
    monkeypatch.setattr(files, "caps", Caps(total=most, visitor=10**9, files=1000))
    files.sweep()
    assert Path(staged).exists()
    assert not Path(rested).exists()
    assert payload.exists(), "the youngest"


def test_a_file_that_is_being_fetched_is_not_deleted(
    public: Server, files: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = bytes(20 * MB)  # more than lines hold by themselves: the server waits for us
    path = files.put("large", content, ".bin")
    monkeypatch.setattr(files, "ages", Ages(rest=0))
    with public.http.stream("GET", f"{public.url}gradio_api/file={path}") as answer:
        pieces = answer.iter_raw(1000)
        got = len(next(pieces))
        files.sweep()
        assert path.exists()
        got += sum(map(len, pieces))
    assert got == len(content)
    until(lambda: not files.sweep() and not path.exists())


def raw(public: Server, sent: bytes) -> socket.socket:
    """A line on which a part of an upload was sent."""
    line = socket.create_connection(("127.0.0.1", urlparse(public.url).port), timeout=patience())
    head = "POST /gradio_api/upload HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: multipart/form-data; boundary=b\r\n"
    part = b'--b\r\nContent-Disposition: form-data; name="files"; filename="a.png"\r\n\r\n' + sent
    line.sendall(head.encode() + b"Content-Length: 1000000\r\n\r\n" + part)
    return line


def test_an_upload_that_stops_half_way_ends_and_leaves_nothing(public: Server, files: Folder) -> None:
    before = sizes(files)
    with raw(public, bytes(300_000)) as line:
        until(lambda: sizes(files) != before)
        answer = b""
        while piece := line.recv(1000):
            answer += piece
        assert b" 408 " in answer
        assert b"did not arrive in time" in answer
    assert sizes(files) == before


def test_an_upload_whose_line_breaks_leaves_nothing(public: Server, files: Folder) -> None:
    before = sizes(files)
    line = raw(public, bytes(300_000))
    until(lambda: sizes(files) != before)
    line.close()
    until(lambda: sizes(files) == before)


def test_names_cannot_be_made_from_the_picture(public: Server, files: Folder, models: SimpleNamespace) -> None:
    """Nor can they be made from the maps, or from the seed in Gradio's installation: only this server has the key."""
    from gradio.utils import get_hash_seed

    picture = noise(5)
    path = public.upload(picture)
    answer = public.analyse(path, models.registers)
    payload = public.http.get(answer["file"]["url"]).content
    known = {
        hashlib.sha256(start + one).hexdigest()
        for one in (picture, payload)
        for start in (b"", get_hash_seed().encode())
    }
    assert not any(name in path + answer["file"]["path"] for name in known)
    assert answer["file"]["path"] == str(files.put("vizapp", payload, ".bin"))


def test_a_full_disk_is_said_on_the_page_and_in_the_terminal(
    public: Server, files: Folder, models: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = public.upload(noise(7))
    public.heard()
    real, usage = Path.write_bytes, shutil.disk_usage(files.path)

    def write_bytes(self: Path, data: bytes) -> int:
        if self.is_relative_to(files.path):
            raise OSError(28, "No space left on device")
        return real(self, data)

    monkeypatch.setattr(Path, "write_bytes", write_bytes)
    assert "no room left" in public.analyse(path, models.registers)["error"]
    assert "no room left" in public.heard()
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage._replace(free=1000))
    answer = post(public, noise(8))
    assert (answer.status_code, "no room left" in answer.text) == (507, True)
    assert "no room left" in public.heard()
    monkeypatch.undo()
    assert "file" in public.analyse(public.upload(noise(7)), models.registers)


def test_a_picture_and_its_maps_are_on_the_account_of_who_asked(
    files: Folder, public: Server, models: SimpleNamespace
) -> None:
    """Behind a proxy that names nobody, which any local address may be, each page has an account of its own."""
    path = files.put("nobody", b"x", ".bin")
    assert files._ledger.files[path].owners == set()
    answer: dict[str, Any] = public.analyse(public.upload(noise(9)), models.registers)
    assert files._ledger.files[Path(answer["file"]["path"])].owners == {Owner("127.0.0.1", is_visitor=False)}
    hers, alice = Path(public.upload(noise(21))), Owner("127.0.0.1", "alice", is_visitor=False)
    look(public, str(hers), models.registers, "alice")
    assert files._ledger.files[hers].owners == {alice}
    assert sum(alice in one.owners for one in list(files._ledger.files.values())) > 1, "what was made of it, too"
