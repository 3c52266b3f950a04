"""Work on many pictures: what is done with one of them, and what runs it over all, here or on other machines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Protocol

from vizapp.model.spec import VisionModel


class Task(Protocol):
    """What is asked of each picture; workers get it once. It and its answers can be pickled."""

    def look(self, model: VisionModel, number: int) -> Any:
        """The answer for picture `number` of the set that it names."""


Engine = Callable[[VisionModel, Task, range], Iterator[Any]]  # answers in the order of the numbers


def here(model: VisionModel, task: Task, numbers: range) -> Iterator[Any]:
    """One picture after the other, in this process."""
    for number in numbers:
        yield task.look(model, number)
