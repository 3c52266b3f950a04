"""How long, and from where."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--rounds", type=float, default=None, help="fuzzers: so many rounds")
    parser.addoption("--seed", type=int, default=None, help="fuzzers: this case alone")
