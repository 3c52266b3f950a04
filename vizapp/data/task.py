"""The interface of work on many pictures: a task for one picture, and an engine that runs it over all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Protocol

from vizapp.model.spec import VisionModel


class Task(Protocol):
    """The work on each picture. Each worker gets it once, so it and its answers must be picklable."""

    def look(self, model: VisionModel, number: int) -> Any:
        """The answer for picture `number` of the set that it names."""


Engine = Callable[[VisionModel, Task, range], Iterator[Any]]  # answers in the order of the numbers


def here(model: VisionModel, task: Task, numbers: range) -> Iterator[Any]:
    """The engine of this process: one picture after the other."""
    for number in numbers:
        yield task.look(model, number)
