"""Every fuzzer, for seconds with the other tests, or for as long as asked (see this folder's __init__.py)."""

from __future__ import annotations

import importlib
import random
import sys

import pytest

from support.fuzz import nonsense, watched

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows bounds no memory, and has no pipes with names")
FUZZERS = ("images", "headers", "names", "calls", "endpoints", "commands", "parts")


@pytest.mark.parametrize("name", FUZZERS)
def test_nonsense_is_refused_in_words(name: str, request: pytest.FixtureRequest) -> None:
    """No traceback, no hang, no death; nothing on the terminal but words."""
    seed, rounds = request.config.getoption("--seed", None), request.config.getoption("--rounds", 1)
    count = importlib.import_module(f"support.fuzz.{name}").COUNT
    found = watched.slips(name, *((0, count * rounds) if seed is None else (seed, 1)))
    assert not found, (
        "\n\n".join(f"--seed {seed}: {what}" for seed, what in list(found.items())[:5]) + f"\n{len(found)} slips"
    )


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux bounds the memory of a process")
def test_a_fuzzer_is_seen_to_slip_to_hang_and_to_die(monkeypatch: pytest.MonkeyPatch) -> None:
    """And it goes on after each. Words, a picture that is read, and what a case is allowed to raise are no slips."""
    monkeypatch.setattr(watched, "LONGEST", 2.0)
    found = watched.slips("planted", 0, 9)
    assert {seed: said.splitlines()[0] for seed, said in found.items()} == {
        number: f"planted {number}" for number in (1, 2, 3, 4, 5, 7)
    }
    assert "RuntimeError: a slip" in found[1]
    assert "hangs" in found[2]
    assert "died with -9" in found[3]
    assert "on the terminal:\nTraceback" in found[4]
    assert "VizError without words" in found[5]
    assert "MemoryError" in found[7]


def test_a_seed_is_always_the_same_nonsense() -> None:
    for make in (nonsense.json_value, lambda rng: nonsense.mutated(rng, b"abc" * 50)):
        assert repr(make(random.Random("calls 3"))) == repr(make(random.Random("calls 3")))
