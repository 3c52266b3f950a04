"""Find the output of each layer of a network, and prove it by arithmetic: for methods whose classifier reads an early layer.

No network declares where a layer ends. Two places are tried: the output of the block around its attention, and, for networks
whose sums stand outside of modules with names, the last sum with the residual stream before the next layer. Neither is trusted:
the network is cut at these places, in one pass, and autograd tells whether anything goes round the cuts.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from vizapp.core import ops
from vizapp.core.attention.trace import AttentionTrace
from vizapp.core.capture.call import Call
from vizapp.core.capture.watch import Watch
from vizapp.core.network import dtype_of, output_of, sum_to_differentiate
from vizapp.core.signals.blocks import blocks_of, changing
from vizapp.core.signals.gradients import Calls, differentiated, slope_in
from vizapp.core.signals.lrp import is_activation
from vizapp.core.target import Target
from vizapp.errors import VizError
from vizapp.model.spec import VisionModel

_PLUS = ops.functions(ops.PLUS | ops.PLUS_IN_PLACE)
_HARMLESS = ops.RESHAPES | ops.IDENTITY

Change = Callable[[int, Tensor], Tensor]  # (number of the place, its tensor) -> the tensor that replaces it


@dataclass(frozen=True)
class Stream:
    """The places of a network that hold the output of each layer: its `blocks`, or the numbers of its `sums`."""

    net: nn.Module
    blocks: tuple[str, ...] = ()
    sums: tuple[int, ...] = ()

    def read_after(self, layer: int) -> AbstractContextManager[Any]:
        """Let the classifier read the output of `layer` (from 0), as if no layer came after it. In this thread only."""
        if self.blocks:
            # The blocks still run; their results are thrown away, which keeps hooks inside of them working.
            return changing(self.net, self.blocks[layer + 1 :], lambda name, given, made: given)
        kept: dict[int, Tensor] = {}

        def swap(place: int, made: Tensor) -> Tensor:
            if place == layer:
                kept[place] = made.clone()  # the stream itself may be written into later
            return kept[layer] if place == len(self.sums) - 1 else made

        return _Sums(self.sums, swap)

    def changing(self, change: Change) -> AbstractContextManager[Any]:
        """Let `change` replace the tensor at each place."""
        if self.blocks:
            number = {name: index for index, name in enumerate(self.blocks)}
            return changing(self.net, self.blocks, lambda name, given, made: change(number[name], made))
        return _Sums(self.sums, change)

    @contextmanager
    def cut(self) -> Iterator[tuple[dict[int, Tensor], dict[int, Tensor]]]:
        """Cut the network at each place: by number, what was made there, and the leaf that goes on in its stead."""
        made: dict[int, Tensor] = {}
        leaves: dict[int, Tensor] = {}

        def cut(place: int, given: Tensor) -> Tensor:
            made[place] = given
            leaves[place] = given.detach().requires_grad_(True)
            return leaves[place].clone()  # a leaf must not be written into, and `x += ...` would

        with self.changing(cut):
            yield made, leaves


def stream_of(model: VisionModel, pixels: Tensor, trace: AttentionTrace, target: Target) -> Stream:
    """Find the output of each layer of `trace`. Up to three passes of `model` on `pixels` (1, 3, h, w).

    target  the number to explain: it must depend on the last of these places, and on nothing else

    Raises `VizError` if no such places are found, or if something goes round them.
    """
    titles = [layer.name for layer in trace.layers]
    pixels = pixels.detach().to(model.device, dtype_of(model.net)).requires_grad_(True)
    try:
        by_block = Stream(model.net, blocks=tuple(blocks_of(model.net, trace)))
        if _holds(by_block, model, pixels, titles, target):
            return by_block
    except VizError:  # no blocks, or such as change shapes: sums may still be found
        pass
    sums = _sums_of(model, pixels, titles)
    if sums and _holds(by_sums := Stream(model.net, sums=sums), model, pixels, titles, target):
        return by_sums
    raise VizError(
        "The residual stream between the layers of {model} was not found: something goes round its blocks, or its sums "
        "are not those of a residual stream.",
        "Choose another method.",
        model=model.name,
    )


def _holds(stream: Stream, model: VisionModel, pixels: Tensor, titles: Sequence[str], target: Target) -> bool:
    """Tell whether the whole output of a layer passes through its place, and the target depends on the last place alone."""
    calls = Calls(titles)
    with differentiated(model), torch.enable_grad():
        with stream.cut() as (made, leaves), Watch(model.net, calls.saw):
            score = slope_in(model, model.net(pixels), target)
        # Each place once, in the order of the layers: a block that is called for several of them is none.
        if list(leaves) != list(range(len(titles))) or calls.keys() != set(titles):
            return False
        *early, last = leaves.values()
        outputs = [calls[title].result for title in titles]
        # None says that no path leads there, whatever the numbers are.
        gradients = torch.autograd.grad(score, [last, *early, *outputs], allow_unused=True, retain_graph=True)
        if gradients[0] is None or any(one is not None for one in gradients[1:]):
            return False
        own = [
            torch.autograd.grad(made[index].sum(), output, allow_unused=True, retain_graph=True)[0]
            for index, output in enumerate(outputs)
        ]
    return all(one is not None for one in own)


def read_early(model: VisionModel, pixels: Tensor, trace: AttentionTrace) -> tuple[int, ...]:
    """List the layers, from 0, whose output the network's output reads although layers come after them: DINOv2's linear
    classifiers take CLS of four layers. () if there is none, or if it cannot be told. One pass on `pixels` (1, C, h, w).
    """
    pixels = pixels.detach().to(model.device, dtype_of(model.net))
    try:
        stream = Stream(model.net, blocks=tuple(blocks_of(model.net, trace)))
        with differentiated(model), torch.enable_grad(), stream.cut() as (_, leaves):
            output = output_of(model.net(pixels))
    except VizError:  # no blocks, or such as change shapes
        return ()
    if list(leaves) != list(range(len(trace.layers))) or not output.requires_grad:
        return ()
    *early, last = torch.autograd.grad(sum_to_differentiate(output), [*leaves.values()], allow_unused=True)
    read = tuple(number for number, one in enumerate(early) if one is not None and bool(one.any()))
    # Where the sums of the stream stand outside of the blocks, each layer's output goes round all that come after it.
    return read if last is not None and len(read) < len(early) else ()


def _sums_of(model: VisionModel, pixels: Tensor, titles: Sequence[str]) -> tuple[int, ...]:
    """Find the number of each layer's last sum with the residual stream; () if there is no stream of sums."""
    sums, at = _Sums(), dict[str, int]()

    def saw(call: Call) -> None:
        at[call.title] = len(sums.seen)

    with differentiated(model), torch.enable_grad(), sums, Watch(model.net, saw):
        model.net(pixels)
    if any(title not in at for title in titles):
        return ()
    starts = [at[title] for title in titles]
    # From the last sum backwards: one in the head may lie on a chain that does not go through all layers.
    for last in reversed(range(starts[-1], len(sums.seen))):
        path: list[int] = []
        step: int | None = last
        while step is not None:
            path.append(step)
            step = sums.seen[step][1]
        own = [
            [n for n in path if start <= n < end] for start, end in zip(starts, [*starts[1:], last + 1], strict=True)
        ]
        if all(own) and len({sums.seen[some[0]][0] for some in own}) == 1:
            # Modules after the last layer may add to the stream, too: the last layer adds as often as the others do.
            return tuple(some[0] for some in own) if len({len(some) for some in own[-2:]}) == 1 else ()
    return ()


class _Sums(TorchFunctionMode):
    """Counts the sums of two activations of one shape; `seen` has their shapes, and which earlier sum each goes on from.

    places  numbers of sums; `change` may replace their results
    """

    def __init__(self, places: Sequence[int] = (), change: Change | None = None) -> None:
        super().__init__()
        self.seen: list[tuple[torch.Size, int | None]] = []
        self._places = {number: place for place, number in enumerate(places)}
        self._change = change
        self._made: dict[int, int] = {}  # id of a tensor -> the sum that it is, as it is or in another shape
        self._held: list[Tensor] = []  # so that no id is used again

    def __torch_function__(
        self, func: Callable[..., Any], types: object, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        given = [*args, *(kwargs or {}).values()][:2]
        # Of two activations: a bias or a position that is added is no step of the stream.
        if func in _PLUS and len(given) == 2 and all(map(is_activation, given)) and given[0].shape == given[1].shape:
            # Of two sums the older one is the stream: what is added to it was made from it.
            older = min((self._made[id(one)] for one in given if id(one) in self._made), default=None)
            result, number = func(*args, **(kwargs or {})), len(self.seen)
            self.seen.append((result.shape, older))
            if self._change is not None and number in self._places:
                result = self._change(self._places[number], result)
            return self._hold(result, number)
        result = func(*args, **(kwargs or {}))
        if given and id(given[0]) in self._made and isinstance(result, Tensor) and ops.name_of(func) in _HARMLESS:
            self._hold(result, self._made[id(given[0])])
        return result

    def _hold(self, result: Tensor, number: int) -> Tensor:
        self._made[id(result)] = number
        self._held.append(result)
        return result
