"""bench/RESULTS.md: parts that are measured anew replace their own, and leave the others, and other machines, as they stand."""

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

    monkeypatch.setattr(bench, "machine", lambda: "one")
    measure("scale", 1, 2, 3)
    measure("capture", 7)
    measure("capture", 8, 9, 10)
    monkeypatch.setattr(bench, "machine", lambda: "other")
    measure("scale", 6)
    text = output.read_text("utf-8")
    assert "| what | unit | target | one | other |" in text
    assert "| how long | ms | at most 5 | 2 (1.5 to 2.5) | **6** |" in text
    assert "| how long | ms | at most 5 | **9 (8.5 to 9.5)** |" in text
    assert "7" not in text.partition("```json")[0].partition("## Watching")[2].partition("##")[0].partition("| how")[2]
    assert text.index(bench.MEASURES["capture"]) < text.index(bench.MEASURES["scale"])
    found = {
        name: {of: one["results"][0]["median"] for of, one in of.items()} for name, of in bench.read(output).items()
    }
    assert found == {"scale": {"one": 2, "other": 6}, "capture": {"one": 9}}


def test_ratios_come_first_and_what_one_machine_lacks_is_a_dash() -> None:
    slow, ratio = Result("slow", "ms", (3.0,)), Result("half", "x plain", (0.5,))
    machines = {
        "one": {"conditions": "quiet", "results": [slow.to_json(), ratio.to_json()]},
        "other": {"conditions": "busy", "results": [slow.to_json()]},
    }
    lines = bench.table(machines)
    assert lines[:2] == ["- one: quiet", "- other: busy"]
    assert lines[-2:] == ["| half | x plain |  | 0.5 | - |", "| slow | ms |  | 3 | 3 |"]


def test_what_rounding_shows_in_is_marked() -> None:
    column = {"pictures": 2, "float32": {"kept": 0.99999, "lost": 0.5, "gone": None}}
    text = precision.page({"toy": column, "swin": {"pictures": 2, "float32": {"kept": 1.0}}})
    for line in ("| kept | 0.9999900 | 1.0000000 |", "| lost | **0.5000000** | - |", "| gone | **flat** | - |"):
        assert line in text
