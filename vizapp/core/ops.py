"""Say once what the functions of PyTorch do to a tensor: the kinds that capture, relevance rules and values go by.

A kind is a set of names. One operation has many spellings (`torch.bmm(a, b)`, `a.bmm(b)`, `a @ b`), and a
`TorchFunctionMode` is handed another Python object for each: `functions(MATMUL)` are all these objects, for tables and for
tests that run on every call of a network; `name_of(func) in MOVES` is for kinds that are too long for that.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch._ops import OpOverload, OpOverloadPacket

Function = Callable[..., Any]
Kind = frozenset[str]


def _named(names: str) -> Kind:
    return frozenset(names.split())


# Products of matrices, over the last axis of the first and the last but one of the second.
MATMUL = _named("matmul __matmul__ bmm mm")
ADDED_MATMUL = _named("baddbmm addmm")  # base + a @ b, with base first: not a spelling of MATMUL
MATMUL_TOO = _named("linalg_matmul mv dot vdot _sparse_mm smm hspmm")  # by other names, of vectors, of few values
MATMUL_TURNED = _named("__rmatmul__")  # the second times the first
CHAINS = _named("linalg_multi_dot chain_matmul")  # of many matrices
DISTANCES = _named("cdist")  # of each row from each other one, and along an axis: how near two tensors are
NEARNESS = _named("pairwise_distance")
COSINES = _named("cosine_similarity")
EINSUM = _named("einsum")
FUSED_ATTENTION = _named("scaled_dot_product_attention")  # softmax(q k^T) v in one kernel: the map is never there
# Projections and all. Its body is Python, see `inside_of_attention`.
WHOLE_ATTENTION = _named("multi_head_attention_forward")

# Value by value. Functions that write into their first argument are kept apart: a rule cannot replace a tensor that others hold a
# view of.
TIMES = _named("mul __mul__ __rmul__")
TIMES_IN_PLACE = _named("mul_ __imul__")
PLUS = _named("add __add__ __radd__")
PLUS_IN_PLACE = _named("add_ __iadd__")
MINUS = _named("sub __sub__ subtract")
MINUS_IN_PLACE = _named("sub_ __isub__ subtract_")
MINUS_TURNED = _named("rsub __rsub__")  # the second less the first
BLENDS = _named("addcmul addcdiv lerp")  # a sum with a product, a quotient, or by shares
BLENDS_IN_PLACE = _named("addcmul_ addcdiv_ lerp_")
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
NORMS = LAYER_NORM | RMS_NORM | UNIT | _named("batch_norm group_norm instance_norm local_response_norm")
POOLS = _named(
    "avg_pool1d avg_pool2d avg_pool3d max_pool1d max_pool2d max_pool3d adaptive_avg_pool1d adaptive_avg_pool2d "
    "adaptive_max_pool2d max_pool2d_with_indices boolean_dispatch"  # the last: how max pooling is called inside of PyTorch
)
MEAN = _named("mean")
SUM = _named("sum")
CUMULATES = _named("cumsum logcumsumexp cumprod")
REDUCTIONS = MEAN | SUM | _named("amax amin max min median logsumexp")
SAMPLES = _named("grid_sample")
RESIZES = SAMPLES | _named("interpolate upsample upsample_nearest upsample_bilinear")

# These only move values. Each value of the result is one of an argument's, so coordinates and relevances move likewise.
RESHAPES = _named(  # all values are still there, once, and rows of features stay rows of features
    "reshape view permute transpose flatten unflatten contiguous clone squeeze unsqueeze swapaxes swapdims movedim t "
    "view_as reshape_as T mT H mH adjoint moveaxis"
)
SHUFFLES = _named(
    "roll flip fliplr flipud rot90 pixel_shuffle pixel_unshuffle channel_shuffle"
)  # all of them, once, but neighbours change
PICKS = _named(  # some of them
    "__getitem__ narrow select unbind chunk split tensor_split index_select take take_along_dim gather unfold masked_select"
)
REPEATS = _named("expand expand_as repeat repeat_interleave tile")
SIDE_BY_SIDE = _named("cat concat concatenate")
JOINS = SIDE_BY_SIDE | _named("stack hstack vstack pad")
PUTS = _named("scatter index_copy index_put masked_scatter slice_scatter select_scatter")  # some values among others
MOVES = RESHAPES | SHUFFLES | PICKS | REPEATS | JOINS | PUTS
WRITES = _named("__setitem__")  # moves values, but into an argument
SETTERS = _named("__set__")  # of an attribute, such as `data`
FIRST = (
    LINEAR | CONVOLUTIONS | FUSED_ATTENTION | POOLS | REDUCTIONS
)  # only the first argument tells where results stand

# These multiply tensors and sum: a map that goes into one of them together with values comes out as what it weighed.
SUMS_OF_PRODUCTS = (
    MATMUL
    | MATMUL_TOO
    | ADDED_MATMUL
    | CHAINS
    | EINSUM
    | LINEAR
    | CONVOLUTIONS
    | _named("addmm_ addmv addbmm tensordot inner outer ger kron addr bilinear linalg_vecdot")
)
# These give another way to a tensor's memory, through which autograd counts no writes.
SHARES_MEMORY = SETTERS | _named("data numpy data_ptr untyped_storage storage __array__ __dlpack__")

# These leave values as they are: another precision, and dropout, which does nothing in a network that is not being trained.
CASTS = _named("to float double half bfloat16 type_as type cpu cuda")
NARROWS = _named("float half bfloat16")  # those that a pass in float64 leaves out
IDENTITY = _named("dropout")
DROPOUTS = IDENTITY | _named("dropout1d dropout2d dropout3d alpha_dropout feature_dropout feature_alpha_dropout")
SAME = _named("detach data real requires_grad_")  # the very tensor under another name
# A pair of numbers as a complex one, and back: positions that are turned into queries and keys (RoPE) are often spelt so.
PAIRS = _named("view_as_complex")
UNPAIRED = _named("view_as_real")
CHOICE = _named("where")  # of two, value by value
COPY = _named("copy_")  # a write of all values
TRIANGLES = _named("tril triu")  # zeros above, or below
LIKE = _named("view_as reshape_as expand_as type_as to")  # a second tensor lends its shape or its kind, no value
# New tensors, with the shape of another one and nothing else of it.
FRESH = _named(
    "zeros_like ones_like empty_like full_like rand_like randn_like randint_like "
    "new_zeros new_ones new_empty new_full new_tensor new_empty_strided"
)
# Value by value, though PyTorch does not tag them so.
_UNTAGGED = _named(
    "hardswish prelu rrelu softsign tanhshrink softmin gumbel_softmax logsigmoid negative absolute "
    "fake_quantize_per_tensor_affine fake_quantize_per_channel_affine"
)
# Where PyTorch registers ops of its own, in any of its parts.
_LIBRARIES = tuple(
    "aten prim prims _native quantized _quantized quantization mkldnn mkldnn_prepacked mkl onednn sparse inductor inductor_prims "
    "rngprims debugprims c10d c10d_functional _c10d_functional _c10d_functional_autograd _dtensor symm_mem fsdp streams cuda "
    "export profiler static_runtime onnx onnx_symbolic".split()
)


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
    """Give a function's name; an attribute such as `Tensor.T` has its own name, not that of its getter, "__get__".

    A function of torch.special that torch has as well is called as it is there. An op of another library keeps its library, since
    what it calls "linear" may be anything.
    """
    if own := custom_op(func):
        return own
    name: str = getattr(func, "__name__", str(func)).partition(".")[0]  # of "softmax.int", an overload
    if name.startswith("special_") and hasattr(torch, bare := name.removeprefix("special_")):
        return bare
    return getattr(getattr(func, "__self__", None), "__name__", name) if name == "__get__" else name


def custom_op(func: Function) -> str:
    """Name an op that a library other than PyTorch has registered, "library::op"; "" for all other functions."""
    if not isinstance(func, (OpOverload, OpOverloadPacket)):
        return ""
    packet = func.overloadpacket if isinstance(func, OpOverload) else func
    name: str = packet._qualified_op_name
    return "" if name.partition("::")[0] in _LIBRARIES else name


def has_numbers(tensor: Tensor) -> bool:
    """Tell whether a tensor holds numbers that were computed, complex ones, too, and not indices or a mask."""
    return tensor.is_floating_point() or tensor.is_complex()


@cache
def is_value_wise(name: str) -> bool:
    """Tell whether a function leaves each value in its place. Norms and softmaxes do, though each value hangs on its whole row.

    All other functions move values, or may do so.
    """
    if name in NORMS | SOFTMAX | LOG_SOFTMAX | CASTS | DROPOUTS | SAME | ACTIVATIONS | CHOICE | _UNTAGGED:
        return True
    packets = [getattr(torch.ops.aten, bare, None) for bare in {name, out_of_place(name)}]
    overloads = (getattr(one, each) for one in packets if one is not None for each in one.overloads())
    return any(torch.Tag.pointwise in overload.tags for overload in overloads)


@cache
def out_of_place(name: str) -> str:
    """Give the name of the function that returns a new tensor: "add" for "__iadd__" and "add_", which write into an argument."""
    if not name.startswith("__"):
        return name.rstrip("_")
    bare = name.strip("_")
    if bare[:1] in {"i", "r"} and hasattr(Tensor, f"__{bare[1:]}__"):
        bare = bare[1:]
    return _OPERATORS.get(bare, bare)


_OPERATORS = {"truediv": "div", "floordiv": "floor_divide", "mod": "remainder"}
