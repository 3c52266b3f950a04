"""Walk the arguments and results of functions: tuples, lists and dicts, in each other, with tensors at their leaves."""

from collections.abc import Callable
from typing import Any

from torch import Tensor


def with_each(value: Any, change: Callable[[Tensor], Tensor]) -> Any:
    """Give `value`, of nested tuples, lists and dicts, with each of its tensors changed."""
    if isinstance(value, Tensor):
        return change(value)
    # A slice or a number is no container, and stays as it is.
    if isinstance(value, (tuple, list)):
        return type(value)(with_each(part, change) for part in value)
    if isinstance(value, dict):
        return {name: with_each(part, change) for name, part in value.items()}
    return value


def flat(value: object) -> list[Any]:
    """List the leaves of nested tuples, lists and dicts, in order."""
    if isinstance(value, (tuple, list)):
        return [leaf for part in value for leaf in flat(part)]
    if isinstance(value, dict):
        return [leaf for part in value.values() for leaf in flat(part)]
    return [value]
