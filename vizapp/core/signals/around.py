"""Watch one pass around one attention call: the linear maps before it, and the sums that take its output."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from vizapp.core import ops
from vizapp.core.attention.trace import AttentionTrace
from vizapp.core.capture.call import Call, Shape
from vizapp.core.capture.patches.axis_layout import AxisLayout
from vizapp.core.capture.reading import reading
from vizapp.core.capture.softmax.matrix_products import matmul_of
from vizapp.core.capture.watch import Watch
from vizapp.core.network import dtype_of
from vizapp.core.signals.blocks import blocks_of, entering, is_list, leaving
from vizapp.core.signals.gradients import differentiated
from vizapp.core.signals.values import Follow, Path
from vizapp.errors import VizError
from vizapp.model.spec import VisionModel

_LINEAR = ops.functions(ops.LINEAR)
_PLUS = ops.functions(ops.PLUS | ops.PLUS_IN_PLACE)
_TIMES = ops.functions(ops.TIMES | ops.TIMES_IN_PLACE)
_OVER = ops.functions(ops.OVER | ops.OVER_IN_PLACE)
_MATMUL = ops.functions(ops.MATMUL)
_SOFTMAX = ops.functions(ops.SOFTMAX)
_FILLS = ops.functions(frozenset({"masked_fill", "masked_fill_"}) | ops.CHOICE)  # some scores by a number, as masks do


@dataclass(eq=False)
class Around:
    """The tensors that were kept of one pass, for one layer."""

    call: Call
    axes: AxisLayout
    path: Path
    linears: Sequence[tuple[Tensor, Tensor]]  # input and output of each; the output is a leaf of the graph to q and k
    spelt: "_Spelt | None"  # q and k of a softmax that the network spells out
    sums: Sequence[Tensor]  # after the attention, up to the end of the block or the next attention
    # (B, ..., D), input of the block; or, if it is no module, the stream to which attention is added
    entered: Tensor | None
    left: Tensor | None  # the output of the block, or of the last sum on that stream before the next attention
    # Does the stream continue, after that sum, with a norm or another change of each token (post-norm)?
    is_changed: bool


def around(model: VisionModel, pixels: Tensor, trace: AttentionTrace, index: int) -> Around:
    """Watch one pass on `pixels` (1, 3, h, w) around the attention of layer `index`. Raises `VizError` if it does not run."""
    title, block = trace.layers[index].name, ""
    with suppress(VizError):  # no block around its attention: the stream is left out then
        block = blocks_of(model.net, trace)[index]
    names = [block] if block and not is_list(model.net, block) else []
    follow, kept = Follow({title}), _Kept()

    def saw(call: Call) -> None:
        kept.attends(call, ours=call.title == title)
        follow.saw(call)

    watch = Watch(model.net, saw)
    follow.running = lambda: watch.running
    inside, outside = entering(model.net, names), leaving(model.net, names)
    with (
        differentiated(model),
        torch.enable_grad(),
        inside as entered,
        outside as left,
        follow,
        kept,
        watch,
    ):
        model.net(pixels.detach().to(model.device, dtype_of(model.net)))
    if kept.call is None:
        raise VizError("{name} did not run this time.", name=title)
    (axes,) = reading(model, pixels, [Shape.of(kept.call)]).axes
    path = follow.found[title]
    # A block that is a module says what enters and leaves it; else the sum does, where attention was made from its other part.
    is_followed = not names and path.is_stream
    return Around(
        call=kept.call,
        axes=axes,
        path=path,
        linears=kept.linears,
        spelt=kept.spelt,
        sums=kept.sums,
        entered=path.stream if is_followed else entered.get(block),
        left=path.handed_on if is_followed else left.get(block),
        is_changed=_is_changed(path, block),
    )


def _is_changed(path: Path, block: str) -> bool:
    """Tell whether the stream continues with anything but the sum that was found."""
    behind = path.behind
    if behind is None or behind.is_added:
        return False
    return bool(behind.norms) or behind.is_changed or ("." in block and bool(behind.changes_in(block)))


@dataclass(frozen=True, eq=False)
class _Spelt:
    """softmax(factor * q k^T + bias), spelt out by the network: `given` is the input of its softmax."""

    q: Tensor
    k: Tensor
    factor: Tensor | float = 1.0
    given: Tensor | None = None


class _Kept(TorchFunctionMode):
    """Keeps the outputs of linear maps before one attention call, each cut off from its input, and the sums after the call."""

    def __init__(self) -> None:
        super().__init__()
        self.call: Call | None = None
        self.linears: list[tuple[Tensor, Tensor]] = []
        self.sums: list[Tensor] = []
        self.spelt: _Spelt | None = None
        self._scores: dict[int, _Spelt] = {}  # by the id of the tensor made of a product so far; `_held` keeps it alive
        self._held: list[Tensor] = []
        self._over = False

    def attends(self, call: Call, *, ours: bool) -> None:
        """Note an attention call of the pass: the wanted one, one before it, or one after it."""
        if ours:
            self.call = call
        # Maps before an earlier attention made the q of that one: nothing is asked of them.
        elif self.call is None:
            self.linears.clear()
            self.spelt = None
        else:
            self._over = True
        # Ids are used again once nothing holds their tensors (`_held`), so both are cleared together.
        self._scores.clear()
        self._held.clear()

    def __torch_function__(
        self, func: Callable[..., Any], types: object, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        given = [*args, *(kwargs or {}).values()]
        result = func(*args, **(kwargs or {}))
        if not isinstance(result, Tensor) or self._over:
            return result
        if self.call is None:
            if func in _LINEAR:
                leaf = result.detach().requires_grad_(True)
                self.linears.append((given[0].detach(), leaf))
                return leaf.clone()  # a leaf must not be written into, and `q *= scale` would
            self._spell(func, given, args, kwargs or {}, result)
        elif func in _PLUS:
            self.sums.append(result.detach().clone())  # it may be written into later
        return result

    def _spell(
        self, func: Callable[..., Any], given: list[Any], args: tuple[Any, ...], kwargs: dict[str, Any], result: Tensor
    ) -> None:
        """Follow a product q k^T through factors, sums and reshapes to the softmax."""
        if func in _MATMUL:
            product = matmul_of(args, kwargs, result)
            self._hold(result, _Spelt(product.left, product.right.transpose(-2, -1)))
            return
        # The third, too: torch.where(mask, scores, number) has the scores in the middle, or last.
        index = next((i for i, one in enumerate(given[:3]) if id(one) in self._scores), None)
        if index is None:
            return
        known = self._scores[id(given[index])]
        other = given[1 - index] if len(given) > 1 and index < 2 else None
        if func in _SOFTMAX:
            self.spelt = replace(known, given=given[index].detach().clone())
        elif func in _TIMES and isinstance(other, (Tensor, int, float)):
            self._hold(result, replace(known, factor=known.factor * other))
        elif func in _OVER and isinstance(other, (int, float)):
            self._hold(result, replace(known, factor=known.factor / other))
        elif func in _PLUS | _FILLS or ops.name_of(func) in ops.RESHAPES | ops.IDENTITY:
            self._hold(result, known)

    def _hold(self, result: Tensor, known: _Spelt) -> None:
        self._scores[id(result)] = known
        self._held.append(result)
