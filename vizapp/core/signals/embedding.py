"""Follow the pixels of a patch to its token: the linear map that makes one of the other, and what is added to it.

The weights are asked of autograd, as the q of a token is (`steps`), so that a convolution, a linear layer and whatever cuts the
picture for it are all the same. Nothing is believed of them: the pixels of the patch are replaced once, and what the map gives
must change by the weights times the change of the pixels, of this patch alone, and of one token alone.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from vizapp.core import ops
from vizapp.core.attention.cells import Cells
from vizapp.core.attention.trace import AttentionTrace
from vizapp.core.network import SeenEnough, dtype_of, sum_to_differentiate
from vizapp.core.signals.blocks import blocks_of, entering
from vizapp.core.signals.gradients import differentiated
from vizapp.errors import VizError
from vizapp.model.spec import VisionModel
from vizapp.vocabulary import PATCH_FEW, PATCH_MOST

SAME = 1e-4  # of the largest value: two ways to one vector, in float32
ROUNDING = 1e-6  # of the largest value: a bias below it is what float32 leaves of two sums

_CONVOLUTIONS = ops.functions(ops.CONVOLUTIONS)
_MAPS = ops.functions(ops.CONVOLUTIONS | ops.LINEAR)


@dataclass(frozen=True, eq=False)
class Embedding:
    """The way of one patch to its token: made[i] = sum(weights_i * pixels) + bias_i, token = made + position. float32 or better.

    pixels      (C, h, w) of the patch, normalised as the network gets them
    dimensions  (n,) numbers of the token whose weights are here: all, or the largest
    weights     (n, C, h, w)
    bias        (n,)
    made        (D,) what the linear map gives
    position    (D,) what is added, which does not depend on the picture; None where more than a sum stands before the first layer
    token       (D,) as it enters the first layer
    """

    pixels: Tensor
    dimensions: Tensor
    weights: Tensor
    bias: Tensor
    made: Tensor
    position: Tensor | None
    token: Tensor


def embedding_of(
    model: VisionModel, pixels: Tensor, trace: AttentionTrace, row: int, col: int, also: int | None = None
) -> Embedding:
    """Follow the patch in `row`, `col` of the first layer's grid into its token. Two passes on `pixels` (1, C, h, w), up to it.

    also  a number of the token whose weights are given in any case

    Raises `VizError` for a patch or a number that there is not, and where no single linear map of its own pixels makes a token.
    """
    layout = trace.layouts(0)[0]
    patch = layout.token_of(row, col) - layout.n_prefix
    block = blocks_of(model.net, trace)[0]
    given = pixels.detach().to(model.device, dtype_of(model.net)).requires_grad_(True)
    first = _Started(model, given, block)
    found = first.row_of(patch, layout.grid)
    if found is None:
        raise _refusal(model)
    made, slope = found
    # The network says where its patch ends: the slope is zero outside of it.
    top, bottom, left, right = _box(slope)
    box = (slice(None), slice(top, bottom), slice(left, right))
    # The right place of the picture? A map may count its patches in another order.
    cells = (trace.cells or Cells.even(layout.grid, (slope.shape[-2], slope.shape[-1]))).of(layout.grid)
    if cells.at((top + bottom) / 2, (left + right) / 2) != (row, col):
        raise _refusal(model)

    wide = torch.promote_types(given.dtype, torch.float32)
    own = given.detach()[0][box]
    other = given.detach().clone()
    # A ramp and no constant: weights that sum to zero, as those of an edge detector do, would not answer to one.
    other[0][box] += torch.linspace(-1, 1, own.numel(), device=own.device, dtype=own.dtype).reshape(own.shape)
    second = _Started(model, other.requires_grad_(True), block)
    again = second.row_of(patch, layout.grid)
    # Of patches that overlap, other rows change with these pixels, too.
    if again is None or not _only(first.rows, second.rows, patch) or first.entered.shape != second.entered.shape:
        raise _refusal(model)
    before, after = (one.entered.detach().reshape(-1, one.entered.shape[-1]) for one in (first, second))
    # The one token that changed with the patch is its token, wherever the network has put it.
    (tokens,) = (before != after).any(-1).nonzero(as_tuple=True)
    if len(tokens) != 1 or before.shape[-1] != len(made):
        raise _refusal(model)
    token, changed = (one[int(tokens[0])].to(wide) for one in (before, after))

    value, moved = made.detach().to(wide), again[0].detach().to(wide)
    added = token - value
    # What is added is a position only if it is the same for other pixels; else a norm or an MLP stands in between.
    position = added if _same(added + moved, changed) else None
    dimensions = _shown(value if position is None else token, own.numel(), also)
    weights = torch.stack(
        [torch.autograd.grad(made[int(i)], given, retain_graph=True)[0][0][box].to(wide) for i in dimensions]
    )
    shift = torch.einsum("nchw,chw->n", weights, other.detach()[0][box].to(wide) - own.to(wide))
    if not _same(value[dimensions] + shift, moved[dimensions]):
        raise _refusal(model)  # no linear map: a norm of the pixels stands before it
    bias = value[dimensions] - torch.einsum("nchw,chw->n", weights, own.to(wide))
    bias = bias.where(bias.abs() > ROUNDING * value.abs().max(), 0.0)  # of a map that has none only rounding is left
    return Embedding(own.to(wide), dimensions, weights, bias, value, position, token)


def _refusal(model: VisionModel) -> VizError:
    return VizError(
        "{name} does not make a token of its patch by one linear map: several layers, a norm, or patches that overlap come "
        "before its first attention.",
        name=model.name,
    )


def _shown(values: Tensor, weights: int, also: int | None) -> Tensor:
    """Choose the numbers of a token that are shown with their weights, of which each has so many."""
    if also is not None and not 0 <= also < len(values):
        raise VizError("There is no number {index} in a token of {count}.", index=also, count=len(values))
    if len(values) * weights <= PATCH_MOST:
        return torch.arange(len(values), device=values.device)
    order = values.abs().argsort(descending=True, stable=True)[:PATCH_FEW]
    if also is not None and also not in order:
        order[-1] = also
    return order.sort().values


class _Started(TorchFunctionMode):
    """A pass up to the first block: what the first linear map of the pixels gave, and the stream that entered."""

    def __init__(self, model: VisionModel, pixels: Tensor, block: str) -> None:
        super().__init__()
        self.pixels = pixels
        self.rows: Tensor | None = None  # (patch, D), with their graph
        seen, gradients = entering(model.net, [block]), torch.enable_grad()
        with differentiated(model), gradients, seen as self._seen, suppress(SeenEnough), self:
            model.net(pixels.clone())  # a leaf must not be written into
        if block not in self._seen:
            raise VizError("The first layer of {name} did not run.", name=model.name)
        self.entered = self._seen[block]

    def row_of(self, patch: int, grid: tuple[int, int]) -> tuple[Tensor, Tensor] | None:
        """(D,) of a patch as the linear map gave it, and a slope (C, h, w) that is zero where it depends on no pixel."""
        if self.rows is None or len(self.rows) != grid[0] * grid[1]:
            return None
        row = self.rows[patch]
        (slope,) = torch.autograd.grad(sum_to_differentiate(row), self.pixels, retain_graph=True)
        return (row, slope[0]) if bool(slope.any()) else None

    def __torch_function__(
        self, func: Callable[..., Any], types: object, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        # The hook only notes the entry (`entering`), so the next function ends the pass.
        if self._seen:
            raise SeenEnough
        result = func(*args, **(kwargs or {}))
        # The first map that depends on the pixels, whatever its module is called.
        if self.rows is None and func in _MAPS and isinstance(result, Tensor) and result.requires_grad:
            (slope,) = torch.autograd.grad(result.sum(), self.pixels, retain_graph=True, allow_unused=True)
            if slope is not None:
                features = result.movedim(1, -1) if func in _CONVOLUTIONS else result
                self.rows = features.clone().reshape(-1, features.shape[-1])  # it may be written into later
        return result


def _box(slope: Tensor) -> tuple[int, int, int, int]:
    """Rows and columns from, to between which a slope (C, h, w) is not zero."""
    (rows,), (columns,) = (slope.abs().amax((0, axis)).nonzero(as_tuple=True) for axis in (2, 1))
    return int(rows[0]), int(rows[-1]) + 1, int(columns[0]), int(columns[-1]) + 1


def _only(one: Tensor | None, other: Tensor | None, row: int) -> bool:
    """Tell whether two tables differ in this row alone."""
    if one is None or other is None or one.shape != other.shape:
        return False
    (changed,) = (one != other).any(-1).nonzero(as_tuple=True)
    return changed.tolist() == [row]


def _same(one: Tensor, other: Tensor) -> bool:
    return float((one - other).abs().max()) <= SAME * float(other.abs().max())
