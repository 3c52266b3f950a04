"""What is put on other machines, as far as files say it: a Space's folder and an image. The rest: tests/whole/install."""

import re
import sys
from fnmatch import fnmatch
from pathlib import Path

import pytest

from support.paths import ROOT, settings

sys.path.insert(0, str(ROOT / "deploy"))

import rehearse
import size
import space

from vizapp.cli import parser

DOCKERFILE = rehearse.instructions((ROOT / "Dockerfile").read_text("utf-8"))


def of(word: str) -> list[str]:
    return [rest for one, rest in DOCKERFILE if one == word]


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("")
    with pytest.raises(SystemExit, match="not empty"):
        space.write(tmp_path)


def test_all_that_its_readme_leads_to_is_in_a_space() -> None:
    """Twelve of sixteen links were dead there."""
    linked = re.findall(r"\]\((?!https?:)([^)#]+)", (ROOT / "README.md").read_text("utf-8"))
    assert len(linked) > 10
    assert [one for one in linked if not any(Path(one).is_relative_to(part) for part in space.PARTS)] == []


def test_every_binary_file_of_a_space_goes_through_lfs() -> None:
    """The hub refuses others. Git itself is asked in tests/whole/install."""
    tops = [ROOT / name for name in space.PARTS]
    files = [path for top in tops for path in (top.rglob("*") if top.is_dir() else [top]) if path.is_file()]
    assert [top.name for top in tops if not top.exists()] == []
    binary = {path.name for path in files if "__pycache__" not in path.parts and b"\0" in path.read_bytes()}
    assert len(binary) >= 10
    patterns = [line.split()[0] for line in space.attributes().splitlines() if "filter=lfs" in line]
    assert sorted(name for name in binary if not any(fnmatch(name, pattern) for pattern in patterns)) == []


def test_the_folder_holds_copies_and_what_goes_through_lfs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ["README.md", "vizapp/errors.py", "model/vit.py"]
    monkeypatch.setattr(space, "tracked", lambda: [Path(name) for name in names])
    written = space.write(tmp_path / "space")
    assert [path.as_posix() for path in written] == sorted([*names, ".gitattributes"])
    assert (tmp_path / "space/model/vit.py").read_bytes() == (ROOT / "model/vit.py").read_bytes()


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


def test_the_rehearsal_knows_every_word_of_the_dockerfile_and_which_pattern_decides() -> None:
    words = {word for word, _ in DOCKERFILE} - {"FROM"}
    assert len(words) > 5
    assert [word for word in words if not hasattr(rehearse.Rehearsal, f"_{word.lower()}")] == []
    patterns = ["*", "!model", "**/__pycache__"]
    assert rehearse.is_left_out("tests/a.py", patterns)
    assert not rehearse.is_left_out("model/vit.py", patterns)
    assert rehearse.is_left_out("model/__pycache__/vit.pyc", patterns)


def test_the_context_of_the_image_is_what_a_wheel_is_made_of(tmp_path: Path) -> None:
    """.dockerignore names what goes in, so nothing of a checkout (tests, node_modules, keys) gets into a layer."""
    names = rehearse.context(ROOT)
    tops = {name.split("/")[0] for name in names}
    assert tops == {"LICENSE", "README.md", "pyproject.toml", "setup.py", "vizapp", "model", "assets", "deploy"}
    assert [name for name in names if name.startswith("deploy/")] == ["deploy/size.py"]
    assert {"model/vit.py", "vizapp/ui/app.py", "assets/weights/toy.safetensors", "vizapp/model"} <= set(names)
    assert [name for name in names if "screenshots" in name or "__pycache__" in name] == []


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
