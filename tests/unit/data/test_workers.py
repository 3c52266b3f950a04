"""Workers that die over a picture: how often that may be. Real processes die in tests/whole/process/test_ends.py, Ray's in
test_ray.py beside it."""

import threading
from collections.abc import Callable
from contextlib import closing
from types import SimpleNamespace
from typing import ClassVar

import pytest

from support.waiting import patience
from vizapp.data import workers
from vizapp.data.workers import DEATHS, Died, spread
from vizapp.errors import VizError


class Crew:
    """Workers in this process. Holds how many were begun, and those that were not ended."""

    def __init__(self, look: Callable[[int], int], kind: "Callable[[Crew, int], InCrew] | None" = None) -> None:
        self.look, self.kind, self.begun, self.left = look, kind or InCrew, 0, set[int]()

    def start(self) -> "InCrew":
        self.begun += 1
        self.left.add(self.begun)
        return self.kind(self, self.begun)


class InCrew:
    def __init__(self, crew: Crew, number: int) -> None:
        self.crew, self.number = crew, number

    def look(self, number: int) -> int:
        return self.crew.look(number)

    def end(self) -> None:
        self.crew.left.discard(self.number)


def deadly(number: int, times: int) -> Callable[[int], int]:
    """A look at which a worker dies over one picture, so many times."""
    left = [times]

    def look(asked: int) -> int:
        if asked == number and left[0]:
            left[0] -= 1
            raise Died("signal 11")
        return asked * 10

    return look


class Hurried(threading.Event):
    """Waits for nothing, and holds for how long it should have."""

    pauses: ClassVar[list[float | None]] = []

    def wait(self, timeout: float | None = None) -> bool:
        self.pauses.append(timeout)
        return False


def test_a_picture_that_kills_fewer_workers_is_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    """One before the last death, it is looked at in the end, and in its place; each pause is twice the one before."""
    monkeypatch.setattr(workers, "threading", SimpleNamespace(Event=Hurried))
    crew = Crew(deadly(1, DEATHS - 1))
    assert list(spread(crew.start, range(5), 2, patience=3.0)) == [0, 10, 20, 30, 40]
    assert Hurried.pauses == [3.0 * 2**death for death in range(DEATHS - 1)]
    assert crew.begun == 2 + DEATHS - 1
    assert crew.left == set()


@pytest.mark.parametrize("count", [1, 2])
def test_the_last_death_ends_the_run_in_words(count: int) -> None:
    """And what was found before is kept."""
    crew, found = Crew(deadly(2, DEATHS)), list[int]()
    with pytest.raises(VizError) as caught:
        for one in spread(crew.start, range(4), count):
            found.append(one)
    assert caught.value.message == f"Workers died {DEATHS} times over one picture: signal 11."
    assert found == [0, 10]
    assert crew.left == set()


def test_deaths_over_different_pictures_are_no_suspicion() -> None:
    """A cluster may lose machine after machine: what counts is one picture."""
    died = set[int]()

    def look(number: int) -> int:
        if number not in died:
            died.add(number)
            raise Died("signal 9")
        return number

    crew = Crew(look)
    assert list(spread(crew.start, range(2 * DEATHS), 1)) == list(range(2 * DEATHS))
    assert crew.begun == 1 + 2 * DEATHS


def test_who_stops_listening_ends_all_of_them() -> None:
    """Also one that is at work: it dies, and no other takes its place."""
    stopped = threading.Event()

    class Slow(InCrew):
        def look(self, number: int) -> int:
            if number and stopped.wait(patience()):
                raise Died("signal 15")
            return number

        def end(self) -> None:
            stopped.set()
            super().end()

    crew = Crew(lambda number: number, Slow)
    with closing(spread(crew.start, range(100), 2)) as answers:
        assert next(answers) == 0
    assert (crew.begun, crew.left) == (2, set())
