"""Several visitors, one processor: what a map costs while another visitor compares, and how soon a run ends that nobody awaits.

python -m bench --only visitors                       # of this checkout
python -m bench --only visitors --before PATH         # and of another one, such as a clone of an earlier commit

Two browser contexts on one page with the toy, all methods as they are ticked at first. B clicks a lesson, alone and while A
compares, in turn; the ratio is of the two beside each other. Whether A's run has ended is seen from outside, in the
processor time of the server, so that any checkout can be measured.
"""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.measure import Result, over
from bench.page import READY, browser_running, new_page
from bench.proxy import wire_to
from bench.server import ROOT, running

MODEL = "toy"
LESSON = """async () => {
  const viewer = document.querySelector(".viz").viewer, before = viewer.payload;
  const started = performance.now();
  document.querySelector("#lesson-clutter").click();
  const frame = () => new Promise(requestAnimationFrame);
  while (viewer.payload === before || document.querySelector(".viz").dataset.waiting === "true") await frame();
  await frame();
  return (performance.now() - started) / 1000;
}"""
IS_RUNNING = "() => Boolean(document.querySelector('#methods-note .progress-level, #methods-note .progress-text'))"
LONGEST = 180.0  # seconds that a comparison may take before we give up
TICK = 0.1  # seconds between two looks at the processor time
QUIET_FOR = 1.5  # seconds without work, after which a run has ended
QUIET = 0.15  # of one core: an open page alone costs Gradio 5 to 7 %, measured


def measure(repeats: int, root: Path = ROOT) -> list[Result]:
    """`repeats` pairs of clicks here; a few of another checkout, where each may take as long as a comparison."""
    pairs = max(3, repeats // 2) if root == ROOT else 3
    rounds = max(2, pairs // 3)
    with running(MODEL, root) as (url, process), browser_running() as browser:
        wait = Watcher(process.pid).until_quiet
        alone, during = clicks(browser, url, pairs, wait)
        turned = [ended(browser, url, wait, turn_away) for _ in range(rounds)]
        closed = [ended(browser, url, wait, close) for _ in range(rounds)]
        silent = [ended(browser, url, wait, None)]
    return [
        Result("B's lesson click, alone", "s", tuple(alone)),
        Result("B's lesson click, while A compares", "s", tuple(during)),
        Result("the same over the click alone beside it", "times", over(during, alone), 3),
        Result("A's new picture: until the server rests", "s", tuple(turned), 5),
        Result("A's tab closed: until the server rests", "s", tuple(closed), 5),
        Result("A's line silent: until the server rests", "s", tuple(silent), 35),
    ]


def clicks(browser: Any, url: str, pairs: int, wait: Callable[[], float]) -> tuple[list[float], list[float]]:
    """Seconds of B's click until the map is painted: alone, and while A compares, in turn."""
    a, b = opened(browser, url), opened(browser, url)
    b.evaluate(LESSON)  # does not count: the lesson's picture is drawn
    alone, during = [], []
    for pair in range(pairs):
        wait()
        alone.append(b.evaluate(LESSON))
        compare(a)
        time.sleep(0.3 + 0.37 * (pair % 4))  # anywhere in the run
        during.append(b.evaluate(LESSON))
        a.click("#methods-stop")
    wait()
    a.context.close()
    b.context.close()
    return alone, during


def ended(browser: Any, url: str, wait: Callable[[], float], act: Callable[[Any], Any] | None) -> float:
    """Seconds from what A does, in the middle of a long run, until the server rests; None: the line goes silent."""
    with wire_to(url) as wire:
        page = opened(browser, wire.url)
        everything(page)
        wait()
        compare(page)
        time.sleep(2)
        if act:
            act(page)
        else:
            wire.silent.set()
        seconds = wait()
        page.context.close()
    return seconds


def turn_away(page: Any) -> None:
    """Choose another picture."""
    page.evaluate("document.querySelector('#lesson-clutter').click()")


def close(page: Any) -> None:
    """Close the tab."""
    page.close()


def opened(browser: Any, url: str) -> Any:
    """A new visitor, with the first map and the tab of methods open."""
    page = new_page(browser)
    page.goto(url)
    page.wait_for_selector(READY)
    page.get_by_role("tab", name="Methods").click()
    page.wait_for_function("document.querySelector('#methods-target input')?.value")
    return page


def everything(page: Any) -> None:
    """Tick all methods, slow ones too, so that the run lasts longer than what is measured."""
    page.click("#methods-chip")  # the choices stand in a drawer
    for box in page.locator("#methods-class input, #methods-every input, #methods-slow input").all():
        box.check()


def compare(page: Any) -> None:
    """Start a comparison, and wait until it is on its way."""
    page.click("#methods-go")
    page.wait_for_function(IS_RUNNING)


class Watcher:
    """Looks at the processor time of a server."""

    def __init__(self, pid: int) -> None:
        self._stat = Path(f"/proc/{pid}/stat")

    def until_quiet(self) -> float:
        """Seconds until the server has rested, not counting the rest itself."""
        started = time.perf_counter()
        looks = [(started, self._used())]
        while looks[-1][0] - started < LONGEST:
            time.sleep(TICK)
            looks.append((time.perf_counter(), self._used()))
            past = [look for look in looks if looks[-1][0] - look[0] >= QUIET_FOR]
            if past and (looks[-1][1] - past[-1][1]) / (looks[-1][0] - past[-1][0]) < QUIET:
                return past[-1][0] - started
        raise RuntimeError("The server never rests.")

    def _used(self) -> float:
        """Seconds of processor time, of all threads, until now."""
        fields = self._stat.read_text("ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
