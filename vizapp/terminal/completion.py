"""Completes names of models and methods, and paths, by the Tab key of a shell, with argcomplete and without importing torch.

    pip install "vizapp[completion]"; eval "$(register-python-argcomplete vizapp)"      # in ~/.bashrc or ~/.zshrc

It is an extra, because most users never switch it on. argcomplete is used rather than a static script (shtab), because the names
of models change with fetched weights and releases of timm.
"""

import argparse
import ast
import csv
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

HERE = Path(__file__).parents[1]  # `assets` is in it, or beside it where no links can be
ASSETS = (HERE if (HERE / "assets").is_dir() else HERE.parent) / "assets"
SOURCES = ("photos", "hf-hub:", "hf:", "torchvision:", "open_clip:", "file:")


def method_names() -> list[str]:
    """The names that @method declares, read from the source files, because importing them would import torch."""
    files = [ast.parse(path.read_text("utf-8")) for path in sorted((HERE / "core" / "methods").glob("*.py"))]
    made = [one for file in files for one in file.body if isinstance(one, ast.FunctionDef)]
    return [one.name for one in made if any(ast.unparse(by).startswith("method(") for by in one.decorator_list)]


def model_names() -> list[str]:
    """Bundled models, timm's networks with attention, and the prefixes of other sources."""
    with (ASSETS / "timm.csv").open(encoding="utf-8", newline="") as file:
        known = [(one["name"], one["weights"]) for one in csv.DictReader(file)]
    bundled = sorted(path.stem for path in (ASSETS / "weights").glob("*.safetensors"))
    return [*bundled, *SOURCES, *(f"timm:{name}" + ("" if weights else "?pretrained=no") for name, weights in known)]


OFFERED: dict[str, Callable[[], list[str]]] = {"model": model_names, "method": method_names, "methods": method_names}


def complete(parser: argparse.ArgumentParser) -> None:
    """Answer a shell's request for completions, and exit. Does nothing without argcomplete."""
    with suppress(ImportError):
        import argcomplete

        for one in _all(parser):
            for action in one._actions:
                if names := OFFERED.get(action.dest):
                    action.completer = _completer(names)
        argcomplete.autocomplete(parser)


def _completer(names: Callable[[], list[str]]) -> Callable[..., list[str]]:
    return lambda prefix, **asked: [one for one in names() if one.startswith(prefix)]


def _all(parser: argparse.ArgumentParser) -> list[Any]:
    """A parser and those of its commands."""
    inside = [one for one in parser._actions if isinstance(one, argparse._SubParsersAction)]
    return [parser, *(command for one in inside for command in one.choices.values())]
