"""Which modules of a network may attend: those that a watch puts hooks on."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from torch import nn

from vizapp.errors import VizError


def watched(net: nn.Module, only: Collection[str]) -> Iterator[tuple[str, nn.Module]]:
    """The modules of `only`, and all modules inside of them that may attend. A shared one has the first of its names."""
    seen: set[nn.Module] = set()
    for outer in only or ("",):
        try:
            part = net.get_submodule(outer)
        except AttributeError:
            raise VizError(
                "The network has no module '{name}'.", "Give names as named_modules() has them.", name=outer
            ) from None
        for name, module in part.named_modules(seen, outer):
            if name == outer or not _is_plain_leaf(module):
                yield name, module


def _is_plain_leaf(module: nn.Module) -> bool:
    """A layer of PyTorch without anything inside: no attention can happen in it that another module would not claim."""
    return type(module).__module__.startswith("torch.nn.modules.") and next(module.children(), None) is None
