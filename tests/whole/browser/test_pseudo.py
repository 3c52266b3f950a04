"""The page in the pseudo-language: each tab, panel, lesson and error says only what is in the tables, and has room for it.

What may stand outside of brackets is listed here, and nowhere else. Chinese is shorter, and what its tables lack is found
without a browser.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from support.pseudo import CLOSE, OPEN, pseudo_language
from support.serving import Server, come, serving
from support.viz import Viz
from vizapp.core.methods import methods
from vizapp.model.toy.lessons import LESSONS
from vizapp.pipeline import model_names
from vizapp.ui import textbook
from vizapp.ui.words import words_for

OUTSIDE = (Path(__file__).parent / "outside.js").read_text("utf-8")
WIDTHS = {390: 844, 1280: 800}
NARROW, WIDE = 390, 1280
LANGUAGE = "xp"

GRADIO = (  # its own strings, which it says in the browser's language
    *("Drop Image Here", "- or -", "Click to Upload"),
    *("Drop File Here", "Upload", "Webcam", "Clear", "Image", "Dropzone", "Download"),
    *("processing", "queue", "Error", "Click to upload or drop files", "Empty value", "Copy", "Fullscreen", "Sort"),
    *("Sort ascending", "Sort descending", "Clear sort", "Filter", "Show more", "Options", "Select", "Press to sort"),
    *("Uploading", "file...", "files..."),
    *("Copy table data", "Open cell menu", "Table actions"),
)
NAMES = (  # of networks, methods, classes and papers; tokens; units; keys; code
    *model_names(),
    *methods(),
    *(label for lesson in LESSONS.values() for label in lesson.classes),
    *(method.paper for method in methods().values()),
    *(
        *("vizapp", "viridis", "cividis", "magma", "CLS", "DIST", "POOL", "Esc"),
        *("cls", "dist", "reg0", "reg1", "reg2", "reg3"),
        *("PNG", "SVG", "PDF", "NPZ", "px"),
        "size",  # an option that was typed
        *("cheetah", "cheetah1", "lion", "tower"),  # files of photos
        # Networks of these tests, and a note of one
        *("registers", "average", "wide", "noted", "The weights are random."),
    ),
)
TYPED = ("timm:vit_tinny_patch16_224", "toy?size=7", "file:/nowhere.safetensors")  # models
CODE = re.compile(
    r"thing \d+|[\w-]+(\.[\w-]+)+|blocks\.\d+\.attn|class \d+|[\w.-]+\.(png|jpg|safetensors)|(file|timm|bundled):\S+"
    r"|\S+ · [\d.]+ M\b.*"  # a network of the list
)
PROGRAMS = re.compile(r"import vizapp[\s\S]+|vizapp explain .+")


def any_of(names: Iterable[str]) -> re.Pattern[str]:
    """One of the names as a word of its own: the longest that fits."""
    longest_first = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    return re.compile(rf"(?<![a-zA-Z0-9_])(?:{longest_first})(?![a-zA-Z0-9_])")


@cache  # the whole of the code is read for it: not where these tests are only collected
def known() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What may stand there; and of that what has several words, since numbers of papers look like code."""
    names = {*GRADIO, *NAMES, *TYPED}
    return any_of(names), any_of(name for name in names if " " in name)


def strangers(found: list[list[str]]) -> list[str]:
    """What stands outside of brackets and in no list."""
    left, (names, papers) = [], known()
    for text, where in found:
        rest = names.sub(" ", CODE.sub(" ", papers.sub(" ", PROGRAMS.sub(" ", text))))
        if re.search(r"[^\W\d_]{2}", rest):
            left.append(f"{text!r} in {where}")
    return sorted(set(left))


class Reader:
    """Reads the page after each step, and collects what should not be there."""

    def __init__(self, viz: Viz) -> None:
        self.viz, self.page = viz, viz.page
        self.strays: dict[str, str] = {}
        self.cut: dict[str, str] = {}
        self.overlapping: dict[str, str] = {}
        self.chosen = set[tuple[str, str]]()  # of which list, and which value

    def read(self, step: str) -> None:
        found = self.page.evaluate(OUTSIDE, [OPEN, CLOSE])
        for one in strangers(found["strays"]):
            self.strays.setdefault(one, step)
        if found["wide"]:
            self.cut.setdefault("the page scrolls sideways", step)
        for kind in ("cut", "overlapping"):
            for text, where in found[kind]:
                one = re.sub(r"\d[\d.,]*", "#", f"{text!r} in {where}")  # each place once, whatever figure it shows
                getattr(self, kind).setdefault(one, step)

    def settled(self, step: str) -> None:
        self.viz.idle(address=False)
        self.read(step)

    def check(self) -> None:
        found = [
            f"{name}: {what} ({step})"
            for name in ("strays", "cut", "overlapping")
            for what, step in getattr(self, name).items()
        ]
        assert not found, "\n" + "\n".join(found)


@pytest.fixture(scope="module")
def spoken(cache: Path, models: SimpleNamespace, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that speaks the pseudo-language, too."""
    with pseudo_language(tmp_path_factory.mktemp("language")), serving(models.registers) as running:
        yield running


def opened(browser: Any, spoken: Server, width: int) -> Reader:
    """A visitor of the page in the pseudo-language."""
    window = {"width": width, "height": WIDTHS[width]}
    how = {"viewport": window, "has_touch": width == NARROW, "locale": "en"}
    return Reader(come(browser, spoken.url, f"?lang={LANGUAGE}", **how))


def each(reader: Reader, css: str, step: str) -> None:
    """Click each element that can be seen and was not clicked before, whatever lies above it, and read the page after each."""
    for number in range(reader.page.locator(css).count()):
        one = reader.page.locator(css).nth(number)
        if one.is_visible() and one.is_enabled() and not one.evaluate("(one) => one.wasClicked"):
            one.evaluate("(one) => { one.wasClicked = true; one.click(); }")
            reader.settled(f"{step} {number}")


def unfold(reader: Reader, css: str, step: str) -> None:
    """Open each fold that can be seen, read, and close it again."""
    folds = reader.page.locator(f"{css} details")
    for number in range(folds.count()):
        if folds.nth(number).locator("summary").first.is_visible():
            was = folds.nth(number).evaluate("(one) => { const was = one.open; one.open = true; return was; }")
            reader.settled(f"{step} {number}")
            folds.nth(number).evaluate("(one, was) => { one.open = was; }", was)


def lists(reader: Reader, css: str, step: str) -> None:
    """Choose each value of each list that can be seen, once in a walk, and read the page after each."""
    for number in range(reader.page.locator(f"{css} select").count()):
        select = reader.page.locator(f"{css} select").nth(number)
        if select.is_visible():
            name = str(select.get_attribute("class"))
            for value in select.locator("option:enabled").evaluate_all("(all) => all.map((one) => one.value)"):
                if (name, value) not in reader.chosen:
                    reader.chosen.add((name, value))
                    select.select_option(value)
                    reader.settled(f"{step} {number}, {value}")


def at_the_start(reader: Reader) -> None:
    """The page as it comes, its folds, and its drawers."""
    reader.settled("start")
    unfold(reader, "body", "fold")
    for button in ("plus", "model-chip"):
        reader.viz.drawer(button)
        reader.settled(button)
        reader.viz.press("Escape")


def depth_by_depth(reader: Reader) -> Iterator[str]:
    """Go to each depth, and read; then further, as the caller says."""
    for depth in ("atlas", "score", "steps", "teach"):
        reader.viz.js(f"state.set({{ atlas: false, score: false, steps: false, teach: false, {depth}: true }})")
        reader.settled(depth)
        yield depth
    reader.viz.js("state.set({ teach: false, tool: null })")


def present(reader: Reader) -> None:
    """Into the view for a talk, and back."""
    for _ in range(2):
        reader.viz.find("present").evaluate("(one) => one.click()")
        reader.settled("present")


def test_a_wide_window(browser: Any, spoken: Server) -> None:
    """What stands side by side there: the depths, a chapter, and the tabs. A value says the same as in a narrow window."""
    reader = opened(browser, spoken, WIDE)
    at_the_start(reader)
    for _ in depth_by_depth(reader):
        pass
    present(reader)
    reader.viz.open_book()
    reader.settled("chapter")
    reader.viz.close_book()
    the_tabs(reader, most=1)
    reader.viz.page.context.close()
    reader.check()


def test_a_narrow_window(browser: Any, spoken: Server, models: SimpleNamespace, tmp_path: Path) -> None:
    """All that there is, where room is least: on one page, which is slow to open."""
    reader = opened(browser, spoken, NARROW)
    at_the_start(reader)
    the_textbook(reader)
    how_a_number_is_made(reader)
    the_viewer(reader)
    the_tabs(reader)
    reader.page.locator("#tabs button[role=tab]").first.click()
    lessons_and_models(reader, models)
    refusals(reader, tmp_path)
    reader.viz.page.context.close()
    reader.check()


def the_viewer(reader: Reader) -> None:
    """Every button, list, box and fold of the viewer, at each depth; a pin; the keys."""
    each(reader, "#viewer button:not(.viz-doors button, .viz-wide, .viz-present)", "button")
    for depth in depth_by_depth(reader):
        each(reader, "#viewer .viz-deep button", depth)
        lists(reader, "#viewer .viz-deep", depth)
    present(reader)
    reader.viz.find("look-more").evaluate("(one) => { one.open = true; }")
    each(reader, "#viewer .viz-look-more button", "display")
    each(reader, "#viewer input[type=checkbox]", "box")
    lists(reader, "#viewer", "list")
    for key in ("]", ".", "ArrowRight", " ", " ", "Escape"):
        reader.page.locator("#viewer canvas").first.focus()
        reader.viz.press(key)
        reader.settled(f"key {key!r}")


def the_textbook(reader: Reader) -> None:
    """The answer of a lesson; each chapter, and what its first exercise answers."""
    page = reader.page
    reader.viz.go("score")
    reader.viz.find("lesson-answer").click()
    reader.settled("the answer of a lesson")
    reader.viz.go(None)
    reader.viz.open_book()
    for number, chapter in enumerate(textbook.chapters()):
        if number:
            reader.viz.find("book-on").click()
        reader.viz.wait_for("state.get('chapter') === argument", chapter.name)
        reader.viz.wait_for_rest()
        reader.settled(f"chapter {number}")
        page.evaluate("document.querySelector('.viz-task-body button:enabled:not([data-chapter])')?.click()")
        reader.viz.wait_for_rest()
        reader.settled(f"chapter {number}, first exercise")
    reader.viz.close_book()


def how_a_number_is_made(reader: Reader) -> None:
    reader.viz.find("number").click()
    steps = reader.page.locator(".viz-steps-list li")
    steps.first.wait_for()
    for step in range(steps.count()):
        reader.viz.js(f"state.set({{ step: {step} }})")
        reader.settled(f"step {step + 1}")
    reader.viz.js("state.set({ method: 'rollout' })")
    reader.settled("rollout")
    reader.viz.js("state.set({ method: 'attention', step: 0 })")
    reader.viz.go(None)


def lessons_and_models(reader: Reader, models: SimpleNamespace) -> None:
    """The lesson of several objects, and the one of a mark; networks of each sort."""
    for name in ("two", "shortcut"):
        reader.page.locator(f"#lesson-{name}").click()
        reader.viz.wait_for_maps()
        reader.settled(f"lesson {name}")
    for name in (models.average, models.wide, models.noted):
        reader.viz.drawer("model-chip")
        box = reader.page.locator("#model input").first
        box.fill(name)
        reader.settled("list of models")
        box.press("Enter")
        reader.viz.wait_for_maps()
        reader.settled(f"model {Path(name).stem}")


def refusals(reader: Reader, tmp_path: Path) -> None:
    """Pictures and models that are refused, each in a sentence of its own."""
    for name, data in {"empty.png": b"", "drawing.png": b"<svg/>"}.items():
        (tmp_path / name).write_bytes(data)
        reader.viz.upload(tmp_path / name, wait=False)
        read_toast(reader, name)
    for name in TYPED:
        reader.viz.drawer("model-chip")
        box = reader.page.locator("#model input").first  # its label is in the reader's language
        box.fill(name)
        box.press("Enter")
        read_toast(reader, name)
        reader.page.keyboard.press("Escape")


def read_toast(reader: Reader, step: str) -> None:
    """Read what is said, and put it away: on a phone it lies on what is pressed next."""
    reader.page.locator(".toast-body").first.wait_for()
    reader.settled(step)
    for _ in range(reader.page.locator(".toast-close").count()):
        reader.page.locator(".toast-close").first.click()
    reader.page.locator(".toast-body").first.wait_for(state="detached")


def the_tabs(reader: Reader, most: int = 99) -> None:
    """Each tab, with what a run of it shows: its maps in large, so many at most."""
    tabs = reader.page.locator("#tabs button[role=tab]")
    assert tabs.count() >= 2
    for number in range(tabs.count()):
        tabs.nth(number).click()
        reader.settled(f"tab {number}")
        if number:  # the folds of the first were read at the start
            unfold(reader, "#tabs", f"tab {number}, fold")
        runs = reader.page.locator("#methods-go")
        if runs.is_visible():
            reader.viz.drawer("methods-chip")
            reader.page.get_by_text(words_for(LANGUAGE)["page"]["what"]).click()
            reader.settled("the choices")
            reader.page.keyboard.press("Escape")
            runs.click()
            reader.settled("running")
            reader.page.locator(".methods-grid figure").first.wait_for()
            reader.settled("results")
            for button in reader.page.locator(".methods-grid button").all()[:most]:
                button.click()
                reader.settled("a map in large")
            reader.viz.drawer("methods-more")
            reader.settled("the numbers")
            reader.page.keyboard.press("Escape")
