"""Does the capture of a network hold? Identities that a forgotten bias, scale, mask, head order or window would break.

Every softmax and every fused attention is counted once more where PyTorch runs them, below all Python functions, and each
must belong to a call that was seen. For each call, the attention that a trace keeps, times the values, must give what the
network itself computed there. The output must be what it is without being watched, and nothing may stay behind.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode

from model.spec import VisionModel
from vizapp.core.arrange import WHY_NOT, Arrangement, arrange
from vizapp.core.capture import Kept, dtype_of, layer_of, output_of
from vizapp.core.layers import LayerAttention
from vizapp.core.memory import explained
from vizapp.core.places import Places
from vizapp.core.watch import Call, Watch
from vizapp.core.windows import WindowedAttention
from vizapp.errors import VizError

TOLERANCE = {torch.float64: 1e-10, torch.float32: 1e-4}  # of the largest value of an output; half precision: 1e-2
ROWS = 256  # checked per window at most, evenly chosen


@dataclass(frozen=True)
class CallCheck:
    """What was found of one attention call, and how well it holds.

    kind     see `Arrangement`; `shape` is (windows, heads, queries, keys) and `tokens` what they stand for
    error    largest difference of attention @ values from the call's own output, over the output's largest value
    row_sum  largest distance of a row's sum from 1; None for matrices that are no distributions (talking heads, gates)
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
    def problems(self) -> tuple[str, ...]:
        found = []
        if not self.calls:
            found.append("no attention was seen")
        for call in self.calls:
            if not call.error <= self.tolerance:
                found.append(f"{call.name}: attention x values differs from its output by {call.error:.1e}")
            if call.row_sum is not None and not call.row_sum <= 10 * self.tolerance:
                found.append(f"{call.name}: rows sum to 1 only within {call.row_sum:.1e}")
        if not self.changed <= self.tolerance:
            found.append(f"the output changes by {self.changed:.1e} when watched")
        if self.left_behind:
            found.append(f"{self.left_behind} hooks stayed behind")
        return tuple(found)

    @property
    def holds(self) -> bool:
        return not self.problems

    def refusal(self, name: str) -> VizError | None:
        """Why no map of the network called `name` may be shown; None if all may."""
        problems = self.problems
        if not problems:
            return None
        if not self.calls:
            return VizError(f"{name} shows no attention.", "Choose a transformer.")
        more = f"; and {len(problems) - 3} more" if len(problems) > 3 else ""
        return VizError(
            f"The maps of {name} would not be what it computed: {'; '.join(problems[:3])}{more}.",
            "Do not trust them. Choose another model, and please report this one.",
        )

    @property
    def worst(self) -> float:
        return max((call.error for call in self.calls), default=float("nan"))


def noise(model: VisionModel) -> Tensor:
    """(1, 3, h, w) to look at where there is no picture: the same each time."""
    return torch.randn(1, 3, *model.preprocess.size, generator=torch.Generator().manual_seed(0))


def check(model: VisionModel, pixels: Tensor) -> Check:
    """Run `model` on `pixels` (1, 3, h, w): once plain, once watched, once with the identities. No gradients."""
    net, dtype = model.net, dtype_of(model.net)
    pixels = pixels.to(model.device, dtype)
    calls: list[CallCheck] = []
    seen = 0

    def saw(call: Call) -> None:
        nonlocal seen
        seen += call.softmaxes
        calls.append(_checked(call, arrange(call, model.prefix)))

    with explained(model, model.device), torch.no_grad():
        with _Counter() as counter:
            plain = output_of(net(pixels))
        with Watch(net, lambda call: None) as plainly:
            watched = output_of(net(pixels))
        with Watch(net, saw, Places(pixels)) as watch:
            net(pixels)
    largest = float(plain.abs().max()) or 1.0
    return Check(
        calls=tuple(calls),
        softmaxes=counter.count,
        seen=seen,
        changed=float((plain - watched).abs().max()) / largest,
        left_behind=_left_behind(net, plainly, watch),
        tolerance=TOLERANCE.get(dtype, 1e-2),
        elsewhere=tuple(name or "the network" for name in dict.fromkeys(watch.unclaimed)),
    )


def _checked(call: Call, way: Arrangement) -> CallCheck:
    """The identity on the very layer that a trace would keep."""
    if way.kind in WHY_NOT:
        return CallCheck(call.title, way.kind, (0, 0, 0, 0), WHY_NOT[way.kind], *_error_as_it_ran(call))
    layer = layer_of(Kept.of(call), way)
    lead = call.output.shape[:-2]
    v, output = (way.fold(part.expand(*lead, *part.shape[-2:])).to(layer.dtype) for part in (call.v, call.output))
    rows, expected, v = _some_rows(layer, way, v, output)
    error = float((rows @ v - expected).abs().max()) / (float(expected.abs().max()) or 1.0)
    n_windows = len(v) if isinstance(layer, WindowedAttention) else 1
    tokens = f"{way.layout}" if way.layout == way.key_layout else f"{way.layout} look at {way.key_layout}"
    if way.kind == "pool":
        tokens = f"learned queries look at {way.key_layout}"
    shape = (n_windows, layer.n_heads, output.shape[-2], v.shape[-2])
    return CallCheck(call.title, way.kind, shape, tokens, error, _row_sum(call, rows))


def _some_rows(layer: LayerAttention, way: Arrangement, v: Tensor, output: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Attention rows (window, head, row, key), the outputs that belong to them, and the values in the order of the keys."""
    step = max(1, output.shape[-2] // ROWS)
    if isinstance(layer, WindowedAttention):
        slots = torch.arange(0, output.shape[-2], step, device=output.device)
        rows = layer.parts.rows(slots).unflatten(0, (len(v), layer.n_heads))
        return rows, output[:, :, slots], v
    tokens = torch.arange(0, layer.n_queries, step, device=output.device)
    ordered = output if way.kind == "pool" else output[:, :, way.queries[0].argsort()]
    return layer.rows(tokens)[None], ordered[:, :, tokens], v[:, :, way.keys[0].argsort()]


def _error_as_it_ran(call: Call) -> tuple[float, float | None]:
    """The identity without arrangement, for attention that is not put on patches."""
    attention = call.matrix
    if attention is None:
        assert call.q is not None
        assert call.k is not None
        scores = call.q @ call.k.transpose(-2, -1) * call.scale
        attention = (scores if call.bias is None else scores + call.bias).softmax(-1)
    error = float((attention @ call.v - call.output).abs().max()) / (float(call.output.abs().max()) or 1.0)
    return error, _row_sum(call, attention)


def _row_sum(call: Call, rows: Tensor) -> float | None:
    """How far from 1 the rows sum. What is kept as factors must be a distribution; a matrix may be one."""
    found = float((rows.sum(-1) - 1).abs().max())
    return found if call.matrix is None or found <= 10 * TOLERANCE.get(rows.dtype, 1e-2) else None


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
        if name.startswith("_scaled_dot_product") or name in {"_softmax", "_safe_softmax"}:
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
