"""Take a trace and its layers apart by the names of their constructors' arguments, and put them together again.

A new kind of layer, or a new field of a trace, needs no change here, as long as each argument of its constructor is an attribute
of the same name.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import is_dataclass
from typing import Any, TypeVar

from torch import Tensor

from vizapp.core.attention.layers import LayerAttention

Thing = TypeVar("Thing")


def parts_of(thing: Any) -> dict[str, Any]:
    """Return the arguments that make an equal layer, or an equal dataclass."""
    return {name: getattr(thing, name) for name in inspect.signature(type(thing)).parameters}


def with_tensors(thing: Thing, change: Callable[[Tensor], Tensor]) -> Thing:
    """Copy a thing with each tensor changed; a tensor in several places is changed once, and stays shared."""
    done: dict[int, Tensor] = {}

    def changed(one: Any) -> Any:
        if isinstance(one, Tensor):
            if id(one) not in done:
                done[id(one)] = change(one)
            return done[id(one)]
        if isinstance(one, (tuple, list)):
            return type(one)(map(changed, one))
        if isinstance(one, Mapping):
            return {name: changed(value) for name, value in one.items()}
        if isinstance(one, LayerAttention) or (is_dataclass(one) and not isinstance(one, type)):
            return type(one)(**{name: changed(value) for name, value in parts_of(one).items()})
        return one

    made: Thing = changed(thing)
    return made
