"""What references look at: one picture in a plain ViT of ours, every matrix spelt out in one graph; and the list of them."""

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor

from vizapp.model.vit import ViT

Kind = Literal["paper", "code"]


@dataclass(eq=False)
class Picture:
    """A network of ours with CLS first, in float64, the pixels of one picture (1, 3, h, w), and a class."""

    net: ViT
    pixels: Tensor
    target: int

    def attend(self, depth: int | None = None, head: Callable[[Tensor], Tensor] | None = None) -> tuple[list, list]:
        """numpy (head, query, key) for each layer: A, and d logit / dA.

        depth  the classifier reads what this many blocks give; None: all
        head   the classifier, (1, token, D) -> (1, class), in place of the network's own
        """
        maps: list[Tensor] = []
        hooks = [
            block.attn.softmax.register_forward_hook(lambda module, args, out: maps.append(out))
            for block in self.net.blocks
        ]
        try:
            with torch.enable_grad():
                x = self.embedded().requires_grad_(True)
                for block in self.net.blocks[: depth or len(self.net.blocks)]:
                    x = block(x)
                logits = self.net.forward_head(self.net.norm(x)) if head is None else head(x)
                gradients = torch.autograd.grad(logits[0, self.target], maps)
        finally:
            for hook in hooks:
                hook.remove()
        return [one[0].detach().numpy() for one in maps], [one[0].numpy() for one in gradients]

    def embedded(self) -> Tensor:
        """(1, token, D): CLS and patches, with their positions."""
        with torch.no_grad():
            net, patches = self.net, self.net.patch_embed(self.pixels)
            if net.no_embed_class:
                return torch.cat([net.cls_token, patches + net.pos_embed], 1)
            return torch.cat([net.cls_token, patches], 1) + net.pos_embed

    @cached_property
    def both(self) -> tuple[list[np.ndarray], list[np.ndarray]]:
        return self.attend()

    @property
    def a(self) -> list[np.ndarray]:
        """A of each layer, (head, query, key)."""
        return self.both[0]

    @property
    def g(self) -> list[np.ndarray]:
        """d logit / dA of each layer."""
        return self.both[1]

    @property
    def n(self) -> int:
        return int(self.a[0].shape[-1])

    def gradient(self, pixels: Tensor) -> Tensor:
        """d logit / d pixels."""
        with torch.enable_grad():
            pixels = pixels.clone().requires_grad_(True)
            (found,) = torch.autograd.grad(self.net(pixels)[0, self.target], pixels)
        return found

    def by_patch(self, values: Tensor) -> np.ndarray:
        """(3, h, w) -> (patch,): sums, patch by patch."""
        side = self.net.patch_embed.patch_size
        rows, cols = values.shape[1] // side, values.shape[2] // side
        sums = [
            float(values[:, side * r : side * (r + 1), side * c : side * (c + 1)].sum())
            for r in range(rows)
            for c in range(cols)
        ]
        return np.array(sums)


@dataclass(frozen=True)
class Reference:
    """A formula to hold a method against.

    method    with these `settings`
    title     whose formula; `kind` "paper": it must be equal; "code": what that code does otherwise is said in `about`
    function  Picture -> (patch,)
    """

    method: str
    title: str
    kind: Kind
    about: str
    function: Callable[[Picture], np.ndarray] = field(repr=False)
    settings: Mapping[str, Any] = field(default_factory=dict)


_found: list[Reference] = []


def reference(
    method: str, title: str, kind: Kind = "paper", about: str = "", **settings: Any
) -> Callable[[Callable[[Picture], np.ndarray]], Callable[[Picture], np.ndarray]]:
    """Declare a function to be a reference of a method with these settings."""

    def declare(function: Callable[[Picture], np.ndarray]) -> Callable[[Picture], np.ndarray]:
        _found.append(Reference(method, title, kind, about, function, settings))
        return function

    return declare


def references() -> list[Reference]:
    """All that are declared in the files of this folder, file by file, whichever of them was imported first."""
    import bench.references as room

    for module in pkgutil.iter_modules(room.__path__):
        if module.name != "__main__":
            importlib.import_module(f"{room.__name__}.{module.name}")
    return sorted(_found, key=lambda one: one.function.__module__)
