"""Which files of the server's folder go, and when. Time is what the test says it is."""

from collections.abc import Callable
from pathlib import Path

import pytest

from support.waiting import Clock
from vizapp.ui.server.ledger import MOST_OWNERS, Ages, Caps, Ledger, Owner

ROOT = Path("/files")
AGES = Ages(rest=100, staged=1000, part=10, fresh=5)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def ledger(clock: Clock) -> Ledger:
    return Ledger(ROOT, clock, lambda path: True)


ALICE, MALLORY = Owner("8.8.8.8"), Owner("9.9.9.9")


def put(ledger: Ledger, name: str, size: int = 10, owner: Owner | None = None) -> Path:
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
        put(ledger, name, owner=MALLORY)
    put(ledger, "of alice", owner=ALICE)
    put(ledger, "shared", owner=ALICE)
    clock.now = 50
    order = ledger.order(AGES, (), set)
    assert ledger.over_visitor(caps, ALICE, order) == []
    assert ledger.over_visitor(caps, MALLORY, order) == [ROOT / "a"]
    ledger.drop(ROOT / "a")
    assert ledger.over_visitor(caps, MALLORY, order, room=25) == [ROOT / "b", ROOT / "c"]
    assert ledger.files[ROOT / "shared"].owners == {ALICE}, "taken off the account, and still there for alice"


def test_files_and_their_owners_are_bounded(ledger: Ledger, clock: Clock) -> None:
    for clock.now in range(20):
        put(ledger, f"{clock.now}", owner=MALLORY)
    gone = ledger.over_visitor(Caps(10**9, 10**9, files=5), MALLORY, ledger.order(AGES, (), set))
    assert gone == [ROOT / f"{n}" for n in range(15)]
    # Names of pages are free, and one file may be everybody's.
    for number in range(10 * MOST_OWNERS):
        path = put(ledger, "the same", owner=behind_a_proxy(f"{number}"))
    assert len(ledger.files[path].owners) == MOST_OWNERS


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


def behind_a_proxy(page: str = "") -> Owner:
    """Of a proxy that writes down nobody's address."""
    return Owner("10.0.0.1", page, is_visitor=False)


@pytest.mark.parametrize("whose", [behind_a_proxy, lambda page="": Owner("8.8.8.8", page)])
def test_who_brings_much_pays_with_own_files_also_behind_one_address(
    ledger: Ledger, clock: Clock, whose: Callable[..., Owner]
) -> None:
    """200 pictures of one pushed out those of others, whose pages were of the same address: that of a proxy, or of a school."""
    caps = Caps(total=10**9, visitor=500, files=10**6)
    hers = [put(ledger, f"hers {n}", owner=whose("alice")) for n in range(3)]
    clock.now = 50
    for number in range(200):
        clock.now += 0.1
        sent = put(ledger, f"{number}", owner=whose())  # an upload: whose page it is for is not known yet
        put(ledger, f"{number}", owner=whose("mallory"))  # it is, once it is looked at
        for path in ledger.over_visitor(caps, whose("mallory"), ledger.order(AGES, (), set)):
            assert path not in hers
            ledger.drop(path)
        assert ledger.files[sent].owners == {whose("mallory")}
    assert set(hers) <= ledger.files.keys()
    assert 450 <= ledger.total <= 530


def test_pages_behind_a_proxy_have_shares_and_all_uploads_of_it_one(ledger: Ledger) -> None:
    caps = Caps(total=10**9, visitor=50, files=100)
    order = ledger.order(AGES, (), set)
    for page in ("alice", "bob", "carol"):
        for number in range(5):
            put(ledger, f"{page} {number}", owner=behind_a_proxy(page))
        assert ledger.over_visitor(caps, behind_a_proxy(page), order) == []
    for number in range(7):
        put(ledger, f"nobody's {number}", owner=behind_a_proxy())
    assert len(ledger.over_visitor(caps, behind_a_proxy(), order)) == 2


def test_where_all_is_full_who_holds_more_than_an_equal_part_goes_first(ledger: Ledger, clock: Clock) -> None:
    """What is on a stage not before what rests: others may not even have noticed."""
    hers = [put(ledger, f"hers {n}", owner=behind_a_proxy("alice")) for n in range(4)]
    put(ledger, "found there")
    clock.now = 50
    his = [put(ledger, f"his {n}", owner=behind_a_proxy("mallory")) for n in range(16)]
    order = ledger.order(AGES, (), lambda: {his[0]})
    assert ledger.over_total(200, order) == his[1:2]
    assert ledger.over_total(90, order) == his[1:13]
    assert ledger.over_total(80, order) == [*his[1:13], hers[0]], "then whatever has rested longest"
