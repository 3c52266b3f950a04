"""One forward pass, watched. Forward hooks say *where* attention happens, the intercepted operation says *what* it was.

Fused kernels never build the attention map, so a hook on `attn_drop` or on a softmax module sees nothing. We do not
switch them off. A `TorchFunctionMode` sees each call of `scaled_dot_product_attention` with its q, k, v, mask and scale;
in networks that spell attention out it follows each softmax until a product applies it to the values, whatever is done
to it on the way (gates, talking heads, differences). The network's own computation is left as it is, bit by bit.

Several threads may watch one network at the same time: the function mode is thread-local by nature, and a hook
listens only to the thread that entered its `Watch`. Whatever happens inside, leaving takes the hooks away.
"""

from __future__ import annotations

import threading
import types
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode
from torch.utils.hooks import RemovableHandle

from vizapp.core.places import Places, flat, spell_out
from vizapp.errors import VizError

_MATMUL = {torch.matmul, Tensor.matmul, Tensor.__matmul__, torch.bmm, Tensor.bmm}
_BADDBMM = {torch.baddbmm, Tensor.baddbmm}
_MATMUL_OR_EINSUM = {*_MATMUL, torch.einsum}
_SOFTMAX = {F.softmax, torch.softmax, Tensor.softmax}
_KNOWN = {F.scaled_dot_product_attention, F.multi_head_attention_forward, *_MATMUL_OR_EINSUM, *_BADDBMM, *_SOFTMAX}
_TIMES = {torch.mul, Tensor.mul, Tensor.__mul__, Tensor.__rmul__}
_OVER = {torch.div, Tensor.div, Tensor.__truediv__}

Permuted = Callable[[Tensor, list[int], int], Tensor]
Turn = Callable[[Tensor], Tensor]


@dataclass(frozen=True, eq=False)
class Call:
    """One attention operation as it ran, seen right after it: tensors are the network's own, so copy what you keep.

    name    dotted name of the module that ran it; `index` counts its calls from 0
    v       (..., key, e) and output (..., query, e): the values, and what attention made of them
    q, k    (..., query, d), (..., key, d), where attention is softmax(scale q k^T + bias); else None
    bias    additive, broadcastable to (..., query, key), or None
    matrix  (..., query, key), where it is anything else: what was applied to v
    query_places, key_places   (..., query, 2), (..., key, 2): y and x in model pixels of the patch that a token stands for,
            NaN where it stands for none; None where tokens have no single place (channels), or where nobody followed
    lse     (..., query) log of the softmax's denominators, where the fused kernel told them
    softmaxes  how many softmaxes went into it: 1, or more where a network mixes several maps into one
    own     None, or where `output` is another view of what the network goes on with: that, and what turns it into `output`
    number  of the call in the whole pass, from 0; `built_on` has bit i if it was made from the output of call i
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
    lse: Tensor | None = None
    query_places: Tensor | None = None
    key_places: Tensor | None = None
    softmaxes: int = 1
    own: tuple[Tensor, Turn] | None = None
    number: int = 0
    built_on: int = 0

    @property
    def title(self) -> str:
        """What to call it: the module, and which of its calls if it makes several."""
        return (self.name or "the network") + (f"#{self.index}" if self.index else "")


def _written(*tensors: Tensor) -> list[int] | None:
    """How often each was written to; unknown in inference mode."""
    return None if any(tensor.is_inference() for tensor in tensors) else [tensor._version for tensor in tensors]


class _Scores:
    """result = scale * q @ k_transposed, as long as nobody wrote into one of the three."""

    def __init__(self, result: Tensor, q: Tensor, k_transposed: Tensor, scale: float = 1.0) -> None:
        self.result, self.q, self.k_transposed, self.scale = result, q, k_transposed, scale
        self.depth = 0  # of the module that holds it
        self._before = _written(result, q, k_transposed)

    @property
    def is_unchanged(self) -> bool:
        return self._before is not None and self._before == _written(self.result, self.q, self.k_transposed)


class _Followed:
    """A tensor that comes from a softmax over its last axis; `scores` if it still is that softmax, of a product.

    `sources` are the numbers of all softmaxes that went into it.
    """

    def __init__(self, tensor: Tensor, n_keys: int, scores: _Scores | None, sources: frozenset[int]) -> None:
        self.tensor, self.n_keys, self._scores, self.sources = tensor, n_keys, scores, sources
        self.depth = 0
        self._before = _written(tensor)

    @property
    def scores(self) -> _Scores | None:
        unchanged = self._before is not None and self._before == _written(self.tensor)
        return self._scores if unchanged and self._scores and self._scores.is_unchanged else None


class Watch(TorchFunctionMode):
    """Watch all attention of a network for as long as the `with` block lasts.

    with Watch(net, saw=calls.append, places=places):
        output = net(pixels)

    saw     called with each `Call`, right after it
    places  told of every function, so that it can follow the picture's coordinates; None: nobody asks where tokens are
    only    dotted names of modules: what happens outside of them is not seen, and costs nothing. (): the whole network
    """

    def __init__(
        self,
        net: nn.Module,
        saw: Callable[[Call], None],
        places: Places | None = None,
        only: Collection[str] = (),
    ) -> None:
        super().__init__()
        self._net, self._saw, self._places, self._only = net, saw, places, only
        self._handles: list[RemovableHandle] = []
        self._thread = 0
        self._inside: list[str] = []  # names of the modules that are running now, innermost last
        self._calls: Counter[str] = Counter()
        self._n_calls = 0
        self._softmaxes: list[str] = []  # for each softmax over a last axis, the module that ran it
        self._claimed: set[int] = set()  # which of them weighed values
        # By the id of the result, since holding the tensors keeps ids from reuse; each until its module is left.
        self._scores: dict[int, _Scores] = {}
        self._followed: dict[int, _Followed] = {}

    def __enter__(self) -> Watch:
        self._thread = threading.get_ident()
        try:
            for name, module in self._watched():
                self._handles.append(module.register_forward_pre_hook(partial(self._entering, name)))
                self._handles.append(module.register_forward_hook(self._leaving, always_call=True))
            if not self._only:
                super().__enter__()
        except BaseException:
            self._remove_hooks()
            raise
        return self

    def __exit__(self, *exception: object) -> None:
        try:
            if not self._only or self._inside:  # a hook hears of no KeyboardInterrupt
                super().__exit__(*exception)
        finally:
            self._remove_hooks()

    @property
    def unclaimed(self) -> tuple[str, ...]:
        """The modules whose softmaxes were not seen to weigh values, a name for each such softmax."""
        return tuple(name for number, name in enumerate(self._softmaxes) if number not in self._claimed)

    def _watched(self) -> Iterator[tuple[str, nn.Module]]:
        """The outermost ones, and inside of them all that may attend; one that comes twice by its first name."""
        seen: set[nn.Module] = set()
        for outer in self._only or ("",):
            try:
                part = self._net.get_submodule(outer)
            except AttributeError:
                raise VizError(
                    f"The network has no module '{outer}'.", "Give names as named_modules() has them."
                ) from None
            for name, module in part.named_modules(seen, outer):
                if name == outer or not _is_plain_leaf(module):
                    yield name, module

    def _remove_hooks(self) -> None:
        for handle in self._handles:
            handle.remove()
        self._handles.clear()
        self._forget()
        self._inside.clear()

    def _forget(self) -> None:
        self._scores.clear()
        self._followed.clear()

    def _forget_what_was_made_in_it(self, handed_on: set[int]) -> None:
        """Of a module that was left: what it handed on belongs to the module around it, and what that made itself stays."""
        depth = len(self._inside)
        held: list[tuple[dict[int, Any], int, _Scores | _Followed]]
        held = [(store, key, one) for store in (self._scores, self._followed) for key, one in store.items()]
        for store, key, one in held:
            if depth and key in handed_on:
                one.depth = min(one.depth, depth)
            elif one.depth > depth or not depth:
                del store[key]

    def _hold(self, one: _Scores | _Followed, made: Tensor) -> None:
        one.depth = len(self._inside)
        if isinstance(one, _Scores):
            self._scores[id(made)] = one
        else:
            self._followed[id(made)] = one

    # Where: hooks that follow the forward pass into and out of the modules.

    def _entering(self, name: str, module: nn.Module, inputs: object) -> None:
        if threading.get_ident() == self._thread:
            if self._only and not self._inside:
                super().__enter__()
            self._inside.append(name)

    def _leaving(self, module: nn.Module, inputs: object, output: object) -> None:
        if threading.get_ident() == self._thread and self._inside:
            self._inside.pop()
            if self._only and not self._inside:
                super().__exit__(None, None, None)
            self._forget_what_was_made_in_it({id(tensor) for tensor in flat(output)})
            if self._places is not None:
                self._places.passed(inputs, output)

    # What: the operations that run inside them. PyTorch leaves the mode while this method runs, so nothing recurses.

    def __torch_function__(
        self, func: Callable[..., Any], types: object, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        if self._places is None and not self._followed and not self._scores and func not in _KNOWN:
            return func(*args, **(kwargs or {}))
        given = kwargs or {}
        if func is F.multi_head_attention_forward:
            return inside_of_attention(self, args, given)
        lse, before = None, self._n_calls
        if func is F.scaled_dot_product_attention:
            result, lse = _fused_with_lse(*args, **given)
        else:
            result = func(*args, **given)
        if self._places is not None:
            self._places.follow(func, args, given, result)
        if func is F.scaled_dot_product_attention:
            self._saw_fused(result, lse, *args, **given)
        elif func in _MATMUL_OR_EINSUM or func in _BADDBMM:
            self._saw_product(func, args, given, result)
        elif func in _SOFTMAX:
            self._saw_softmax(result, *args, **given)
        elif self._followed or self._scores:
            self._saw_other(func, args, given, result)
        if self._places is not None and self._n_calls > before:
            self._places.mark(result, before)
        return result

    def _call(
        self, rows: tuple[Tensor, int], columns: tuple[Tensor, int], v: Tensor, output: Tensor, **parts: Any
    ) -> None:
        """`rows` and `columns` are tensors of the network, and their axis of features, that tell where tokens stand."""
        name, number = self._inside[-1] if self._inside else "", self._n_calls
        if self._places is not None:
            query_places, key_places = self._places.along(*rows), self._places.along(*columns)
            if query_places is None and key_places is not None and "matrix" in parts:
                # A map of learned queries, which stand nowhere, has only the places of its keys.
                query_places = torch.full((*rows[0].select(rows[1], 0).shape, 2), torch.nan, device=v.device)
            parts |= {"query_places": query_places, "key_places": key_places}
            parts["built_on"] = self._places.built_on(rows[0], columns[0], v)
        self._calls[name] += 1
        self._n_calls += 1
        self._saw(Call(name, self._calls[name] - 1, v, output, number=number, **parts))

    def _saw_fused(
        self,
        output: Tensor,
        lse: Tensor | None,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        attn_mask: Tensor | None = None,
        dropout_p: float = 0.0,
        is_causal: bool = False,
        scale: float | None = None,
        enable_gqa: bool = False,
    ) -> None:
        bias = attn_mask
        if bias is not None and bias.dtype == torch.bool:
            bias = torch.zeros_like(bias, dtype=torch.float32).masked_fill(~bias, -torch.inf)
        if is_causal:
            keep = torch.ones(query.shape[-2], key.shape[-2], dtype=torch.bool, device=query.device).tril()
            bias = torch.zeros_like(keep, dtype=torch.float32).masked_fill(~keep, -torch.inf)
        given_key = key
        if enable_gqa and key.shape[-3] != query.shape[-3]:
            shared = query.shape[-3] // key.shape[-3]
            key, value = key.repeat_interleave(shared, -3), value.repeat_interleave(shared, -3)
            if self._places is not None:
                self._places.follow(Tensor.repeat_interleave, (given_key, shared, -3), {}, key)
        scale = query.shape[-1] ** -0.5 if scale is None else scale
        parts: dict[str, Any] = {"q": query, "k": key, "bias": bias, "scale": scale, "lse": lse}
        self._call((query, -1), (key, -1), value, output, **parts)

    def _saw_softmax(self, result: Tensor, input: Tensor, dim: int | None = None, *rest: Any, **kwargs: Any) -> None:
        if dim is None or dim % input.ndim != input.ndim - 1:
            return
        scores = self._scores.get(id(input))
        same = scores is not None and scores.is_unchanged and result.dtype == input.dtype
        source = frozenset({len(self._softmaxes)})
        self._softmaxes.append(self._inside[-1] if self._inside else "")
        self._hold(_Followed(result, result.shape[-1], scores if same else None, source), result)

    def _saw_product(
        self, func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], result: Tensor
    ) -> None:
        if func is torch.einsum:
            product = _einsum_as_product(args, result, self._permuted)
        elif func in _BADDBMM:
            parts = [*args, *(kwargs[name] for name in ("batch1", "batch2") if name in kwargs)]
            product = (parts[1], parts[2], result, None)
        else:
            parts = [*args, *(kwargs[name] for name in ("input", "other", "mat2", "tensor2") if name in kwargs)]
            product = (parts[0], parts[1], result, None)
        if product is None:
            self._saw_other(func, args, kwargs, result)
            return
        left, right, out, turn = product
        if (applied := self._followed.get(id(left))) is not None:
            self._applied(applied, left, right, out, (left, -1), (right, -1), own=turn and (result, turn))
        elif (applied := self._followed.get(id(right))) is not None:  # v^T @ A^T = (A v)^T
            turned = right.transpose(-2, -1), left.transpose(-2, -1), out.transpose(-2, -1)
            own = result, lambda given: (turn(given) if turn else given).transpose(-2, -1)
            self._applied(applied, *turned, (right, -2), (left, -2), own=own)
        elif left.ndim >= 3 and out.ndim == result.ndim and func not in _BADDBMM:
            self._hold(_Scores(result, left, right), result)

    def _permuted(self, tensor: Tensor, axes: list[int], joined: int) -> Tensor:
        """Its axes in another order, the last `joined` as one. Not made by the network, but its tokens stand where they stood."""
        steps: list[tuple[Callable[..., Tensor], Any]] = [(Tensor.permute, axes)]
        if joined > 1:
            steps.append((Tensor.flatten, -joined))
        for func, how in steps:
            made = func(tensor, how)
            if self._places is not None:
                self._places.follow(func, (tensor, how), {}, made)
            tensor = made
        return tensor

    def _applied(
        self,
        followed: _Followed,
        matrix: Tensor,
        v: Tensor,
        output: Tensor,
        rows: tuple[Tensor, int],
        columns: tuple[Tensor, int],
        own: tuple[Tensor, Turn] | None,
    ) -> None:
        scores = followed.scores
        self._claimed |= followed.sources
        if scores is not None and matrix is followed.tensor:
            k = scores.k_transposed.transpose(-2, -1)
            parts: dict[str, Any] = {"q": scores.q, "k": k, "scale": scores.scale}
            self._call((scores.q, -1), (scores.k_transposed, -2), v, output, own=own, **parts)
        else:
            self._call(rows, columns, v, output, own=own, matrix=matrix, softmaxes=len(followed.sources))

    def _saw_other(
        self, func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], result: object
    ) -> None:
        """Whatever is made of probabilities is followed, too; scores times a number are scores."""
        tensors = [arg for arg in flat((args, kwargs)) if isinstance(arg, Tensor)]
        olds = [self._followed[id(tensor)] for tensor in tensors if id(tensor) in self._followed]
        if olds:
            old, sources = olds[0], frozenset().union(*(one.sources for one in olds))
            for made in flat(result):
                if isinstance(made, Tensor) and made.is_floating_point() and old.n_keys in made.shape:
                    self._hold(_followed_on(old, made, sources), made)
            return
        if len(args) == 2 and (func in _TIMES or func in _OVER) and isinstance(args[1], (int, float)):
            scores = self._scores.get(id(args[0]))
            if scores is not None and scores.is_unchanged and isinstance(result, Tensor):
                by = float(args[1]) if func in _TIMES else 1 / args[1]
                self._hold(_Scores(result, scores.q, scores.k_transposed, scores.scale * by), result)


def _followed_on(old: _Followed, made: Tensor, sources: frozenset[int]) -> _Followed:
    """Follow `made` in place of `old`; it is the same where it is the same memory (dropout that does nothing)."""
    memory, before = made.untyped_storage(), old.tensor.untyped_storage()
    same = made.shape == old.tensor.shape and made.dtype == old.tensor.dtype and memory._cdata == before._cdata
    return _Followed(made, old.n_keys, old.scores if same else None, sources)


def _fused_with_lse(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    **options: Any,
) -> tuple[Tensor, Tensor | None]:
    """`scaled_dot_product_attention`; the same kernel, bit by bit, also tells the denominators where PyTorch lets it."""
    plain = attn_mask is None and not is_causal and not dropout_p and not options.get("enable_gqa")
    usual = query.device.type == "cpu" and not torch.is_grad_enabled() and not torch.is_autocast_enabled("cpu")
    if plain and usual and query.ndim == 4:
        flash = torch._fused_sdp_choice(query, key, value, scale=options.get("scale")) == 1
        if flash and query.dtype == torch.float32:
            kernel = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu.default
            output, lse = kernel(query, key, value, scale=options.get("scale"))
            return output, lse
    result: Tensor = F.scaled_dot_product_attention(query, key, value, attn_mask, dropout_p, is_causal, **options)
    return result, None


def _is_plain_leaf(module: nn.Module) -> bool:
    """A layer of PyTorch without anything inside: no attention can happen in it that another module would not claim."""
    return type(module).__module__.startswith("torch.nn.modules.") and next(module.children(), None) is None


def _einsum_as_product(
    args: tuple[Any, ...], result: Tensor, permuted: Permuted
) -> tuple[Tensor, Tensor, Tensor, Turn | None] | None:
    """(left, right, out) as for a matmul, and what turns `result` into out; None for other sums than over left's last axis.

    Several axes of the second operand that are only its own (values with two axes) are one in right and out.
    """
    spelt = spell_out(args)
    if spelt is None or len(spelt[0]) != 2:
        return None
    (a, b), out, operands = spelt
    return None if a[-1] in out else _einsum_product(a, b, out, operands[0], operands[1], result, permuted)


def _einsum_product(
    a: str, b: str, out: str, left: Tensor, right: Tensor, result: Tensor, permuted: Permuted
) -> tuple[Tensor, Tensor, Tensor, Turn | None] | None:
    summed = [label for label in a if label in b and label not in out]
    if summed != [a[-1]]:
        return None
    batch = [label for label in a[:-1] if label in b and label in out]
    rows = [label for label in a[:-1] if label not in b]
    columns = [label for label in b if label not in a]
    if len(rows) != 1 or not columns or a != "".join([*batch, *rows, *summed]):
        return None

    def ordered(labels: str, tensor: Tensor, wanted: list[str]) -> Tensor:
        return permuted(tensor, [labels.index(label) for label in wanted], len(columns))

    order = [out.index(label) for label in [*batch, *rows, *columns]]

    def turn(tensor: Tensor) -> Tensor:
        return tensor.permute(order).flatten(-len(columns))

    return left, ordered(b, right, [*batch, *summed, *columns]), permuted(result, order, len(columns)), turn


# The Python body of PyTorch's own attention, without the first line that would hand it over whole to a function mode.
_multi_head_attention_forward = types.FunctionType(
    F.multi_head_attention_forward.__code__,
    {**F.multi_head_attention_forward.__globals__, "has_torch_function": lambda tensors: False},
    argdefs=F.multi_head_attention_forward.__defaults__,
    closure=F.multi_head_attention_forward.__closure__,
)
_multi_head_attention_forward.__kwdefaults__ = F.multi_head_attention_forward.__kwdefaults__


def inside_of_attention(mode: TorchFunctionMode, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """PyTorch's own attention, run so that `mode`, which was handed it whole, sees every function in it."""
    TorchFunctionMode.__enter__(mode)  # PyTorch has left the mode to hand it the function
    try:
        return _multi_head_attention_forward(*args, **kwargs)
    finally:
        TorchFunctionMode.__exit__(mode, None, None, None)
