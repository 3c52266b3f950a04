"""The page in a browser, in the words of its user: what a test may do, and what it may read back."""

import base64
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self
from urllib.parse import parse_qs, urlparse

import numpy as np

from support.english import PAGE
from support.waiting import until
from vizapp.analysis import Analysis
from vizapp.ui.viewer.payload import pack

# What has not come yet, in words; "" if all has. An argument of true asks for a payload that no earlier call has seen.
LACKS = """(isNew) => {
  const viewer = document.querySelector('.viz')?.viewer;
  viewer?.use?.(); // docs/demo.html may be of a version without it
  if (!viewer) return "the viewer";
  if (document.querySelector('#early')) return "Gradio, the first map is there";
  const { payload, attention, state } = viewer;
  if (!payload) return `maps, the viewer is "${viewer.root.dataset.state}"`;
  if (isNew && payload.wasSeen) return "maps other than those of before";
  const fusion = state.get('fusion').replace('one', 'mean');
  const lacks = {
    "what a visitor who saves data asks for": viewer.isSparing,
    "all of the payload": !payload.complete,
    "fused heads": payload.canRoll && !attention.hasFused(fusion),
    "the end of a choice": window.vizappLink?.choosing,
  };
  // docs/demo.html may be of a version without `pending`
  return [...Object.keys(lacks).filter((one) => lacks[one]), ...(viewer.pending?.() ?? [])].join(", ");
}"""
READY = f"(isNew) => ({LACKS})(isNew) === ''"
# What tests know of the viewer's inside: its state, payload, attention and last view, two painters, and one map on its own.
HANDLE = """
  const viewer = document.querySelector('.viz').viewer, { state, payload, attention, selectors, view } = viewer;
  const panel = (name) => viewer.panels.find((one) => one.name === name).mounted;
  const { stage } = panel('stage'), { atlas } = panel('atlas');
  const find = (name) => viewer.root.querySelector('.viz-' + name);
  const valuesOf = (query, choice) =>
    selectors.values(query ?? view.query, { ...selectors.choice(state.all()), ...choice });
"""
# The promises of the viewer, of what else moves on the page, and of its address, which waits for a third of a second after each
# step: false for a test that does not read it. What plays on, and the clock of a toast, is no motion that ends.
IDLE = """async (withAddress = true) => {
  const root = document.querySelector('.viz');
  const moves = () => document.getAnimations().filter(({ playState, effect }) =>
    playState === 'running' && effect.getComputedTiming().endTime !== Infinity && !effect.target?.closest('.timer'));
  for (let isStill = false; !isStill; isStill = !root.viewer.pending().length && !moves().length) {
    await root.viewer.idle();
    if (withAddress) await (window.vizappLink ?? root.desk)?.idle();
    await Promise.allSettled(moves().map(({ finished }) => finished));
  }
}"""
# Resolves when the page has heard of it.
FOLLOW = """async (link) => {
  if (location.hash === link) return;
  const heard = new Promise((done) => addEventListener("hashchange", done, { once: true }));
  location.hash = link;
  await heard;
}"""
PAINTED = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


class Viz:
    """One visitor. `requests` counts what left the browser since it was last cleared."""

    def __init__(self, page: Any, url: str) -> None:
        self.page = page
        self.requests: list[str] = []
        self.errors: list[str] = []
        self.foreign: list[str] = []
        # While the page is being left: the addresses of its requests that end with it.
        self._aborted: set[str] | None = None
        self._is_left = False
        host = urlparse(url).netloc

        def asked(request: Any) -> None:
            self.requests.append(request.url)
            if urlparse(request.url).scheme in {"http", "https", "ws", "wss"} and urlparse(request.url).netloc != host:
                self.foreign.append(request.url)

        def failed(request: Any) -> None:
            if self._aborted is not None and request.failure == "net::ERR_ABORTED":
                self._aborted.add(request.url)

        def went(frame: Any) -> None:
            self._is_left = self._is_left or frame == page.main_frame

        def said(text: str, where: str = "") -> None:
            is_of_the_old_page = self._aborted is not None and not self._is_left
            if not is_of_the_old_page and where not in (self._aborted or ()):
                self.errors.append(text)

        page.on("request", asked)
        page.on("requestfailed", failed)
        page.on("framenavigated", went)
        page.on("pageerror", lambda error: said(str(error)))
        page.on("console", lambda one: said(one.text, one.location["url"]) if one.type == "error" else None)

    # ---- waiting

    def wait_for_maps(self) -> None:
        """Until a payload that no earlier call has seen is there to its last byte, and painted."""
        self._ready(True)
        self.js("viewer.payload.wasSeen = true")
        self.painted()

    def wait_for_rest(self) -> None:
        """Until nothing is on its way any more."""
        self._ready(False)
        self.painted()

    def _ready(self, is_new: bool) -> None:
        try:
            self.page.wait_for_function(READY, arg=is_new)
        except Exception as error:  # Playwright's, which says only how long it waited
            raise AssertionError(f"this does not come: {self.page.evaluate(LACKS, is_new)}") from error

    def idle(self, address: bool = True) -> None:
        """Until the viewer has nothing to do, nothing on the page moves, and, if asked, the address names what is shown."""
        self.page.evaluate(IDLE, address)

    def after(self, seconds: float) -> None:
        """Until the page's own clock has gone on so far: what it had begun for less has happened, however slow it is."""
        self.page.evaluate("(pause) => new Promise((done) => setTimeout(done, pause))", 1000 * seconds)

    def wait_until(self, promised: str, argument: Any = None) -> None:
        """Until a promise keeps true; `wait_for_function` waits for its end only, whatever that is."""
        self.until(lambda: self.page.evaluate(promised, argument), lambda: f"it never keeps true: {promised}")

    def until(self, is_so: Callable[[], object], why: Callable[[], object] = lambda: "it never comes") -> None:
        """Until something is so in the test; meanwhile the browser tells of its requests, errors and files."""
        until(is_so, why, lambda: self.page.wait_for_timeout(50))

    def wait_for(self, expression: str, argument: Any = None) -> None:
        """Until an expression with the names of `HANDLE` and `argument` is true."""
        self.page.wait_for_function(f"(argument) => {{ {HANDLE}; return {expression}; }}", arg=argument)

    def wait_for_kept(self, *names: str) -> None:
        """Until these are the uploads that the browser keeps for links."""
        self.wait_until(
            """(wanted) => new Promise((done) => {
              const opening = indexedDB.open("vizapp", 1);
              opening.onsuccess = () => {
                const asked = opening.result.transaction("uploads").objectStore("uploads").getAll();
                asked.onsuccess = () => {
                  opening.result.close();
                  done(asked.result.map(({ name }) => name).sort().join() === wanted.join());
                };
              };
            })""",
            sorted(names),
        )

    def painted(self) -> None:
        self.page.evaluate(PAINTED)

    # ---- leaving

    def reload(self, wait: bool = True) -> None:
        with self.leaving():
            self.page.reload()
            if wait:
                self.wait_for_maps()

    @contextmanager
    def leaving(self) -> Iterator[None]:
        """Steps that leave the page. It complains of requests that end with it; nobody else's errors are dropped."""
        self._aborted, self._is_left = set(), False
        yield
        self._aborted = None

    # ---- doing

    def js(self, expression: str, argument: Any = None) -> Any:
        """Evaluate an expression with the names of `HANDLE` and `argument`."""
        return self.page.evaluate(f"(argument) => {{ {HANDLE}; return {expression}; }}", argument)

    def find(self, name: str) -> Any:
        return self.page.locator(f".viz-{name}")

    def button(self, kind: str, value: str) -> Any:
        return self.page.locator(f'.viz button[data-set="{kind}"][data-value="{value}"]')

    def drawer(self, button: str) -> None:
        """Open a drawer of the page by the button that has this id: "model-chip" or "plus"."""
        opener = self.page.locator(f"#{button}")
        if opener.evaluate("(one) => one.matches('details:not([open])')"):
            opener.locator("summary").click()
        elif opener.evaluate("(one) => one.matches('details')"):
            pass
        elif opener.get_attribute("aria-expanded") != "true":
            opener.click()

    def display(self) -> None:
        """Open what says how maps are painted, and how heads are combined."""
        if self.find("look-more").get_attribute("open") is None:
            self.find("look-more").locator("summary").click()

    def go(self, depth: str | None) -> None:
        """Go deeper, to "atlas", "score", "steps" or "teach", as their buttons do; None: back to the picture."""
        doors = {"atlas": "wide", "score": "judge", "steps": "number", "teach": "teach-open"}
        self.find(doors[depth] if depth else "back").click()
        self.painted()

    def open_book(self) -> None:
        self.find("learn").click()
        self.find("book").wait_for()
        self.wait_for_rest()

    def close_book(self) -> None:
        self.find("book-close").click()
        self.find("book").wait_for(state="hidden")
        self.wait_for_rest()

    def tab(self, name: str) -> None:
        """Open a tab: "attention" or "methods"."""
        self.page.get_by_role("tab", name=PAGE[f"tab_{name}"]).click()

    def show_map(self, name: str | int) -> None:
        """Choose in the row of heads: "mean" for all together, "rollout", or a head by its number from 1."""
        last = int(self.find("head").get_attribute("max") or 0)
        self.slide("head", {"mean": 0, "rollout": last}.get(str(name), name))

    def lesson(self, name: str) -> None:
        """Choose the next picture of a lesson in the tray."""
        self.page.locator(f"#lesson-{name}").click()
        self.wait_for_maps()

    def follow(self, link: str) -> None:
        """Follow a link on the page that is open."""
        self.page.evaluate(FOLLOW, link)

    def upload(self, path: Path, wait: bool = True) -> None:
        self.page.locator("#picture input[type=file], #choose > input[type=file]").first.set_input_files(path)
        if wait:
            self.wait_for_maps()

    def choose_model(self, name: str, wait: bool = True) -> None:
        """Type a name into the list of models, as one may."""
        self.drawer("model-chip")
        box = self.page.locator("#model-chip .model input").or_(self.page.get_by_label(PAGE["model"], exact=True)).first
        box.fill(name)
        box.press("Enter")
        if wait:
            self.wait_for_maps()

    def slide(self, name: str, value: float) -> None:
        """Move a slider of the viewer."""
        self.find(name).evaluate(
            "(slider, value) => { slider.value = value; slider.dispatchEvent(new Event('input')); }", value
        )
        self.painted()

    def point(self, row: int, col: int) -> tuple[float, float]:
        """Where the centre of a patch is on the screen, once it stands still there."""
        return tuple(
            self.js(
                """(async () => {
                  const place = () => {
                    const area = stage.canvas.getBoundingClientRect(), input = stage.inputBox();
                    const ratio = area.width / stage.canvas.width, [rows, cols] = stage.grid;
                    return [area.left + ratio * (input.x + (argument[1] + 0.5) * input.w / cols),
                            area.top + ratio * (input.y + (argument[0] + 0.5) * input.h / rows)];
                  };
                  for (let before = null, now = place(); ; before = now, now = place()) {
                    if (before && before.join() === now.join()) return now;
                    await new Promise(requestAnimationFrame);
                  }
                })()""",
                [row, col],
            )
        )

    def hover(self, row: int, col: int) -> None:
        self.page.mouse.move(*self.point(row, col))
        self.painted()

    def leave(self) -> None:
        self.page.mouse.move(2, 2)
        self.painted()

    def click(self, row: int, col: int) -> None:
        self.page.mouse.click(*self.point(row, col))
        self.painted()

    def draw(self, start: tuple[int, int], end: tuple[int, int], steps: int = 3) -> None:
        """With the tool that is chosen, from the middle of a patch to that of another."""
        mouse = self.page.mouse
        mouse.move(*self.point(*start))
        mouse.down()
        mouse.move(*self.point(*end), steps=steps)
        mouse.up()
        self.painted()

    def press(self, key: str) -> None:
        self.page.keyboard.press(key)
        self.painted()

    def put(self, seen: Analysis, run: str = "") -> Self:
        """Put an analysis on the page, as the server would send it; `run` is what its questions name."""
        packed = pack(seen)
        self.page.route("**/other.bin", lambda route: route.fulfill(body=packed))
        self.js("viewer.show({file: {url: 'other.bin'}, bytes: argument[0], run: argument[1]})", [len(packed), run])
        self.wait_for_maps()
        return self

    # ---- reading

    def choice(self, name: str) -> Any:
        return self.js(f"view.{name}")

    def values(self, query: int | str | None = None, **choice: Any) -> np.ndarray:
        """The viewer's own numbers, one per token: what is shown, or what would be with another query or choice."""
        return np.array(self.js("Array.from(valuesOf(...argument))", [query, choice]))

    def shown(self) -> np.ndarray:
        """The numbers that were last painted."""
        return np.array(self.js("Array.from(view.map.values)"))

    def pixels(self, canvas: str = "picture") -> np.ndarray:
        """(H, W, 4) what is painted on a canvas of the viewer."""
        height, width, data = self.js(
            f"""(async () => {{
              const canvas = find("{canvas}");
              const {{ data }} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
              const reader = new FileReader();
              await new Promise((done) => {{ reader.onload = done; reader.readAsDataURL(new Blob([data])); }});
              return [canvas.height, canvas.width, reader.result.split(",")[1]];
            }})()"""
        )
        return np.frombuffer(base64.b64decode(data), np.uint8).reshape(height, width, 4)


def hash_of(viz: Viz) -> dict[str, str]:
    """The address as it stands, once it is written."""
    viz.idle()
    return {key: values[0] for key, values in parse_qs(viz.page.evaluate("location.hash").lstrip("#")).items()}


def painted(viz: Viz) -> dict[str, np.ndarray]:
    """The pixels of the stage and of the small maps beside it, when they have come to rest."""
    viz.page.mouse.move(2, 2)
    viz.wait_for_rest()
    small = ["atlas"] if viz.choice("depth") == "wide" else ["layer-strip canvas", "head-strip canvas"]
    viz.idle()
    return {name: viz.pixels(name) for name in ("picture", *small)}


def assert_same(one: dict[str, np.ndarray], other: dict[str, np.ndarray], about: str = "") -> None:
    assert one.keys() == other.keys(), about
    for name in one:
        assert one[name].shape == other[name].shape, f"{name} {one[name].shape} {other[name].shape} {about}"
        assert np.array_equal(one[name], other[name]), f"{name} {about}"


UNDER_WAY = ("dragEnter", "dragOver")
MIDDLE = (500, 400)  # the big picture


class Dragged:
    """Files that are dragged over the page, as a file manager does it."""

    def __init__(self, viz: Viz, *paths: Path) -> None:
        self.line = viz.page.context.new_cdp_session(viz.page)
        self.data = {"items": [], "files": [str(path) for path in paths], "dragOperationsMask": 1}

    def send(self, kind: str, place: tuple[int, int] = MIDDLE) -> None:
        x, y = place
        self.line.send("Input.dispatchDragEvent", {"type": kind, "x": x, "y": y, "data": self.data})

    def drop(self, place: tuple[int, int] = MIDDLE) -> None:
        for kind in (*UNDER_WAY, "drop"):
            self.send(kind, place)


def saved(viz: Viz, kind: str, ending: str, width: int = 400) -> bytes:
    """Save what is on the stage, as a visitor does."""
    if not viz.js("find('save').open"):
        viz.find("save").locator("summary").click()
    viz.find("save-what").select_option(kind)
    viz.find("save-width").fill(str(width))
    with viz.page.expect_download() as download:
        viz.page.locator(f'.viz button[data-format="{ending}"]').click()
    assert download.value.suggested_filename.endswith(f".{ending}")
    return Path(download.value.path()).read_bytes()
