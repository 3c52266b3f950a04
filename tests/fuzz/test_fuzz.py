"""Every fuzzer, for seconds with the other tests, or for as long as asked (see this folder's __init__.py)."""

from __future__ import annotations

import importlib

import pytest

from fuzz import watched

FUZZERS = ("images", "headers", "names", "calls", "endpoints", "commands", "parts")


@pytest.mark.parametrize("name", FUZZERS)
def test_nonsense_is_refused_in_words(name: str, request: pytest.FixtureRequest) -> None:
    """No traceback, no hang, no death; nothing on the terminal but words."""
    seed, rounds = request.config.getoption("--seed", None), request.config.getoption("--rounds", 1)
    count = importlib.import_module(f"fuzz.{name}").COUNT
    found = watched.slips(name, *((0, count * rounds) if seed is None else (seed, 1)))
    assert not found, (
        "\n\n".join(f"--seed {seed}: {what}" for seed, what in list(found.items())[:5]) + f"\n{len(found)} slips"
    )
