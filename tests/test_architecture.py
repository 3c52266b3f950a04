"""The walls of the house: who may import whom, what every public name owes its reader, and where words live."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from vizapp.ui.words import PAGE, VIEWER

ROOT = Path(__file__).parents[1]
SOURCES = [ROOT / "launch.py", *sorted(ROOT.glob("model/**/*.py")), *sorted(ROOT.glob("vizapp/**/*.py"))]
VIEWER_FOLDER = ROOT / "vizapp" / "ui" / "viewer"

PAGE_LIBRARIES = ("gradio", "numpy", "cv2", "torch")

# Room -> what it may import besides the standard library. The longest name that fits a module is its room.
MAY_IMPORT = {
    "launch": ("vizapp.cli",),
    "model": ("model", "torch", "numpy", "safetensors", "cv2"),
    "model.preprocess": ("model", "torch", "numpy", "PIL"),
    "model.labels": ("timm",),
    "model.train": ("model", "torch", "numpy", "safetensors", "cv2", "vizapp.card"),  # a program: docs/decisions/0006
    "model.hub": ("model.errors", "huggingface_hub"),
    "model.zoo": ("model", "torch", "timm", "torchvision", "transformers", "open_clip"),
    "vizapp": ("vizapp.pipeline", "vizapp.comparison", "vizapp.errors"),
    "vizapp.__main__": ("vizapp.cli",),
    "vizapp.evaluation": (
        "vizapp.pipeline",
        "vizapp.folder",
        "vizapp.core",
        "vizapp.errors",
        "model",
        "torch",
        "numpy",
    ),
    "vizapp.folder": ("vizapp.picture", "vizapp.errors", "model", "numpy"),
    "vizapp.comparison": ("vizapp.pipeline", "vizapp.core", "vizapp.errors", "numpy"),
    "vizapp.card": ("vizapp.evaluation", "vizapp.pipeline", "vizapp.core", "model", "torch", "numpy", "cv2"),
    "vizapp.engines": ("vizapp.evaluation", "vizapp.pipeline", "vizapp.errors", "model", "torch", "ray"),
    "vizapp.cli": (
        "vizapp.ui",
        "vizapp.pipeline",
        "vizapp.evaluation",
        "vizapp.engines",
        "vizapp.comparison",
        "vizapp.core",
        "vizapp.errors",
    ),
    "vizapp.errors": ("model.errors",),
    "vizapp.picture": ("vizapp.errors", "numpy", "PIL"),
    "vizapp.core": ("vizapp.core", "vizapp.errors", "model.spec", "torch", "numpy"),
    "vizapp.core.methods.by_pixels": ("vizapp.core", "vizapp.errors", "model.spec", "torch", "captum"),
    "vizapp.core.methods.flow": ("vizapp.core", "vizapp.errors", "model.spec", "torch", "numpy", "scipy"),
    "vizapp.render": ("vizapp.render", "vizapp.errors", "model.frame", "numpy", "cv2", "matplotlib", "PIL"),
    "vizapp.pipeline": (
        "vizapp.core",
        "vizapp.render",
        "vizapp.picture",
        "vizapp.errors",
        "model",
        "torch",
        "numpy",
        "matplotlib",
    ),
    "vizapp.ui": (
        "vizapp.ui",
        "vizapp.pipeline",
        "vizapp.comparison",
        "vizapp.core",
        "vizapp.render",
        "vizapp.errors",
        *PAGE_LIBRARIES,
    ),
}
NOWHERE = ("matplotlib.pyplot", "tests", "bench", "conftest")


def within(name: str, room: str) -> bool:
    return name == room or name.startswith(room + ".")


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports_of(source: str) -> Iterator[tuple[int, str]]:
    """(line, full name) of everything that is imported, wherever it stands. `from a import b` counts as a.b."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: names are written out, not relative"
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


def trespasses(module: str, source: str) -> list[str]:
    """What `module` imports and may not, one line each."""
    room = max((name for name in MAY_IMPORT if within(module, name)), key=len)
    found = []
    for line, name in imports_of(source):
        if name.partition(".")[0] in sys.stdlib_module_names:
            continue
        allowed = any(within(name, other) for other in MAY_IMPORT[room])
        if not allowed or any(within(name, other) for other in NOWHERE):
            found.append(f"{module}, line {line}: {name}")
    return found


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_go_one_way(path: Path) -> None:
    assert trespasses(module_of(path), path.read_text("utf-8")) == []


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("model.vit", "import vizapp"),
        ("model.zoo.new", "from vizapp.errors import VizError"),
        ("model.spec", "import timm"),
        ("vizapp.core.methods.new", "import gradio"),
        ("vizapp.core.capture", "from model import load"),
        ("vizapp.core.trace", "import model.zoo"),
        ("vizapp.core.trace", "from PIL import Image"),
        ("vizapp.render.overlay", "import torch"),
        ("vizapp.render.overlay", "from model.spec import TokenLayout"),
        ("vizapp.render.figure", "import matplotlib.pyplot as plt"),
        ("vizapp.render.figure", "from matplotlib import pyplot"),
        ("vizapp.pipeline", "def f():\n    import gradio"),
        ("vizapp.ui.app", "from model import load"),
        ("vizapp.ui.app", "from PIL import Image"),
        ("vizapp.cli", "import torch"),
        ("vizapp.pipeline", "from vizapp.ui.app import build"),
        ("model.train", "import bench.speed"),
        ("launch", "import torch"),
    ],
)
def test_a_trespass_is_found(module: str, source: str) -> None:
    """The guard itself: each of these must not get past it."""
    assert len(trespasses(module, source)) == 1


# ---- what a public name owes its reader


def public_definitions(tree: ast.Module | ast.ClassDef) -> Iterator[ast.FunctionDef | ast.ClassDef]:
    """Functions, classes and methods without a leading underscore; what is private has only private parts."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            yield node
            if isinstance(node, ast.ClassDef):
                yield from public_definitions(node)


def lacks(source: str) -> list[str]:
    """Parameters and results without a type, and classes and modules without a docstring."""
    tree = ast.parse(source)
    found = [] if ast.get_docstring(tree) or not source.strip() else ["the module: docstring"]
    for node in public_definitions(tree):
        if isinstance(node, ast.ClassDef):
            if not ast.get_docstring(node):
                found.append(f"{node.name}: docstring")
            continue
        arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, node.args.vararg, node.args.kwarg]
        untyped = [a.arg for a in arguments if a and not a.annotation and a.arg not in {"self", "cls"}]
        found += [f"{node.name}: type of {name}" for name in untyped]
        found += [] if node.returns else [f"{node.name}: type of its result"]
    return found


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_public_names_say_what_they_are(path: Path) -> None:
    """Types everywhere; a docstring for each module and class. A function whose signature says it all needs no more."""
    assert lacks(path.read_text("utf-8")) == []


@pytest.mark.parametrize("path", ["model/__init__.py", "vizapp/pipeline.py", "vizapp/picture.py"])
def test_the_doors_have_docstrings(path: str) -> None:
    """What users of the library call is documented without exception."""
    tree = ast.parse((ROOT / path).read_text("utf-8"))
    assert [node.name for node in public_definitions(tree) if not ast.get_docstring(node)] == []


def test_what_is_lacking_is_found() -> None:
    source = "class A:\n    def f(self, x, *, y: int): ...\n    def _g(x): ...\n"
    assert lacks(source) == ["the module: docstring", "A: docstring", "f: type of x", "f: type of its result"]


# ---- words


def keys_in_html() -> set[str]:
    return set(re.findall(r"\$(\w+)", (VIEWER_FOLDER / "viewer.html").read_text("utf-8")))


def keys_in_javascript() -> tuple[set[str], list[str]]:
    """Keys that are looked up by name, and patterns of those that are put together, as `chip_${name}`."""
    script = "\n".join(path.read_text("utf-8") for path in sorted(VIEWER_FOLDER.glob("*.js")))
    calls = re.findall(r"(?:\bsay\(|words\[)((?:[^()\[\]]|\((?:[^()]|\([^()]*\))*\))*?)(?:,\s*[\w{]|\)|\])", script)
    text = "\n".join(calls)
    patterns = [re.sub(r"\$\{[^}]*\}", r"[\\w+]+", template) for template in re.findall(r"`([^`]*)`", text)]
    plain = re.sub(r"`[^`]*`", "", text)
    return set(re.findall(r'"(\w+)"', re.sub(r'[!=]== "\w+"', "", plain))), patterns


def test_every_word_exists_and_is_used() -> None:
    """A missing key would be an exception in the browser; one that is not used would be translated in vain."""
    html, (names, patterns) = keys_in_html(), keys_in_javascript()
    assert len(names) > 15, "the calls of say() are found at all"
    assert html - VIEWER.keys() == set()
    assert names - VIEWER.keys() == set()
    assert [pattern for pattern in patterns if not any(re.fullmatch(pattern, key) for key in VIEWER)] == []
    made = {key for key in VIEWER for pattern in patterns if re.fullmatch(pattern, key)}
    assert VIEWER.keys() - html - names - made == set()


def test_every_word_of_the_page_exists_and_is_used() -> None:
    text = "\n".join(path.read_text("utf-8") for path in (ROOT / "vizapp" / "ui").rglob("*.py"))
    names = set(re.findall(r'PAGE\[["\'](\w+)["\']\]', text))
    patterns = [re.sub(r"\{[^}]*\}", r"\\w+", made) for made in re.findall(r'PAGE\[f"([^"]+)"\]', text)]
    patterns += [start + r"\w+" for start in re.findall(r'key\.startswith\("(\w+)"\)', text)]
    made = {key for key in PAGE for pattern in patterns if re.fullmatch(pattern, key)}
    assert names - PAGE.keys() == set()
    assert PAGE.keys() - names - made == set()
