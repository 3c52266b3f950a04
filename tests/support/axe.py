"""Reads a page by axe-core, after each step that is made on it."""

import os
from pathlib import Path

import pytest

from support.paths import ROOT
from support.viz import Viz

AXE = ROOT / "node_modules/axe-core/axe.min.js"
FIND = (Path(__file__).parent / "axe.js").read_text("utf-8")


def needs_axe() -> None:
    if not AXE.exists():
        (pytest.fail if os.environ.get("VIZAPP_NEEDS_BROWSER") else pytest.skip)("no axe-core here: npm ci")


class Looker:
    """Reads the page after each step; `found` is (rule, where) -> in which step, and what axe says."""

    def __init__(self, viz: Viz, found: dict[tuple[str, str], str], called: str) -> None:
        self.viz, self.page, self.found, self.called = viz, viz.page, found, called
        self.page.evaluate(AXE.read_text("utf-8"))

    def look(self, step: str) -> None:
        self.viz.idle()  # what fades in has arrived
        for rule, where, said in self.page.evaluate(FIND):
            self.found.setdefault((rule, where), f"{self.called}, {step}: {said}")

    def unfold(self, css: str) -> None:
        """Each fold that can be seen, open."""
        folds = self.page.locator(f"{css} details")
        for number in range(folds.count()):
            if folds.nth(number).locator("summary").first.is_visible():
                folds.nth(number).evaluate("(one) => { one.open = true; }")
                self.look(f"fold {number} of {css}")
                folds.nth(number).evaluate("(one) => { one.open = false; }")
