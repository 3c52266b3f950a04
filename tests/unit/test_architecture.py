"""The walls of the house: who may import whom, what every public name owes its reader, and where words live."""

import ast
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import get_args

from support.english import PAGE
from support.imports import LINKED, SOURCES, arrows, imports_of, module_of, tree_of, within
from support.paths import ROOT
from support.rooms import MAY_IMPORT, TOP
from support.together import together
from vizapp.core.measure import Better
from vizapp.core.trust.faithfulness import DELETION, INSERTION
from vizapp.ui.gradio_words import GRADIO
from vizapp.ui.jobs import Why
from vizapp.vocabulary import AS_TRAINED, EMPTIES, FITS

NOWHERE = ("matplotlib.pyplot", "tests", "bench", "train", "conftest")


def trespasses(module: str, source: str) -> list[str]:
    """What `module` imports and may not, one line each."""
    room = room_of(module)
    found = []
    for line, name in imports_of(source):
        if name.partition(".")[0] in sys.stdlib_module_names:
            continue
        allowed = any(within(name, other) for other in MAY_IMPORT[room])
        allowed |= within(name, "vizapp.vocabulary")  # the words that all rooms agree on
        # Rooms that raise errors make the sentences of them.
        allowed |= within(name, "vizapp.wording") and "vizapp.errors" in MAY_IMPORT[room]
        if not allowed or any(within(name, other) for other in NOWHERE):
            found.append(f"{module}, line {line}: {name}")
    return found


def room_of(module: str) -> str:
    return max((name for name in MAY_IMPORT if within(module, name)), key=len)


@together("path", SOURCES)
def test_imports_go_one_way(path: Path) -> None:
    assert trespasses(module_of(path), path.read_text("utf-8")) == []


@together(
    ("module", "source"),
    [
        ("vizapp.model.vit", "import vizapp"),
        ("vizapp.model.zoo.new", "from vizapp.pipeline import analyse"),
        ("vizapp.model.toy.scenes", "from train.recipes import RECIPES"),
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
        ("vizapp.model.toy.scenes", "import bench.speed"),
        ("launch", "import torch"),
    ],
)
def test_a_trespass_is_found(module: str, source: str) -> None:
    """The guard itself: each of these must not get past it."""
    assert len(trespasses(module, source)) == 1


def test_files_lie_in_rooms() -> None:
    """And each folder of Python at the top is a room with rules of its own."""
    assert {path.stem for path in (ROOT / "vizapp").glob("*.py")} == TOP
    folders = {
        f"vizapp.{path.parent.name}" for path in (ROOT / "vizapp").glob("*/__init__.py") if not LINKED & {path.parent}
    }
    assert folders - MAY_IMPORT.keys() == set()


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


@together("folder", LONGEST)
def test_files_are_short(folder: str) -> None:
    """Tables of words aside."""
    paths = [path for path in sorted((ROOT / folder).rglob("*.py")) if not LINKED & set(path.parents)]
    paths = [path for path in paths if path.parent.name != "words"]
    long = {str(path.relative_to(ROOT)): len(path.read_text("utf-8").splitlines()) for path in paths}
    assert {name: lines for name, lines in long.items() if lines >= LONGEST[folder]} == {}


LONGEST_FUNCTION = 60  # lines, without its docstring


def long_functions(source: str) -> list[str]:
    """Names of functions that are too long to be read at once."""
    nodes = [node for node in ast.walk(tree_of(source)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]

    def lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
        first, docstring = node.body[0], ast.get_docstring(node)
        said = (first.end_lineno or 0) - first.lineno + 1 if docstring else 0
        return (node.end_lineno or 0) - node.lineno + 1 - said

    return [node.name for node in nodes if lines(node) > LONGEST_FUNCTION]


def test_functions_are_short() -> None:
    long = {f"{path.relative_to(ROOT)}: {name}" for path in SOURCES for name in long_functions(path.read_text("utf-8"))}
    assert long == set()
    lines = "    pass\n"
    assert long_functions("def short():\n" + lines * 59) == []
    assert long_functions('def said():\n    """One.\n\n    Two."""\n' + lines * 59) == []
    assert long_functions("class A:\n  async def long(self):\n" + lines * 60) == ["long"]


def test_no_test_has_a_clock() -> None:
    """A time depends on what else a machine does. `waiting.until` waits; what is slow is measured in bench/, as a ratio."""
    clock = re.compile(
        r"\btime\.(time|\w*monotonic|perf_|process_|thread_)\w*\(|\.elapse[d]\b|from tim[e] import|getload[a]vg"
        r"|datetime\.(no[w]|utcno[w]|toda[y])\(|\bdate\.toda[y]\(|performance\.no[w]\("
        r"|Date\.no[w]\(|new Dat[e]\(\)|hrtim[e]|console\.tim[e]"
    )
    files = [path for path in (ROOT / "tests").rglob("*") if path.suffix in {".py", ".js", ".mjs", ".html"}]
    # The page of test_atlas.py leaves out what happened while its frames were far apart: it asks the time, and asserts none.
    assert {path.name for path in files if clock.search(path.read_text("utf-8"))} == {"waiting.py", "test_atlas.py"}


def public_definitions(tree: ast.Module | ast.ClassDef) -> Iterator[ast.FunctionDef | ast.ClassDef]:
    """Functions, classes and methods without a leading underscore; what is private has only private parts."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            yield node
            if isinstance(node, ast.ClassDef):
                yield from public_definitions(node)


def lacks(source: str) -> list[str]:
    """Parameters and results without a type, and classes and modules without a docstring."""
    tree = tree_of(source)
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


@together("path", SOURCES)
def test_public_names_say_what_they_are(path: Path) -> None:
    """Types everywhere; a docstring for each module and class. A function whose signature says it all needs no more."""
    assert lacks(path.read_text("utf-8")) == []


@together("path", ["model/__init__.py", "vizapp/pipeline/__init__.py", "vizapp/picture/__init__.py"])
def test_the_doors_have_docstrings(path: str) -> None:
    """What users of the library call is documented without exception."""
    tree = tree_of((ROOT / path).read_text("utf-8"))
    assert [node.name for node in public_definitions(tree) if not ast.get_docstring(node)] == []


def test_what_is_lacking_is_found() -> None:
    source = "class A:\n    def f(self, x, *, y: int): ...\n    def _g(x): ...\n"
    assert lacks(source) == ["the module: docstring", "A: docstring", "f: type of x", "f: type of its result"]


# Keys that builders of the page put together, with what they put in.
GLUED: dict[str, Iterable[str]] = {
    "fit_{}": (AS_TRAINED, *FITS),
    "empty_{}": EMPTIES,
    "column_{}": get_args(Better),
    "kind_{}": ("class", "every", "slow"),
    "{}_x": (DELETION.name, INSERTION.name),
    "offer_{}": ("get", "else", "instead"),
    "verdict_{}": ("best", "alone", "all", "some", "none"),
    "gradio_{}": GRADIO,
    "ended_{}": {*get_args(Why)} - {"stopped", "too_long"},  # those are said otherwise
}


def test_every_word_of_the_page_exists_and_is_used() -> None:
    """Wherever it is looked up: `page` and `page_words` are what builders call words["page"]."""
    text = "\n".join(path.read_text("utf-8") for path in (ROOT / "vizapp" / "ui").rglob("*.py"))
    page = r'(?:\bpage|\bpage_words|words\[["\']page["\']\])'
    names = set(re.findall(page + r'\[["\'](\w+)["\']\]', text))
    names |= set(re.findall(r'say\(\s*"page", "(\w+)"', text))
    names |= {one for both in re.findall(page + r'\["(\w+)" if [\w.]+ else "(\w+)"\]', text) for one in both}
    f_string = rf'(?:{page}\[|say\(\s*"page", )f(["\'])(.+?)\1'
    assert {re.sub(r"\{[^}]*\}", "{}", one) for _, one in re.findall(f_string, text)} == GLUED.keys()
    names |= {key.format(one) for key, words in GLUED.items() for one in words}
    assert len(names) > 50
    assert names - PAGE.keys() == set()
    scripts = [path for path in (ROOT / "vizapp" / "browser").rglob("*.js") if path.name != "bundle.js"]
    names |= {one for path in scripts for one in re.findall(r"\bpage\.(\w+)", path.read_text("utf-8"))}
    assert PAGE.keys() - names == set()


def test_the_numbers_know_of_no_page() -> None:
    """What vizapp/core says is read on the page, in a terminal and in a traceback alike. (Docstrings may say who reads it.)"""
    sources = [path for path in SOURCES if "core" in path.relative_to(ROOT).parts]
    said: dict[Path, list[object]] = {}
    for path in sources:
        nodes = list(ast.walk(tree_of(path.read_text("utf-8"))))
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
