"""What is put on other machines: a Space's folder, and replicas behind nginx. What takes long is tried by hand."""

import inspect
import re
import shutil
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import httpx
import pytest

from support.paths import ROOT

sys.path.insert(0, str(ROOT / "deploy"))

import replicas
import space

from vizapp.ui.server import bounds

NGINX = shutil.which("nginx", path="/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin")


@pytest.fixture(scope="module")
def pushed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pushed") / "space"
    space.main(["--folder", str(folder)])
    return folder


def test_a_space_gets_what_the_page_needs_and_nothing_else(pushed: Path) -> None:
    tops = {path.name for path in pushed.iterdir()}
    assert tops == {*space.PARTS, ".gitattributes"}
    assert (pushed / "README.md").read_text("utf-8").startswith("---\ntitle: vizapp\n")
    assert not [path for path in pushed.rglob("*") if path.is_symlink()]
    assert (pushed / "assets/weights/toy.safetensors").stat().st_size > 10_000
    plain = [path for path in pushed.rglob("*") if not any(fnmatch(path.name, one) for one in space.LARGE)]
    assert max(path.stat().st_size for path in plain) < 10 * 2**20, "what the hub takes outside of LFS"


def test_the_push_is_a_call_that_the_hub_s_library_knows(pushed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its arguments, against the real signature; nothing leaves this machine."""
    import huggingface_hub

    asked: dict[str, Any] = {}
    signature = inspect.signature(huggingface_hub.HfApi.upload_folder)

    class Commit:
        commit_url = "there"

    def upload_folder(self: Any, **given: Any) -> Commit:
        asked.update(signature.bind(self, **given).arguments)
        return Commit()

    monkeypatch.setattr(huggingface_hub.HfApi, "upload_folder", upload_folder)
    assert space.push(pushed, "somebody/vizapp") == "there"
    assert asked["repo_type"] == "space"
    assert asked["folder_path"] == pushed


def test_nginx_takes_its_file() -> None:
    """As Debian's nginx reads it: two replicas, and each visitor stays with one."""
    text = (ROOT / "deploy/nginx.conf").read_text("utf-8")
    assert len(re.findall(r"^ *server 127\.0\.0\.1:\d+", text, re.MULTILINE)) == 2
    assert "hash $visitor consistent" in text
    (most,) = re.findall(r"client_max_body_size (\d+)m;", text)
    assert int(most) * 2**20 > bounds.PUBLIC.upload, "the page refuses in words, nginx without"
    assert re.findall(r"^error_log stderr (\w+);", text, re.MULTILINE) == ["crit"], "`error` quotes what was asked for"
    if NGINX is None:
        pytest.skip("no nginx here (apt-get install nginx-light)")
    said = subprocess.run(
        [NGINX, "-t", "-p", "/tmp/", "-c", ROOT / "deploy/nginx.conf"], capture_output=True, text=True
    )
    assert "syntax is ok" in said.stderr, said.stderr


@pytest.mark.skipif(not NGINX, reason="no nginx here (apt-get install nginx-light)")
def test_nginx_quotes_nobody_where_replicas_are_gone(tmp_path: Path, capfd: pytest.CaptureFixture) -> None:
    """At the level `error` it writes the whole request, and whose it was."""
    tmp_path.chmod(0o755)
    ports = replicas.free_ports(3)
    with replicas.nginx(tmp_path, ports[0], ports[1:]) as log:
        answer = httpx.get(f"http://127.0.0.1:{ports[0]}/gradio_api/file=/tmp/secret.png?session_hash=secret")
    assert answer.status_code == 502
    told = capfd.readouterr().err + log.read_text("utf-8")
    assert " 502 GET /gradio_api/file " in told
    assert "secret" not in told
    assert any(f"127.0.0.1:{port}" in told for port in ports[1:]), "which replica was tried; not who asked"
    assert "client:" not in told
