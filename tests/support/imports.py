"""Which file imports which."""

import ast
from collections.abc import Collection
from functools import cache
from pathlib import Path

from support.paths import ROOT

# The same files, by the name that they are imported by
LINKED = {ROOT / "vizapp" / name for name in ("model", "assets")}

SOURCES = [
    ROOT / "launch.py",
    *sorted(ROOT.glob("model/**/*.py")),
    *(path for path in sorted(ROOT.glob("vizapp/**/*.py")) if not LINKED & set(path.parents)),
]


def within(name: str, room: str) -> bool:
    return name == room or name.startswith(room + ".")


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    parts = ("vizapp", *parts) if parts[0] == "model" else parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def tree_of(source: str) -> ast.Module:
    """Parsed once, however many rules read it."""
    return ast.parse(source)


@cache
def imports_of(source: str) -> list[tuple[int, str]]:
    """(line, full name) of everything that is imported, wherever it stands. `from a import b` counts as a.b."""
    found = []
    for node in ast.walk(tree_of(source)):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: names are written out, not relative"
            found += [(node.lineno, f"{node.module}.{alias.name}") for alias in node.names]
    return found


def home(name: str, modules: Collection[str]) -> str:
    """The module that a full name is of; "" if it is of none of these."""
    while name and name not in modules:
        name = name.rpartition(".")[0]
    return name


@cache
def arrows() -> dict[str, set[str]]:
    """Module -> the modules of vizapp that it imports, wherever the import stands: inside functions and for types, too."""
    names = {module_of(path) for path in SOURCES}

    return {
        module_of(path): {home(name, names) for _, name in imports_of(path.read_text("utf-8"))} - {"", module_of(path)}
        for path in SOURCES
    }
