"""bench/RESULTS.md: parts that are measured anew replace their own, and leave the others, and other machines, as they stand."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from bench import __main__ as bench
from bench import planted, precision
from bench.measure import Result
from support.paths import ROOT


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


def test_each_planted_fault_still_has_its_place() -> None:
    """Files move and lines change; a fault that cannot be planted finds nothing."""
    lost = {
        name: (fault.file, fault.before)
        for name, fault in planted.FAULTS.items()
        if not (ROOT / fault.file).is_file() or (ROOT / fault.file).read_text("utf-8").count(fault.before) != 1
    }
    assert lost == {}


def test_the_table_of_planted_faults_says_what_was_asked_and_stays(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """What nothing has found, and what was not tried, is said as such; and the rest of the page is measured around it."""
    output = tmp_path / "RESULTS.md"
    output.write_text(bench.page({}), "utf-8")
    one, other, third, *_ = planted.FAULTS
    key = {name: planted.key_of(planted.FAULTS[name]) for name in (one, other, third)}
    runs = [
        planted.Run(one, key[one], "near", ("tests/test_a.py",), "", 7.0),
        planted.Run(one, key[one], "rest", (), "tests/unit/core/test_b.py::test_c", 70.0),
        planted.Run(other, key[other], "near", ("tests/test_a.py",), "", 5.0),
        planted.Run(
            third, key[third], "near whole", ("tests/whole/load/test_d.py",), "tests/whole/load/test_d.py::test_d", 9.0
        ),
    ]
    for _ in range(2):
        planted.write(output, runs)
    lines = output.read_text("utf-8").splitlines()
    said = [line for line in lines if line.startswith("| ")][1:]
    assert [line.split("|")[3:6] for line in said[:3]] == [
        [" `unit/core/test_b.py::test_c`, new ", " gate ", " 77 "],
        [" nothing; asked were test_a.py ", " - ", " 5 "],
        [" `whole/load/test_d.py::test_d`, new ", " whole ", " 9 "],
    ]
    assert said[3].split("|")[3:6] == [" not tried ", " - ", " - "]
    assert len(said) == len(planted.FAULTS)
    assert "3 were tried: a test of the gate found 1, any test 2." in " ".join(lines)
    before = bench.planted_in(output)
    monkeypatch.setitem(
        sys.modules, "bench.scale", SimpleNamespace(measure=lambda repeats: [Result("a", "ms", (1.0,))])
    )
    monkeypatch.setattr(sys, "argv", ["bench", "--output", str(output), "--only", "scale"])
    bench.main()
    assert bench.planted_in(output) == before != ""
    assert bench.read(output).keys() == {"scale"}


def test_a_fault_that_is_not_there_once_is_refused(tmp_path: Path) -> None:
    """A table that has grown old must not say that nothing was found."""
    for text in ("", "a = 1\na = 1\n"):
        (tmp_path / "a.py").write_text(text)
        with pytest.raises(SystemExit, match=f"a.py has this {text.count('a = 1')} times, not once: a = 1"):
            planted.plant(tmp_path, planted.Fault("core/trust", "a.py", "a = 1", "a = 2", "another number"))


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
