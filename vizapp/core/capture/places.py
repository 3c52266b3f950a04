"""Where on the picture does a token stand? Found by sending coordinates through the network's own reshapes.

Every tensor that stems from the picture gets three planes of its own shape, homogeneous coordinates (y w, x w, w) in
model pixels: what a value stands for is the point (y, x), or nowhere where w is 0. The planes follow the forward pass:
what moves values (reshape, roll, pad, window partition, ...) moves the planes likewise; what mixes values (linear,
convolution, pooling, attention) takes their mean; what works on each value alone leaves them. Padding and learned tokens
(CLS, registers) begin with w = 0. So windows, their shifts, their padding, merged patches, strided stems and the order of
the tokens need not be known: the network tells.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.utils.weak import WeakTensorKeyDictionary

from vizapp.core import ops

Planes = tuple[Tensor, Tensor, Tensor]

STEP = 1 / 16  # of a pixel: places closer than this are one
_MIXES = ops.CONVOLUTIONS | ops.POOLS | ops.REDUCTIONS | ops.RESIZES
MOST = 0.6  # of the picture's height and width: a mean over more than that is a summary, not a place


class TokenCoordinates:
    """Coordinates of every tensor that stems from `pixels` (1, 3, h, w)."""

    def __init__(self, pixels: Tensor) -> None:
        # Weak: intermediate results die during the pass as they would without us, and an id is never taken for another's.
        self._known = WeakTensorKeyDictionary()
        self._mixes = WeakTensorKeyDictionary()  # through how many convolutions and the like a place came
        self._built_on = WeakTensorKeyDictionary()  # numbers of attention calls, as bits, that a tensor was made from
        height, width = self.extent = (pixels.shape[-2], pixels.shape[-1])
        # In float32 even for a network in half precision, where coordinates above 1024 would be rounded.
        y = torch.arange(height, device=pixels.device).float()[:, None].add(0.5).expand(pixels.shape)
        x = torch.arange(width, device=pixels.device).float().add(0.5).expand(pixels.shape)
        self._known[pixels] = (y, x, torch.ones_like(y))

    def of(self, tensor: Tensor) -> Tensor | None:
        """(*tensor.shape, 2) y and x in model pixels, NaN where a value stands for no place; None if nothing is known."""
        planes = self._known.get(tensor)
        if planes is None:
            return None
        y, x, w = planes
        return torch.stack([torch.where(w > 0, y / w, torch.nan), torch.where(w > 0, x / w, torch.nan)], -1)

    def along(self, tensor: Tensor, features: int) -> Tensor | None:
        """(..., token, 2): y and x of each token of `tensor`, whose axis `features` is -1 or -2.

        NaN for tokens that stem from no place of the picture (learned ones, padding); None where a token has no single
        place, because places lie along its features.
        """
        planes = self._known.get(tensor)
        if planes is None:
            # Never touched by the picture: learned queries, a CLS token on its own.
            return torch.full((*tensor.select(features, 0).shape, 2), torch.nan, device=tensor.device)
        # Of channel attention (XCiT), q is transposed: along its last axis lie places, so its "tokens" are features.
        if not all(is_constant(plane, features) for plane in planes):
            return None
        places = self.of(tensor)
        assert places is not None
        return places.select(features - 1, 0)

    def built_on(self, *tensors: Tensor | None) -> int:
        """The attention calls that these tensors were made from: bit i for the call that was marked with i."""
        calls = 0
        for tensor in tensors:
            calls |= self._built_on.get(tensor, 0) if tensor is not None else 0
        return calls

    def mark(self, output: Tensor, number: int) -> None:
        """From here on, what is made from `output` is built on the attention call `number`."""
        self._built_on[output] = self.built_on(output) | 1 << number

    def replaced(self, old: Tensor, new: Tensor) -> None:
        """`new` takes the place of `old` in the pass, each value for its value: it stands where that stood."""
        if (planes := self._known.get(old)) is not None:
            self._known[new] = planes
        if calls := self.built_on(old):
            self._built_on[new] = calls

    def origin(self, rows: Tensor, *others: Tensor) -> dict[str, Any]:
        """`built_on` and `from_picture` of a `Call`, whose queries are `rows`."""
        from_picture = self.planes(rows) is not None or bool(self.built_on(rows))
        return {"built_on": self.built_on(rows, *others), "from_picture": from_picture}

    def attended(
        self, output: Tensor, *, query_places: Tensor | None, key_places: Tensor | None, own: Any = None, **others: Any
    ) -> None:
        """Attention made `output` for such queries (see `Call`): those that stand nowhere get no place from what they look at."""
        if query_places is None or bool(query_places.isfinite().any()):
            return
        # Of a square map that was found whole nothing tells whether learned queries made it, or patches and it is turned over.
        if "matrix" in others and key_places is not None and query_places.shape == key_places.shape:
            return
        made = own.tensor if own is not None else output
        self._known[made] = (torch.zeros(made.shape, device=made.device),) * 3

    def passed(self, module: nn.Module, inputs: object, output: object) -> None:
        """A module was passed: what it did in ways that no function shows (compiled code) is at least built on its inputs."""
        if _is_quantised_linear(module):
            self.follow(F.linear, tuple(flat(inputs)), {}, output)
        calls = self.built_on(*(part for part in flat(inputs) if isinstance(part, Tensor)))
        for part in flat(output):
            if calls and isinstance(part, Tensor) and not self.built_on(part):
                self._built_on[part] = calls

    def knows(self, tensor: object) -> bool:
        """Was it made from the picture, as far as could be followed?"""
        return self.planes(tensor) is not None or (isinstance(tensor, Tensor) and bool(self.built_on(tensor)))

    def planes(self, tensor: object) -> Planes | None:
        """The three planes (y w, x w, w) of a tensor, each of its shape; None if it does not stem from the picture."""
        found: Planes | None = self._known.get(tensor) if isinstance(tensor, Tensor) else None
        return found

    def follow(self, func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], result: object) -> None:
        """Give `result` = func(*args, **kwargs) its places, if an argument has any."""
        name = ops.name_of(func)
        calls = self.built_on(*(part for part in flat((args, kwargs)) if isinstance(part, Tensor)))
        if calls:
            for part in flat(args[0] if name in ops.WRITES else result):
                if isinstance(part, Tensor):
                    self._built_on[part] = calls
        if name in ops.WRITES:
            self._set_item(*args)
            return
        made = [part for part in flat(result) if isinstance(part, Tensor) and part.is_floating_point()]
        sources = [part for part in flat((args, kwargs)) if self.planes(part) is not None]
        # In place (relu_, mul_): the tensor has its planes already, and they stay.
        if not made or not sources or any(part is made[0] for part in sources):
            return
        try:
            planes = self._moved(name, func, args, kwargs, made[0], sources)
        except (RuntimeError, TypeError, IndexError, ValueError):
            # Called in a way that the planes cannot follow. Better no place than a wrong one: what attends with this result
            # is "unplaced", and named with that reason.
            return
        for part, places in zip(made, planes, strict=False):
            # A shape that differs means that the operation was misread: again, better no place than a wrong one.
            if places is not None and all(plane.shape == part.shape for plane in places):
                # Where the tensor lies: a network may be spread over several devices.
                self._known[part] = tuple(plane.to(part.device) for plane in places)
                self._mixes[part] = self._straightest(sources, name) + (name in _MIXES)

    def _moved(
        self,
        name: str,
        func: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        made: Tensor,
        sources: list[Any],
    ) -> list[Planes | None]:
        """The planes of each tensor in `made`, by what the operation does; `sources` are the arguments that have planes."""
        first = self.planes(sources[0])
        assert first is not None
        if name == "pad":  # with zeros, also where the network pads with -inf: w = 0 is nowhere
            args, kwargs = args[:3], {key: value for key, value in kwargs.items() if key != "value"}
        if name in ops.MOVES:
            # The same call on each plane: windows, shifts and merged patches need no understanding, only repetition.
            moved = [flat(func(*self._plane(args, i), **self._plane(kwargs, i))) for i in range(3)]
            return [tuple(planes) for planes in zip(*moved, strict=True)]
        if name in ops.MATMUL:
            return [self._product(args[0], args[1] if len(args) > 1 else next(iter(kwargs.values())), made)]
        if name in ops.EINSUM:
            return [self._einsum(args, made)]
        if name in ops.ADDED_MATMUL:
            return [self._product(args[1], args[2], made)]
        if name in ops.LINEAR or name in ops.FUSED_ATTENTION:
            # A linear map mixes features of one token. What attention gives a query is the query's, wherever it looked:
            # the residual stream goes on at the query's place. Either way: the first argument's mean over features.
            return [tuple(plane.mean(-1, keepdim=True).expand(made.shape) for plane in _normal(first))]  # type: ignore[list-item]
        if name in ops.CONVOLUTIONS:
            return [_convolved(getattr(F, name), first, args, kwargs, made)]
        if name in ops.POOLS:
            return [_pooled(name, first, args, kwargs, made)]
        if name in ops.REDUCTIONS:
            return [self._reduced(first, args, kwargs)]
        if name in ops.RESIZES:
            return [tuple(func(plane, *args[1:], **kwargs) for plane in first)]
        # The rest works value by value (norms, activations, sums): a value stays where it is. With several sources, the one
        # that was not broadcast tells; x + position embedding is x's, since only x stems from the picture. Of a sum, it is the
        # one that came most straightly: a branch with a kernel of even length ends between two pixels, the skip does not.
        whole = [source for source in sources if source.shape == made.shape]
        if whole:
            return [self.planes(min(whole, key=lambda one: self._mixes.get(one, 0)) if name in ops.PLUS else whole[0])]
        return [tuple(plane.expand(made.shape) for plane in first)]  # type: ignore[list-item]

    def _straightest(self, sources: list[Any], name: str) -> int:
        mixes = [self._mixes.get(source, 0) for source in sources]
        return min(mixes) if name in ops.PLUS else max(mixes)

    def _reduced(self, planes: Planes, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Planes:
        """The mean place; but a mean over most of the picture, such as a pooled token, stands nowhere in particular."""
        given = dict(zip(("input", "dim", "keepdim"), args, strict=False)) | kwargs
        dim: Any = given.get("dim", given.get("axis"))
        keep = given.get("keepdim", False)
        y, x, w = (plane.mean(dim, keepdim=keep) for plane in _normal(planes))
        here = torch.ones_like(w, dtype=torch.bool)
        # Only y and x have an extent: zip leaves the plane of w out.
        for plane, extent in zip(planes, self.extent, strict=False):
            span = plane.amax(dim, keepdim=keep) - plane.amin(dim, keepdim=keep)
            here &= span > MOST * extent  # a row of the picture is wide but not high: it still stands somewhere
        return y * ~here, x * ~here, w * ~here

    def _plane(self, value: Any, index: int) -> Any:
        """`value` with each tensor replaced by one of its planes; a tensor that stands nowhere by zeros."""
        if isinstance(value, Tensor):
            planes = self.planes(value)
            if planes is not None:
                return planes[index]
            return torch.zeros(value.shape, device=value.device) if value.is_floating_point() else value
        if isinstance(value, (tuple, list)):
            return type(value)(self._plane(part, index) for part in value)
        if isinstance(value, dict):
            return {name: self._plane(part, index) for name, part in value.items()}
        return value

    def _set_item(self, target: Tensor, where: Any, value: Any) -> None:
        old = self.planes(target)
        if old is None and self.planes(value) is None:
            return
        # New planes, not written in place: other tensors may share the old ones.
        fresh = tuple(plane.clone() for plane in old or (torch.zeros(target.shape, device=target.device),) * 3)
        for index, plane in enumerate(fresh):
            plane[where] = self._plane(value, index) if isinstance(value, Tensor) else 0.0  # a number stands nowhere
        self._known[target] = fresh

    def _product(self, left: Tensor, right: Tensor, made: Tensor) -> Planes | None:
        """Of a @ b: an entry stands where a's row stands; where b's column stands if a's rows do not differ.

        q k^T and A v are rows of queries, so a's rows win; v^T A^T, as some networks write it, has its queries in b's columns.
        """
        candidates = []
        if right.ndim == 1:
            return self._reduced(planes, (left, -1), {}) if (planes := self.planes(left)) is not None else None
        if (planes := self.planes(left)) is not None:
            candidates.append((planes, -1))
        if (planes := self.planes(right)) is not None:
            candidates.append((planes, -2))
        return _mixed(candidates, made.shape)

    def _einsum(self, args: tuple[Any, ...], made: Tensor) -> Planes | None:
        spelt = spell_out(args)
        if spelt is None:
            return None
        inputs, out, operands = spelt
        candidates = []
        for labels, operand in zip(inputs, operands, strict=True):
            planes = self.planes(operand)
            if planes is None:
                continue
            kept = [label for label in labels if label in out]
            summed = [axis for axis, label in enumerate(labels) if label not in out]
            placed = []
            for plane in _normal(planes):
                mean = plane.mean(summed) if summed else plane
                mean = mean.permute([kept.index(label) for label in out if label in kept])
                placed.append(mean[tuple(slice(None) if label in kept else None for label in out)].expand(made.shape))
            # As in a product: the operand that says where the result stands does not vary along what is summed, but does
            # vary along what is kept.
            constant = all(is_constant(plane, axis) for plane in planes for axis in summed)
            candidates.append((constant and _varies(placed), tuple(placed)))
        return max(candidates, key=lambda candidate: candidate[0])[1] if candidates else None  # type: ignore[return-value]


def _is_quantised_linear(module: nn.Module) -> bool:
    """Is it what `torch.ao.quantization.quantize_dynamic` makes of `nn.Linear`? Its kernel is no function of Python."""
    kind = type(module)
    return kind.__name__ == "Linear" and kind.__module__.startswith("torch.ao.nn.quantized.dynamic")


def spell_out(args: tuple[Any, ...]) -> tuple[list[str], str, list[Tensor]] | None:
    """Of einsum's arguments: the labels of each operand, of the result, and the operands; each axis of "..." gets a label.

    None for the forms that are hardly ever used: no arrow, or lists of numbers in place of letters.
    """
    equation, *operands = args
    if not isinstance(equation, str) or "->" not in equation:
        return None
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = list(operands[0])
    inputs, out = equation.replace(" ", "").split("->")
    labels = inputs.split(",")
    free = [chr(ord("A") + i) for i in range(26) if chr(ord("A") + i) not in equation]
    rest = [one.ndim - len(each.replace("...", "")) for each, one in zip(labels, operands, strict=True)]
    every = "".join(free[: max((n for each, n in zip(labels, rest, strict=True) if "..." in each), default=0)])
    labels = [each.replace("...", every[len(every) - n :]) for each, n in zip(labels, rest, strict=True)]
    return labels, out.replace("...", every), operands


def _mixed(candidates: list[tuple[Planes, int]], shape: torch.Size) -> Planes | None:
    """The mean over the contracted axis, of the first operand that does not vary along it but does elsewhere."""
    best: Planes | None = None
    for planes, axis in candidates:
        placed = tuple(plane.mean(axis, keepdim=True).expand(shape) for plane in _normal(planes))
        if all(is_constant(plane, axis) for plane in planes) and _varies(placed):
            return placed  # type: ignore[return-value]
        best = best or placed  # type: ignore[assignment]
    return best


def is_constant(plane: Tensor, axis: int) -> bool:
    """Tell whether a plane is the same all along an axis."""
    return bool((plane == plane.narrow(axis, 0, 1)).all())


def _varies(planes: Any) -> bool:
    return any(bool((plane != plane.reshape(-1)[0]).any()) for plane in planes)


def _normal(planes: Planes) -> Planes:
    """The same places with every w 0 or 1, so that a mean counts each value once and numbers stay small."""
    y, x, w = planes
    if bool(((w == 1) | (w == 0)).all()):
        return planes  # the usual case, without a copy
    safe = w.clamp_min(1e-12)
    there = (w > 0).float()
    return y / safe * there, x / safe * there, there


def _convolved(
    func: Callable[..., Tensor], planes: Planes, args: tuple[Any, ...], kwargs: dict[str, Any], made: Tensor
) -> Planes:
    """What lies under the middle of the kernel; a mean of all that it covers would draw the border inwards."""
    names = ("input", "weight", "bias", "stride", "padding", "dilation", "groups")
    given = dict(zip(names, args, strict=False)) | kwargs
    weight, groups = given["weight"], given.get("groups", 1)
    options = {name: given[name] for name in ("stride", "padding", "dilation") if name in given}
    kernel = _middle(weight.shape[2:], weight.device).expand(groups, 1, *weight.shape[2:])
    out = []
    for plane in _normal(planes):
        # Channels of one pixel stand in one place, so a single output channel per group is computed and then repeated.
        per_group = plane.unflatten(-weight.ndim + 1, (groups, -1)).mean(-weight.ndim + 1)
        mixed = func(per_group, kernel, **options, groups=groups)
        out.append(mixed.repeat_interleave(made.shape[-weight.ndim + 1] // groups, -weight.ndim + 1))
    return out[0], out[1], out[2]


def _middle(shape: Sequence[int], device: torch.device) -> Tensor:
    """A kernel (1, 1, *shape) that takes the middle: the centre, or the mean of the two (four, ...) around it."""
    kernel = torch.ones(1, 1, *(1,) * len(shape), device=device)
    for axis, length in enumerate(shape):
        line = torch.zeros(length, device=device)
        line[(length - 1) // 2 : length // 2 + 1] = 1
        kernel = kernel * (line / line.sum()).reshape(*(length if axis == other else 1 for other in range(len(shape))))
    return kernel


def _pooled(name: str, planes: Planes, args: tuple[Any, ...], kwargs: dict[str, Any], made: Tensor) -> Planes:
    """The mean of what a window covers, also for a maximum: a place must not depend on which value won."""
    rank = int(name[-2]) if name[-1] == "d" else made.ndim - 2
    if name.startswith("adaptive"):
        adaptive = getattr(F, f"adaptive_avg_pool{rank}d")
        size: Any = list(made.shape[-rank:])
        return tuple(adaptive(plane, size) for plane in _normal(planes))
    names = ["input", "kernel_size", "stride", "padding", "ceil_mode"]
    if "max" in name or name == "boolean_dispatch":
        names.insert(4, "dilation")
    given = dict(zip(names, args, strict=False)) | kwargs
    size, stride = given["kernel_size"], given.get("stride") or given["kernel_size"]
    if not any(_several(given.get("padding", 0), rank)):
        pool = getattr(F, f"avg_pool{rank}d")
        ceil = bool(given.get("ceil_mode"))
        return tuple(pool(plane, size, stride, ceil_mode=ceil) for plane in _normal(planes))
    # With padding a mean would draw the border inwards, as for convolutions: the middle of the window is taken.
    channels = made.shape[-rank - 1]
    weight = torch.ones(channels, 1, *_several(size, rank), device=made.device)
    options = {"weight": weight, "stride": stride, "padding": given["padding"], "groups": channels}
    return _convolved(getattr(F, f"conv{rank}d"), planes, (), options, made)


def _several(value: Any, rank: int) -> tuple[int, ...]:
    return (value,) * rank if isinstance(value, int) else tuple(value)


def flat(value: object) -> list[Any]:
    """The leaves of nested tuples, lists and dicts, in order."""
    if isinstance(value, (tuple, list)):
        return [leaf for part in value for leaf in flat(part)]
    if isinstance(value, dict):
        return [leaf for part in value.values() for leaf in flat(part)]
    return [value]
