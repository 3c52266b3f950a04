"""Tell whether a network was changed in place, so that what was worked out for it no longer holds.

A network has no version. So everything that may change its ways without changing its weights is noted down and compared: its
modules, the hooks and functions on them, their plain attributes (`shift_size`, `window_size`), index tensors, the precision of
its weights, and its configuration. The state that a hook or a function keeps to itself is not seen: whoever changes that should
set the hook anew.
"""

import functools
import threading
import types
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, NamedTuple

from torch import Tensor, nn
from torch.nn.modules import module as torch_module

_SCALARS = {int, bool, float, str, type(None)}
_NOTED = _SCALARS | {tuple, list, Tensor, types.FunctionType, types.MethodType, functools.partial}
_FUNCTIONS = {types.FunctionType, types.MethodType, functools.partial}
_FROM_STOCK = ("torch", "timm", "vizapp")  # packages whose classes do what they say
_FSDP = "torch.distributed.fsdp."
# What each module has of PyTorch: half of its attributes. Hooks and tables of tensors are looked at apart.
_OF_EACH = frozenset(vars(nn.Module())) - {"training"}
_TABLES = ("_parameters", "_buffers", "_modules", "_forward_hooks", "_forward_pre_hooks")
_SCRIPTED: dict[str, Any] = dict.fromkeys(_TABLES)


class State(NamedTuple):
    """What a network is made of.

    fingerprint  all that can be changed in place and changes where tokens stand, what attends, or how exactly
    stock        its modules are of well-known packages only, and nothing was hooked on them or put in their place
    sharded      PyTorch's FSDP, of either version, has cut its weights, or those of its parts, into pieces
    """

    stock: bool
    sharded: bool
    fingerprint: tuple[Hashable, ...]


_thread = threading.local()  # .held: the networks that this thread holds for unchanged, and their states


@contextmanager
def unchanged(net: nn.Module) -> Iterator[None]:
    """Look at the state of `net` once for all that asks for it in this thread within the block: a look takes a quarter of a small
    pass. Hooks of vizapp may come and go.
    """
    held: dict[int, State] = getattr(_thread, "held", {})
    _thread.held = held | {id(net): held.get(id(net)) or _state(net)}
    try:
        yield
    finally:
        _thread.held = held


def state_of(net: nn.Module) -> State:
    """Look at a network, or take what is `unchanged`. Holds no reference to it."""
    return getattr(_thread, "held", {}).get(id(net)) or _state(net)


def _state(net: nn.Module) -> State:
    found, stock, sharded = list[Hashable](), True, False
    for module, attributes in _modules(net):
        kind = type(module)
        found += (id(module), id(kind))
        stock = stock and _is_stock(kind.__module__, kind.forward)
        sharded = sharded or _is_sharded(kind.__mro__)
        # In one step, as another thread may be changing it.
        for name in attributes.keys() - _OF_EACH:
            value = attributes.get(name)
            given = type(value)
            if given in _SCALARS:
                found.append(value)
            elif given in _NOTED:
                found.append(_noted(value))
                # Somebody put a function in place of a method of this very module.
                stock = stock and not (given in _FUNCTIONS and hasattr(kind, name))
        if attributes["_forward_hooks"] or attributes["_forward_pre_hooks"]:
            hooks = _foreign(attributes)
            found += hooks
            stock = stock and not hooks
        if attributes["_parameters"]:  # what is read off rounded numbers does not hold of exact ones, nor the reverse
            found.extend(one.dtype for one in tuple(attributes["_parameters"].values()) if one is not None)
        if attributes["_buffers"]:
            found.extend(_noted(buffer) for buffer in tuple(attributes["_buffers"].values()))
    config: Any = getattr(net, "config", None)  # of transformers: its modules read it while they run
    if hasattr(config, "__dict__"):
        found.extend(_noted(value) for value in tuple(vars(config).values()) if type(value) in _NOTED)
    hooks = [*torch_module._global_forward_pre_hooks, *torch_module._global_forward_hooks]
    return State(stock and not hooks, sharded, (*found, *hooks))


def _modules(net: nn.Module) -> Iterable[tuple[nn.Module, dict[str, Any]]]:
    """Every module and its attributes; `net.modules()` takes five times as long, and this is asked at each capture."""
    waiting: list[nn.Module] = [net]
    while waiting:
        module = waiting.pop()
        attributes = module.__dict__
        if "_buffers" not in attributes:  # a scripted one, which nobody can change but as a whole
            attributes = _SCRIPTED
        yield module, attributes
        if attributes["_modules"]:
            waiting.extend(one for one in attributes["_modules"].values() if one is not None)


def _foreign(attributes: dict[str, Any]) -> list[Hashable]:
    """The numbers of the hooks on a module that are not our own. PyTorch gives no number twice."""
    hooks = [*attributes["_forward_pre_hooks"].items(), *attributes["_forward_hooks"].items()]
    return [number for number, hook in hooks if not is_ours(hook)]


def is_ours(hook: Any) -> bool:
    """Tell a hook that vizapp put on a network for a pass from those of its owner."""
    name = getattr(getattr(hook, "func", hook), "__module__", None) or ""
    return name.startswith("vizapp.core.")


@cache
def _is_stock(package: str, forward: Callable[..., Any]) -> bool:
    # The function as well as its class: a function of one's own may have been put into a class of timm.
    owners = (package, getattr(forward, "__module__", None) or "")
    return all(owner.partition(".")[0] in _FROM_STOCK for owner in owners)


@cache
def _is_sharded(classes: tuple[type, ...]) -> bool:
    return any(one.__module__.startswith(_FSDP) for one in classes)


def _noted(value: Any) -> Hashable:
    """A value that can be compared later: tensors and functions by what they are, and how often they were written to."""
    if type(value) in _SCALARS:
        return value
    if isinstance(value, (tuple, list)):
        return tuple(_noted(one) for one in value)
    if isinstance(value, Tensor):
        # Weights move no tokens, and loading others is no reason to look again; index tensors do.
        written = 0 if value.is_floating_point() or value.is_inference() else value._version
        return id(value), written
    return id(value)
