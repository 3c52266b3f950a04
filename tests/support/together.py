"""One test over a list: of files, sentences, slips. It tries them all, and names each that is wrong."""

import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest

Test = Callable[..., None]


def together(names: str | Sequence[str], cases: Iterable[Any]) -> Callable[[Test], Test]:
    """As `pytest.mark.parametrize`, but the cases are parts of one test: its fixtures are made once for all of them.

    Where a page must be opened, that is most of the time. A case whose fixtures may not be used again wants `parametrize`.
    """
    several, listed = not isinstance(names, str), list(cases)
    called = tuple(names) if several else (str(names),)
    assert listed, "a list without a case tests nothing"
    assert not any(isinstance(one, type(pytest.param())) for one in listed), "marks of a case want `parametrize`"

    def make(test: Test) -> Test:
        seen = inspect.signature(test)
        own = "subtests" in seen.parameters  # of a test over two lists, whose inner one has asked for it

        @functools.wraps(test)
        def all_of_them(subtests: pytest.Subtests, **fixtures: Any) -> None:
            for case in listed:
                with subtests.test(_shown(case)):
                    given = dict(zip(called, case if several else (case,), strict=True))
                    test(**fixtures, **given, **({"subtests": subtests} if own else {}))

        rest = [one for one in seen.parameters.values() if one.name not in (*called, "subtests")]
        needed = inspect.Parameter("subtests", inspect.Parameter.KEYWORD_ONLY)
        all_of_them.__signature__ = seen.replace(parameters=[*rest, needed])  # type: ignore[attr-defined]  # which pytest reads
        return all_of_them

    return make


def _shown(case: Any) -> str:
    said = repr(case)
    return said if len(said) <= 200 else f"{said[:200]}..."
