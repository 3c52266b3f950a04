"""A function of PyTorch that a network called, as those are told of it who follow places."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from torch import Tensor

from vizapp.core.capture.nested import flat


@dataclass(frozen=True, eq=False)
class FunctionCall:
    """A function that ran, by its `name` (see `ops.name_of`), and what it was called with."""

    name: str
    func: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]

    @cached_property
    def given(self) -> list[Tensor]:
        """Every tensor among the arguments, however deep it lies in tuples, lists and dicts."""
        return [part for part in flat((self.args, self.kwargs)) if isinstance(part, Tensor)]
