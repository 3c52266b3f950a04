"""bench/RESULTS.md: parts that are measured anew replace their own, and leave the others as they stand."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from bench import __main__ as bench
from bench import precision
from bench.measure import Result


def test_a_part_that_is_measured_anew_leaves_the_others(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    output = tmp_path / "RESULTS.md"

    def measure(part: str, *values: float) -> None:
        found = [Result("how long", "ms", values, 5)]
        monkeypatch.setitem(sys.modules, f"bench.{part}", SimpleNamespace(measure=lambda repeats: found))
        monkeypatch.setattr(sys, "argv", ["bench", "--output", str(output), "--only", part])
        bench.main()

    measure("scale", 1, 2, 3)
    measure("capture", 7)
    measure("capture", 8, 9, 10)
    text = output.read_text("utf-8")
    assert "| how long | 2 (1.5 to 2.5) | ms | at most 5 | yes |" in text
    assert "| how long | 9 (8.5 to 9.5) | ms | at most 5 | **no** |" in text
    assert "| 7 |" not in text
    assert text.index(bench.MEASURES["capture"]) < text.index(bench.MEASURES["scale"])
    sections = bench.read(output)
    assert {name: one["results"][0]["median"] for name, one in sections.items()} == {"scale": 2, "capture": 9}


def test_what_rounding_shows_in_is_marked() -> None:
    column = {"pictures": 2, "float32": {"kept": 0.99999, "lost": 0.5, "gone": None}}
    text = precision.page({"toy": column, "swin": {"pictures": 2, "float32": {"kept": 1.0}}})
    for line in ("| kept | 0.9999900 | 1.0000000 |", "| lost | **0.5000000** | - |", "| gone | **flat** | - |"):
        assert line in text
