"""For the teacher: the sheet is whole, and the figures of docs/teaching.md are what slow loops find."""

import math
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import vizapp
from bench import sheet, teaching
from support.paths import ROOT
from vizapp.core.metrics.energy import energy
from vizapp.model.toy.lessons import LESSONS
from vizapp.ui.words import words_for


def test_depth_is_what_slow_loops_find() -> None:
    example = LESSONS["clutter"].example(16)
    seen = vizapp.analyse("toy", example.picture)
    mask = seen.frame.mask_of(example.truth)
    found = teaching.depth(seen, mask)
    for layer in (0, 4):
        rows = seen.trace.layers[layer].attend(seen.trace.query("cls", layer)).double().numpy()
        entropies, distances = [], []
        for row in rows:
            entropies.append(-sum(p * math.log(p) for p in row if p > 0))
            places = [((i // 14 + 0.5) * 8, (i % 14 + 0.5) * 8) for i in range(196)]
            whole = sum(row[1:])
            y = sum(p * place[0] for p, place in zip(row[1:], places, strict=True)) / whole
            x = sum(p * place[1] for p, place in zip(row[1:], places, strict=True)) / whole
            distances.append(
                sum(p * math.dist(place, (y, x)) for p, place in zip(row[1:], places, strict=True)) / whole
            )
        assert found["entropy"][layer] == pytest.approx(np.mean(entropies), abs=1e-6)
        assert found["apart"][layer] == pytest.approx(np.mean(distances), abs=1e-4)
        assert found["own"][layer] == pytest.approx(rows[:, 0].mean(), abs=1e-6)
        on_object = energy(rows.mean(0)[1:].reshape(14, 14), mask)
        assert found["object"][layer] == pytest.approx(on_object, abs=1e-6)


def test_the_sheet_has_questions_and_answers_and_its_figures_intervals(html: str) -> None:
    values = np.random.default_rng(1).normal(3.0, 1.0, 400)
    low, high = teaching.interval(values)
    assert low < values.mean() < high
    assert high - low == pytest.approx(2 * 1.96 / math.sqrt(400), rel=0.15)
    assert teaching.interval(np.full(9, 0.5)) == (0.5, 0.5)
    assert html.count("<img") == 3 + 5 + 1 + 3 + 2
    assert "From layer 1 to layer 5: C, E, A, D, B." in html
    assert re.search(r"It says car \(9\d%\)", html)
    assert "{" not in re.sub(r"<style>.*?</style>", "", html, flags=re.DOTALL)


def test_the_page_has_figures_of_200_scenes_and_some_photographs() -> None:
    said = (ROOT / "docs" / "teaching.md").read_text("utf-8")
    assert "200 held-out scenes" in said
    assert re.search(r"in \d+ of 200 scenes", said)
    assert re.search(r"\*\*deit_tiny\S+, 13 photographs\*\*", said)
    assert "nan" not in said


@pytest.fixture(scope="module")
def html() -> str:
    """The sheet."""
    return sheet.sheet(words_for("en"))


def test_the_sheet_is_printed_on_two_pages(html: str, tmp_path: Path) -> None:
    pytest.importorskip("playwright", reason="playwright is not installed, and prints the sheet")
    if sheet.found_chromium() is None:
        pytest.skip("no Chromium here, which prints the sheet")
    path = tmp_path / "sheet.pdf"
    with ThreadPoolExecutor(1) as threads:  # Playwright may be at work in that of the tests
        threads.submit(sheet.printed, html, path).result()
    assert len(re.findall(rb"/Type\s*/Page\b", path.read_bytes())) == 2
