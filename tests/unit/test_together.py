"""What tests share: one test over a list, and waits that end before the test does."""

import inspect
import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from support import waiting
from support.paths import ROOT
from support.together import together
from support.waiting import Clock, half, patience, until


class Noted:
    """In place of pytest's own reports: what failed, and where."""

    def __init__(self) -> None:
        self.failed: list[str] = []

    @contextmanager
    def test(self, case: str) -> Iterator[None]:
        try:
            yield
        except AssertionError:
            self.failed.append(case)


def test_all_slips_are_told() -> None:
    @together("text", ["a", "b"])
    @together(("low", "high"), [(1, 2), (4, 3), (6, 5)])
    def test(text: str, low: int, high: int, tmp_path: object) -> None:
        if text == "b":
            assert low < high, "turned round"

    assert [*inspect.signature(test).parameters] == ["tmp_path", "subtests"]
    noted = Noted()
    test(tmp_path=None, subtests=noted)
    assert noted.failed == ["(4, 3)", "(6, 5)"]
    with pytest.raises(AssertionError, match="tests nothing"):
        together("text", [])


class Paused(Clock):
    """One that goes on when somebody pauses, in place of the module `time`."""

    monotonic = Clock.__call__

    def pause(self) -> None:
        self.now += 0.25


def test_this_test_may_wait_for_less_than_the_run_lets_it(request: pytest.FixtureRequest) -> None:
    limit = request.config.getvalue("timeout") or float(request.config.getini("timeout"))
    assert half() == limit / 2
    assert 1 <= patience() <= half()


@pytest.mark.parametrize("before", [0.0, 20.0, 45.0, 58.0])
def test_what_never_comes_is_said_before_the_test_is_ended(monkeypatch: pytest.MonkeyPatch, before: float) -> None:
    """However late in the test somebody begins to wait, as long as there is time for a look."""
    clock = Paused()
    monkeypatch.setattr(waiting, "time", clock)
    monkeypatch.setattr(waiting, "_limit", 60.0)
    monkeypatch.setattr(waiting, "_begun", 0.0)
    clock.now = before
    with pytest.raises(AssertionError, match="a reason"):
        until(lambda: False, lambda: "a reason", clock.pause)
    assert clock.now < 60


def test_no_other_wait_of_the_gate_has_a_limit_of_its_own() -> None:
    """One that is longer than the test never says its reason, and a short one fails on a busy machine."""
    own = re.compile(r"\btimeout=\d|\.(?:wait|result|join|acquire)\(\d|Barrier\(\w+\)")
    files = [path for folder in ("unit", "page") for path in (ROOT / "tests" / folder).rglob("*.py")]
    found = {path.name: own.findall(path.read_text("utf-8")) for path in files}
    assert {name: limits for name, limits in found.items() if limits} == {}
