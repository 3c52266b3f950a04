"""Who may ask: names in Host and Origin, in every way in which a server can be reached, and what is closed."""

from collections.abc import Mapping
from typing import Any

import gradio as gr
import httpx
import pytest
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocketDisconnect

from support.serving import Server
from support.together import together
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
    try:
        assert launch(small, host="127.0.0.1", share=True) == "https://abc.gradio.live"
        for name, wanted in {"abc.gradio.live": 200, "other.gradio.live": 403}.items():
            asked = {"Host": name, "Origin": f"https://{name}"}
            assert httpx.get(f"{small.local_url}config", headers=asked).status_code == wanted
    finally:
        small.close(verbose=False)


def test_servers_for_the_network_answer_to_any_name_and_web_sockets_are_refused(small: gr.Blocks) -> None:
    try:
        port = httpx.URL(launch(small, host="0.0.0.0")).port
        asked = {"Host": "viz.example.org", "Origin": "https://viz.example.org"}
        assert httpx.get(f"http://127.0.0.1:{port}/config", headers=asked).status_code == 200
    finally:
        small.close(verbose=False)
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
    try:
        launch(small, host="127.0.0.1")
        assert seen[0].startswith("/gradio_api/startup-events")
    finally:
        small.close(verbose=False)
