"""One forward pass, watched. Forward hooks say *where* attention happens, the intercepted operation says *what* it was.

Fused kernels never build the attention map, so a hook on `attn_drop` or on a softmax module sees nothing. They stay switched
on. A `TorchFunctionMode` sees each call of `scaled_dot_product_attention` with its q, k, v, mask and scale; in networks that
spell attention out it follows each softmax until a product applies it to the values, whatever is done to it on the way
(gates, talking heads, differences). The network's own functions run as they are, bit by bit, unless `edit` changes a result.

One thing does change: PyTorch takes no fast path while a function mode is on. `nn.MultiheadAttention` and
`nn.TransformerEncoderLayer` have one, for networks without gradients. Without it the sums are made in another order, and the
output of such a network differs by rounding (measured: 7e-7 in float32).

Several threads may watch one network at the same time: the function mode is thread-local by nature, and a hook
listens only to the thread that entered its `Watch`. Leaving takes the hooks away, after an error as well.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode
from torch.utils.hooks import RemovableHandle

from vizapp.core import ops
from vizapp.core.capture.call import Call, OwnView
from vizapp.core.capture.followed import Followed, Held, Scores, written
from vizapp.core.capture.fused import bias_of, inside_of_attention, with_logsumexp
from vizapp.core.capture.places import TokenCoordinates, flat
from vizapp.core.capture.products import Product, baddbmm_of, einsum_of, matmul_of, only_product
from vizapp.errors import VizError

# As functions, not as names: this is asked of every call that a network makes.
_BADDBMM = ops.functions(ops.ADDED_MATMUL)
_MATMUL_OR_EINSUM = ops.functions(ops.MATMUL | ops.EINSUM)
_SOFTMAX = ops.functions(ops.SOFTMAX)
_KNOWN = ops.functions(ops.FUSED_ATTENTION | ops.WHOLE_ATTENTION) | _MATMUL_OR_EINSUM | _BADDBMM | _SOFTMAX
_TIMES = ops.functions(ops.TIMES)
_OVER = ops.functions(ops.OVER)

EditCall = Callable[[Call], Call | Tensor | None]


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
    ) -> None:
        super().__init__()
        self._net, self._saw, self._places, self._only = net, saw, places, only
        self._edits: tuple[EditCall, ...] = () if edit is None else (edit,)
        self._handles: list[RemovableHandle] = []
        self._thread = 0
        self._inside: list[str] = []  # names of the modules that are running now, innermost last
        self._calls: Counter[str] = Counter()
        self._n_calls = 0
        self._softmaxes: list[str] = []  # for each softmax over a last axis, the module that ran it
        self._claimed: set[int] = set()  # which of them weighed values
        self._held = Held()
        # The same dictionaries under short names: they are asked at every function of the network.
        self._scores, self._followed = self._held.scores, self._held.followed

    def __enter__(self) -> Watch:
        self._thread = threading.get_ident()
        try:
            for name, module in self._watched():
                self._handles.append(module.register_forward_pre_hook(partial(self._entering, name)))
                self._handles.append(module.register_forward_hook(self._leaving, always_call=True))
            # With `only`, the mode is on just while one of those modules runs: a mode that is on sees every function, and
            # going through Python for each costs a third of the pass in small networks.
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
    def unmatched_softmaxes(self) -> tuple[str, ...]:
        """The modules whose softmaxes were not seen to weigh values, a name for each such softmax."""
        return tuple(name for number, name in enumerate(self._softmaxes) if number not in self._claimed)

    def _watched(self) -> Iterator[tuple[str, nn.Module]]:
        """The modules of `only`, and all modules inside of them that may attend. A shared one has the first of its names."""
        seen: set[nn.Module] = set()
        for outer in self._only or ("",):
            try:
                part = self._net.get_submodule(outer)
            except AttributeError:
                raise VizError(
                    "The network has no module '{name}'.", "Give names as named_modules() has them.", name=outer
                ) from None
            for name, module in part.named_modules(seen, outer):
                if name == outer or not _is_plain_leaf(module):
                    yield name, module

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
        # The second condition: a watch that was entered inside a running module never saw it enter.
        if threading.get_ident() == self._thread and self._inside:
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
        # Most functions of a network are none of ours: they must cost as little as a set look-up can.
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
            self._saw_softmax(result, *args, **given)
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
        """
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
        call = Call(name, self._calls[name] - 1, v, output, number=number, **parts)
        for edit in self._edits:
            call = self._edited(call, edit)
        self._saw(call)
        return call.result

    def _edited(self, call: Call, edit: EditCall) -> Call:
        """The call with what `edit` made of it, and its result as the network spells it."""
        before = written(call.output)
        made = edit(call)
        if made is None or made is call:
            if written(call.output) != before:
                raise VizError(
                    "An edit of {title} wrote into call.output, and the network may go on with another copy of it.",
                    "Change a copy, call.output.clone(), and return that.",
                    title=call.title,
                )
            return call
        if isinstance(made, Tensor):
            made = replace(call, output=made)
        if made.output.shape != call.output.shape or made.output.dtype != call.output.dtype:
            raise VizError(
                "An edit of {title} gives {got}, but the network goes on with {expected}.",
                "Return a tensor of the shape and the type of call.output.",
                title=call.title,
                got=f"{tuple(made.output.shape)} {made.output.dtype}",
                expected=f"{tuple(call.output.shape)} {call.output.dtype}",
            )
        if call.own is not None:
            made = replace(made, own=OwnView(call.own.back(made.output), call.own.turn, call.own.back))
        if self._places is not None:
            self._places.replaced(call.result, made.result)
        return made

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
        return self._call((query, -1), (key, -1), value, output, **parts)

    def _saw_softmax(self, result: Tensor, input: Tensor, dim: int | None = None, *rest: Any, **kwargs: Any) -> None:
        if dim is None or dim % input.ndim != input.ndim - 1:
            return
        scores = self._scores.get(id(input))
        # A softmax that also changes the precision rounds: q and k would give another map than the one that was applied.
        same = scores is not None and scores.is_unchanged and result.dtype == input.dtype
        source = frozenset({len(self._softmaxes)})
        self._softmaxes.append(self._inside[-1] if self._inside else "")
        self._hold(Followed(result, result.shape[-1], scores if same else None, source), result)

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
        if (map_ := self._followed.get(id(left))) is not None:
            own = OwnView(result, turn, back) if turn and back else None
            made = self._weighed(map_, left, right, out, (left, -1), (right, -1), own)
        elif (map_ := self._followed.get(id(right))) is not None:  # v^T @ A^T = (A v)^T
            upright = right.transpose(-2, -1), left.transpose(-2, -1), out.transpose(-2, -1)
            own = OwnView(
                result,
                lambda given: (turn(given) if turn else given).transpose(-2, -1),
                lambda given: back(given.transpose(-2, -1)) if back else given.transpose(-2, -1),
            )
            made = self._weighed(map_, *upright, (right, -2), (left, -2), own)
        elif left.ndim >= 3 and out.ndim == result.ndim and func not in _BADDBMM:
            self._hold(Scores(result, left, right), result)
        if made is not result and kwargs.get("out") is not None:
            raise VizError(
                "This network writes what attention gives into a buffer of its own (out=) and reads it there, so an edit "
                "would not reach it.",
                "Edit another layer.",
            )
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
        return self._call(rows, columns, v, output, own=own, matrix=matrix, softmaxes=len(followed.sources))

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
            return
        # Without options: a division may be told to round.
        if len(args) == 2 and not kwargs and (func in _TIMES or func in _OVER) and isinstance(args[1], (int, float)):
            scores = self._scores.get(id(args[0]))
            if scores is not None and scores.is_unchanged and isinstance(result, Tensor):
                by = float(args[1]) if func in _TIMES else 1 / args[1]
                self._hold(Scores(result, scores.q, scores.k_transposed, scores.scale * by), result)


def _is_plain_leaf(module: nn.Module) -> bool:
    """A layer of PyTorch without anything inside: no attention can happen in it that another module would not claim."""
    return type(module).__module__.startswith("torch.nn.modules.") and next(module.children(), None) is None
