"""The blocks around the attention of a network: found by their names, looked into, and left out for one pass."""

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from torch import Tensor, nn

from vizapp.core.attention.trace import AttentionTrace
from vizapp.core.capture.nested import flat
from vizapp.errors import VizError


def modules_of(trace: AttentionTrace) -> list[str]:
    """Dotted names of the modules that run each layer's attention."""
    trace.layer(-1)  # refuses a network that has none
    # "#1" marks the second call of one module (a layer that is shared); it is still the same module.
    names = [layer.name.partition("#")[0] for layer in trace.layers]
    if "the network" in names:
        raise VizError("Attention runs in the network itself, in no module of its own.", "Choose another method.")
    return names


def blocks_of(net: nn.Module, trace: AttentionTrace) -> list[str]:
    """Names of the blocks in `net`: the largest module around each layer's attention that holds no other layer.

    "blocks.3" for "blocks.3.attn". No network says which of its modules is a block, but a block holds one attention, and its
    parent holds several. Where there is one layer only, any parent holds but one: then it is the outermost member of a list.
    A list of several modules (attention, MLP) that is a block itself stays the block, although it is never called: see `is_list`.
    """
    names = modules_of(trace)
    return [_around(net, name, [other for j, other in enumerate(names) if j != i]) for i, name in enumerate(names)]


def is_list(net: nn.Module, name: str) -> bool:
    """Tell whether a module only holds others and is never called, so that no hook on it ever runs."""
    return isinstance(net.get_submodule(name), (nn.ModuleList, nn.ModuleDict))


def _around(net: nn.Module, name: str, others: list[str]) -> str:
    parts = name.split(".")
    members = [
        length
        for length in range(2, len(parts) + 1)
        if isinstance(net.get_submodule(".".join(parts[: length - 1])), (nn.ModuleList, nn.ModuleDict, nn.Sequential))
    ]
    # From the outside in: the first that holds no other layer is the largest.
    for length in range(members[0] if members and not others else 1, len(parts) + 1):
        block = ".".join(parts[:length])
        if not any(other == block or other.startswith(block + ".") for other in others):
            while is_list(net, block) and len(net.get_submodule(block)._modules) == 1:
                length += 1  # a list of one module: the block is what it holds
                block = ".".join(parts[:length])
            return block
    raise VizError(
        "{name} runs the attention of several layers.", "Choose a method that needs no single blocks.", name=name
    )


Hook = Callable[
    [tuple[Any, ...], dict[str, Any], Any], Any
]  # (arguments, keyword arguments, output) -> another output, or None


@contextmanager
def hooked(pairs: Iterable[tuple[nn.Module, Hook]], *, before: bool = False) -> Iterator[None]:
    """Call the hook of each module when it has run, or `before` it does, with None for its output. In this thread only."""
    # A hook is on a module, which other threads may run at the same time, so it looks at who calls.
    thread = threading.get_ident()

    def own(hook: Hook) -> Any:
        def called(module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any], output: Any = None) -> Any:
            return hook(args, kwargs, output) if threading.get_ident() == thread else None

        return called

    handles = []
    try:
        for module, hook in pairs:
            register = module.register_forward_pre_hook if before else module.register_forward_hook
            handles.append(register(own(hook), with_kwargs=True))
        yield
    finally:
        for handle in handles:
            handle.remove()


def changing(
    net: nn.Module, names: Sequence[str], change: Callable[[str, Tensor, Tensor], Tensor]
) -> AbstractContextManager[None]:
    """Let each of the modules `names` hand on `change(name, given, made)` in place of the first tensor that it made.

    In this thread only. Raises `VizError` for a module that changes the shape of the first tensor it is given.
    """

    def hand_on(name: str) -> Hook:
        def handed(args: tuple[Any, ...], kwargs: dict[str, Any], output: Any) -> Any:
            given = next((value for value in (*args, *kwargs.values()) if isinstance(value, Tensor)), None)
            made = output[0] if isinstance(output, (tuple, list)) else output
            # In its place goes what it was given, or something of that kind: another shape would not fit into what comes behind.
            if given is None or not isinstance(made, Tensor) or made.shape != given.shape:
                raise VizError(
                    "A block of this network changes the shape of its tokens, so it cannot be left out.",
                    "Choose another method.",
                )
            changed = change(name, given, made)
            return (changed, *output[1:]) if isinstance(output, (tuple, list)) else changed

        return handed

    return hooked((net.get_submodule(name), hand_on(name)) for name in names)


def entering(net: nn.Module, names: Sequence[str], *, again: bool = False) -> AbstractContextManager[dict[str, Tensor]]:
    """Keep the first tensor that each of these modules is given, by name, as far as they have run. In this thread only.

    again  of the last time that each has run so far: of a module that is called for several layers, of the one that runs
    """
    return _kept(net, names, _itself, before=True, again=again)


def _itself(tensor: Tensor) -> Tensor:
    return tensor


def leaving(
    net: nn.Module, names: Sequence[str], note: Callable[[Tensor], Tensor] = _itself
) -> AbstractContextManager[dict[str, Tensor]]:
    """Keep the first tensor that each of these modules gives, by name, as far as they have run. In this thread only.

    note  what is kept of it: of a long sequence the tensors themselves would take as much room as the attention
    """
    return _kept(net, names, note, before=False)


@contextmanager
def _kept(
    net: nn.Module, names: Sequence[str], note: Callable[[Tensor], Tensor], *, before: bool, again: bool = False
) -> Iterator[dict[str, Tensor]]:
    found = dict[str, Tensor]()

    def keep(name: str) -> Hook:
        def kept(args: tuple[Any, ...], kwargs: dict[str, Any], output: Any) -> None:
            if again or name not in found:  # of a module that runs twice, the first time
                found[name] = note(first_tensor((args, list(kwargs.values())) if before else output))

        return kept

    for name in names:
        if is_list(net, name):
            raise VizError(
                "{name} is a list of modules, which is never called: its input and output cannot be seen.", name=name
            )
    with hooked(((net.get_submodule(name), keep(name)) for name in names), before=before):
        yield found


def first_tensor(value: Any) -> Tensor:
    """Return the first tensor in nested arguments or outputs."""
    return next(one for one in flat(value) if isinstance(one, Tensor))
