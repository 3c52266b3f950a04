"""What is in the wheel: all of vizapp, nothing else, and the same from every kind of checkout."""

import re
import subprocess
import sys
import tarfile
import tomllib
from email.parser import Parser
from pathlib import Path, PurePosixPath
from zipfile import ZipFile

import pytest
from packaging.requirements import Requirement

import vizapp
from support.environments import ROOT
from support.wheels import built
from vizapp.core.methods import methods


def content(wheel: Path) -> dict[str, bytes]:
    """File -> bytes, without the facts about the wheel itself."""
    with ZipFile(wheel) as file:
        return {name: file.read(name) for name in file.namelist() if ".dist-info/" not in name}


def metadata(wheel: Path) -> str:
    with ZipFile(wheel) as file:
        return file.read(next(name for name in file.namelist() if name.endswith("/METADATA"))).decode()


def only_builds(path: Path) -> bool:
    """Is this read by Node alone, or by who changes the program? Scripts that Python sends are named beside them."""
    if path.suffix == ".js" and path.name != "bundle.js":
        return not any(f'"{path.name}"' in sender.read_text("utf-8") for sender in path.parent.glob("*.py"))
    return path.suffix in {".ts", ".mjs", ".wasm"} or path.name == "README.md"


def test_it_holds_every_file_of_vizapp_and_nothing_else(wheel: Path, clone: Path) -> None:
    """Also kinds of files that are new, and folders that are: setup.py finds folders, pyproject.toml lists the endings."""
    expected = {}
    for room in ("vizapp", "model", "assets"):
        for path in (clone / room).rglob("*"):
            inside = path.relative_to(clone)
            left_out = "__pycache__" in inside.parts or inside.parts[:2] == ("assets", "screenshots")
            if path.is_file() and not left_out and not only_builds(path):
                expected[str(PurePosixPath(*(() if room == "vizapp" else ("vizapp",)), inside))] = path.read_bytes()
    found = content(wheel)
    assert sorted(found) == sorted(expected)
    assert found == expected
    tops = {name.split("/")[0] for name in found}
    assert tops == {"vizapp"}
    assert {"vizapp/py.typed", "vizapp/model/vit.py", "vizapp/assets/weights/toy.safetensors"} <= found.keys()


def test_a_checkout_without_links_makes_the_same(wheel: Path, clone_without_links: Path, tmp_path: Path) -> None:
    """Git on Windows writes a file that names the target in place of a link."""
    assert content(built(clone_without_links, tmp_path)) == content(wheel)


def test_the_source_archive_makes_the_same(wheel: Path, clone: Path, tmp_path: Path) -> None:
    """And holds what it is made of: the scripts of the bundles, what is said of releases; tests whole or not at all."""
    program = "import sys, setuptools.build_meta as build; build.build_sdist(sys.argv[1])"
    subprocess.run([sys.executable, "-c", program, str(tmp_path)], cwd=clone, check=True, capture_output=True)
    (archive,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as file:
        file.extractall(tmp_path, filter="data")
    folder = tmp_path / archive.name.removesuffix(".tar.gz")
    assert content(built(folder, tmp_path / "wheel")) == content(wheel)
    expected = {
        str(path.relative_to(clone)) for path in (clone / "vizapp").rglob("*") if path.suffix in {".js", ".ts", ".mjs"}
    }
    expected |= {
        "CITATION.cff",
        "CHANGELOG.md",
        "SECURITY.md",
        "CONTRIBUTING.md",
        "LICENSE",
        "package.json",
        "docs/teaching.md",
    }
    assert sorted(name for name in expected if not (folder / name).is_file()) == []
    assert sorted(path.name for path in folder.glob("tests/**/*.py")) == [], "a part of the tests cannot run"


def test_citation_and_changelog_agree_on_what_was_released() -> None:
    (version, released) = re.search(
        r"^## (\S+) \((.*)\)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE
    ).groups()
    said = (ROOT / "CITATION.cff").read_text("utf-8")
    assert version == vizapp.__version__
    dated = re.search(r"^date-released: (\S+)$", said, re.MULTILINE)
    assert (dated[1] if dated else "unreleased") == released


def test_it_says_what_it_is_and_its_page_stands_alone(wheel: Path) -> None:
    """Who made it, for whom, and by which words it is found: those that CITATION.cff has."""
    told = Parser().parsestr(metadata(wheel))
    said = (ROOT / "CITATION.cff").read_text("utf-8")
    assert f"  - name: {told['Author']}" in said.splitlines()
    assert told["Keywords"].split(",") == re.findall(r"^  - (?!name)(.*)$", said, re.MULTILINE)
    classified = told.get_all("Classifier")
    assert {"Intended Audience :: Education", "Programming Language :: Python :: 3", "Typing :: Typed"} <= set(
        classified
    )
    assert [one for one in classified if one.startswith("License")] == [], "License-Expression says it"
    assert told["Version"] == vizapp.__version__
    assert f"version: {vizapp.__version__}" in said.splitlines()
    assert "license: MIT" in said.splitlines()
    # No head for a Space, no picture and no link that leads nowhere outside the repository.
    page = told.get_payload()
    assert told["Description-Content-Type"] == "text/markdown"
    assert page.startswith("# vizapp, an attention microscope")
    assert "](" not in page.replace("](http", ""), "relative links"
    assert "`vizapp serve` opens the page." in page.partition("\n## ")[2][:400], "how it is started, at once"
    of_a_clone = ("pip install -e", "launch.py", "download docs/", "setup.py", "<!--")
    assert [one for one in of_a_clone if one in page] == []
    assert "The licence is MIT." in page, "to its end"


def space_lines() -> list[str]:
    lines = (ROOT / "requirements.txt").read_text("utf-8").splitlines()
    return [line for line in lines if not line.startswith("#")]


def test_a_space_installs_what_is_declared(needs: list[str]) -> None:
    """requirements.txt repeats the dependencies, but for gradio, which a Space installs itself, and adds one extra."""
    assert space_lines() == [*(one for one in needs if not one.startswith("gradio")), "captum"]
    head = (ROOT / "README.md").read_text("utf-8").split("---")[1]
    (minimum,) = [one.split(">=")[1].split(",")[0] for one in needs if one.startswith("gradio")]
    version = next(line.split(": ")[1] for line in head.splitlines() if line.startswith("sdk_version"))
    assert tuple(map(int, version.split("."))) >= tuple(map(int, minimum.split(".")))


ZERO_GPU = ("2.8.0", "2.9.1", "2.10.0", "2.11.0")  # of torch, as the documentation of ZeroGPU lists them (August 2026)


def test_a_space_installs_what_its_methods_need_and_any_torch() -> None:
    """Torch stays open in requirements.txt: each version that ZeroGPU lists fits, and so do later ones."""
    (torch,) = [Requirement(line) for line in space_lines() if Requirement(line).name == "torch"]
    assert [version for version in (*ZERO_GPU, "2.99.0") if version not in torch.specifier] == []
    assert {Requirement(line).name: str(Requirement(line).specifier) for line in space_lines()}["torchvision"] == ""
    # A method that a public page offers, and whose package no Space installs, would be skipped there for ever.
    installed = {Requirement(line).name for line in space_lines()}
    offered = {one.package for one in methods().values() if one.package and one.cost == "quick"}
    assert offered
    assert offered <= installed


def test_no_dependency_needs_a_desktop(needs: list[str]) -> None:
    """Also not through another: opencv-python would bring Qt, which links libGL and libxcb of the system."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    names = [one.split(">")[0] for one in [*needs, *(line for lines in extras.values() for line in lines)]]
    assert "opencv-python-headless" in names
    assert "opencv-python" not in names


@pytest.mark.parametrize("link", ["vizapp/model", "vizapp/assets"])
def test_links_are_links(link: str) -> None:
    """A copy in their place would be a second truth that nobody edits."""
    assert (ROOT / link).is_symlink() or not (ROOT / link).is_dir()
