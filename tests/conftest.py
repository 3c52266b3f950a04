"""What all tests share: small seeded networks, pictures, one server and one browser. Nothing is downloaded."""

import ctypes
import gc
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import vizapp
from support import rehearsal, waiting
from support.networks import small_vit
from support.one_file import opened, own  # noqa: F401  fixtures
from support.paths import DEIT
from support.serving import (  # noqa: F401  fixtures: made once in a process, whichever folders ask for them
    browser,
    cache,
    context,
    models,
    pictures,
    server,
    visit,
    viz,
)
from vizapp.model.spec import VisionModel

rehearsal.begin()  # before any gradient: PyTorch counts devices once, with the first one that it computes
torch.set_num_threads(1)  # the networks here are small: more threads only wait for each other on a busy machine

# Told by the garbage collector, in whichever test it comes: servers and browsers leave such things behind. Beside those they are
# said and are no failure. What a page of ours leaves is asked in whole/process/test_launch.py.
LATE = ("ResourceWarning", "pytest.PytestUnraisableExceptionWarning", "pytest.PytestUnhandledThreadExceptionWarning")
SERVED = [
    Path(__file__).parent / one for one in ("page", "whole/browser", "whole/process", "whole/load", "whole/install")
]

LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config: pytest.Config) -> None:
    """With `-x` hand out one test at a time: what a process has in its queue it runs, though another one has failed."""
    if config.option.maxfail and getattr(config.option, "dist", "") == "loadfile":
        config.option.dist, config.option.maxschedchunk = "load", 1


@pytest.hookimpl(tryfirst=True, optionalhook=True)
def pytest_timeout_set_timer(settings: Any) -> None:
    """What a test waits for ends before the test, with a reason."""
    waiting.begin(settings.timeout)


def pytest_collection_finish() -> None:
    """What was imported stays, and is not looked through at each collection of garbage: half a second."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="module", autouse=True)
def memory_is_given_back(request: pytest.FixtureRequest) -> Iterator[None]:
    """What a file has kept for its tests is let go after them, and is the system's again: C keeps it for each thread."""
    yield
    for one in vars(request.module).values():
        if getattr(one, "__module__", "") == request.module.__name__ and hasattr(one, "cache_clear"):
            one.cache_clear()
    if hasattr(LIBC, "malloc_trim"):
        LIBC.malloc_trim(0)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if any(folder in item.path.parents for folder in SERVED):
            for sort in LATE:
                item.add_marker(pytest.mark.filterwarnings(f"default::{sort}"))


@pytest.fixture(autouse=True)
def seeded() -> None:
    """What is left to chance does not depend on which tests ran before in this process."""
    torch.manual_seed(0)


@pytest.fixture
def small() -> VisionModel:
    return small_vit()


@pytest.fixture(scope="module")
def toy() -> VisionModel:
    """The bundled toy network."""
    return vizapp.load("toy", "cpu")


@pytest.fixture(scope="session")
def picture() -> np.ndarray:
    """(40, 60, 3) uint8 noise with structure."""
    return np.random.default_rng(0).integers(0, 256, (40, 60, 3), dtype=np.uint8)


@pytest.fixture(scope="session")
def deit_name() -> str:
    """The real DeiT-Ti, where this checkout has it beside it."""
    if not DEIT.exists():
        pytest.skip(
            "real DeiT-Ti weights are not on this machine (shared/weights/deit_tiny_patch16_224.in1k.safetensors)"
        )
    return f"file:{DEIT}?arch=deit_tiny_patch16_224"
