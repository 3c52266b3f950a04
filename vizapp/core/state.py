"""Tell whether a network was changed in place, so that what was worked out for it no longer holds.

A network has no version. So everything that may change its ways without changing its weights is noted down and compared: its
modules, the hooks and functions on them, their plain attributes (`shift_size`, `window_size`) and index tensors, and its
configuration. The state that a hook or a function keeps to itself is not seen: whoever changes that should set the hook anew.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Hashable, Iterable
from functools import cache
from typing import Any

from torch import Tensor, nn
from torch.nn.modules import module as torch_module

_SCALARS = {int, bool, float, str, type(None)}
_NOTED = _SCALARS | {tuple, list, Tensor, types.FunctionType, types.MethodType, functools.partial}
_FUNCTIONS = {types.FunctionType, types.MethodType, functools.partial}
_FROM_STOCK = ("torch", "timm", "vizapp")  # packages whose classes do what they say
_SCRIPTED: dict[str, Any] = dict.fromkeys(("_buffers", "_modules", "_forward_hooks", "_forward_pre_hooks"))


def fingerprint(net: nn.Module) -> tuple[Hashable, ...]:
    """Note what can be changed in place in `net` and changes where tokens stand or what attends. Holds no reference to it."""
    found: list[Hashable] = []
    for module, attributes in _modules(net):
        found.append(id(module))
        found.append(id(type(module)))
        # In one step, as another thread may be putting hooks on it.
        for value in tuple(attributes.values()):
            if type(value) in _NOTED:
                found.append(value if type(value) in _SCALARS else _noted(value))
        found.extend(_foreign(module, attributes))
        if attributes["_buffers"]:
            found.extend(_noted(buffer) for buffer in tuple(attributes["_buffers"].values()))
    config: Any = getattr(net, "config", None)  # of transformers: its modules read it while they run
    if hasattr(config, "__dict__"):
        found.extend(_noted(value) for value in tuple(vars(config).values()) if type(value) in _NOTED)
    return (*found, *_global_hooks())


def is_stock(net: nn.Module) -> bool:
    """Tell whether `net` is made of modules of well-known packages only, and nothing was hooked on them or put in their place."""
    for module, attributes in _modules(net):
        if (
            # Somebody put a function in place of a method of this very module.
            any(type(one) in _FUNCTIONS and hasattr(type(module), name) for name, one in tuple(attributes.items()))
            or not _is_stock(type(module).__module__, type(module).forward)
            or _foreign(module, attributes)
        ):
            return False
    return not _global_hooks()


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


def _foreign(module: nn.Module, attributes: dict[str, Any]) -> list[Hashable]:
    """The numbers of the hooks on a module that are not our own. PyTorch gives no number twice."""
    hooks = [*attributes["_forward_pre_hooks"].items()] if attributes["_forward_pre_hooks"] else []
    if attributes["_forward_hooks"]:
        hooks += attributes["_forward_hooks"].items()
    return [number for number, hook in hooks if not is_ours(hook)]


def is_ours(hook: Any) -> bool:
    """Tell a hook that vizapp put on a network for a pass from those of its owner."""
    name = getattr(getattr(hook, "func", hook), "__module__", None) or ""
    return name.startswith("vizapp.core.")


def _global_hooks() -> tuple[Hashable, ...]:
    return (*torch_module._global_forward_pre_hooks, *torch_module._global_forward_hooks)


@cache
def _is_stock(package: str, forward: Callable[..., Any]) -> bool:
    # The function as well as its class: a function of one's own may have been put into a class of timm.
    owners = (package, getattr(forward, "__module__", None) or "")
    return all(owner.partition(".")[0] in _FROM_STOCK for owner in owners)


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
