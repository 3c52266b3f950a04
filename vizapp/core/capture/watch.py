"""One forward pass, watched. Forward hooks say *where* attention happens, the intercepted operation says *what* it was.

Fused kernels never build the attention map, so a hook on `attn_drop` or on a softmax module sees nothing. They stay switched
on. A `TorchFunctionMode` sees each call of `scaled_dot_product_attention` with its q, k, v, mask and scale; in networks that
spell attention out it follows each softmax until a product applies it to the values, whatever is done to it on the way
(gates, talking heads, differences). The network's own functions run as they are, bit by bit, unless `edit` changes a result.

One thing does change: PyTorch takes no fast path while a function mode is on. `nn.MultiheadAttention` and
`nn.TransformerEncoderLayer` have one, for networks without gradients. Without it the sums are made in another order, and the
output of such a network differs by rounding (measured: 7e-7 in float32).

Several threads may watch one network at the same time: the function mode is thread-local by nature, and a hook listens
only to the thread that entered its `Watch`. Leaving takes the hooks away, after an error as well.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode
from torch.utils.hooks import RemovableHandle

from vizapp.core import ops
from vizapp.core.capture.call import Call, OwnView
from vizapp.core.capture.edits import EditCall, check_reaches, edited_call
from vizapp.core.capture.followed import Followed, Held, Scores
from vizapp.core.capture.fused import bias_of, inside_of_attention, with_logsumexp
from vizapp.core.capture.modules import watched
from vizapp.core.capture.order import MOVES, Order
from vizapp.core.capture.places import TokenCoordinates, flat
from vizapp.core.capture.products import Product, baddbmm_of, einsum_of, matmul_of, only_product

# As functions, not as names: this is asked of every call that a network makes.
_BADDBMM = ops.functions(ops.ADDED_MATMUL)
_MATMUL_OR_EINSUM = ops.functions(ops.MATMUL | ops.EINSUM) | ops.primitives(ops.MATMUL)
# The logarithm of a softmax is followed as one: what its exp is applied to, it weighs.
_SOFTMAX = ops.functions(ops.SOFTMAX | ops.LOG_SOFTMAX) | ops.primitives(ops.SOFTMAX | ops.LOG_SOFTMAX)
_KNOWN = ops.functions(ops.FUSED_ATTENTION | ops.WHOLE_ATTENTION) | _MATMUL_OR_EINSUM | _BADDBMM | _SOFTMAX
_LOG_SOFTMAX = ops.functions(ops.LOG_SOFTMAX) | ops.primitives(ops.LOG_SOFTMAX)
_TIMES, _OVER, _SUM = (ops.functions(names) for names in (ops.TIMES, ops.OVER, ops.SUM))


class _Active(threading.local):
    """The watches that are entered in this thread, innermost last."""

    def __init__(self) -> None:
        self.watches: list[Watch] = []


_active = _Active()


class Watch(TorchFunctionMode):
    """Watch all attention of a network for as long as the `with` block lasts.

    with Watch(net, saw=calls.append, places=places):
        output = net(pixels)

    saw     called with each `Call`, right after it
    places  told of every function, so that it can follow the picture's coordinates; None: places are not wanted
    only    dotted names of modules: what happens outside of them is not seen, and costs nothing. (): the whole network
    order   told of every function that moves values
    edit    called with each `Call` before `saw`: what it returns takes the place of the call's result, and the network goes
            on with it. A tensor is a new `output`, (..., query, e) as in `Call` for every spelling; a `Call` also
            changes what `saw` is told; None, or the call itself, leaves everything as it is, bit by bit. It must not write
            into what it is given
    """

    def __init__(
        self,
        net: nn.Module,
        saw: Callable[[Call], None],
        places: TokenCoordinates | None = None,
        only: Collection[str] = (),
        edit: EditCall | None = None,
        order: Order | None = None,
    ) -> None:
        super().__init__()
        self._net, self._saw, self._places, self._only, self._order = net, saw, places, only, order
        self._edits: tuple[EditCall, ...] = () if edit is None else (edit,)
        self._handles: list[RemovableHandle] = []
        self._thread = self._n_calls = 0
        self._inside: list[str] = []  # names of the modules that are running now, innermost last
        self._calls: Counter[str] = Counter()
        self._softmaxes: list[str] = []  # for each softmax, a fused one as well, the module that ran it
        self._claimed: set[int] = set()  # which of them weighed values
        self._held = Held()
        self._scores, self._followed = self._held.scores, self._held.followed

    def __enter__(self) -> Watch:
        self._thread = threading.get_ident()
        try:
            for name, module in watched(self._net, self._only):
                self._handles.append(module.register_forward_pre_hook(partial(self._entering, name)))
                self._handles.append(module.register_forward_hook(self._leaving, always_call=True))
            # With `only`, the mode is on just while one of those modules runs: through Python for each function costs a third.
            if not self._only:
                super().__enter__()
        except BaseException:
            self._remove_hooks()
            raise
        _active.watches.append(self)
        return self

    def __exit__(self, *exception: object) -> None:
        _active.watches.remove(self)
        try:
            if not self._only or self._inside:  # a hook hears of no KeyboardInterrupt, so the mode may still be on
                super().__exit__(*exception)
        finally:
            self._remove_hooks()

    @staticmethod
    def around(net: nn.Module) -> Watch | None:
        """The innermost watch of `net` that this thread is in; None if there is none."""
        return next((one for one in reversed(_active.watches) if one._net is net), None)

    @contextmanager
    def editing(self, edit: EditCall) -> Iterator[None]:
        """Edit calls with `edit` within the block, each before the edit that this watch was given: that one is outside."""
        before, self._edits = self._edits, (edit, *self._edits)
        try:
            yield
        finally:
            self._edits = before

    @property
    def running(self) -> str:
        """The module that runs now, by its dotted name; "" for the network itself."""
        return self._inside[-1] if self._inside else ""

    @property
    def softmaxes(self) -> tuple[str, ...]:
        """The modules that ran a softmax or a fused attention, a name for each time that Python told of it."""
        return tuple(self._softmaxes)

    @property
    def unmatched_softmaxes(self) -> tuple[str, ...]:
        """The modules whose softmaxes were not seen to weigh values, a name for each such softmax."""
        return tuple(name for number, name in enumerate(self._softmaxes) if number not in self._claimed)

    def _remove_hooks(self) -> None:
        for handle in self._handles:
            handle.remove()
        self._handles.clear()
        self._held.clear()
        self._inside.clear()

    def _hold(self, one: Scores | Followed, made: Tensor) -> None:
        self._held.hold(one, made, len(self._inside))

    # Where: hooks that follow the forward pass into and out of the modules.

    def _entering(self, name: str, module: nn.Module, inputs: object) -> None:
        if threading.get_ident() == self._thread:
            if self._only and not self._inside:
                super().__enter__()
            self._inside.append(name)

    def _leaving(self, module: nn.Module, inputs: object, output: object) -> None:
        if threading.get_ident() == self._thread and self._inside:  # not inside: entered while the module was running
            self._inside.pop()
            if self._only and not self._inside:
                super().__exit__(None, None, None)
            self._held.leave(len(self._inside), {id(tensor) for tensor in flat(output)})
            if self._places is not None:
                self._places.passed(module, inputs, output)

    # What: the operations that run inside them. PyTorch leaves the mode while this method runs, so nothing recurses.

    def __torch_function__(
        self, func: Callable[..., Any], types: object, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        if self._order is not None and func in MOVES:
            self._order.moved(func, args, kwargs or {})
        # Most functions of a network are none of ours: they may cost no more than a set look-up.
        if self._places is None and not self._followed and not self._scores and func not in _KNOWN:
            return func(*args, **(kwargs or {}))
        given = kwargs or {}
        if func is F.multi_head_attention_forward:
            return inside_of_attention(self, args, given)
        logsumexp, before = None, self._n_calls
        if func is F.scaled_dot_product_attention:
            result, logsumexp = with_logsumexp(*args, **given)
        else:
            result = func(*args, **given)
        if self._places is not None:
            self._places.follow(func, args, given, result)
        if func is F.scaled_dot_product_attention:
            result = self._saw_fused(result, logsumexp, *args, **given)
        elif func in _MATMUL_OR_EINSUM or func in _BADDBMM:
            result = self._saw_product(func, args, given, result)
        elif func in _SOFTMAX:
            self._saw_softmax(func, result, *args, **given)
        elif func in _SUM and self._held.by_hand:
            result = self._saw_sum(args, given, result)
        elif self._followed or self._scores:
            self._saw_other(func, args, given, result)
        if self._places is not None and self._n_calls > before:
            self._places.mark(result, before)
        return result

    def _call(
        self, rows: tuple[Tensor, int], columns: tuple[Tensor, int], v: Tensor, output: Tensor, **parts: Any
    ) -> Tensor:
        """Tell of a call, and give what the network goes on with.

        `rows` and `columns` are tensors of the network, and their axis of features, that tell where tokens stand.
        `of_features`: the rows of the map may be features, which sum over tokens, and are no learned queries.
        """
        name, number, of_features = self.running, self._n_calls, parts.pop("of_features", False)
        if self._places is not None:
            query_places, key_places = self._places.along(*rows), self._places.along(*columns)
            if query_places is None and key_places is not None and "matrix" in parts:
                # A map of learned queries, which stand nowhere, has only the places of its keys.
                query_places = torch.full((*rows[0].select(rows[1], 0).shape, 2), torch.nan, device=v.device)
            parts |= {"query_places": query_places, "key_places": key_places, "extent": self._places.extent}
            if not of_features:
                self._places.attended(output, **parts)
            parts |= self._places.origin(rows[0], columns[0], v)
        self._calls[name] += 1
        self._n_calls += 1
        call = Call(name, self._calls[name] - 1, v, output, number=number, **parts)
        for edit in self._edits:
            made = edited_call(call, edit)
            if made is not call and self._places is not None:
                self._places.replaced(call.result, made.result)
            call = made
        self._saw(call)
        return call.result

    def _saw_fused(
        self,
        output: Tensor,
        logsumexp: Tensor | None,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        attn_mask: Tensor | None = None,
        dropout_p: float = 0.0,
        is_causal: bool = False,
        scale: float | None = None,
        enable_gqa: bool = False,
    ) -> Tensor:
        bias = bias_of(attn_mask, is_causal, query, key)
        given_key = key
        if enable_gqa and key.shape[-3] != query.shape[-3]:
            # Several heads of queries share one of keys: told as if each had its own, so that no reader of calls need know.
            shared = query.shape[-3] // key.shape[-3]
            key, value = key.repeat_interleave(shared, -3), value.repeat_interleave(shared, -3)
            if self._places is not None:
                self._places.follow(Tensor.repeat_interleave, (given_key, shared, -3), {}, key)
        scale = query.shape[-1] ** -0.5 if scale is None else scale
        parts: dict[str, Any] = {"q": query, "k": key, "bias": bias, "scale": scale, "logsumexp": logsumexp}
        self._claimed.add(len(self._softmaxes))
        self._softmaxes.append(self.running)
        return self._call((query, -1), (key, -1), value, output, **parts)

    def _saw_softmax(
        self,
        func: Callable[..., Any],
        result: Tensor,
        input: Tensor,
        dim: int | None = None,
        *rest: Any,
        **kwargs: Any,
    ) -> None:
        number = len(self._softmaxes)
        self._softmaxes.append(self.running)
        axis = None if dim is None else dim % input.ndim - input.ndim
        if axis not in {-1, -2}:
            return
        scores = self._scores.get(id(input))
        # A softmax that also changes the precision rounds: q and k would give another map than the one that was applied.
        same = scores is not None and scores.is_unchanged and result.dtype == input.dtype
        same = same and axis == -1 and func not in _LOG_SOFTMAX
        sources = frozenset({number})
        self._hold(Followed(result, result.shape[axis], scores if same else None, sources, axis == -2), result)

    def _saw_product(
        self, func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], result: Tensor
    ) -> Tensor:
        """A product is attention if one of its sides came out of a softmax; else it may be scores. Gives the result."""
        product = self._product_of(func, args, kwargs, result)
        if product is None:
            self._saw_other(func, args, kwargs, result)
            return result
        left, right, out, turn, back = product
        made = result
        if (map_ := self._followed.get(id(left))) is not None and map_.weighs_along(left, -1):
            own = OwnView(result, turn, back) if turn and back else None
            made = self._weighed(map_, left, right, out, (left, -1), (right, -1), own)
        elif (map_ := self._followed.get(id(right))) is not None and map_.weighs_along(
            right, -2
        ):  # v^T @ A^T = (A v)^T
            upright = right.transpose(-2, -1), left.transpose(-2, -1), out.transpose(-2, -1)
            own = OwnView(
                result,
                lambda given: (turn(given) if turn else given).transpose(-2, -1),
                lambda given: back(given.transpose(-2, -1)) if back else given.transpose(-2, -1),
            )
            made = self._weighed(map_, *upright, (right, -2), (left, -2), own)
        elif left.ndim >= 3 and out.ndim == result.ndim and func not in _BADDBMM:
            self._hold(Scores(result, left, right), result)
        if made is not result:
            check_reaches(kwargs)
        return made

    def _saw_sum(self, args: tuple[Any, ...], kwargs: dict[str, Any], result: Tensor) -> Tensor:
        """A sum over the keys of what a map was multiplied with is their product, spelt out. Gives the result."""
        by_hand = self._held.summed(args, kwargs, result)
        if by_hand is None:
            self._saw_other(Tensor.sum, args, kwargs, result)
            return result
        map_ = self._selected(by_hand.map, -1)
        v = self._selected(by_hand.values, -3) if by_hand.values.ndim > 2 else by_hand.values
        return self._weighed(by_hand.followed, map_, v, result, (map_, -1), (v, -1), None)

    def _selected(self, tensor: Tensor, axis: int) -> Tensor:
        """The one entry along an axis of length 1; its tokens stand where they stood."""
        made = tensor.select(axis, 0)
        if self._places is not None:
            self._places.follow(Tensor.select, (tensor, axis, 0), {}, made)
        return made

    def _product_of(
        self, func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], result: Tensor
    ) -> Product | None:
        """The product in a function's result; None where a map takes part in it in any other way than weighing values."""
        if func is not torch.einsum and func not in _BADDBMM:
            return matmul_of(args, kwargs, result)
        maps = [id(one) in self._followed for one in flat((args, kwargs)) if isinstance(one, Tensor)]
        if func in _BADDBMM:
            # Whether something is added is asked of maps only: it means waiting for the accelerator.
            return baddbmm_of(args, kwargs, result) if not any(maps) or only_product(args, kwargs) else None
        product = einsum_of(args, result, self._permuted, swapped=any(maps) and not maps[0])
        # Only on the left a map weighs values. On the right, or mixed among its heads, it is followed on.
        return product if product is None or not any(maps) or id(product.left) in self._followed else None

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

    def _weighed(
        self,
        followed: Followed,
        matrix: Tensor,
        v: Tensor,
        output: Tensor,
        rows: tuple[Tensor, int],
        columns: tuple[Tensor, int],
        own: OwnView | None,
    ) -> Tensor:
        """A followed map meets values. Its two thin factors are told if they still are the whole story, else the map itself."""
        scores = followed.scores
        self._claimed |= followed.sources
        if scores is not None and matrix is followed.tensor:
            k = scores.k_transposed.transpose(-2, -1)
            parts: dict[str, Any] = {"q": scores.q, "k": k, "scale": scores.scale}
            return self._call((scores.q, -1), (scores.k_transposed, -2), v, output, own=own, **parts)
        parts = {"matrix": matrix, "softmaxes": len(followed.sources), "of_features": followed.upright}
        return self._call(rows, columns, v, output, own=own, **parts)

    def _saw_other(
        self, func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], result: object
    ) -> None:
        """What is made of probabilities is followed, too; scores times a number are scores."""
        tensors = [arg for arg in flat((args, kwargs)) if isinstance(arg, Tensor)]
        olds = [self._followed[id(tensor)] for tensor in tensors if id(tensor) in self._followed]
        if olds:
            old, sources = olds[0], frozenset().union(*(one.sources for one in olds))
            for made in flat(result):
                # An axis as long as the keys: what has none can no longer weigh them.
                if isinstance(made, Tensor) and made.is_floating_point() and old.n_keys in made.shape:
                    self._hold(old.on(made, sources), made)
                    if func in _TIMES and len(tensors) == 2 and len(olds) == 1:
                        self._held.multiplied(old, tensors, made, len(self._inside))
            return
        # Without options: a division may be told to round.
        if len(args) == 2 and not kwargs and (func in _TIMES or func in _OVER) and isinstance(args[1], (int, float)):
            scores = self._scores.get(id(args[0]))
            if scores is not None and scores.is_unchanged and isinstance(result, Tensor):
                by = float(args[1]) if func in _TIMES else 1 / args[1]
                self._hold(Scores(result, scores.q, scores.k_transposed, scores.scale * by), result)
