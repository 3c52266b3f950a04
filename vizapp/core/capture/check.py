"""Does the capture of a network hold? Identities that a forgotten bias, scale, mask, head order or window would break.

For each call, the attention that a trace keeps, times the values, must give what the network itself computed there. The output
must be what it is without being watched, and nothing may stay behind.

Every softmax and every fused attention is also counted where PyTorch runs them, below all Python functions. Each should belong
to a call that was seen. That is no condition yet, since gates and routers have softmaxes of their own: `softmaxes`, `seen` and
`elsewhere` tell how many do not, and where they ran.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode

from vizapp.core.attention.layers import LayerAttention
from vizapp.core.capture.arrange import WHY_NOT, AxisLayout, arrange, check_expected
from vizapp.core.capture.call import Call
from vizapp.core.capture.forward import CapturedCall, dtype_of, layer_of, output_of
from vizapp.core.capture.memory import explained
from vizapp.core.capture.places import TokenCoordinates
from vizapp.core.capture.watch import Watch
from vizapp.core.display import html_of
from vizapp.errors import VizError
from vizapp.model.spec import TokenLayout, VisionModel
from vizapp.text import Text, listed

TOLERANCE = {torch.float64: 1e-10, torch.float32: 1e-4}  # of the largest value of an output; half precision: 1e-2
ROWS = 256  # checked per window at most, evenly chosen


@dataclass(frozen=True)
class CallCheck:
    """What was found of one attention call, and how well it holds.

    kind     see `AxisLayout`; `shape` is (windows, heads, queries, keys) and `tokens` what they stand for
    error    largest difference of attention @ values from the call's own output, over the output's largest value
    row_sum  largest distance of a row's sum from 1, or from 0 where every key is hidden; None for matrices that are no
             distributions (talking heads, gates)
    """

    name: str
    kind: str
    shape: tuple[int, int, int, int]
    tokens: str
    error: float
    row_sum: float | None


@dataclass(frozen=True)
class Check:
    """What was found of a network. `holds` is the verdict, `problems` say why not, in words.

    softmaxes  how many softmaxes over a last axis, and fused attentions, PyTorch ran; `seen` how many of them belong to calls
    elsewhere  the modules that ran the others, as far as Python functions tell
    changed    largest difference of the watched output from the plain one, over its largest value
    """

    calls: tuple[CallCheck, ...]
    softmaxes: int
    seen: int
    changed: float
    left_behind: int
    tolerance: float
    elsewhere: tuple[str, ...] = ()

    @property
    def problems(self) -> tuple[Text, ...]:
        found = []
        if not self.calls:
            found.append(Text("no attention was seen"))
        for call in self.calls:
            if not call.error <= self.tolerance:
                found.append(
                    Text(
                        "{call}: attention x values differs from its output by {by:.1e}", call=call.name, by=call.error
                    )
                )
            if call.row_sum is not None and not call.row_sum <= 10 * self.tolerance:
                found.append(Text("{call}: rows sum to 1 only within {by:.1e}", call=call.name, by=call.row_sum))
        if not self.changed <= self.tolerance:
            found.append(Text("the output changes by {by:.1e} when watched", by=self.changed))
        if self.left_behind:
            found.append(Text("{n} hooks were not removed", n=self.left_behind))
        return tuple(found)

    def _repr_html_(self) -> str | None:
        return html_of(self)

    @property
    def holds(self) -> bool:
        return not self.problems

    def refusal(self, name: str) -> VizError | None:
        """Why no map of the network called `name` may be shown; None if all may."""
        problems = self.problems
        if not problems:
            return None
        if not self.calls:
            return VizError("{name} shows no attention.", "Choose a transformer.", name=name)
        what = "The maps of {name} would not be what it computed: {problems}."
        if len(problems) > 3:  # one forgotten bias breaks every layer: three say as much as forty
            what = "The maps of {name} would not be what it computed: {problems}; and {more} more."
        return VizError(
            what,
            "Do not trust them. Choose another model, and please report this one.",
            name=name,
            problems=listed(problems[:3], "; "),
            more=len(problems) - 3,
        )

    @property
    def worst(self) -> float:
        return max((call.error for call in self.calls), default=float("nan"))


def noise(model: VisionModel) -> Tensor:
    """(1, 3, h, w) to look at where there is no picture: the same each time."""
    return torch.randn(1, 3, *model.preprocess.size, generator=torch.Generator().manual_seed(0))


def check(model: VisionModel, pixels: Tensor) -> Check:
    """Run `model` on `pixels` (1, 3, h, w): once plain, once watched, once with the identities. No gradients.

    Raises `VizError` if its tokens are not what its owner says.
    """
    net, dtype = model.net, dtype_of(model.net)
    pixels = pixels.to(model.device, dtype)
    calls: list[CallCheck] = []
    layouts: list[TokenLayout] = []
    seen = 0

    def saw(call: Call) -> None:
        nonlocal seen
        seen += call.softmaxes
        axes = arrange(call, model.prefix)
        if axes.kind == "tokens":
            layouts.append(axes.layout)
        calls.append(_checked(call, axes))

    with explained(model, model.device), torch.no_grad():
        # Counted below all Python functions, on a pass without a watch: what `Watch` overlooks is seen here.
        with _Counter() as counter:
            plain = output_of(net(pixels))
        # Watched as a capture watches, without places: following them runs functions of our own, and this must be the pass that
        # a visitor's map comes from.
        with Watch(net, lambda call: None) as plainly:
            watched = output_of(net(pixels))
        with Watch(net, saw, TokenCoordinates(pixels)) as watch:
            net(pixels)
    if layouts:
        check_expected(model, layouts[-1])
    largest = float(plain.abs().max()) or 1.0
    return Check(
        calls=tuple(calls),
        softmaxes=counter.count,
        seen=seen,
        changed=float((plain - watched).abs().max()) / largest,
        left_behind=_left_behind(net, plainly, watch),
        tolerance=TOLERANCE.get(dtype, 1e-2),
        elsewhere=tuple(name or Text("the network") for name in dict.fromkeys(watch.unmatched_softmaxes)),
    )


def _checked(call: Call, axes: AxisLayout) -> CallCheck:
    """The identity on the very layer that a trace would keep.

    Not on the call's own q and k: folding, reordering, windows and the copies in between are where a mistake would hide.
    """
    if axes.kind in WHY_NOT:
        return CallCheck(call.title, axes.kind, (0, 0, 0, 0), WHY_NOT[axes.kind], *_error_as_it_ran(call))
    layer = layer_of(CapturedCall.of(call), axes)
    lead = call.output.shape[:-2]
    v, output = (axes.fold(part.expand(*lead, *part.shape[-2:])).to(layer.dtype) for part in (call.v, call.output))
    sums = axes.fold(_row_sums(call)[..., None].expand(*lead, output.shape[-2], 1)).to(layer.dtype)
    rows, expected, v = _some_rows(layer, axes, v, torch.cat([output, sums], -1))
    expected, sums = expected[..., :-1], expected[..., -1]
    error = float((rows @ v - expected).abs().max()) / (float(expected.abs().max()) or 1.0)
    tokens = str(axes.layout)
    if axes.kind == "pool":
        tokens = Text("learned queries look at {keys}", keys=axes.key_layout)
    elif axes.layout != axes.key_layout:
        tokens = Text("{queries} look at {keys}", queries=axes.layout, keys=axes.key_layout)
    shape = (layer.n_windows, layer.n_heads, output.shape[-2], v.shape[-2])
    return CallCheck(call.title, axes.kind, shape, tokens, error, _row_sum(call, rows, sums))


def _some_rows(layer: LayerAttention, axes: AxisLayout, v: Tensor, output: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Attention rows (window, head, row, key), the outputs that belong to them, and the values in the order of the keys."""
    step = max(1, output.shape[-2] // ROWS)  # a mistake in the order of tokens or heads shows in any row
    if layer.is_windowed:
        slots = torch.arange(0, output.shape[-2], step, device=output.device)
        rows = layer.parts.rows(slots).unflatten(0, (len(v), layer.n_heads))
        return rows, output[:, :, slots], v
    tokens = torch.arange(0, layer.n_queries, step, device=output.device)
    ordered = output if axes.kind == "pool" else output[:, :, axes.queries[0].argsort()]
    return layer.rows(tokens)[None], ordered[:, :, tokens], v[:, :, axes.keys[0].argsort()]


def _error_as_it_ran(call: Call) -> tuple[float, float | None]:
    """The identity without arrangement, for attention that is not put on patches."""
    attention = call.matrix
    if attention is None:
        assert call.q is not None
        assert call.k is not None
        scores = call.q @ call.k.transpose(-2, -1) * call.scale
        attention = (scores if call.bias is None else scores + call.bias).softmax(-1)
        # Softmax itself gives NaN where all keys are hidden.
        attention = attention.where(_row_sums(call)[..., None] > 0, 0)
    error = float((attention @ call.v - call.output).abs().max()) / (float(call.output.abs().max()) or 1.0)
    return error, _row_sum(call, attention, _row_sums(call))


def _row_sums(call: Call) -> Tensor:
    """(..., query), broadcast against the call: 1, and 0 where a query may look at no key, for which fused kernels give 0."""
    if call.bias is None:
        return call.output.new_ones(())[..., None]
    return (call.bias.amax(-1) > -torch.inf).to(call.output.dtype)


def _row_sum(call: Call, rows: Tensor, sums: Tensor) -> float | None:
    """How far the rows' sums are from `sums`. What is kept as factors must be a distribution; a matrix may be one."""
    # Talking heads and gates give matrices that are no distributions, and need be none; that is no fault of the capture.
    found = float((rows.sum(-1) - sums).abs().max())
    return found if call.matrix is None or found <= 10 * TOLERANCE.get(rows.dtype, 1e-2) else None


# One softmax each, inside: what nn.MultiheadAttention and nn.TransformerEncoderLayer run where no gradient is asked for.
WHOLE = {"_native_multi_head_attention", "_transformer_encoder_layer_fwd"}


class _Counter(TorchDispatchMode):
    """Counts softmaxes over a last axis, and fused attentions, among the operations that PyTorch really runs."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """PyTorch would load its compiler, which takes seconds, only to keep it away from the next method."""
        return False

    def __torch_dispatch__(
        self, func: Any, types: object, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        name = func.overloadpacket.__name__
        if name.startswith("_scaled_dot_product") or name in {"_softmax", "_safe_softmax"} | WHOLE:
            over_last = not name.endswith("softmax") or args[1] % args[0].ndim == args[0].ndim - 1
            self.count += int(over_last)
        return func(*args, **(kwargs or {}))


def _left_behind(net: nn.Module, *watches: Watch) -> int:
    """How many hooks of these are still on the network. Others may watch it at the same time, from other threads."""
    found = 0
    for module in net.modules():
        for hook in (*module._forward_hooks.values(), *module._forward_pre_hooks.values()):
            owner = getattr(getattr(hook, "func", hook), "__self__", None)
            found += any(owner is watch for watch in watches)
    return found
