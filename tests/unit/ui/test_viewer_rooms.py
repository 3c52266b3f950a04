"""The walls of the viewer: its modules import one way, panels know neither it nor each other, and its words are all there."""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from support.english import VIEWER
from support.paths import ROOT
from support.together import together
from support.viewer_files import FOLDER, PANELS, SOURCES
from vizapp import vocabulary
from vizapp.core.metrics import metrics

README = (FOLDER / "panels" / "README.md").read_text("utf-8")
EXAMPLE = re.search(r"```js\n(.*?)```", README, flags=re.DOTALL)[1]
LONGEST = 400  # lines
VOCABULARY = ROOT / "vizapp" / "vocabulary.js"  # every room may import it

# Room -> the rooms that it may import. A panel is given everything else when it is mounted.
MAY_IMPORT = {
    "numbers": {"numbers"},
    "drawing": {"drawing", "numbers"},
    "panels": {
        "dom.js",
        "exercise.js",
        "listing.js",
        "names.js",
        "state.js",
        "zoom.js",
        "drawing",
        "numbers",
        "saving",
    },
    "saving": {"saving"},
    "exercises": {"dom.js", "exercise.js", "names.js", "drawing", "numbers"},
    "exercise.js": set(),
    "memory.js": set(),
    "book.js": {"memory.js"},
    "state.js": set(),
    "version.js": set(),
    "keys.js": {"state.js"},
    "words.js": set(),
    "dom.js": set(),
    "listing.js": {"dom.js"},
    "names.js": {"numbers"},
    "zoom.js": {"dom.js"},
    "strange.js": set(),
    "shown_panels.js": {"dom.js", "zoom.js"},
    "frame.js": {"dom.js"},
    "idle.js": {"numbers"},
    "keyboard.js": set(),
    "panel.js": set(),
    "slices.js": set(),
    "selectors.js": {"drawing", "names.js", "numbers", "zoom.js"},
    "viewer.js": {
        "numbers",
        "dom.js",
        "frame.js",
        "idle.js",
        "keyboard.js",
        "keys.js",
        "slices.js",
        "selectors.js",
        "shown_panels.js",
        "strange.js",
        "words.js",
    },
    "mount.js": {"book.js", "drawing", "keys.js", "state.js", "version.js", "viewer.js"},
}


def room_of(name: str) -> str:
    return name.partition("/")[0]


def without_comments(source: str) -> str:
    return re.sub(r"/\*.*?\*/|(?<!:)//[^\n]*", "", source, flags=re.DOTALL)


def imports_of(name: str, source: str) -> list[str]:
    """The files that a module imports, by their place in the viewer's folder."""
    found = re.findall(r'(?<!")\b(?:from|import)\s*\(?\s*"([^"]+)"', without_comments(source))
    places = [(FOLDER / name).parent / path for path in found]
    return [str(place.resolve().relative_to(FOLDER.resolve())) for place in places if place.resolve() != VOCABULARY]


def trespasses(name: str, source: str) -> list[str]:
    return [other for other in imports_of(name, source) if room_of(other) not in MAY_IMPORT[room_of(name)]]


@together("name", SOURCES)
def test_imports_go_one_way(name: str) -> None:
    assert trespasses(name, SOURCES[name]) == []
    assert set(imports_of(name, SOURCES[name])) <= SOURCES.keys(), "each is there"
    assert SOURCES[name].count("\n") < LONGEST


@together(
    ("name", "source"),
    [
        ("panels/new.js", 'import { Viewer } from "../viewer.js";'),
        ("panels/new.js", 'import { panel } from "./stage.js";'),
        ("panels/new.js", 'const { Selectors } = await import("../selectors.js");'),
        ("numbers/new.js", 'import { percent } from "../drawing/colour.js";'),
        ("state.js", 'import { KEYS } from "./keys.js";'),
        ("zoom.js", 'import { flag } from "./state.js";'),
        ("viewer.js", 'import { panel } from "./panels/stage.js";'),
    ],
)
def test_a_trespass_is_found(name: str, source: str) -> None:
    assert len(trespasses(name, source)) == 1


def test_no_circle() -> None:
    arrows = {name: imports_of(name, source) for name, source in SOURCES.items()}
    while leaves := [name for name, others in arrows.items() if not any(other in arrows for other in others)]:
        for name in leaves:
            del arrows[name]
    assert arrows == {}, "these import each other"


@together("name", PANELS)
def test_panels_are_given_data(name: str) -> None:
    """A panel finds its parts in its own root, and nothing on the page by an id; only `mount.js` and tests say `viewer`."""
    code = without_comments(SOURCES[name])
    assert re.findall(r"\bviewer\b(?!\.js)", code) == []
    assert re.findall(r"getElementById|document\.querySelector|\bid=|window\.", code) == []


def test_panels_and_chains_say_what_they_are() -> None:
    """Modules were joined into one scope once; now each says what it hands out."""
    for name in PANELS:
        assert re.findall(r"^export (\w+) (\w+)", SOURCES[name], flags=re.MULTILINE) == [("const", "panel")]
    # The browser would take a chain that is not in the table for one of a single layer.
    assert {*vocabulary.THROUGH_LAYERS} == {*vocabulary.CHAINS}


def own_words(source: str) -> set[str]:
    """The keys of the words that a panel brings along."""
    code = re.search(r'\bwords: \{((?:\s*\w+:\s*"(?:[^"\\]|\\.)*",?)*)\s*\}', without_comments(source))
    return set(re.findall(r'(\w+):\s*"(?:[^"\\]|\\.)*"', code[1])) if code else set()


def words_in(source: str) -> tuple[set[str], set[str]]:
    """Keys in a module's HTML, and those that it says."""
    code = without_comments(source)
    return set(re.findall(r"\$([a-z](?:\w*[a-z0-9])?)(?![\w$])", code)), set(re.findall(r'\.say\(\s*"(\w+)"', code))


def missing_words(source: str) -> set[str]:
    """Keys that a module asks for and neither the table nor the module has."""
    return set().union(*words_in(source)) - VIEWER.keys() - own_words(source)


def unused_words(sources: Mapping[str, str]) -> set[str]:
    """Keys of the table, and of words that panels bring along, that no module asks for.

    Of those that are put together when the page runs, as `status_${kind}`, the vocabulary says which there are.
    """
    code = "\n".join(map(without_comments, sources.values()))
    names = set(re.findall(r'"([a-z]\w+)"', code))
    html = set().union(*(words_in(source)[0] for source in sources.values()))
    there = VIEWER.keys() | set().union(*map(own_words, sources.values()))
    # A metric may have a sentence of its own.
    of_metrics = {f"score_{name}{few}" for name in metrics() for few in ("", "_few")}
    to_a_finger = {f"{key}_touch" for key in there}  # instead of the key: words.js
    return there - html - names - said_by_python() - of_metrics - {*vocabulary.keys()} - to_a_finger


@cache
def said_by_python() -> set[str]:
    """Keys that an answer of the server says."""
    code = "".join(path.read_text("utf-8") for path in FOLDER.rglob("*.py"))
    return set(re.findall(r'say\("viewer", "(\w+)"', code))


def test_every_word_exists_and_is_used() -> None:
    """A missing key would be an exception in the browser; one that is not used would be translated in vain."""
    found = [words_in(source) for source in SOURCES.values()]
    assert len(set().union(*(html for html, _ in found))) > 60, "the keys in the HTML of panels are found at all"
    assert len(set().union(*(said for _, said in found))) > 20
    assert {name: missing for name, source in SOURCES.items() if (missing := missing_words(source))} == {}
    assert unused_words(SOURCES) == set()
    lacking = sorted({*vocabulary.keys()} - VIEWER.keys())
    assert not lacking, (
        f"the vocabulary has words without sentences; add them to ui/words/en.toml: {', '.join(lacking)}"
    )


def test_the_browser_has_the_same_vocabulary() -> None:
    assert VOCABULARY.read_text("utf-8") == vocabulary.javascript(), "run `python -m vizapp.vocabulary`"


def test_words_of_a_panels_own() -> None:
    """The example of panels/README.md: its words count as there for it alone, and one that it does not use is found."""
    assert own_words(EXAMPLE) == {"hottest", "hottest_help", "key_hottest"}
    assert missing_words(EXAMPLE) == set()
    assert missing_words(EXAMPLE.replace("    hottest_help:", "    other_help:")) == {"hottest_help"}
    assert missing_words(EXAMPLE.replace('say("hottest"', 'say("coldest"')) == {"coldest"}
    assert unused_words({**SOURCES, "panels/hottest.js": EXAMPLE}) == set()
    assert unused_words({**SOURCES, "panels/hottest.js": EXAMPLE.replace("$hottest_help", "")}) == {"hottest_help"}


def test_the_places_of_the_docs() -> None:
    """The table of panels/README.md says which panels stand where, by their files."""
    rows = re.findall(r"^\| `(\w+)` \| [^|]+ \| ?([\w ,]*)\|$", README, flags=re.MULTILINE)
    told = {(place, *one.split()) for place, listed in rows for one in listed.split(",") if one.strip()}
    stand = {
        (
            *re.search(r'place: "(\w+)"', SOURCES[name]).groups(),
            Path(name).stem,
            re.search(r"order: (\d+)", SOURCES[name])[1],
        )
        for name in PANELS
    }
    assert told == stand
    assert {place for place, _ in rows} == set(re.findall(r'data-place="(\w+)"', SOURCES["frame.js"]))
