"""Place the results of convolutions and pooling: under a kernel that runs over the picture."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from vizapp.core.capture.patches.planes import Planes, normal


def convolved(
    func: Callable[..., Tensor], planes: Planes, args: tuple[Any, ...], kwargs: dict[str, Any], made: Tensor
) -> Planes:
    """Take what lies under the middle of the kernel; a mean of all that it covers would draw the border inwards.

    Where patches are cut out of a padded picture, the middle of the last may lie in the padding. Then it is the mean: that patch
    sees a part of the picture, and is no learned token.
    """
    names = ("input", "weight", "bias", "stride", "padding", "dilation", "groups")
    given = dict(zip(names, args, strict=False)) | kwargs
    weight, groups = given["weight"], given.get("groups", 1)
    options = {name: given[name] for name in ("stride", "padding", "dilation") if name in given}
    # Places take the way of the values, with a kernel that picks: stride, padding and dilation need no arithmetic of ours.
    # With a mean over the kernel, places of mobilevit at 64 pixels fell together.
    kernel = _middle(weight.shape[2:], weight.device).expand(groups, 1, *weight.shape[2:])
    # Channels of one pixel stand in one place, so a single output channel per group is computed and then repeated.
    channels = -weight.ndim + 1
    per_group = [plane.unflatten(channels, (groups, -1)).mean(channels) for plane in normal(planes)]
    mixed = [func(plane, kernel, **options, groups=groups) for plane in per_group]
    strides = options.get("stride", 1)
    cuts = max(strides if isinstance(strides, (tuple, list)) else (strides,)) > 1
    if cuts and bool((mixed[2] == 0).any()):
        every = [func(plane, torch.ones_like(kernel), **options, groups=groups) for plane in per_group]
        mixed = [torch.where(mixed[2] > 0, one, other) for one, other in zip(mixed, every, strict=True)]
    y, x, w = (one.repeat_interleave(made.shape[channels] // groups, channels) for one in mixed)
    return y, x, w


def _middle(shape: Sequence[int], device: torch.device) -> Tensor:
    """Make a kernel (1, 1, *shape) that takes the middle: the centre, or the mean of the two (four, ...) around it."""
    kernel = torch.ones(1, 1, *(1,) * len(shape), device=device)
    for axis, length in enumerate(shape):
        line = torch.zeros(length, device=device)
        line[(length - 1) // 2 : length // 2 + 1] = 1
        kernel = kernel * (line / line.sum()).reshape(*(length if axis == other else 1 for other in range(len(shape))))
    return kernel


def pooled(name: str, planes: Planes, args: tuple[Any, ...], kwargs: dict[str, Any], made: Tensor) -> Planes:
    """Take the mean of what a window covers, also for a maximum: a place must not depend on which value won."""
    rank = int(name[-2]) if name[-1] == "d" else made.ndim - 2
    if name.startswith("adaptive"):
        adaptive = getattr(F, f"adaptive_avg_pool{rank}d")
        # The size that came out: what a network asks for may have None where the size stays.
        size: Any = list(made.shape[-rank:])
        return tuple(adaptive(plane, size) for plane in normal(planes))
    names = ["input", "kernel_size", "stride", "padding", "ceil_mode"]
    # Max pooling has a dilation before `ceil_mode`, and mean pooling has none.
    if "max" in name or name == "boolean_dispatch":
        names.insert(4, "dilation")
    given = dict(zip(names, args, strict=False)) | kwargs
    size, stride = given["kernel_size"], given.get("stride") or given["kernel_size"]
    if not any(_several(given.get("padding", 0), rank)):
        pool = getattr(F, f"avg_pool{rank}d")
        ceil = bool(given.get("ceil_mode"))
        return tuple(pool(plane, size, stride, ceil_mode=ceil) for plane in normal(planes))
    # With padding a mean would draw the border inwards, so the middle of the window is taken, as for convolutions.
    channels = made.shape[-rank - 1]
    weight = torch.ones(channels, 1, *_several(size, rank), device=made.device)
    options = {"weight": weight, "stride": stride, "padding": given["padding"], "groups": channels}
    return convolved(getattr(F, f"conv{rank}d"), planes, (), options, made)


def folded(func: Callable[..., Tensor], planes: Planes, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Planes | None:
    """Place the result of `fold`, which adds windows where they overlap: where all that is added stands; None if that differs."""
    y, x, w = normal(planes)
    sums = [func(plane, *args[1:], **kwargs) for plane in (y, x, w, y * y, x * x)]
    there = sums[2].clamp_min(1)
    for first, second in ((sums[0], sums[3]), (sums[1], sums[4])):
        # A variance, in pixels squared. The limit grows with the numbers: in float32 little is left of large ones' difference.
        if bool(((second / there - (first / there) ** 2) > 1e-4 * (1 + second / there)).any()):
            return None
    return sums[0], sums[1], sums[2]


def _several(value: Any, rank: int) -> tuple[int, ...]:
    return (value,) * rank if isinstance(value, int) else tuple(value)


def is_quantised_linear(module: nn.Module) -> bool:
    """Tell what `torch.ao.quantization.quantize_dynamic` makes of `nn.Linear`: its kernel is no function of Python."""
    kind = type(module)
    return kind.__name__ == "Linear" and kind.__module__.startswith("torch.ao.nn.quantized.dynamic")
