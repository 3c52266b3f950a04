"""Workers that die over a picture: how often that may be. Ray itself is in tests/whole/process/test_ray.py, on two machines."""

import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from vizapp.data import cluster
from vizapp.data.cluster import DEATHS, PATIENCE, spread
from vizapp.errors import VizError


class Dead(Exception):
    """Stands for RayActorError."""


class Slip(Exception):
    """Stands for RayTaskError."""


class Machines:
    """As much of the module ray as `spread` needs, in this thread. Holds the pauses, and who was not ended."""

    exceptions = SimpleNamespace(RayActorError=Dead, RayTaskError=Slip)

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.pauses, self.left, self.started = list[float](), set[int](), 0
        monkeypatch.setitem(sys.modules, "ray", self)
        monkeypatch.setattr(cluster, "time", SimpleNamespace(sleep=self.pauses.append))

    def start(self, look: Callable[[int], int]) -> Any:
        """A worker; what it is asked for, it does when somebody takes the answer."""
        self.started += 1
        self.left.add(self.started)
        remote = SimpleNamespace(remote=lambda number: lambda: look(number))
        return SimpleNamespace(look=remote, number=self.started)

    def is_initialized(self) -> bool:
        return True

    def wait(self, answers: list[Any], num_returns: int) -> tuple[list[Any], list[Any]]:
        """The last one first: answers come in any order."""
        return answers[-num_returns:], answers[:-num_returns]

    def get(self, answer: Callable[[], int]) -> int:
        return answer()

    def kill(self, worker: Any) -> None:
        self.left.remove(worker.number)


def deadly(number: int, times: int) -> Callable[[int], int]:
    """A look at which a worker dies over one picture, so many times."""
    left = [times]

    def look(asked: int) -> int:
        if asked == number and left[0]:
            left[0] -= 1
            raise Dead("The actor died.\nA traceback.")
        return asked * 10

    return look


def test_a_picture_that_kills_fewer_workers_is_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    """One before the last death, it is looked at in the end, and in its place; each pause is twice the one before."""
    ray, look = Machines(monkeypatch), deadly(1, DEATHS - 1)
    assert list(spread(lambda _: ray.start(look), range(5), 2)) == [0, 10, 20, 30, 40]
    assert ray.pauses == [PATIENCE * 2**death for death in range(DEATHS - 1)]
    assert ray.started == 2 + DEATHS - 1
    assert ray.left == set()


def test_the_last_death_ends_the_run_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the first line of what Ray says, and what was found before is kept."""
    ray, look, found = Machines(monkeypatch), deadly(2, DEATHS), list[int]()
    with pytest.raises(VizError) as caught:
        for one in spread(lambda _: ray.start(look), range(4), 1):
            found.append(one)
    assert caught.value.message == f"Workers died {DEATHS} times over one picture: The actor died.."
    assert found == [0, 10]
    assert ray.started == DEATHS
    assert ray.left == {DEATHS}, "the last one is dead: nobody needs to end it"


def test_deaths_over_different_pictures_are_no_suspicion(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cluster may lose machine after machine: what counts is one picture."""
    ray, died = Machines(monkeypatch), set[int]()

    def look(number: int) -> int:
        if number not in died:
            died.add(number)
            raise Dead("The actor died.")
        return number

    assert list(spread(lambda _: ray.start(look), range(2 * DEATHS), 1)) == list(range(2 * DEATHS))
    assert ray.pauses == [PATIENCE] * 2 * DEATHS
