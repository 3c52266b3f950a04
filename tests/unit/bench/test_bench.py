"""bench/results.json and the pages that are made of it: what is measured anew leaves all else as it stands."""

import re
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from bench import __main__ as bench
from bench import pages, planted, results
from bench.measure import BESIDE, Result, in_turns
from support.paths import ROOT

MOST = {"RESULTS.md": 1500, "METHODS.md": 2200, "PRECISION.md": 700, "EIGHT_BITS.md": 400}  # words of a page


@pytest.mark.parametrize("page", MOST)
def test_a_page_is_what_the_figures_make_of_it(page: str) -> None:
    text = pages.made(results.read())[page]
    assert (ROOT / "bench" / page).read_text("utf-8") == text, "run: python -m bench --only"
    assert len(text.split()) <= MOST[page]


def test_the_file_of_figures_is_as_its_program_writes_it() -> None:
    assert results.FILE.read_text("utf-8") == results.written(results.read()) + "\n"


@pytest.fixture
def output(tmp_path: Path) -> Path:
    return tmp_path / "results.json"


def measured(monkeypatch: pytest.MonkeyPatch, output: Path, part: str, *found: Result) -> str:
    """RESULTS.md, after a part that gives these figures was measured."""
    monkeypatch.setitem(sys.modules, f"bench.{part}", SimpleNamespace(measure=lambda repeats: list(found)))
    monkeypatch.setattr(sys, "argv", ["bench", "--output", str(output), "--only", part])
    bench.main()
    return output.with_name("RESULTS.md").read_text("utf-8")


def test_a_part_that_is_measured_anew_leaves_the_others(monkeypatch: pytest.MonkeyPatch, output: Path) -> None:
    def measure(part: str, *values: float) -> str:
        return measured(monkeypatch, output, part, Result("how long", "ms", values, 5))

    monkeypatch.setattr(bench, "machine", lambda: "one")
    assert "| how long | 2 (1.5–2.5) ms | 5 |" in measure("scale", 1, 2, 3)
    measure("capture", 7)
    text = measure("capture", 8, 9, 10)
    assert "| how long | **9 (8.5–9.5)** ms | 5 |" in text
    assert "**7**" not in text
    assert text.index(results.MEASURES["capture"]) < text.index(results.MEASURES["scale"])
    monkeypatch.setattr(bench, "machine", lambda: "other")
    text = measure("scale", 6)
    assert "| how long | **6** ms | 5 |" in text, "the machine that was measured last"
    assert "1.5" not in text
    found = {
        name: {machine: one["results"][0]["median"] for machine, one in machines.items()}
        for name, machines in results.read(output)["parts"].items()
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


def test_what_was_found_of_planted_faults_stays(monkeypatch: pytest.MonkeyPatch, output: Path) -> None:
    """What nothing has found, and what was not tried, is said as such; and the rest is measured around it."""
    one, other, third, fourth, *_ = planted.FAULTS
    key = {name: planted.key_of(planted.FAULTS[name]) for name in (one, other, third)}
    runs = [
        planted.Run(one, key[one], "near", ("tests/test_a.py",), "", 7.0),
        planted.Run(one, key[one], "rest", (), "tests/unit/core/test_b.py::test_c", 70.0),
        planted.Run(other, key[other], "near", ("tests/test_a.py",), "", 5.0),
        planted.Run(
            third, key[third], "near whole", ("tests/whole/load/test_d.py",), "tests/whole/load/test_d.py::test_d", 9.0
        ),
    ]
    planted.write(output, runs)
    before = results.read(output)["planted"]
    assert [(said["by"], said["new"], said["missed"], said["seconds"]) for said in before["faults"][:4]] == [
        ("unit/core/test_b.py::test_c", True, "", 77),
        ("", False, "nothing; asked were test_a.py", 5),
        ("whole/load/test_d.py::test_d", True, "", 9),
        ("", False, "not tried", None),
    ]
    text = measured(monkeypatch, output, "scale", Result("a", "ms", (1.0,)))
    assert f"Of {len(planted.FAULTS)} slips of one line, 3 were tried" in text
    assert "a test of the gate found 1, any test 2." in text
    assert f"- {planted.FAULTS[other].room}: {planted.FAULTS[other].seen}: nothing; asked were test_a.py" in text
    assert f"{planted.FAULTS[fourth].seen}: not tried" in text
    assert results.read(output)["planted"] == before
    assert "| a | 1 ms |  |" in text


def test_a_fault_that_is_not_there_once_is_refused(tmp_path: Path) -> None:
    """A table that has grown old must not say that nothing was found."""
    for text in ("", "a = 1\na = 1\n"):
        (tmp_path / "a.py").write_text(text)
        with pytest.raises(SystemExit, match=f"a.py has this {text.count('a = 1')} times, not once: a = 1"):
            planted.plant(tmp_path, planted.Fault("core/trust", "a.py", "a = 1", "a = 2", "another number"))


def test_ratios_come_first_and_what_is_alike_is_one_row() -> None:
    some = [
        Result("slow", "ms", (3.0,), 4),
        Result("toy: half", "x plain", (0.5,), 1),
        Result("ViT: half", "x plain", (2.0,), 1),
    ]
    some += [
        Result("1 at once: errors, of 4", "visitors", (0.0,), 0),
        Result("8 at once: errors, of 32", "visitors", (0.0,), 0),
    ]
    found = [one.to_json() for one in [*some, Result("needed by nobody", "ms", (9.0,))]]
    lines = results.table({"one": {"conditions": "2026-01-01, one, load 2.0 at the end; Python 3.", "results": found}})
    assert lines == [
        "2026-01-01, one, load 2.0.",
        "",
        "|  |  | at most |",
        "|---|---|---|",
        "| half | toy 0.5; ViT **2** x plain | 1 |",
        "| slow | 3 ms | 4 |",
        "| errors | 0 each, of 2 visitors | 0 |",
    ]


def test_a_ratio_to_another_checkout_has_its_interval() -> None:
    """The median of 20 lies between the 6th and the 15th smallest in 95.9 of 100 samples, whatever the distribution."""
    values = tuple(float(one) for one in range(1, 21))
    found = Result("a pass", BESIDE, values).to_json()
    assert (found["median"], found["interval"]) == (10.5, [6.0, 15.0])
    assert Result("a pass", BESIDE, values[:5]).interval is None
    assert results.figures({"results": [found]})[-1] == "| a pass | 10.5 (6–15) x before |  |"


def test_they_take_turns_in_going_first() -> None:
    went = list[str]()
    found = [in_turns(turn, lambda: went.append("a") or 1, lambda: went.append("b") or 2) for turn in range(2)]
    assert (went, found) == (["a", "b", "b", "a"], [[1, 2], [1, 2]])


def test_what_rounding_shows_in_is_marked() -> None:
    columns = {
        "toy": {"pictures": 2, "float32": {"kept": 0.99999, "lost": 0.5, "gone": None}},
        "swin": {"pictures": 2, "float32": {"kept": 1.0}},
    }
    text = pages.precision_page({"date": "2026-01-01", "processor": "one", "columns": columns})
    for line in ("| kept | 0.9999900 toy |", "| lost | **0.5000000** toy |", "| gone | **flat** toy |"):
        assert re.search(rf"^{re.escape(line)}", text, re.MULTILINE), line
