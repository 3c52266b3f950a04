"""The sentences that code makes: each `VizError(...)` and `Text(...)` of the tree, read from the source.

for one in sentences_of(source):
    one.templates, one.values          # the English sentences with their braces, and the names of the values given
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Formatter

ROOT = Path(__file__).parents[3]
ROOTS = {"VizError": 2, "Text": 1}  # how many sentences each takes, before the values; so do the kinds of them
DECLARED = {"method", "metric", "Measure", "Setting"}  # what says of itself, in constant strings, what pages call it
SAID = ("title", "sentence", "choice", "about")  # in these, which are translated where they are shown
PARTS = ("message", "hint")  # of an error: a `Text` each
LINKS = {path for path in (ROOT / "vizapp").iterdir() if path.is_symlink()}  # to the folder model, which is read once


def sources() -> list[Path]:
    """The Python files of the program, each once."""
    return sorted(
        path for room in ("vizapp", "model") for path in ROOT.glob(f"{room}/**/*.py") if not LINKS & set(path.parents)
    )


def _makers() -> dict[str, int]:
    """The roots, and each class of the tree that is a kind of one: what `Full` says is said by it alone."""
    made = dict(ROOTS)
    classes = [
        one
        for path in sources()
        for one in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(one, ast.ClassDef)
    ]
    while kinds := {
        one.name: made[base]
        for one in classes
        for base in map(ast.unparse, one.bases)
        if base in made and one.name not in made
    }:
        made |= kinds
    return made


MAKERS = _makers()


@dataclass(frozen=True)
class Sentence:
    """One call.

    maker      the class
    templates  its constant strings; of a name those that it can stand for
    values     the names of its keyword arguments
    faults     what a table of another language could not follow, in words
    """

    line: int
    maker: str
    templates: tuple[str, ...]
    values: tuple[str, ...]
    faults: tuple[str, ...]


def fields(template: str) -> list[str]:
    """The names in braces: "no {what} at {place}" -> ["what", "place"]."""
    return [name for _, name, _, _ in Formatter().parse(template) if name is not None]


def sentences_of(source: str) -> Iterator[Sentence]:
    """Each call that makes a sentence a person reads."""
    tree = ast.parse(source)
    outer = [*(node for node in tree.body if not isinstance(node, _ROOMS))]
    texts = _texts(tree)
    for scope in [ast.Module(outer, []), *_functions(tree)]:
        known = _Known(tree, scope, texts)
        for node in ast.walk(scope):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in MAKERS:
                yield _read(node, node.func.id, known)


_ROOMS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def _functions(node: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Functions and methods, with those inside them."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield child
        elif not isinstance(child, ast.expr):
            yield from _functions(child)


def _read(call: ast.Call, maker: str, known: "_Known") -> Sentence:
    templates: list[str] = []
    faults: list[str] = []
    for one in call.args:
        found = known.constants(one)
        if found is None:
            faults.append(f"no constant sentence: {ast.unparse(one)}")
        templates += found or []
    values = tuple(one.arg or "**" for one in call.keywords)
    if not 1 <= len(call.args) <= MAKERS[maker] or "**" in values:
        faults.append("sentences are given one by one, and values by name")
    used: set[str] = set()
    for template in templates:
        names = fields(template) if values else re.findall(r"\{(\w+)[^{}]*\}", template)
        faults += [f"'{{{name}}}' has no value" for name in names if name not in values]
        used |= set(names)
    faults += [f"'{name}' stands in no sentence" for name in values if name not in used]
    faults += [
        f"'{one.arg}' is English words: {ast.unparse(one.value)}" for one in call.keywords if known.is_worded(one.value)
    ]
    return Sentence(call.lineno, maker, tuple(templates), values, tuple(faults))


def _texts(tree: ast.Module) -> set[str]:
    """The names of a module that are a `Text`, or functions that return one."""
    found = {"listed"}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.returns and ast.unparse(node.returns) == "Text":
            found.add(node.name)
        elif isinstance(node, ast.arg) and node.annotation and ast.unparse(node.annotation) == "Text":
            found.add(node.arg)
        elif isinstance(node, ast.ImportFrom):
            found |= {alias.asname or alias.name for alias in node.names} & EXPORTED
    return found


class _Known:
    """The names that hold a sentence, or a `Text`, in one function of a module."""

    def __init__(self, tree: ast.Module, scope: ast.AST, texts: set[str]) -> None:
        self._assigned: dict[str, list[ast.expr]] = {}
        self._texts = texts
        for node in [*tree.body, *ast.walk(scope)]:
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    if isinstance(target, ast.Name):
                        self._assigned.setdefault(target.id, []).append(node.value)

    def constants(self, node: ast.expr, depth: int = 3) -> list[str] | None:
        """The constant sentences that an expression can be; [] for a `Text`, which is read where it is made; else None."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return [node.value]
        if isinstance(node, ast.IfExp):
            both = [self.constants(part, depth) for part in (node.body, node.orelse)]
            return None if None in both else [one for part in both for one in part or []]
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            return [] if node.func.id in self._texts | {"Text", "Share"} else None
        if isinstance(node, ast.Attribute) and node.attr in (*SAID, *PARTS):
            return []
        if isinstance(node, ast.Name):
            if node.id in self._texts:
                return []
            if depth and node.id in self._assigned:
                all_of_them = [self.constants(value, depth - 1) for value in self._assigned[node.id]]
                return None if None in all_of_them else [one for part in all_of_them for one in part or []]
        return None

    def is_worded(self, node: ast.expr, depth: int = 3) -> bool:
        """Does a value choose or make words, which no table would see? A `Text` may; names in code are no words."""
        if isinstance(node, ast.Constant):
            return isinstance(node.value, str) and bool(re.search(r"[A-Za-z]{2}", node.value))
        if isinstance(node, ast.JoinedStr):
            return any(self.is_worded(part) for part in node.values if isinstance(part, ast.Constant))
        if isinstance(node, ast.IfExp):
            return self.is_worded(node.body, depth) or self.is_worded(node.orelse, depth)
        if isinstance(node, ast.BoolOp):
            return any(self.is_worded(part, depth) for part in node.values)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            return self.is_worded(node.left, depth) or self.is_worded(node.right, depth)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "join":
            return self.is_worded(node.func.value, depth)
        if isinstance(node, ast.Name) and depth and node.id not in self._texts:
            return any(self.is_worded(value, depth - 1) for value in self._assigned.get(node.id, []))
        return False


def _exported() -> set[str]:
    """Constants that are a `Text`, and functions that return one, which other modules may import."""
    found = set()
    for path in sources():
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.returns and ast.unparse(node.returns) == "Text":
                found.add(node.name)
            elif isinstance(node, ast.Assign) and ast.unparse(node.value).startswith("Text("):
                found |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return found


EXPORTED = _exported()


def declared_in(source: str) -> Iterator[str]:
    """Yield the sentences that methods, metrics and settings say of themselves."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in DECLARED:
            parts = [*node.args, *(one.value for one in node.keywords if one.arg in SAID)]
            yield from (one.value for one in parts if isinstance(one, ast.Constant) and isinstance(one.value, str))


@cache
def keys() -> frozenset[str]:
    """The sentences that `[texts]` of another language translates: all English ones of the code, with their braces."""
    found = set[str]()
    for path in sources():
        source = path.read_text("utf-8")
        found |= {key for one in sentences_of(source) for key in one.templates} | set(declared_in(source))
    return frozenset(found - {""})
