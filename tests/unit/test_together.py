"""A list as one test tells all that is wrong with it."""

import inspect
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from support.together import together


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
