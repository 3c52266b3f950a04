"""Finds the files of which Gradio's scripts build a page, so that the page can name them all at once.

Left alone, a browser finds them in five round trips, because each script names the next ones, and thirty of the eighty files are
style sheets of a kilobyte. Their names stand in Gradio's own scripts, in tables that its build tool (Vite) writes: the script of
each type of component, and the files that it needs. In scripts that look otherwise (another version of Gradio) fewer files or
none are found. Then the browser finds the others itself, as before.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import gradio

FOLDER = Path(gradio.__file__).parent / "templates" / "frontend"
NAME = r"[\"'`]\./([\w.-]+\.(?:js|css))[\"'`]"
GIVEN = re.compile(r"\bassets/([\w.-]+\.(?:js|css))")  # of index.html
PAGE = "Blocks-"  # the beginning of the name of the script that builds a page of components
NEEDED = re.compile(rf"(?:\bfrom|\bimport)\s*{NAME}")  # a script starts when these are here
LATER = rf"import\({NAME}\)[^_`\"']{{0,40}}__vite__mapDeps\(\[([\d,]*)\]\)"  # fetched when it is wanted
TABLE = re.compile(r"\bm\.f=\[([^\]]*)\]")  # to which the numbers of __vite__mapDeps belong
# An entry of Gradio's table of components, `html:{example:...,component:...}`. The type stands before the first of its parts.
PART = re.compile(rf"(?:[{{,](\w+):\{{)?\b(\w+):\(\)=>\w+\(\(\)=>{LATER}")
ELSEWHERE = re.compile(r"</style|@import|@charset|url\((?![\"']?data:)")  # what means something else inside of a page


@dataclass(frozen=True)
class Files:
    """The files of a page, by their names in Gradio's folder "assets".

    scripts  modules
    sheets   style sheets, in the order in which Gradio loads them; without that of `index.html`, which the page has already
    style    their text
    """

    scripts: tuple[str, ...] = ()
    sheets: tuple[str, ...] = ()
    style: str = ""


def files_for(types: Iterable[str]) -> Files:
    """Find the files of a page with these types of components ("html", "dropdown")."""
    try:
        found = list(_found(frozenset(types)))
        sheets = tuple(name for name in found if name.endswith(".css"))
        style = "".join(map(_text, sheets))
    except (OSError, IndexError):  # files that are named and not there, numbers that are not in a table
        return Files()
    if ELSEWHERE.search(style):
        sheets, style = (), ""
    return Files(tuple(name for name in found if name.endswith(".js")), sheets, style)


def _found(types: frozenset[str]) -> Iterator[str]:
    given = GIVEN.findall(_text("../index.html"))
    named = [*given, *(name for script in given if script.endswith(".js") for name in _table(script))]
    for script in [name for name in named if name.endswith(".js")]:
        kind = ""
        for begun, part, name, numbers in PART.findall(_text(script)):
            kind = begun or kind
            if kind in types and part == "component":
                named += [name, *_numbered(script, numbers)]
        for name, numbers in re.findall(LATER, _text(script)):
            if name.startswith(PAGE):
                named += [name, *_numbered(script, numbers)]
    seen = {name for name in given if name.endswith(".css")}
    for name in named:  # grows meanwhile
        if name in seen:
            continue
        seen.add(name)
        yield name
        if name.endswith(".js"):
            named += NEEDED.findall(_text(name))


def _numbered(script: str, numbers: str) -> list[str]:
    table = _table(script)
    return [table[int(number)] for number in numbers.split(",") if number]


def _table(script: str) -> list[str]:
    found = TABLE.search(_text(script))
    return re.findall(NAME, found[1]) if found else []


def _text(name: str) -> str:
    return (FOLDER / "assets" / name).read_text("utf-8")
