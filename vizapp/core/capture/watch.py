"""Watch one forward pass. Forward hooks say *where* attention happens, the intercepted operation says *what* it was.

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
from vizapp.core.capture.call import Call
from vizapp.core.capture.call_edit import EditCall, edited_call
from vizapp.core.capture.nested import flat
from vizapp.core.capture.patches.call_sides import CallSides
from vizapp.core.capture.patches.coordinates import TokenCoordinates
from vizapp.core.capture.patches.token_order import MOVES, SUMS, TokenOrder
from vizapp.core.capture.softmax.fused_kernels import bias_of, inside_of_attention, with_logsumexp
from vizapp.core.capture.softmax.spelled_attention import STARTS, SpelledAttention
from vizapp.errors import VizError
from vizapp.wording import Text

# Functions, not names: every function that a network calls is looked up here.
_KNOWN = ops.functions(ops.FUSED_ATTENTION | ops.WHOLE_ATTENTION) | STARTS


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
    order   told of every function that moves values, or adds them
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
        order: TokenOrder | None = None,
    ) -> None:
        super().__init__()
        self._net, self._saw, self._places, self._only, self._order = net, saw, places, only, order
        self._edits: tuple[EditCall, ...] = () if edit is None else (edit,)
        self._handles: list[RemovableHandle] = []
        self._thread = self._n_calls = 0
        self._inside: list[str] = []  # names of the modules that are running now, innermost last
        self._calls: Counter[str] = Counter()
        self._spelt = SpelledAttention(self._inside, places, self._call)
        self._astray: list[str] = []  # modules that were given something of this pass in another thread

    def __enter__(self) -> "Watch":
        self._thread = threading.get_ident()
        try:
            for name, module in watched(self._net, self._only):
                self._handles.append(module.register_forward_pre_hook(partial(self._entering, name)))
                # After an error, too, which the network may catch: else the module would stay among those that run.
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
    def around(net: nn.Module) -> "Watch | None":
        """Find the innermost watch of `net` that this thread is in; None if there is none."""
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
        return tuple(self._spelt.softmaxes)

    @property
    def unmatched_softmaxes(self) -> tuple[str, ...]:
        """The modules whose softmaxes were not seen to weigh values, a name for each such softmax."""
        return tuple(name for number, name in enumerate(self._spelt.softmaxes) if number not in self._spelt.claimed)

    @property
    def astray(self) -> tuple[str, ...]:
        """The modules that ran on something of this pass, but in another thread, where nothing is seen. Needs places."""
        return tuple(dict.fromkeys(self._astray))

    def _remove_hooks(self) -> None:
        for handle in self._handles:
            handle.remove()
        self._handles.clear()
        self._spelt.held.clear()
        self._inside.clear()

    # Hooks tell where: they follow the forward pass into and out of the modules.

    def _entering(self, name: str, module: nn.Module, inputs: object) -> None:
        # A hook is on the module, which all threads share: without this, six threads on one model see each other's calls.
        if threading.get_ident() == self._thread:
            if self._only and not self._inside:
                super().__enter__()
            self._inside.append(name)
        elif self._places is not None and any(self._places.knows(one) for one in flat(inputs)):
            self._astray.append(name or type(module).__name__)

    def _leaving(self, module: nn.Module, inputs: object, output: object) -> None:
        if threading.get_ident() == self._thread and self._inside:  # not inside: entered while the module was running
            self._inside.pop()
            if self._only and not self._inside:
                super().__exit__(None, None, None)
            # Here and not at the end of the pass, where whole layers of maps would have piled up.
            self._spelt.held.leave(len(self._inside), {id(tensor) for tensor in flat(output)})
            if self._places is not None:
                self._places.passed(module, inputs, output)

    # The mode tells what: the operations that run inside them. PyTorch leaves it while this method runs, so nothing recurses.

    def __torch_function__(
        self, func: Callable[..., Any], types: object, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        spelt = self._spelt
        if self._order is not None and func in MOVES:
            self._order.moved(func, args, kwargs or {})
        elif self._order is not None and func in SUMS:
            self._order.summed(args)
        # Most functions of a network are of no interest here: they may cost no more than a look-up in a set.
        if self._places is None and func not in _KNOWN and not spelt.is_following:
            return func(*args, **(kwargs or {}))
        given = kwargs or {}
        if func in _KNOWN:
            self._refuse_nested(args, given)
        # It would be one function with nothing to see in it.
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
        else:
            result = spelt.saw(func, args, given, result)
        # Marked behind the call: it is not built on itself.
        if self._places is not None and self._n_calls > before:
            self._places.mark(result, before)
        return result

    def _refuse_nested(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        if any(isinstance(one, Tensor) and one.is_nested for one in flat((args, kwargs))):
            raise VizError(
                "{name} computes with nested tensors (torch.nested), whose rows have lengths of their own: its maps cannot be "
                "told apart.",
                "Give it ordinary tensors: padded, with a mask, or one picture at a time.",
                name=self.running or Text("the network"),
            )

    def _call(
        self, rows: tuple[Tensor, int], columns: tuple[Tensor, int], v: Tensor, output: Tensor, **parts: Any
    ) -> Tensor:
        """Tell of a call, and give what the network goes on with.

        `rows` and `columns` are tensors of the network, and their axis of features, that tell where tokens stand.
        `of_features`: the rows of the map may be features, which sum over tokens, and are no learned queries.
        `values`: the tensor of the network that tells where `v` stands, and its axis of features; None: `v` itself.
        """
        name, number, of_features = self.running, self._n_calls, parts.pop("of_features", False)
        values: tuple[Tensor, int] = parts.pop("values", None) or (v, -1)
        if self._places is not None:
            query_places, key_places = self._places.along(*rows), self._places.along(*columns)
            if query_places is None and key_places is not None and "matrix" in parts:
                # A map of learned queries, which stand nowhere, has only the places of its keys.
                query_places = torch.full((*rows[0].select(rows[1], 0).shape, 2), torch.nan, device=v.device)
            parts |= {"query_places": query_places, "key_places": key_places, "extent": self._places.extent}
            if not of_features:
                self._places.attended(output, **parts)
            parts |= self._places.origin(rows[0], columns[0], v)
            if isinstance(self._places, CallSides):
                value_places, word = self._places.values(
                    values[0], values[1], rows[0] if "matrix" in parts else columns[0]
                )
                mix = "matrix" in parts or self._places.mix(columns[0], rows[0])
                parts |= {"value_places": value_places, "values_are": word, "keys_mix": mix}
                parts["merges"] = self._places.merges(rows[0])
        # A module that attends twice makes two calls, which are told apart by their count.
        self._calls[name] += 1
        self._n_calls += 1
        call = Call(name, self._calls[name] - 1, v, output, number=number, **parts)
        for edit in self._edits:
            made = edited_call(call, edit)
            if made is not call and self._places is not None:
                self._places.replaced(call.result, made.result)
            call = made
        if isinstance(self._places, CallSides):
            self._places.began(call, rows[0], columns[0], values[0])
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
        if dropout_p:
            raise VizError(
                "{name} drops {share} of its attention by chance, though the network is not in training mode: "
                "scaled_dot_product_attention is given dropout_p={share}, and no map of it is ever there.",
                "That function has no mode: give it dropout_p only where self.training is true.",
                name=self.running or Text("the network"),
                share=dropout_p,
            )
        # Before heads are repeated: a mask is told by tokens, which that leaves as they are.
        bias = bias_of(attn_mask, is_causal, query, key)
        given_key, given_value = key, value
        if enable_gqa and key.shape[-3] != query.shape[-3]:
            # Several heads of queries share one of keys. The call is told as if each had its own, so that no reader need know.
            shared = query.shape[-3] // key.shape[-3]
            key, value = key.repeat_interleave(shared, -3), value.repeat_interleave(shared, -3)
            if self._places is not None:
                self._places.follow(Tensor.repeat_interleave, (given_key, shared, -3), {}, key)
                self._places.follow(Tensor.repeat_interleave, (given_value, shared, -3), {}, value)
        scale = query.shape[-1] ** -0.5 if scale is None else scale
        parts: dict[str, Any] = {"q": query, "k": key, "bias": bias, "scale": scale, "logsumexp": logsumexp}
        # A fused kernel has its softmax inside, and the values with it.
        self._spelt.ran(claimed=True)
        return self._call((query, -1), (key, -1), value, output, **parts)


def watched(net: nn.Module, only: Collection[str]) -> Iterator[tuple[str, nn.Module]]:
    """List the modules of `only`, and all inside of them that may attend. A shared one has the first of its names."""
    seen: set[nn.Module] = set()
    for outer in only or ("",):
        try:
            part = net.get_submodule(outer)
        except AttributeError:
            raise VizError(
                "The network has no module '{name}'.", "Give names as named_modules() has them.", name=outer
            ) from None
        for name, module in part.named_modules(seen, outer):
            if name == outer or not _is_plain_leaf(module):
                yield name, module


def _is_plain_leaf(module: nn.Module) -> bool:
    """Tell a layer of PyTorch without modules inside: no attention happens in it that another module would not claim."""
    return type(module).__module__.startswith("torch.nn.modules.") and next(module.children(), None) is None
