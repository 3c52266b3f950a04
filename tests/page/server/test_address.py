"""Where to listen: what was typed, in words."""

import socket
from typing import Any

import pytest

from support.together import together
from vizapp.cli import main
from vizapp.errors import VizError
from vizapp.ui.server import address
from vizapp.ui.server.address import free_port, host_of, own_address, port_of


@together(
    ("options", "said"),
    [
        ("--port 70000", "'70000' is no port. Choose a number from 1024 to 65535"),
        ("--port 0", "'0' is no port"),
        ("--port -3", "'-3' is no port"),
        ("--port many", "'many' is no port"),
        ("--port=", "'' is no port"),
        ("--host nonsense.invalid", "This computer has no address 'nonsense.invalid'. Choose 127.0.0.1"),
        ("--host 203.0.113.9", "This computer has no address '203.0.113.9'"),
        ("--host http://localhost", "This computer has no address 'http://localhost'"),
        ("--host [::1", "This computer has no address '[::1'"),
        (f"--host {'x' * 300}", "This computer has no address 'xxx"),
        ("--allow-host https://viz.example.org", "'https://viz.example.org' is not the name of a host. Write it alone"),
        ("--allow-host viz.example.org:80", "is not the name of a host"),
        ("--allow-host *", "'*' is not the name of a host"),
    ],
)
def test_a_place_to_listen_that_is_none(capsys: Any, options: str, said: str) -> None:
    """The error is one line, printed before anything is loaded."""
    assert main(["serve", "--no-browser", *options.split()]) == 2
    captured = capsys.readouterr()
    assert said in captured.err
    assert len(captured.err.splitlines()) == 1
    assert captured.out == ""


@pytest.mark.parametrize("port", ["seven", "70000"])
def test_a_space_may_set_nonsense_too(capsys: Any, monkeypatch: pytest.MonkeyPatch, port: str) -> None:
    monkeypatch.setenv("SPACE_ID", "somebody/vizapp")
    monkeypatch.setenv("GRADIO_SERVER_PORT", port)
    assert main(["serve"]) == 2
    assert f"'{port}' is no port" in capsys.readouterr().err


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
