"""A chapter is one file: the one of docs/add-a-chapter.md is put into the book, opened and done."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from support.paths import ROOT
from support.serving import serving
from support.viz import Viz
from vizapp.ui import textbook

PAGE = (ROOT / "docs" / "add-a-chapter.md").read_text("utf-8")
EXAMPLE = re.search(r"```toml\n(.*?)```", PAGE, flags=re.DOTALL)[1]


def test_every_kind_is_in_the_table() -> None:
    told = set(re.findall(r"^\| `(\w+)` \|", PAGE, flags=re.MULTILINE))
    folder = textbook.FOLDER.parent / "viewer" / "exercises"
    assert told == {path.stem for path in folder.glob("*.js")}


def test_a_chapter_is_one_file(browser: Any, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "textbook"
    shutil.copytree(textbook.FOLDER, folder)
    (folder / "50_corner.toml").write_text(EXAMPLE, "utf-8")
    monkeypatch.setattr(textbook, "FOLDER", folder)
    with serving("toy") as server:
        viz = Viz(browser.new_page(viewport={"width": 1280, "height": 800}), server.url)
        viz.page.goto(f"{server.url}#v=1&picture=lesson/one/5&model=toy&chapter=corner&layer=2")
        viz.wait_for_maps()
        assert viz.find("book-text").inner_text().startswith("12 What CLS sees in a corner")
        assert "196 of them" in viz.find("book-text").inner_text()
        viz.page.locator(".viz-task button").click()
        viz.find("answer").first.wait_for()
        assert re.search(r"gets [\d.]+\s%, [\d.]+ times", viz.find("answer").first.inner_text())
        viz.page.locator(".viz-options button").first.click()
        viz.find("answer").nth(1).wait_for()
        assert viz.find("book-on").is_disabled(), "the last chapter"
        assert viz.errors == []
        viz.page.close()
