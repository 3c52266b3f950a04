"""vizapp doctor: what a report of a fault needs: versions, device, what is installed, where weights lie, one look at toy.

It asks no network, and prints no value of a variable and no name of a home: what it says may be put where others read it.
"""

import argparse
import os
import platform
import re
import tomllib
import traceback
from collections.abc import Callable, Iterator
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Any

from vizapp.terminal import options

HERE = Path(__file__).resolve().parents[1]
HELP = "say what a report of a fault needs: versions, device, what is installed, one look at toy"
TELLING = ("HF_", "HUGGINGFACE", "TORCH_", "CUDA_", "PYTORCH_", "OMP_", "VIZAPP_", "GRADIO_", "RAY_", "SPACE")


def add(command: argparse.ArgumentParser) -> None:
    """Its arguments."""
    options.add(command, "--device")


def run(asked: argparse.Namespace) -> None:
    """Print a line for each fact. If one cannot be found out, its line says why, and the rest follows."""
    from vizapp import __version__, memory, pipeline

    _say(f"vizapp {__version__}, {HERE}; Python {platform.python_version()}, {platform.platform()}")
    _told("packages", lambda: _versions(_needs()[""]))
    for extra, names in sorted(_needs().items()):
        if extra not in ("", "test"):
            _told(f"vizapp[{extra}]", partial(_versions, names))
    _told("device", lambda: _device(asked.device))
    _told("memory", lambda: " of ".join(_size(one()) for one in (memory.free_memory, memory.memory_limit)) + " free")
    _told("variables that are set", lambda: ", ".join(sorted(one for one in os.environ if one.startswith(TELLING))))
    for line in _weights():
        _say(line)
    _told("plug-ins that do not work", _plugins)
    _look(lambda: pipeline.load("toy", asked.device))


def _look(load: Callable[[], Any]) -> None:
    """Analyse the bundled picture and run the self-test. Raises `VizError` if it fails."""
    import time

    from vizapp import pipeline
    from vizapp.errors import VizError

    try:
        began = time.perf_counter()
        model = load()
        loaded = time.perf_counter()
        seen = pipeline.analyse(model, "example")
        looked = time.perf_counter()
        ((label, share),) = seen.top(1)
        found = pipeline.check(model)
    except Exception as error:
        _say(traceback.format_exc())
        raise VizError(
            "A look at toy failed: {why}.",
            "Send everything above with your report.",
            why=f"{type(error).__name__}: {error}".rstrip("."),
        ) from error
    _say(
        f"toy on example: {label} {share:.1%}, loaded in {loaded - began:.2f} s, looked at in {looked - loaded:.2f} s, "
        f"rollout sums to {_total(seen):.4f}"
    )
    if refusal := found.refusal("toy"):
        raise refusal
    _say(f"toy's self-test: exact, {found.seen} of {found.softmaxes} softmaxes seen, error {found.worst:.0e}")


def _total(seen: Any) -> float:
    from vizapp import pipeline

    found = pipeline.explain(seen, "rollout")
    return float(found.scores.sum()) + sum(found.on_prefix.values())


def _told(what: str, find: Callable[[], str]) -> None:
    try:
        found = find()
    except Exception as error:
        found = f"{type(error).__name__}: {error}"
    _say(f"{what}: {found or 'none'}")


def _say(line: str) -> None:
    home = os.path.expanduser("~").rstrip("/\\")
    print(line.replace(home, "~") if home else line, flush=True)


def _needs() -> dict[str, list[str]]:
    """Extra -> the packages that it installs; "" for those that are always needed."""
    page = HERE.parent / "pyproject.toml"
    if page.exists():  # in a clone, whose installed metadata may be older
        declared = tomllib.loads(page.read_text("utf-8"))["project"]
        extras = declared["optional-dependencies"].items()
        lines = [*declared["dependencies"], *(f'{one}; extra == "{name}"' for name, some in extras for one in some)]
    else:
        lines = metadata.requires("vizapp") or []
    found: dict[str, list[str]] = {"": []}
    for line in lines:
        extra = re.search(r"extra == [\"'](\w+)", line)
        found.setdefault(extra[1] if extra else "", []).append(re.split(r"[^\w.-]", line)[0])
    return found


def _versions(names: list[str]) -> str:
    return ", ".join(map(_version, names))


def _version(name: str) -> str:
    try:
        return f"{name} {metadata.version(name)}"
    except metadata.PackageNotFoundError:
        return f"{name} is not installed"


def _device(wanted: str | None) -> str:
    import torch

    from vizapp.model.device import choose_device

    built = torch.version.cuda or "no CUDA"
    cuda = [torch.cuda.get_device_name(one) for one in range(torch.cuda.device_count())]
    mps = "with" if torch.backends.mps.is_available() else "without"
    name = ", ".join(cuda) or "no GPU of CUDA"
    cores = f"{os.cpu_count()} cores, {torch.get_num_threads()} threads"
    return f"{choose_device(wanted)} ({name}, {mps} MPS; torch built for {built}), {cores}"


def _weights() -> Iterator[str]:
    from huggingface_hub import constants
    from torch import hub

    from vizapp.model.timm_names import downloaded
    from vizapp.model.zoo import bundled, fetchables

    yield f"bundled weights: {', '.join(bundled.names())} in {bundled.FOLDER.resolve()}"
    yield f"weights of the hub: {len(downloaded())} models in {constants.HF_HUB_CACHE}"
    yield f"weights of torch: {hub.get_dir()}"
    yield from (f"{one.name}: {one.path if one.is_here() else 'not fetched'}" for one in fetchables().values())


def _plugins() -> str:
    from vizapp.core import methods, metrics
    from vizapp.model import zoo
    from vizapp.plugins import problems

    for every in (methods.methods, metrics.metrics, zoo.sources):
        every()
    return " ".join(str(one) for room in (methods, metrics, zoo) for one in problems(room.GROUP))


def _size(count: int | None) -> str:
    return "unknown" if count is None else f"{count / 1e9:.1f} GB"
