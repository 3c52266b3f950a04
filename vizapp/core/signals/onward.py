"""Find what the network continues with after the sum of attention and stream: the sum (pre-norm), or one norm of it (post-norm).

The stream is the tensor to which something of its own size is added. If it is neither the sum nor one norm of it (a norm of a
norm, a factor per feature, a batch norm), the parts of a token would be those of another tensor, so the network is refused.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import torch
from torch import Tensor, nn

from vizapp.core import ops
from vizapp.core.capture.nested import flat
from vizapp.core.network import kept
from vizapp.errors import VizError


@dataclass(frozen=True, eq=False)
class Norm:
    """A norm of each token, after the sum (post-norm): (z - mean z) / sqrt(var z + eps) weight + bias; rms: (z / |z|) weight."""

    weight: Tensor | None
    bias: Tensor | None
    eps: float
    is_centred: bool

    def linear(self, parts: Tensor, z: Tensor) -> Tensor:
        """(..., D): the parts whose sum is z (..., D), each changed as the norm changes z, without `bias`. They add up."""
        spread = z - z.mean(-1, keepdim=True) if self.is_centred else z
        if self.is_centred:
            parts = parts - parts.mean(-1, keepdim=True)
        parts = parts / (spread.square().mean(-1, keepdim=True) + self.eps).sqrt()
        return parts if self.weight is None else parts * self.weight

    def to(self, like: Tensor) -> "Norm":
        """Convert to the precision and the device of a tensor."""
        weight, bias = (None if one is None else one.to(like) for one in (self.weight, self.bias))
        return replace(self, weight=weight, bias=bias)


# Kinds of a tensor: the sum, the sum and a constant, a norm of the sum, or any other function of it, value by value.
Form = Norm | Literal["sum", "shifted", "changed"]

_SUMS = ops.PLUS | ops.PLUS_IN_PLACE | ops.MINUS | ops.MINUS_IN_PLACE | ops.MINUS_TURNED
_BLENDS = ops.BLENDS | ops.BLENDS_IN_PLACE
_FACTORS = ops.TIMES | ops.TIMES_IN_PLACE | ops.OVER | ops.OVER_IN_PLACE
_NORMS = ops.LAYER_NORM | ops.RMS_NORM
_MOVES = ops.MOVES | ops.WRITES | ops.CASTS | ops.DROPOUTS | ops.SAME


class Onward:
    """Follows the functions after the sum of one layer.

    is_added    something is added to the sum itself: the network continues with it
    norms       norms of the sum to which something is added, by the number (`Lineage`) of their output
    is_changed  something is added to another function of the sum
    made        every norm of the sum and every other change, and the module that ran it
    """

    def __init__(self, number: int) -> None:
        self.is_added = self.is_changed = False
        self.norms: dict[int, Norm] = {}
        self.made: list[tuple[Form, str]] = []
        self._forms: dict[int, Form] = {number: "sum"}
        self._ahead = -1  # the number of the output of the last sum with a norm

    def saw(
        self,
        name: str,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        before: Sequence[tuple[int, int]],
        result: Any,
        number: Callable[[Tensor], int],
        running: str,
    ) -> None:
        """Note a function that ran. `before`: number and size of the tensors in its first two arguments, before it ran."""
        # Once something is added to the sum itself, the stream is found, and what comes later is the next layer's.
        if self.is_added or not before:
            return
        # Not told apart: a post-norm network with a ReLU right behind such a sum is read as pre-norm.
        if before[0][0] == self._ahead and name in ops.ACTIVATIONS:
            # A threshold on norm and step, CRATE's second half: it stands for the MLP, which ALTI does not look into.
            self.is_added = True
            return
        held = [(one, size) for one, size in before if one in self._forms]
        if not held:
            return
        made = next((one for one in flat(result) if isinstance(one, Tensor)), None)
        if made is None:
            made = args[0] if name in ops.WRITES else None
        if made is None:
            return
        form = self._forms[held[0][0]]
        given = [*args, *kwargs.values()][:2]
        is_first = before[0] == held[0]
        if name in _SUMS | _BLENDS:
            if name in _BLENDS or (len(before) == 2 and all(size == made.numel() for _, size in before)):
                self._added([one for one, _ in held], number(made))
                return
            # Something smaller. A constant is a bias; a mean is a part of a norm that is spelt out.
            is_constant = all(not isinstance(one, Tensor) or isinstance(one, nn.Parameter) for one in given[1:])
            if not is_first:
                is_constant = isinstance(given[0], nn.Parameter)
            form = "shifted" if form in ("sum", "shifted") and is_constant else "changed"
        elif name in _NORMS and form == "sum" and is_first and (norm := _norm_of(args, kwargs, name)):
            form = norm
            self.made.append((form, running))
        elif name in _FACTORS and _are_numbers(given, held[0][1]):
            pass  # a number changes no share of anything
        elif name in _MOVES:
            if isinstance(form, Norm) and name in ops.PICKS:
                return  # a classifier's view of it
        # An activation, say: behind it no share of what was summed can be told.
        elif ops.is_value_wise(name) and made.numel() == held[0][1]:
            form = "changed"
        else:
            return
        if form == "changed":
            self.made.append((form, running))
        self._forms[number(made)] = form

    def _added(self, held: list[int], gave: int) -> None:
        forms = [self._forms[one] for one in held]
        norms = {one: form for one, form in zip(held, forms, strict=True) if isinstance(form, Norm)}
        if {"sum", "shifted"} & {one for one in forms if isinstance(one, str)}:
            self.is_added = True
        elif norms:
            self.norms |= norms
            self._ahead = gave
        else:
            self.is_changed = True

    def changes_in(self, block: str) -> list[Form]:
        """List the norms and other changes that ran in the module `block`."""
        return [form for form, where in self.made if block and f"{where}.".startswith(f"{block}.")]


def norms_behind(names: Sequence[str], behind: Sequence[Onward | None], blocks: Sequence[str]) -> list[Norm | None]:
    """Return the norm after the sum of each layer if the stream continues with its output; None if with the sum itself.

    behind  None if no sum was found; `blocks` the modules around the layers, () if there are none
    Raises `VizError` if the stream continues with anything else.
    """
    found: list[Norm | None] = []
    for index, (name, one) in enumerate(zip(names, behind, strict=True)):
        if one is None or one.is_added:
            found.append(None)
            continue
        norms: list[Form] = list(one.norms.values())
        if not norms and not one.is_changed and index == len(names) - 1:
            # Nothing is added to the last sum of a network without MLPs. Pre-norm networks have a last norm before the
            # classifier, which is no part of a layer; as functions the two are the same. The block tells, or the other layers.
            # If neither does (one layer, in no list of modules), it is read as pre-norm: both are right.
            if found and all(found):
                norms = [form for form, _ in one.made][:1]
            elif blocks and "." in blocks[index]:
                norms = one.changes_in(blocks[index])
            if not norms:
                found.append(None)
                continue
        if len(norms) != 1 or not isinstance(norms[0], Norm):
            raise VizError(
                "After its sum with the residual stream {name} changes each token by more than a norm of PyTorch's own.",
                "Choose another method.",
                name=name,
            )
        found.append(norms[0])
    return found


def _are_numbers(given: Sequence[Any], size: int) -> bool:
    """Tell whether the factor of a tensor of that size is one number."""
    return any(not isinstance(one, Tensor) or one.numel() == 1 for one in given) and size > 1


def _norm_of(args: tuple[Any, ...], kwargs: dict[str, Any], name: str) -> Norm | None:
    """Read a call of `layer_norm` or `rms_norm` that norms features alone; None for any other."""
    given = dict(zip(("input", "normalized_shape", "weight", "bias", "eps"), args, strict=False))
    if name in ops.RMS_NORM:
        given = dict(zip(("input", "normalized_shape", "weight", "eps"), args, strict=False))
    given |= kwargs
    # Over several axes it would mix tokens, and no share of one token would be left.
    if tuple(given["normalized_shape"]) != given["input"].shape[-1:]:
        return None
    weight, bias = kept(given.get("weight")), kept(given.get("bias"))
    if name in ops.RMS_NORM:
        eps = given.get("eps")
        return Norm(weight, None, torch.finfo(given["input"].dtype).eps if eps is None else eps, False)
    return Norm(weight, bias, given.get("eps", 1e-5), True)
