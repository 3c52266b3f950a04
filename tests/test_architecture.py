"""The walls of the house: who may import whom, what every public name owes its reader, and where words live."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from vizapp.ui.words.en import PAGE

ROOT = Path(__file__).parents[1]
LINKED = {
    ROOT / "vizapp" / name for name in ("model", "assets")
}  # the same files, by the name that they are imported by
SOURCES = [
    ROOT / "launch.py",
    *sorted(ROOT.glob("model/**/*.py")),
    *(path for path in sorted(ROOT.glob("vizapp/**/*.py")) if not LINKED & set(path.parents)),
]

PAGE_LIBRARIES = ("gradio", "starlette", "numpy", "cv2", "torch")

# Room -> what it may import besides the standard library. The longest name that fits a module is its room.
MAY_IMPORT = {
    "launch": ("vizapp.cli",),
    "vizapp": (
        "vizapp.analysis",
        "vizapp.notebook",
        "vizapp.pipeline",
        "vizapp.painting",
        "vizapp.captions",
        "vizapp.data",
        "vizapp.many",
        "vizapp.step_by_step",
        "vizapp.taught",
        "vizapp.comparison",
        "vizapp.browser.one_file.export",
        "vizapp.browser.widget.widget",
        "vizapp.core",
        "vizapp.model",
        "vizapp.render",
        "vizapp.arguments",
        "vizapp.errors",
    ),
    "vizapp.__main__": ("vizapp.cli",),
    "vizapp.wording": (),
    "vizapp.errors": ("vizapp.wording",),
    "vizapp.arguments": ("vizapp.errors",),
    "vizapp.plugins": ("vizapp.errors", "vizapp.wording"),
    "vizapp.model": (
        "vizapp.model",
        "vizapp.arguments",
        "vizapp.errors",
        "vizapp.plugins",
        "torch",
        "numpy",
        "safetensors",
        "cv2",
    ),
    "vizapp.model.room": ("vizapp.container", "vizapp.errors", "torch"),
    "vizapp.model.preprocess": ("vizapp.model", "vizapp.arguments", "vizapp.errors", "torch", "numpy", "PIL"),
    "vizapp.model.labels": ("timm",),
    "vizapp.model.downloads": ("vizapp.errors", "torch", "huggingface_hub", "tqdm"),
    "vizapp.model.known": ("huggingface_hub",),
    "vizapp.progress": (),
    "vizapp.model.hub": ("vizapp.errors", "huggingface_hub"),
    "vizapp.model.zoo": (
        "vizapp.model",
        "vizapp.errors",
        "vizapp.plugins",
        "torch",
        "numpy",
        "timm",
        "torchvision",
        "transformers",
        "open_clip",
    ),
    "vizapp.container": (),
    "vizapp.decoding": ("PIL",),
    "vizapp.tags": ("vizapp.wording",),
    "vizapp.chunks": ("vizapp.tags", "vizapp.wording", "PIL"),
    "vizapp.picture": (
        "vizapp.chunks",
        "vizapp.container",
        "vizapp.decoding",
        "vizapp.errors",
        "vizapp.tags",
        "numpy",
        "PIL",
    ),
    "vizapp.core": (
        "vizapp.core",
        "vizapp.container",
        "vizapp.errors",
        "vizapp.wording",
        "vizapp.plugins",
        "vizapp.model.spec",
        "torch",
        "numpy",
    ),
    "vizapp.core.methods.by_pixels": ("vizapp.core", "vizapp.wording", "vizapp.model.spec", "torch", "captum"),
    "vizapp.core.methods.flow": ("vizapp.core", "vizapp.errors", "vizapp.model.spec", "torch", "numpy", "scipy"),
    "vizapp.render": (
        "vizapp.render",
        "vizapp.arguments",
        "vizapp.errors",
        "vizapp.model.frame",
        "numpy",
        "matplotlib",
        "PIL",
    ),
    "vizapp.captions": ("vizapp.pipeline", "vizapp.core", "vizapp.model", "vizapp.errors", "vizapp.wording", "torch"),
    "vizapp.step_by_step": ("vizapp.analysis", "vizapp.core", "vizapp.errors"),
    "vizapp.taught": ("vizapp.analysis", "vizapp.core", "vizapp.errors", "vizapp.model.spec", "numpy", "torch"),
    "vizapp.many": ("vizapp.analysis", "vizapp.pipeline", "vizapp.core", "vizapp.errors", "torch"),
    "vizapp.given": ("vizapp.picture", "vizapp.errors", "vizapp.wording", "vizapp.model", "torch", "numpy"),
    "vizapp.analysis": (
        "vizapp.analysis",
        "vizapp.arguments",
        "vizapp.core",
        "vizapp.errors",
        "vizapp.model.frame",
        "numpy",
    ),
    "vizapp.analysis.archive": (
        "vizapp.core.attention.parts",
        "vizapp.errors",
        "vizapp.wording",
        "torch",
        "numpy",
        "PIL",
        "safetensors",
    ),
    "vizapp.analysis.provenance": ("vizapp.core.capture", "vizapp.core.memo", "vizapp.model.spec", "torch"),
    "vizapp.analysis.saved": ("vizapp.analysis", "vizapp.core", "vizapp.errors", "vizapp.model"),
    "vizapp.analysis.head_rows": ("vizapp.analysis", "vizapp.core", "vizapp.errors", "numpy"),
    "vizapp.notebook": ("vizapp.analysis", "vizapp.core", "vizapp.render", "vizapp.errors", "numpy"),
    "vizapp.render.moving": (
        "vizapp.render.files",
        "vizapp.render.gif",
        "vizapp.errors",
        "numpy",
        "matplotlib",
        "PIL",
        "av",
    ),
    "vizapp.pipeline": (
        "vizapp.analysis",
        "vizapp.given",
        "vizapp.notebook",
        "vizapp.core",
        "vizapp.picture",
        "vizapp.errors",
        "vizapp.model",
        "torch",
    ),
    "vizapp.painting": (
        "vizapp.analysis",
        "vizapp.pipeline",
        "vizapp.painting",
        "vizapp.core",
        "vizapp.render",
        "vizapp.errors",
        "numpy",
        "matplotlib",
    ),
    "vizapp.painting.video": (
        "vizapp.analysis",
        "vizapp.pipeline",
        "vizapp.many",
        "vizapp.painting",
        "vizapp.core",
        "vizapp.footage",
        "vizapp.model",
        "vizapp.render",
        "vizapp.errors",
        "numpy",
    ),
    "vizapp.footage": ("vizapp.errors", "vizapp.picture", "numpy", "PIL", "cv2"),
    "vizapp.comparison": (
        "vizapp.analysis",
        "vizapp.arguments",
        "vizapp.pipeline",
        "vizapp.core",
        "vizapp.data.rows",
        "vizapp.wording",
        "vizapp.notebook",
        "vizapp.errors",
        "numpy",
    ),
    "vizapp.data": (
        "vizapp.data",
        "vizapp.analysis",
        "vizapp.pipeline",
        "vizapp.picture",
        "vizapp.core",
        "vizapp.errors",
        "vizapp.model",
        "numpy",
    ),
    "vizapp.data.card": ("vizapp.data", "vizapp.pipeline", "vizapp.core", "vizapp.model", "torch", "numpy", "cv2"),
    "vizapp.data.growth": ("vizapp.model", "torch", "numpy"),
    "vizapp.data.engines": ("vizapp.data", "vizapp.errors", "vizapp.model", "torch"),
    "vizapp.data.cluster": ("vizapp.errors", "ray"),
    "vizapp.ui": (
        "vizapp.ui",
        "vizapp.captions",
        "vizapp.wording",
        "vizapp.analysis",
        "vizapp.model.spec",
        "vizapp.model.downloads.heard",
        "vizapp.model.fetch",
        "vizapp.model.known",
        "vizapp.model.named_weights",
        "vizapp.model.zoo.fetchables",
        "vizapp.model.preprocess.FITS",
        "vizapp.model.toy.labels",
        "vizapp.model.toy.lessons",
        "vizapp.pipeline",
        "vizapp.painting",
        "vizapp.picture.MAX_PIXELS",
        "vizapp.picture.PUBLIC_PIXELS",
        "vizapp.container",
        "vizapp.comparison",
        "vizapp.taught",
        "vizapp.core",
        "vizapp.render",
        "vizapp.errors",
        *PAGE_LIBRARIES,
    ),
    # Networks of films are kept apart from those of the pipeline.
    "vizapp.ui.viewer.answers.moments": (
        "vizapp.ui",
        "vizapp.analysis",
        "vizapp.pipeline",
        "vizapp.model.load",
        "vizapp.model.spec",
        "vizapp.model.preprocess.Fit",
        "vizapp.model.zoo.ModelName",
        "vizapp.errors",
    ),
    "vizapp.ui.zero": (
        "vizapp.analysis",
        "vizapp.pipeline",
        "vizapp.picture.MAX_PIXELS",
        "vizapp.picture.PUBLIC_PIXELS",
        "vizapp.core",
        "vizapp.model.spec",
        "vizapp.errors",
        "numpy",
        "torch",
        "spaces",
    ),
    "vizapp.ui.programs": (
        "vizapp.ui",
        "vizapp.analysis",
        "vizapp.pipeline",
        "vizapp.painting",
        "vizapp.comparison",
        "vizapp.core",
        "vizapp.errors",
        "gradio",
        "starlette",
        "pydantic",
        "numpy",
        "cv2",
    ),
    "vizapp.ui.programs.tools": (
        "vizapp.analysis.provenance.own_version",
        "vizapp.ui.programs",
        "vizapp.errors",
        "gradio",
        "gradio_client",
        "mcp",
        "anyio",
        "starlette",
    ),
    "vizapp.ui.server": (
        "vizapp.ui.server",
        "vizapp.ui.jobs",
        "vizapp.ui.languages",
        "vizapp.ui.limits",
        "vizapp.ui.early",
        "vizapp.ui.glossary",
        "vizapp.ui.incoming",
        "vizapp.ui.link",
        "vizapp.ui.programs.named",
        "vizapp.ui.shown",
        "vizapp.ui.terminal",
        "vizapp.ui.theme",
        "vizapp.ui.views",
        "vizapp.ui.words",
        "vizapp.errors",
        "gradio",
        "fastapi",
        "starlette",
        "python_multipart",
    ),
    "vizapp.ui.server.smaller": ("starlette", "brotli"),
    "vizapp.ui.server.address": ("vizapp.errors",),
    "vizapp.browser": (
        "vizapp.browser",
        "vizapp.pipeline",
        "vizapp.analysis",
        "vizapp.core.attention.trace",
        "vizapp.core.methods",
        "vizapp.model",
        "vizapp.notebook",
        "vizapp.picture",
        "vizapp.render.colour",
        "vizapp.render.small",
        "vizapp.ui",
        "vizapp.errors",
        "vizapp.wording",
        "torch",
        "numpy",
        "PIL",
        "anywidget",
        "traitlets",
    ),
    "vizapp.verbs": (
        "vizapp.verbs",
        "vizapp.browser",
        "vizapp.progress",
        "vizapp.footage",
        "vizapp.painting.figures",
        "vizapp.painting.video",
        "vizapp.pipeline",
        "vizapp.data",
        "vizapp.model.zoo.bundled",
        "vizapp.model.zoo.fetchables",
        "vizapp.errors",
    ),
    "vizapp.cli": (
        "spaces",
        "vizapp.__version__",
        "vizapp.captions",
        "vizapp.progress",
        "vizapp.verbs",
        "vizapp.ui",
        "vizapp.analysis.record",
        "vizapp.pipeline",
        "vizapp.painting",
        "vizapp.render.overlay",
        "vizapp.core",
        "vizapp.errors",
    ),
}
NOWHERE = ("matplotlib.pyplot", "tests", "bench", "conftest")


def within(name: str, room: str) -> bool:
    return name == room or name.startswith(room + ".")


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    parts = ("vizapp", *parts) if parts[0] == "model" else parts
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
    room = room_of(module)
    found = []
    for line, name in imports_of(source):
        if name.partition(".")[0] in sys.stdlib_module_names:
            continue
        allowed = any(within(name, other) for other in MAY_IMPORT[room])
        # Rooms that raise errors make the sentences of them.
        allowed |= within(name, "vizapp.wording") and "vizapp.errors" in MAY_IMPORT[room]
        if not allowed or any(within(name, other) for other in NOWHERE):
            found.append(f"{module}, line {line}: {name}")
    return found


def room_of(module: str) -> str:
    return max((name for name in MAY_IMPORT if within(module, name)), key=len)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_go_one_way(path: Path) -> None:
    assert trespasses(module_of(path), path.read_text("utf-8")) == []


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("vizapp.model.vit", "import vizapp"),
        ("vizapp.model.zoo.new", "from vizapp.pipeline import analyse"),
        ("vizapp.model.toy.train", "from vizapp.data.card import publish"),
        ("vizapp.model.spec", "import timm"),
        ("vizapp.core.methods.new", "import gradio"),
        ("vizapp.core.capture.forward", "from vizapp.model import load"),
        ("vizapp.core.attention.trace", "import vizapp.model.zoo"),
        ("vizapp.core.attention.trace", "from PIL import Image"),
        ("vizapp.render.overlay", "import torch"),
        ("vizapp.render.overlay", "from vizapp.model.spec import TokenLayout"),
        ("vizapp.render.figure", "import matplotlib.pyplot as plt"),
        ("vizapp.render.figure", "from matplotlib import pyplot"),
        ("vizapp.pipeline", "def f():\n    import gradio"),
        ("vizapp.ui.app", "from vizapp.model import load"),
        ("vizapp.ui.app", "from PIL import Image"),
        ("vizapp.cli", "import torch"),
        ("vizapp.pipeline", "from vizapp.ui.app import build"),
        ("vizapp.model.toy.train", "import bench.speed"),
        ("launch", "import torch"),
    ],
)
def test_a_trespass_is_found(module: str, source: str) -> None:
    """The guard itself: each of these must not get past it."""
    assert len(trespasses(module, source)) == 1


def test_each_permission_is_used() -> None:
    """A door that nobody walks through is a wall that is missing. Of a room into itself and to `errors` it is free."""
    walked: dict[str, set[str]] = {}
    for path in SOURCES:
        names = {name for _, name in imports_of(path.read_text("utf-8"))}
        walked.setdefault(room_of(module_of(path)), set()).update(names)
    unused = [
        f"{room}: {other}"
        for room, others in MAY_IMPORT.items()
        for other in others
        if other not in {room, "vizapp.errors"} and not any(within(name, other) for name in walked.get(room, ()))
    ]
    assert unused == []


def arrows() -> dict[str, set[str]]:
    """Module -> the modules of vizapp that it imports, wherever the import stands: inside functions and for types, too."""
    names = {module_of(path) for path in SOURCES}

    def home(name: str) -> str:
        while name and name not in names:
            name = name.rpartition(".")[0]
        return name

    return {
        module_of(path): {home(name) for _, name in imports_of(path.read_text("utf-8"))} - {"", module_of(path)}
        for path in SOURCES
    }


def wing_of(module: str) -> str:
    """The room of a module: vizapp.core.capture, vizapp.render, vizapp.pipeline ..."""
    return ".".join(module.split(".")[: 3 if within(module, "vizapp.core") else 2])


def circle(graph: dict[str, set[str]]) -> set[str]:
    """Nodes that lie on circles, or lead only to such: those that are left when what leads nowhere is taken away."""
    left = dict(graph)
    while ends := [node for node, others in left.items() if not others & left.keys()]:
        for node in ends:
            del left[node]
    return set(left)


def test_there_is_no_circle() -> None:
    """Neither of files nor of rooms: each can be read when those below it are understood."""
    files = arrows()
    assert sum(map(len, files.values())) > 300, "the arrows are found at all"
    assert circle(files) == set()
    rooms: dict[str, set[str]] = {}
    for module, others in files.items():
        rooms.setdefault(wing_of(module), set()).update(wing_of(one) for one in others)
    assert circle({room: others - {room} for room, others in rooms.items()}) == set()


def test_a_circle_is_found() -> None:
    assert circle({"a": {"b"}, "b": {"c"}, "c": set()}) == set()
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": set()}) == {"a", "b", "c"}


BELOW = {  # wing of vizapp.core -> the wings that it may see; those that are not named see all
    "attention": (),
    "capture": ("attention",),
    "signals": ("attention", "capture"),
    "interventions": ("capture",),
}


def test_the_wings_of_the_core_stand_on_each_other() -> None:
    for module, others in arrows().items():
        wing = module.split(".")[2] if module.count(".") >= 2 and within(module, "vizapp.core") else ""
        if wing in BELOW:
            seen = {one.split(".")[2] for one in others if one.count(".") >= 3 and within(one, "vizapp.core")} - {wing}
            assert seen <= set(BELOW[wing]), f"{module} looks up"


LONGEST = {"vizapp": 400, "model": 400, "bench": 400, "tests": 600}  # lines; one idea a file


@pytest.mark.parametrize("folder", LONGEST)
def test_files_are_short(folder: str) -> None:
    """Tables of words aside."""
    paths = [path for path in sorted((ROOT / folder).rglob("*.py")) if not LINKED & set(path.parents)]
    paths = [path for path in paths if path.parent.name != "words"]
    long = {str(path.relative_to(ROOT)): len(path.read_text("utf-8").splitlines()) for path in paths}
    assert {name: lines for name, lines in long.items() if lines >= LONGEST[folder]} == {}


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


def test_every_word_of_the_page_exists_and_is_used() -> None:
    """Wherever it is looked up: `page` and `page_words` are what builders call words["page"]."""
    text = "\n".join(path.read_text("utf-8") for path in (ROOT / "vizapp" / "ui").rglob("*.py"))
    page = r'(?:\bpage|\bpage_words|words\[["\']page["\']\])'
    names = set(re.findall(page + r'\[["\'](\w+)["\']\]', text))
    names |= set(re.findall(r'say\(\s*"page", "(\w+)"', text))
    names |= {one for both in re.findall(page + r'\["(\w+)" if [\w.]+ else "(\w+)"\]', text) for one in both}
    f_string = rf'(?:{page}\[|say\(\s*"page", )f["\']([^"\']+)["\']'
    patterns = [re.sub(r"\{[^}]*\}", r"\\w+", made) for made in re.findall(f_string, text)]
    made = {key for key in PAGE for pattern in patterns if re.fullmatch(pattern, key)}
    assert len(names) > 50
    assert names - PAGE.keys() == set()
    assert PAGE.keys() - names - made == set()


def test_the_numbers_know_of_no_page() -> None:
    """What vizapp/core says is read on the page, in a terminal and in a traceback alike. (Docstrings may say who reads it.)"""
    sources = [path for path in SOURCES if "core" in path.relative_to(ROOT).parts]
    said: dict[Path, list[object]] = {}
    for path in sources:
        nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
        docstrings = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
        said[path] = [node.value for node in nodes if isinstance(node, ast.Constant) and id(node) not in docstrings]
    found = [
        f"{path.relative_to(ROOT)}: {text}"
        for path, texts in said.items()
        for text in texts
        if isinstance(text, str) and re.search(r"\b(page|browser|button|click|tab)\b", text)
    ]
    assert len(sources) > 40
    assert found == []
