"""One attention operation as it ran: the record that `Watch` hands on, the same for every spelling."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor
from torch._C._functorch import is_functorch_wrapped_tensor

from vizapp.core.attention.sides import Side
from vizapp.errors import VizError

Turn = Callable[[Tensor], Tensor]


class OwnView(NamedTuple):
    """The tensor that the network goes on with where `Call.output` is another view of it, with its axes in another order.

    tensor  the network's own, for which gradients exist
    turn    makes `Call.output` of it, and its gradient likewise; `back` is the inverse
    """

    tensor: Tensor
    turn: Turn
    back: Turn

    @classmethod
    def transposed(cls, tensor: Tensor, turn: Turn | None, back: Turn | None) -> "OwnView":
        """The view that `turn` makes of `tensor`, or `tensor` itself, with its last two axes swapped."""
        return cls(
            tensor,
            lambda given: (turn(given) if turn else given).transpose(-2, -1),
            lambda given: back(given.transpose(-2, -1)) if back else given.transpose(-2, -1),
        )


# eq=False, here and wherever fields are tensors: == of two tensors is a tensor, and no yes or no.
@dataclass(frozen=True, eq=False)
class Call:
    """One attention operation, seen right after it: tensors are the network's own, so copy what you keep.

    name    dotted name of the module that ran it; `index` counts its calls from 0
    v       (..., key, e) and output (..., query, e): the values, and what attention made of them
    q, k    (..., query, d), (..., key, d), where attention is softmax(scale q k^T + bias); else None
    bias    additive, broadcastable to (..., query, key), or None
    matrix  (..., query, key), where it is anything else: what was applied to v
    applied  the network's own tensor that holds the map, where there is one: a fused kernel makes none
    query_places, key_places   (..., query, 2), (..., key, 2): y and x in model pixels of the patch that a token stands for,
            NaN where it stands for none; None where tokens have no single place (channels), or if places were not followed
    value_places, values_are  the places of v likewise, and how far they were followed (see `Sides`)
    keys_mix  whether keys went through a mixture of patches that queries did not go through, as where a convolution with strides
            makes them fewer; True where it is not known
    merges  the mixtures that may have made queries of several patches each, as bits, which are the same in all of a pass
    extent  (height, width) of the picture in model pixels, if places were followed
    logsumexp  (..., query) log of the softmax's denominators, where the fused kernel told them
    softmaxes  how many softmaxes went into it: 1, or more where a network mixes several maps into one
    own     None, or where `output` is another view of what the network goes on with: that, and the ways there and back
    from_picture  was its q, or its matrix, made from the picture, and not of parameters alone? False if places were not followed
    number  of the call in the whole pass, from 0; `built_on` has bit i if it was made from the output of call i

    Of an edited call, all parts are those after the edit: attention x v is still output.
    """

    name: str
    index: int
    v: Tensor
    output: Tensor
    q: Tensor | None = None
    k: Tensor | None = None
    scale: float = 1.0
    bias: Tensor | None = None
    matrix: Tensor | None = None
    applied: Tensor | None = None
    logsumexp: Tensor | None = None
    query_places: Tensor | None = None
    key_places: Tensor | None = None
    value_places: Tensor | None = None
    values_are: Side = "followed"
    keys_mix: bool = True
    merges: int = 0
    extent: tuple[int, int] | None = None
    softmaxes: int = 1
    own: OwnView | None = None
    number: int = 0
    built_on: int = 0
    from_picture: bool = False

    def __post_init__(self) -> None:
        """Raise `VizError` inside of torch.vmap and its kind, where tensors hold no numbers that could be kept."""
        # Here, since every spelling ends here: no claim has to think of it.
        if is_functorch_wrapped_tensor(self.output):
            raise VizError(
                "The attention of {title} runs inside of torch.vmap, or of another transform of torch.func, which hides "
                "its numbers.",
                "Give a network that is called directly. If an ensemble is mapped over its weights, give one member at "
                "a time.",
                title=self.title,
            )

    @property
    def title(self) -> str:
        """The name of the call: the module, and which of its calls if it makes several."""
        # The first call keeps the bare name: with it a module that attends once is found by its own name.
        return (self.name or "the network") + (f"#{self.index}" if self.index else "")

    @property
    def result(self) -> Tensor:
        """The tensor that the network goes on with."""
        return self.output if self.own is None else self.own.tensor

    def in_result(self, tensor: Tensor) -> Tensor:
        """A tensor of the shape of `output`, its values in the order in which `result` has theirs."""
        return tensor if self.own is None else self.own.back(tensor)

    def numbers_before(self) -> Tensor:
        """Number each value of `output` by its entry along all axes before the query: its head, or window and head."""
        # By the entry and not by the head alone: a network may put heads, windows and pictures into these axes in any order.
        lead = self.output.shape[:-2]
        # Expanded, and never written to: it takes the memory of one number for each head.
        numbers = torch.arange(lead.numel(), device=self.output.device)
        return numbers.reshape(*lead, 1, 1).expand(self.output.shape)


class Shape(NamedTuple):
    """The shape of an attention call. `lead` are the axes before the last two.

    A survey keeps it for as long as the network lives, so it has no tensor of the pass.
    """

    title: str
    lead: torch.Size
    n_queries: int
    n_keys: int

    @classmethod
    def of(cls, call: Call) -> "Shape":
        return cls(call.title, call.output.shape[:-2], call.output.shape[-2], call.v.shape[-2])
