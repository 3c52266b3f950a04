"""A public server fetches nothing that a stranger names: a web server beside it counts who asks."""

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import httpx
import pytest
from PIL import Image

from support.pictures import encoded
from support.serving import Server


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, list[str]]]:
    """(address, what was asked of it). Gradio takes it for a site of the open net, as it would any but a private address."""
    asked: list[str] = []

    class Site(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            is_moved = self.path.startswith("/moved")
            self.send_response(302 if is_moved else 200)
            if is_moved:
                self.send_header("Location", "/picture.png")
            self.end_headers()
            if not is_moved:
                self.wfile.write(encoded(Image.new("RGB", (32, 32))))

        do_HEAD = do_GET

        def log_message(self, *args: Any) -> None:
            """Nothing."""

    site = ThreadingHTTPServer(("127.0.0.1", 0), Site)
    Thread(target=site.serve_forever, daemon=True).start()
    monkeypatch.setattr("gradio.processing_utils.PUBLIC_HOSTNAME_WHITELIST", ["127.0.0.1"])
    yield f"http://127.0.0.1:{site.server_port}", asked
    site.shutdown()
    site.server_close()


def test_at_home_an_address_is_fetched(server: Server, models: Any, elsewhere: tuple[str, list[str]]) -> None:
    """Which shows that the counting works: this is what a program on one's own computer may want."""
    address, asked = elsewhere
    assert "file" in server.analyse(f"{address}/moved.png", models.registers)
    assert asked == ["/moved.png", "/picture.png"]


def test_in_public_nothing_is_fetched(public: Server, elsewhere: tuple[str, list[str]]) -> None:
    """Wherever a file may stand in what the API takes: as the picture, in place of a name, deep inside something else."""
    address, asked = elsewhere
    for url in (f"{address}/picture.png", f"{address}/moved.png", f"https{address[4:]}/picture.png"):
        assert "not fetched from addresses" in str(public.analyse(url, "toy"))
        file = {"path": url, "url": url, "meta": {"_type": "gradio.FileData"}}
        for data in (
            [file, "toy", "crop"],
            [None, file, "crop"],
            [None, "toy", file],
            [None, [{"deep": file}], "crop"],
        ):
            said = public.http.post(f"{public.url}gradio_api/call/analyse", json={"data": data}).json()
            public.http.get(f"{public.url}gradio_api/call/analyse/{said['event_id']}")
            public.http.post(f"{public.url}gradio_api/run/analyse", json={"data": data})
        for number in range(12):  # what the page itself calls, by number
            asking = {"fn_index": number, "data": [file] * 8, "session_hash": "abc"}
            public.http.post(f"{public.url}gradio_api/run/predict", json=asking)
        asking = {"data": [file], "component_id": 1, "fn_name": "ask", "session_hash": "abc"}
        httpx.post(f"{public.url}gradio_api/component_server", json=asking)  # of its own: an error ends the connection
        for door in ("file=", "file/", "proxy="):
            httpx.get(f"{public.url}gradio_api/{door}{url}")
    assert asked == []


def test_in_public_an_upload_is_still_looked_at(public: Server) -> None:
    assert public.payload(encoded(Image.new("RGB", (32, 32), "teal")), "toy")
