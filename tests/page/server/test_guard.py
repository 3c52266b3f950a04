"""Where to listen, who may ask, by which names, what is closed, and that a public server fetches nothing."""

import socket
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler
from typing import Any

import gradio as gr
import httpx
import pytest
from PIL import Image
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocketDisconnect

from support.hub import answering
from support.pictures import encoded
from support.serving import Server
from support.together import together
from vizapp.cli import main
from vizapp.errors import VizError
from vizapp.ui.server import address
from vizapp.ui.server.address import free_port, host_of, own_address, port_of
from vizapp.ui.server.guard import Guard, Hosts
from vizapp.ui.server.start import launch

HOME = {
    "localhost": 200, "localhost:7860": 200, "127.0.0.1:1": 200, "[::1]:7860": 200, "LOCALHOST": 200,
    "evil.example": 403, "evil.example:7860": 403, "localhost.evil.example": 403, "localhost@evil.example": 403,
    "evil.example@localhost": 403, "localhost.": 403, "127.0.0.1.evil.example": 403, "[::2]": 403, "": 403,
}  # fmt: skip


@together(("host", "wanted"), HOME.items())
def test_a_server_on_loopback_answers_to_this_computers_names(server: Server, host: str, wanted: int) -> None:
    """DNS rebinding: a page of evil.example, whose name has come to mean 127.0.0.1, says its own name as Host."""
    for path in ("", "config", "gradio_api/info", "health"):
        assert server.http.head(f"{server.url}config", headers={"Host": host}).status_code in (wanted, 405)
        assert server.http.get(server.url + path, headers={"Host": host}).status_code == wanted


@together(
    ("origin", "wanted"),
    [
        ("http://localhost:8888", 200),
        ("https://127.0.0.1", 200),
        ("http://[::1]:7860", 200),
        ("http://evil.example", 403),
        ("http://localhost.evil.example", 403),
        ("http://evil.example/localhost", 403),
        ("null", 403),
        ("file://localhost", 403),
    ],
)
def test_pages_of_other_servers_are_refused(server: Server, origin: str, wanted: int) -> None:
    asked = {"Origin": origin, "Access-Control-Request-Method": "POST"}
    answer = server.http.post(
        f"{server.url}gradio_api/call/analyse", headers=asked, json={"data": [None, "toy", "crop"]}
    )
    assert answer.status_code == wanted
    assert server.http.options(f"{server.url}gradio_api/upload", headers=asked).status_code == wanted


@together(
    ("listening", "allowed", "environ", "taken", "refused"),
    [
        ("127.0.0.1", (), {}, "localhost", "viz.example.org"),
        ("::1", (), {}, "[::1]:80", "viz.example.org"),
        ("localhost", (), {}, "127.0.0.1:7860", "viz.example.org"),
        ("127.0.0.7", (), {}, "127.0.0.7:7860", "127.0.0.8"),
        ("127.0.0.1", ("Viz.example.org",), {}, "viz.example.org:443", "other.example.org"),  # a proxy that keeps names
        ("0.0.0.0", (), {}, "viz.example.org", None),  # a Space, a container, the local network: any name may be ours
        ("0.0.0.0", ("viz.example.org",), {}, "viz.example.org", "10.0.0.7"),
        ("127.0.0.1", (), {"COLAB_RELEASE_TAG": "x"}, "m-s-1abc.colab-user-runtimes.internal", None),
        ("127.0.0.1", (), {"JUPYTERHUB_API_URL": "x"}, "hub.example.org", None),  # .../user/me/proxy/7860/
        ("127.0.0.1", (), {"JPY_PARENT_PID": "1"}, "localhost:8888", "evil.example"),  # Jupyter on one's own computer
    ],
)
def test_every_way_to_be_reached(
    listening: str, allowed: tuple[str, ...], environ: Mapping[str, str], taken: str, refused: str | None
) -> None:
    hosts = Hosts.of(listening, allowed, environ)
    assert hosts.takes(taken)
    assert refused is None or not hosts.takes(refused)
    assert hosts.takes("localhost:7860"), "those who look after a server ask from beside it"


def test_a_public_link_answers_to_its_name(small: gr.Blocks, monkeypatch: pytest.MonkeyPatch) -> None:
    """`--share`: the tunnel ends on loopback and keeps the name of the link."""
    monkeypatch.setattr("gradio.networking.setup_tunnel", lambda **told: "https://abc.gradio.live")
    assert launch(small, host="127.0.0.1", share=True) == "https://abc.gradio.live"
    for name, wanted in {"abc.gradio.live": 200, "other.gradio.live": 403}.items():
        asked = {"Host": name, "Origin": f"https://{name}"}
        assert httpx.get(f"{small.local_url}config", headers=asked).status_code == wanted


def test_servers_for_the_network_answer_to_any_name_and_web_sockets_are_refused(small: gr.Blocks) -> None:
    port = httpx.URL(launch(small, host="0.0.0.0")).port
    asked = {"Host": "viz.example.org", "Origin": "https://viz.example.org"}
    assert httpx.get(f"http://127.0.0.1:{port}/config", headers=asked).status_code == 200
    # Whatever the app below would do with it: pages of other servers may open one, and no browser asks before.

    async def open_to_all(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "websocket.accept"})

    with pytest.raises(WebSocketDisconnect), TestClient(Guard(open_to_all)).websocket_connect("/"):
        pass


def test_what_the_page_does_not_need_is_closed(server: Server, public: Server) -> None:
    """Gradio would fetch the address, ask another site in our name, write a file, or tell how many were here."""
    for one in (server, public):
        for path in (
            "gradio_api/file=http://127.0.0.1:1/x", "gradio_api/file=%68ttps://127.0.0.1:1/x", "gradio_api/file/http://x",
            "gradio_api/proxy=https://x.hf.space/", "gradio_api/run-history/buckets", "gradio_api/runs", "monitoring",
            "monitoring/summary", "gradio_api/deep_link?session_hash=x", "gradio_api/vibe-code",
            "gradio_api/stream/a/1/2/playlist.m3u8",
        ):  # fmt: skip
            assert one.http.get(one.url + path).text == "Not Found\n", path
        assert one.http.post(f"{one.url}gradio_api/process_recording").status_code == 404


def test_nothing_runs_before_the_guard_stands(small: gr.Blocks, monkeypatch: pytest.MonkeyPatch) -> None:
    """Gradio's own middleware stands outside of what FastAPI is given; the guard must stand outside of that."""
    seen: list[Any] = []
    monkeypatch.setattr("vizapp.ui.server.guard.Guard._refusal", lambda self, scope: seen.append(scope["path"]))
    launch(small, host="127.0.0.1")
    assert seen[0].startswith("/gradio_api/startup-events")


@pytest.mark.parametrize(
    ("space", "set_to", "typed", "found"),
    [
        ("somebody/vizapp", "seven", "", "seven"),
        ("somebody/vizapp", "70000", "--port 99999", "70000"),  # a Space listens where it is told to
        ("", "70000", "", "70000"),
        ("", "70000", "--port 99999", "99999"),
    ],
)
def test_the_port_of_gradios_variable_is_heeded(
    capsys: Any, monkeypatch: pytest.MonkeyPatch, space: str, set_to: str, typed: str, found: str
) -> None:
    if space:
        monkeypatch.setenv("SPACE_ID", space)
    monkeypatch.setenv("GRADIO_SERVER_PORT", set_to)
    assert main(["serve", *typed.split()]) == 2
    assert f"'{found}' is no port" in capsys.readouterr().err


def test_that_it_starts_is_said_before_anything_is_loaded(capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr("vizapp.ui.server.folder.current", lambda: said.append(capsys.readouterr().out) or 1 / 0)
    with pytest.raises(ZeroDivisionError):
        main(["serve", "--no-browser"])
    assert said == ["vizapp: starting ...\n"]


def test_a_port_in_use_is_said(capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        found = free_port("127.0.0.1", port)
        assert found > port
        assert f"port {port} is taken, using {found}" in capsys.readouterr().out
        with pytest.raises(VizError, match=rf"^Port {port} of 127.0.0.1 is taken\."):
            free_port("127.0.0.1", port, only=True)
        monkeypatch.setattr(address, "PORTS", range(1, port + 1))  # the last port of all may be somebody else's
        with pytest.raises(VizError, match=rf"^No port from {port} to {port} is free"):
            free_port("127.0.0.1", port)


def test_what_is_right_is_taken() -> None:
    assert (port_of("7860"), host_of("Viz.example.org"), host_of("[::1]")) == (7860, "viz.example.org", "::1")
    assert [own_address(one) for one in ("127.0.0.1", "0.0.0.0", "localhost")] == ["127.0.0.1", "0.0.0.0", "localhost"]
    if socket.has_ipv6:
        assert own_address("[::1]") == own_address("::1") == "::1"


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

    monkeypatch.setattr("gradio.processing_utils.PUBLIC_HOSTNAME_WHITELIST", ["127.0.0.1"])
    with answering(Site) as url:
        yield url, asked


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
