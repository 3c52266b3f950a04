"""What is put on other machines: a Space's folder, an image, replicas, workflows. What takes long is tried by hand."""

from __future__ import annotations

import inspect
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from support.paths import ROOT, settings

sys.path.insert(0, str(ROOT / "deploy"))

import rehearse
import replicas
import size
import space

from vizapp.cli import parser
from vizapp.ui.server import bounds

DOCKERFILE = rehearse.instructions((ROOT / "Dockerfile").read_text("utf-8"))


NGINX = shutil.which("nginx", path="/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin")


def of(word: str) -> list[str]:
    return [rest for one, rest in DOCKERFILE if one == word]


# ---- a Space


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


def test_the_hub_takes_every_file_of_it(pushed: Path) -> None:
    """It refuses binary files outside of LFS: each that is no text has a line in .gitattributes."""
    subprocess.run(["git", "init", "-q", str(pushed)], check=True)
    files = [
        path.relative_to(pushed).as_posix() for path in pushed.rglob("*") if path.is_file() and ".git" not in path.parts
    ]
    asked = subprocess.run(
        ["git", "check-attr", "filter", "-z", "--stdin"],
        cwd=pushed,
        input="\0".join(files),
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split("\0")
    in_lfs = {asked[at] for at in range(0, len(asked) - 2, 3) if asked[at + 2] == "lfs"}
    binary = {name for name in files if b"\0" in (pushed / name).read_bytes()}
    assert len(binary) >= 10
    assert binary <= in_lfs
    assert max((pushed / name).stat().st_size for name in set(files) - in_lfs) < 10 * 2**20


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("")
    with pytest.raises(SystemExit, match="not empty"):
        space.write(tmp_path)


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


# ---- an image


def test_the_image_runs_as_nobody_in_particular_and_is_asked_how_it_is() -> None:
    """Not as root, an index that somebody chose, a HEALTHCHECK on /health, and a command that our command line takes."""
    assert of("ARG") == ["TORCH_INDEX"], "without a default"
    assert of("USER") == ["vizapp"]
    assert "--uid 10001" in " ".join(of("RUN"))
    (check,) = of("HEALTHCHECK")
    assert "/health" in check
    (command,) = [eval(rest) for rest in of("CMD")]
    assert command[0] == "vizapp"
    asked = parser().parse_args(command[1:])
    assert asked.public
    assert asked.host == "0.0.0.0"
    assert f":{asked.port}/health" in check
    assert of("EXPOSE") == [str(asked.port)]


def test_the_rehearsal_knows_every_word_of_the_dockerfile() -> None:
    words = {word for word, _ in DOCKERFILE} - {"FROM"}
    assert len(words) > 5
    assert [word for word in words if not hasattr(rehearse.Rehearsal, f"_{word.lower()}")] == []


def test_the_context_of_the_image_is_what_a_wheel_is_made_of(tmp_path: Path) -> None:
    """.dockerignore names what goes in, so nothing of a checkout (tests, node_modules, keys) gets into a layer."""
    names = rehearse.context(ROOT)
    tops = {name.split("/")[0] for name in names}
    assert tops == {"LICENSE", "README.md", "pyproject.toml", "setup.py", "vizapp", "model", "assets", "deploy"}
    assert [name for name in names if name.startswith("deploy/")] == ["deploy/size.py"]
    assert {"model/vit.py", "vizapp/ui/app.py", "assets/weights/toy.safetensors", "vizapp/model"} <= set(names)
    assert [name for name in names if "screenshots" in name or "__pycache__" in name] == []


def test_the_last_pattern_decides() -> None:
    patterns = ["*", "!model", "**/__pycache__"]
    assert rehearse.is_left_out("tests/a.py", patterns)
    assert not rehearse.is_left_out("model/vit.py", patterns)
    assert rehearse.is_left_out("model/__pycache__/vit.pyc", patterns)


def test_whatever_fetches_weights_writes_to_the_volume() -> None:
    """The root is read-only: each library's folder of downloads lies on /weights, in the line of the docs as in compose.yaml."""
    homes = dict(one.split("=", 1) for one in of("ENV")[0].split())
    assert homes["HF_HOME"].startswith("/weights"), "timm, transformers, open_clip"
    assert homes["TORCH_HOME"].startswith("/weights"), "torchvision"
    assert homes["XDG_CACHE_HOME"].startswith("/weights"), "vizapp get"
    (line,) = re.findall("^docker run .*--read-only.*$", (ROOT / "docs/deploy.md").read_text("utf-8"), re.MULTILINE)
    assert " -v weights:/weights " in line
    assert settings("compose.yaml")["services"]["page"]["volumes"] == ["weights:/weights"]


def test_the_composed_page_has_limits() -> None:
    page = settings("compose.yaml")["services"]["page"]
    assert page["read_only"] is True
    assert page["cap_drop"] == ["ALL"]
    assert {"mem_limit", "cpus", "pids_limit", "tmpfs", "stop_grace_period"} <= page.keys()
    assert all(port.startswith("127.0.0.1:") for port in page["ports"]), "a proxy stands before it"


def test_the_estimate_leaves_out_what_serves_cuda(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whole packages, and libraries inside torch."""
    files = {
        "torch": {"torch/lib/libtorch_cpu.so": 300, "torch/lib/libtorch_cuda.so": 5000, "torch/__init__.py": 20},
        "nvidia-cublas": {"nvidia/cublas/lib/libcublas.so.13": 7000},
        "gradio": {"gradio/__init__.py": 50},
    }
    for name, some in files.items():
        info = tmp_path / f"{name.replace('-', '_')}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (info / "RECORD").write_text("".join(f"{path},,\n" for path in some))
        for path, n in some.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_bytes(b"x" * n)
    found = {one.metadata["Name"]: size.weight(one) for one in size.distributions(path=[str(tmp_path)])}
    assert found == {"torch": (5320, 5000), "nvidia-cublas": (7000, 7000), "gradio": (50, 0)}
    size.main(str(tmp_path))
    assert "estimate of an image" in capsys.readouterr().out


# ---- more than one machine


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


# ---- versions and workflows
