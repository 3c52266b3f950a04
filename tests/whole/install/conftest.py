"""A wheel, clones with and without links, and new environments: made once, however many processes test them."""

import os
import shutil
import tomllib
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest
from filelock import FileLock

from support.environments import ROOT, Environment, copy_of_the_repository, new_environment
from support.wheels import built

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    lacking = [name for name in ("pip", "setuptools") if find_spec(name) is None]
    reason = "lays out environments as POSIX does" if os.name != "posix" else f"needs {' and '.join(lacking)}"
    if os.name != "posix" or lacking:
        for item in items:
            if HERE in item.path.parents:
                item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, Callable[[Path], object]], Path]:
    """once(name, make): the folder that `make` filled, in the first process that asked for it."""
    shared = tmp_path_factory.getbasetemp()
    shared = shared.parent if "PYTEST_XDIST_WORKER" in os.environ else shared

    def made(name: str, make: Callable[[Path], object]) -> Path:
        folder, done = shared / name, shared / f"{name}.done"
        with FileLock(shared / f"{name}.lock"):
            if not done.exists():
                make(folder)
                done.touch()
        return folder

    return made


Once = Callable[[str, Callable[[Path], object]], Path]


@pytest.fixture(scope="session")
def clone(once: Once) -> Path:
    return once("clone", copy_of_the_repository)


@pytest.fixture(scope="session")
def clone_without_links(once: Once) -> Path:
    return once("clone-without-links", lambda folder: copy_of_the_repository(folder, links=False))


@pytest.fixture(scope="session")
def wheel(once: Once, clone: Path) -> Path:
    (made,) = once("wheel", lambda folder: built(clone, folder)).glob("*.whl")
    return made


@pytest.fixture(scope="session")
def needs() -> list[str]:
    """The dependencies that pyproject.toml declares."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]


@pytest.fixture(scope="session")
def from_wheel(once: Once, wheel: Path, needs: list[str]) -> Environment:
    """A new environment after `pip install vizapp-....whl`."""
    return Environment(once("from-wheel", lambda folder: new_environment(folder, needs).install(wheel)))


@pytest.fixture(scope="session")
def editable(once: Once, clone: Path, needs: list[str]) -> Environment:
    """A new environment after `pip install -e .` in the clone."""

    def made(folder: Path) -> object:
        return new_environment(folder, [*needs, "setuptools"]).install("-e", clone)

    return Environment(once("editable", made))


@pytest.fixture(scope="session")
def space(once: Once) -> Environment:
    """A new environment with what a Hugging Face Space installs: requirements.txt and gradio. No vizapp."""
    lines = (ROOT / "requirements.txt").read_text("utf-8").splitlines()
    wanted = [*(line for line in lines if line and not line.startswith("#")), "gradio"]
    return Environment(once("space", lambda folder: new_environment(folder, wanted).install(*wanted)))


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A research project whose names are ours, too: model.py or model/, assets/, tests/."""
    for name in ("assets", "tests"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("WHOSE = 'mine'\n")
    (tmp_path / "model.py").write_text("WHOSE = 'mine'\n")
    (tmp_path / "use.py").write_text((HERE / "use.py").read_text("utf-8"))
    return tmp_path


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The working tree, without its history and its tests."""
    ignored = shutil.ignore_patterns(".git", "tests", "node_modules", "__pycache__", "screenshots", ".*_cache")
    return Path(shutil.copytree(ROOT, tmp_path / "copy", symlinks=True, ignore=ignored))
