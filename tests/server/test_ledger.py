"""Which files of the server's folder go, and when. Time is what the test says it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from vizapp.ui.server.ledger import Ages, Caps, Ledger

ROOT = Path("/files")
AGES = Ages(rest=100, staged=1000, part=10, fresh=5)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def ledger(clock: Clock) -> Ledger:
    return Ledger(ROOT, clock)


def put(ledger: Ledger, name: str, size: int = 10, owner: str = "") -> Path:
    ledger.note(ROOT / name, size, 0.0, owner)
    return ROOT / name


def test_what_rests_goes_and_what_is_on_a_stage_stays_for_a_day(ledger: Ledger, clock: Clock) -> None:
    old, staged, kept, read = (put(ledger, name) for name in ("old", "staged", "kept", "read"))
    part, uploading, upload = put(ledger, ".part-1"), put(ledger, "tmpabc"), put(ledger, "aaaa/tmp.png")
    ledger.files[read].readers = 1
    clock.now = 11
    assert set(ledger.old(AGES, {kept}, {staged})) == {part, uploading}, "a file that is called tmp... is no part"
    clock.now = 101
    assert set(ledger.old(AGES, {kept}, {staged})) == {old, part, uploading, upload}
    clock.now = 1001
    assert set(ledger.old(AGES, {kept}, {staged})) == {old, staged, part, uploading, upload}


@pytest.mark.parametrize("says", [-1e9, 0.0, 4e9])
def test_a_clock_that_jumps_deletes_nothing_and_keeps_nothing(ledger: Ledger, clock: Clock, says: float) -> None:
    """Files of 1938, of 1970 and of 2096: each goes an hour after it was seen or used last, not before, and not later."""
    ledger.reconcile([(ROOT / "a", 10, says), (ROOT / "b", 10, says)], since=0)
    clock.now = 60
    ledger.reconcile([(ROOT / "a", 10, says), (ROOT / "b", 10, says - 1e8)], since=60)  # b was used, by whatever clock
    clock.now = 99
    assert ledger.old(AGES, (), ()) == []
    clock.now = 101
    assert ledger.old(AGES, (), ()) == [ROOT / "a"]
    clock.now = 161
    assert ledger.old(AGES, (), ()) == [ROOT / "a", ROOT / "b"]


def test_what_others_deleted_is_forgotten_and_what_was_just_made_is_not(ledger: Ledger, clock: Clock) -> None:
    put(ledger, "gone")
    clock.now = 1
    put(ledger, "made while one looks")
    ledger.reconcile([], since=0.5)
    assert set(ledger.files) == {ROOT / "made while one looks"}


def test_a_visitor_pays_with_own_files_the_oldest_first(ledger: Ledger, clock: Clock) -> None:
    caps = Caps(total=10**9, visitor=30, files=100)
    for clock.now, name in enumerate(("a", "b", "c", "shared")):
        put(ledger, name, owner="mallory")
    put(ledger, "of alice", owner="alice")
    put(ledger, "shared", owner="alice")
    clock.now = 50
    order = ledger.order(AGES, (), set)
    assert ledger.over_visitor(caps, "alice", order) == []
    assert ledger.over_visitor(caps, "mallory", order) == [ROOT / "a"]
    ledger.drop(ROOT / "a")
    assert ledger.over_visitor(caps, "mallory", order, room=25) == [ROOT / "b", ROOT / "c"]
    assert ledger.files[ROOT / "shared"].owners == {"alice"}, "taken off the account, and still there for alice"


def test_a_visitor_cannot_have_more_files_than_the_cap(ledger: Ledger, clock: Clock) -> None:
    for clock.now in range(20):
        put(ledger, f"{clock.now}", owner="mallory")
    gone = ledger.over_visitor(Caps(10**9, 10**9, files=5), "mallory", ledger.order(AGES, (), set))
    assert gone == [ROOT / f"{n}" for n in range(15)]


def test_what_is_read_never_goes_and_what_is_looked_at_goes_last(ledger: Ledger, clock: Clock) -> None:
    read, page, staged, old, older = (put(ledger, name) for name in ("read", "page", "staged", "old", "older"))
    part = put(ledger, ".part-1")
    clock.now = 10
    ledger.files[old].used = 1
    fresh = put(ledger, "fresh")
    ledger.files[read].readers = 1
    order = ledger.order(AGES, {page}, lambda: {staged})
    assert ledger.over_total(40, order) == [older, old, staged]
    assert ledger.over_total(0, order) == [older, old, staged, fresh], "the cap holds, whoever looks"
    assert {read, page, part} <= set(ledger.files)
