"""Every fuzzer, for seconds with the other tests, or for as long as asked (see this folder's __init__.py)."""

import importlib
import math
import random
import sys
from functools import cache

import pytest

from support.fuzz import nonsense, watched

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows bounds no memory, and has no pipes with names")
# Bounds of memory first, then what starts threads; "commands" last, since "-vvv" has everything logged from then on
FUZZERS = ("images", "headers", "names", "calls", "endpoints", "commands")
ROUNDS = 0.25  # of every night


@pytest.mark.parametrize("name", FUZZERS)
def test_nonsense_is_refused_in_words(name: str, request: pytest.FixtureRequest) -> None:
    """No traceback, no hang, no death; nothing on the terminal but words."""
    seed, rounds = request.config.getoption("--seed", None), request.config.getoption("--rounds", None) or ROUNDS
    asked = [one.callspec.params.get("name") for one in request.session.items if hasattr(one, "callspec")]
    is_long = rounds > 1  # then each in its own time
    found = slips(tuple(one for one in FUZZERS if one == name or (one in asked and not is_long)), rounds, seed)[name]
    assert not found, (
        "\n\n".join(f"--seed {seed}: {what}" for seed, what in list(found.items())[:5]) + f"\n{len(found)} slips"
    )


@cache
def slips(names: tuple[str, ...], rounds: float, seed: int | None) -> dict[str, dict[int, str]]:
    """Of all in one process: what they import takes longer than a short run."""
    counts = {name: math.ceil(importlib.import_module(f"support.fuzz.{name}").COUNT * rounds) for name in names}
    return watched.slips({name: (0, count) if seed is None else (seed, 1) for name, count in counts.items()})


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux bounds the memory of a process")
def test_a_fuzzer_is_seen_to_slip_to_hang_and_to_die(monkeypatch: pytest.MonkeyPatch) -> None:
    """And it goes on after each. Words, a picture that is read, and what a case is allowed to raise are no slips."""
    monkeypatch.setattr(watched, "LONGEST", 2.0)
    found = watched.slips({"planted": (0, 9)})["planted"]
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
