"""Tests that take their time: each has ten minutes, and in a browser a second try, of which the end of the run tells."""

import json
from pathlib import Path

import pytest

from support.paths import ROOT
from support.serving import _nothing_is_left_to_compute  # noqa: F401  around each test

HERE = Path(__file__).parent
SECONDS = 600
SECOND_TRY = ROOT / "build" / "second-try.json"  # test -> how many runs it passed only at its second try


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.timeout(SECONDS))
        if HERE / "browser" in item.path.parents:
            item.add_marker(pytest.mark.flaky(reruns=1))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Name what failed at first. Twice in this file: it is to be mended."""
    if hasattr(config, "workerinput"):
        return  # a worker ends in the same way, and would count its own tests once more
    tried_again = {report.nodeid for report in terminalreporter.stats.get("rerun", [])}
    passed = {report.nodeid for report in terminalreporter.stats.get("passed", [])}
    late = sorted(tried_again & passed)
    if not late:
        return
    told: dict[str, int] = json.loads(SECOND_TRY.read_text("utf-8")) if SECOND_TRY.exists() else {}
    told |= {test: told.get(test, 0) + 1 for test in late}
    SECOND_TRY.parent.mkdir(exist_ok=True)
    SECOND_TRY.write_text(json.dumps(told, indent=2) + "\n", "utf-8")
    terminalreporter.section("PASSED ONLY AT THE SECOND TRY")
    for test in late:
        terminalreporter.line(f"{test} ({told[test]} times in {SECOND_TRY.relative_to(ROOT)})")
