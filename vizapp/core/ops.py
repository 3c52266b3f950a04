"""What the functions of PyTorch do to a tensor, said once: the kinds that capture, relevance rules and values go by.

A kind is a set of names. One operation has many spellings (`torch.bmm(a, b)`, `a.bmm(b)`, `a @ b`), and a
`TorchFunctionMode` is handed another Python object for each: `functions(MATMUL)` are all these objects, for tables and for
tests that run on every call of a network; `name_of(func) in MOVES` is for kinds that are too long for that.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

Function = Callable[..., Any]
Kind = frozenset[str]


def _named(names: str) -> Kind:
    return frozenset(names.split())


# Products of matrices, over the last axis of the first and the last but one of the second.
MATMUL = _named("matmul __matmul__ bmm mm")
ADDED_MATMUL = _named("baddbmm addmm")  # base + a @ b, with base first: not a spelling of MATMUL
EINSUM = _named("einsum")
FUSED_ATTENTION = _named("scaled_dot_product_attention")  # softmax(q k^T) v in one kernel: the map is never there
# Projections and all. Its body is Python, see `inside_of_attention`.
WHOLE_ATTENTION = _named("multi_head_attention_forward")

# Value by value. What writes into its first argument is kept apart: a rule cannot replace what others hold a view of.
TIMES = _named("mul __mul__ __rmul__")
TIMES_IN_PLACE = _named("mul_ __imul__")
PLUS = _named("add __add__ __radd__")
PLUS_IN_PLACE = _named("add_ __iadd__")
OVER = _named("div __truediv__")  # no __rtruediv__: a number over a tensor is not linear in the tensor
OVER_IN_PLACE = _named("div_ __itruediv__")
INVERSE = _named("rsqrt reciprocal __rtruediv__")  # a number over a tensor, or over its root
POWER = _named("pow __pow__ float_power")
SOFTMAX = _named("softmax _softmax _safe_softmax")  # the second and third as PyTorch itself calls them
LOG_SOFTMAX = _named("log_softmax _log_softmax")
ACTIVATIONS = _named("gelu silu relu elu leaky_relu hardswish mish sigmoid tanh")

# Layers. Each output mixes features, or pixels that lie near each other.
LINEAR = _named("linear")
CONVOLUTIONS = _named("conv1d conv2d conv3d")
LAYER_NORM = _named("layer_norm")
RMS_NORM = _named("rms_norm")
GROUP_NORM = _named("group_norm")
UNIT = _named("normalize")  # x over its own length
POOLS = _named(
    "avg_pool1d avg_pool2d avg_pool3d max_pool1d max_pool2d max_pool3d adaptive_avg_pool1d adaptive_avg_pool2d "
    "adaptive_max_pool2d max_pool2d_with_indices boolean_dispatch"  # the last: how max pooling is called inside of PyTorch
)
MEAN = _named("mean")
SUM = _named("sum")
REDUCTIONS = MEAN | SUM | _named("amax amin max min median logsumexp")
RESIZES = _named("interpolate")

# What only moves values. Each value of the result is one of an argument's, so coordinates and relevances move likewise.
RESHAPES = _named(  # all values are still there, once, and rows of features stay rows of features
    "reshape view permute transpose flatten unflatten contiguous clone squeeze unsqueeze swapaxes swapdims movedim t "
    "view_as reshape_as T mT H mH adjoint"
)
SHUFFLES = _named("roll flip pixel_shuffle pixel_unshuffle")  # all of them, once, but neighbours change
PICKS = _named(
    "__getitem__ narrow select unbind chunk split tensor_split index_select take_along_dim gather unfold"  # some of them
)
REPEATS = _named("expand expand_as repeat repeat_interleave tile")
JOINS = _named("cat concat concatenate stack hstack vstack pad")
MOVES = RESHAPES | SHUFFLES | PICKS | REPEATS | JOINS
WRITES = _named("__setitem__")  # moves values, but into an argument

# What multiplies tensors and sums: a map that goes into one of these together with values comes out as what it weighed.
SUMS_OF_PRODUCTS = (
    MATMUL
    | ADDED_MATMUL
    | EINSUM
    | LINEAR
    | CONVOLUTIONS
    | _named(
        "tensordot linalg_multi_dot chain_matmul _sparse_mm addbmm addmm_ inner bilinear dot mv addmv kron linalg_vecdot"
    )
)
# What gives another way to a tensor's memory, through which autograd counts no writes.
SHARES_MEMORY = _named("data numpy data_ptr untyped_storage storage __array__ __dlpack__")

# What leaves values as they are: another precision, and dropout, which does nothing in a network that is not being trained.
CASTS = _named("to float double half bfloat16 type_as")
NARROWS = _named("float half bfloat16")  # those that a pass in float64 leaves out
IDENTITY = _named("dropout")


@cache
def functions(kind: Kind) -> frozenset[Function]:
    """Every spelling of the functions in `kind`: of torch, its tensors, torch.nn.functional and torch.special."""
    places = (torch, Tensor, F, torch.special)
    return frozenset(getattr(place, name) for name in kind for place in places if callable(getattr(place, name, None)))


@cache
def primitives(kind: Kind) -> frozenset[Function]:
    """The functions in `kind` as PyTorch calls them inside: torch.ops.aten.softmax, and its overloads."""
    packets = [getattr(torch.ops.aten, name, None) for name in kind if not name.startswith("__")]
    return frozenset(
        one
        for packet in packets
        if packet is not None
        for one in (packet, *map(packet.__getattr__, packet.overloads()))
    )


def name_of(func: Function) -> str:
    """What a function is called; an attribute such as `Tensor.T` by its own name, not by that of its getter, "__get__"."""
    name: str = getattr(func, "__name__", str(func)).partition(".")[0]  # of "softmax.int", an overload
    return getattr(getattr(func, "__self__", None), "__name__", name) if name in {"__get__", "__set__"} else name
