"""The tab *Methods*, in the words of its user."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.english import PAGE
from support.viz import Viz
from support.waiting import patience, until
from vizapp.core.trust import faithfulness
from vizapp.core.trust.faithfulness import Curves
from vizapp.ui import comparison_html, zero_gpu
from vizapp.ui.jobs import PROCESSOR, Job
from vizapp.ui.words import words_for

CARDS = ".methods-grid figure"


def name_of(method: str) -> str:
    return comparison_html.name_of(words_for("en"), method)


class Tab:
    """The tab in the words of its user."""

    def __init__(self, viz: Viz) -> None:
        self.page, self.until, self.idle = viz.page, viz.until, viz.idle
        self.page.get_by_role("tab", name=PAGE["tab_methods"]).click()
        self.page.wait_for_function("document.querySelector('#methods-target input')?.value")

    def drawer(self, button: str) -> None:
        """Open the drawer of the choices ("chip"), or of the numbers ("more")."""
        opener = self.page.locator(f"#methods-{button}")
        if opener.get_attribute("aria-expanded") != "true":
            opener.click()

    def options(self, which: str) -> list[str]:
        self.page.click(f"#methods-{which} input")
        found = self.page.locator("ul[role=listbox] li")
        found.first.wait_for()
        texts = [text.replace("✓", "").strip() for text in found.all_inner_texts()]
        self.page.evaluate("document.activeElement.blur()")
        self.page.locator("ul[role=listbox]").wait_for(state="detached")
        return texts

    def choose(self, which: str, typed: str) -> None:
        if which == "other":
            self.drawer("chip")
        self.page.click(f"#methods-{which} input")
        self.page.keyboard.press("ControlOrMeta+a")
        self.page.keyboard.type(typed)
        self.page.locator("ul[role=listbox] li", has_text=typed).first.click()

    def tick_only(self, *names: str) -> None:
        wanted = [name_of(name) for name in names]
        self.drawer("chip")
        for box in self.page.locator("#methods-class label, #methods-every label, #methods-slow label").all():
            box.locator("input").set_checked(box.inner_text().strip() in wanted)

    def compare(self) -> None:
        """Press the button, and wait for results that were not there before, painted."""
        self.page.evaluate("document.querySelectorAll('.methods-grid').forEach((one) => (one.dataset.old = 'yes'))")
        self.page.click("#methods-go")
        self.page.locator(".methods-grid:not([data-old])").wait_for()
        self.page.wait_for_function(
            "[...document.querySelectorAll('.methods-screen img')].every((one) => one.naturalWidth)"
        )
        self.idle()

    def cards(self) -> dict[str, Any]:
        return {card.get_attribute("data-method"): card for card in self.page.locator(CARDS).all()}

    def rows(self) -> list[list[str]]:
        """Cells of the table as they stand: rows from top to bottom, each from left to right."""
        read = "rows => rows.map(row => [...row.cells].map(cell => cell.textContent))"
        return self.page.locator("#methods-table tbody tr").evaluate_all(read)

    def download(self, which: str) -> bytes:
        self.drawer("more")
        with self.page.expect_download() as arriving:
            self.page.click(f"#methods-{which}")
        return Path(arriving.value.path()).read_bytes()


def methods_done(viz: Viz) -> None:
    """Wait until the tab "Methods" has done all that it does by itself."""
    done = "document.querySelector('.methods-charts polygon') && document.querySelector('#methods-stop').disabled"
    viz.page.wait_for_function(done)


def tried(viz: Viz, name: str) -> list[float]:
    """Deletion and insertion of a method in the tab "Methods"."""
    cells = viz.page.locator(f"#methods-table tr[data-method={name}] td").all_text_contents()
    return [float(one) for one in cells[2:]]


class Gate:
    """Comparisons whose steps a test lets happen one by one. `steps` counts those that have begun."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.steps = 0
        self._begun, self._go, real = threading.Semaphore(0), threading.Semaphore(0), faithfulness.curves_of

        def gated(*args: Any) -> list[Curves]:
            self.steps += 1
            self._begun.release()
            assert self._go.acquire(timeout=patience())
            return real(*args)

        monkeypatch.setattr(zero_gpu, "computing", lambda request: {"curves": gated})

    def wait(self) -> None:
        """Until a comparison is in the middle of a step."""
        assert self._begun.acquire(timeout=patience())

    def step(self, count: int = 1) -> None:
        """Let steps end."""
        self._go.release(count)

    def again(self) -> None:
        """All that was let go has ended: from here on, steps wait again."""
        until(lambda: not jobs())
        for one in (self._go, self._begun):
            while one.acquire(blocking=False):
                pass
        self.steps = 0


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    one = Gate(monkeypatch)
    yield one
    PROCESSOR.end("stopped", lambda job: True)
    one.step(1000)
    until(lambda: not jobs())


def jobs(priority: str = "") -> list[Job]:
    """What waits or runs."""
    return [job for job in PROCESSOR._all() if priority in ("", job.priority)]
