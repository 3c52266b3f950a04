"""How long, and from where."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--rounds", type=int, default=1, help="fuzzers: so many times as many cases")
    parser.addoption("--seed", type=int, default=None, help="fuzzers: this case alone")
