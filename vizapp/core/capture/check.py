"""Test the capture of a network, by identities that a forgotten bias, scale, mask, head order or window would break.

For each call, the attention that a trace keeps, times the values, must give what the network itself computed there. The output
must be what it is without being watched, and no hook may stay behind.

Every softmax and every fused attention is also counted where PyTorch runs them. Each belongs to a call that was seen, or its
module is named in `elsewhere` (gates, class probabilities). A softmax whose module nobody can name is a problem.
"""

from dataclasses import dataclass, field, replace

import torch
from torch import Tensor, nn

from vizapp.core.attention.layers import LayerAttention
from vizapp.core.attention.ledger import Entry, Ledger
from vizapp.core.capture.call import Call, Shape
from vizapp.core.capture.forward import CapturedCall, capture, layer_of
from vizapp.core.capture.memory import explained
from vizapp.core.capture.patches.arrange import check_expected
from vizapp.core.capture.patches.axis_layout import AxisLayout
from vizapp.core.capture.patches.call_sides import CallSides
from vizapp.core.capture.patches.window_calls import arranged_in, in_stream
from vizapp.core.capture.reading import reading
from vizapp.core.capture.refusals.hidden_softmaxes import SoftmaxCounter, scripted
from vizapp.core.capture.refusals.picture_border import check_covered
from vizapp.core.capture.refusals.reasons import NOT_SEEN, WHY_NOT
from vizapp.core.capture.refusals.subtraction import said_of_subtracted
from vizapp.core.capture.survey.survey import noise_like
from vizapp.core.capture.watch import Watch
from vizapp.core.display import html_of
from vizapp.core.modes import own_precision
from vizapp.core.network import dtype_of, output_of
from vizapp.errors import NotEnoughMemory, VizError
from vizapp.model.spec import VisionModel
from vizapp.wording import Text, listed

TOLERANCE = {torch.float64: 1e-10, torch.float32: 1e-4}  # of the largest value of an output
HALF = 1e-2  # in half precision
BY_CHANCE = (
    "two passes on one picture give outputs that differ by {by:.1e}, watched or not: it draws random numbers, or keeps something "
    "from pass to pass"
)
ROWS = 256  # checked per window at most, evenly chosen


@dataclass(frozen=True)
class CallCheck:
    """The findings of one attention call: how well it holds.

    kind     see `AxisLayout`; `shape` is (windows, heads, queries, keys) and `tokens` what they stand for
    error    largest difference of attention @ values from the call's own output, over the output's largest value
    row_sum  largest distance of a row's sum from 1, or from 0 where every key is hidden; None for matrices that are no
             distributions (talking heads, gates)
    tolerance  what the precision allows in which the call ran: under autocast, another than that of the weights
    """

    name: str
    kind: str
    shape: tuple[int, int, int, int]
    tokens: str
    error: float
    row_sum: float | None
    tolerance: float = 0.0


@dataclass(frozen=True)
class Check:
    """The findings of a network. `holds` is the verdict, `problems` say why not, in words.

    Attributes
    ----------
    softmaxes, seen
        how many softmaxes and fused attentions PyTorch ran, and how many of them belong to calls
    elsewhere, unnamed
        the modules that ran the others, or weigh tokens without one; how many ran where nothing tells
    changed, unwatched
        largest difference of the watched output, and of a second plain one, from the plain one, over its largest value
    misplaced
        the calls whose tokens stand elsewhere than a capture would say, on one of two pictures
    ledger
        every attention that is known of, shown or not: that of a capture, and what only a self-test finds
    refused
        the error of a capture of the same pixels, where it refuses the network; None where it does not
    """

    calls: tuple[CallCheck, ...]
    softmaxes: int
    seen: int
    changed: float
    left_behind: int
    tolerance: float
    elsewhere: tuple[str, ...] = ()
    misplaced: tuple[str, ...] = ()
    unnamed: int = 0
    ledger: Ledger = field(default_factory=Ledger)
    refused: VizError | None = None
    unwatched: float = 0.0

    @property
    def problems(self) -> tuple[Text, ...]:
        found = []
        if not self.calls:
            found.append(Text("no attention was seen"))
        if self.refused:
            found.append(listed([one for one in (self.refused.message, self.refused.hint) if one], " "))
        for call in self.calls:
            tolerance = max(self.tolerance, call.tolerance)
            # "Not at most" and not "more": NaN is neither, and is a problem.
            if not call.error <= tolerance:
                found.append(
                    Text(
                        "{call}: attention x values differs from its output by {by:.1e}", call=call.name, by=call.error
                    )
                )
            # Rounded shares of up to 12,545 tokens sum to 1 within 6e-6 in float32, 2.5e-3 in bfloat16 (docs/lab-notes.md).
            if call.row_sum is not None and not call.row_sum <= tolerance:
                found.append(Text("{call}: rows sum to 1 only within {by:.1e}", call=call.name, by=call.row_sum))
        for title in self.misplaced:
            found.append(Text("{call}: its tokens stand on other patches than its maps would say", call=title))
        if self.unnamed:
            found.append(Text("{n} softmaxes ran where nothing tells what they weigh", n=self.unnamed))
        if not self.changed <= self.tolerance and not self.unwatched <= self.tolerance:
            found.append(Text(BY_CHANCE, by=self.unwatched))
        elif not self.changed <= self.tolerance:
            found.append(Text("the output changes by {by:.1e} when watched", by=self.changed))
        if self.left_behind:
            found.append(Text("{n} hooks were not removed", n=self.left_behind))
        return tuple(found)

    def __str__(self) -> str:
        return "\n".join([str(self.verdict), *(f"{one.name}  {one.kind}  {one.error:.1e}" for one in self.calls)])

    def _repr_html_(self) -> str | None:
        return html_of(self)

    @property
    def holds(self) -> bool:
        return not self.problems

    @property
    def verdict(self) -> Text:
        """The verdict in words: "exact" for a network all of whose attention is shown, and holds."""
        if not self.holds:
            return listed(self.problems, "; ")
        if self.ledger.whole:
            return Text("exact")
        return Text("exact in what is shown. {caution}", caution=self.ledger.caution)

    def refusal(self, name: str) -> VizError | None:
        """Say why no map of the network called `name` may be shown; None if all may."""
        problems = self.problems
        if not problems:
            return None
        if self.refused:
            return self.refused
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
    """Make noise (1, channel, h, w) to look at where there is no picture, the same each time."""
    return torch.randn(1, model.preprocess.channels, *model.preprocess.size, generator=torch.Generator().manual_seed(0))


def check(model: VisionModel, pixels: Tensor) -> Check:
    """Run `model` on `pixels` (1, 3, h, w): once plain, once watched, once with the identities. No gradients.

    Once more on another picture, for where tokens stand; and as a capture runs it, which may refuse the network. Raises
    `VizError` if its tokens are not what its owner says, or if they all change places from picture to picture.
    """
    net, dtype = model.net, dtype_of(model.net)
    pixels = pixels.to(model.device, dtype)
    shapes: list[Shape] = []
    with explained(model, model.device), torch.no_grad():
        plain, ran = _counted(net, pixels)
        # Watched as a capture watches, without places: following them runs functions of our own, and this must be the pass that
        # a visitor's map comes from.
        with Watch(net, lambda call: shapes.append(Shape.of(call))) as plainly:
            watched = output_of(net(pixels))
        # The calls are read as a capture reads them: by a survey, or by what is said of a plain network.
        read = reading(model, pixels, shapes)
        passes = _Passes(model, {shape.title: axes for shape, axes in zip(shapes, read.axes, strict=True)})
        watch = passes.run(pixels, with_identities=True)
        # Another picture, too: an order that hangs on what a picture shows can be right by chance on one.
        passes.run(noise_like(pixels, -1))
        softmaxes, unmatched = plainly.softmaxes, plainly.unmatched_softmaxes
        others = unmatched if ran == len(softmaxes) else (*unmatched, *_hidden(net, pixels))
        taken = said_of_subtracted(model, pixels, [shape.title for shape in shapes])
    ledger = replace(read.ledger(), subtracted=taken or "")
    if read.known is None:  # a survey tells gates and class probabilities from what weighs tokens
        ledger = ledger.and_also(Entry(name or Text("the network"), why=NOT_SEEN) for name in others)
    # Of the last layer, as a trace has its layout: a pyramid ends on the grid that its classifier reads.
    if passes.placed:
        check_expected(model, passes.placed[-1].layout)
        check_covered(model, passes.placed, pixels)
    largest = float(plain.abs().max()) or 1.0  # an output of zeros has no largest value to compare with
    tolerance = TOLERANCE.get(dtype, HALF)
    changed, unwatched = float((plain - watched).abs().max()) / largest, 0.0
    if not changed <= tolerance:  # by being watched, or by chance
        with torch.no_grad():
            unwatched = float((plain - output_of(net(pixels))).abs().max()) / largest
    return Check(
        calls=tuple(passes.calls),
        softmaxes=len(softmaxes) if ran is None else ran,
        seen=len(softmaxes) - len(unmatched),
        changed=changed,
        left_behind=_left_behind(net, plainly, watch),
        tolerance=tolerance,
        elsewhere=tuple(name or Text("the network") for name in dict.fromkeys((*others, *read.elsewhere()))),
        misplaced=tuple(dict.fromkeys(passes.misplaced)),
        # Those that ran below Python, less those whose module a further pass has named (`_hidden`).
        unnamed=max(0, (ran or 0) - len(softmaxes) - len(others) + len(unmatched)),
        ledger=ledger,
        refused=_refused(model, pixels),
        unwatched=unwatched,
    )


def _refused(model: VisionModel, pixels: Tensor) -> VizError | None:
    """Ask a capture itself: identities may hold of calls none of which is a map of the picture."""
    try:
        capture(model, pixels)
    except NotEnoughMemory:
        raise  # that is no fault of the network
    except VizError as error:
        return error.with_traceback(None)  # which would keep the pass alive
    return None


class _Passes:
    """Run watched passes, and compare each call with what a capture reads of it.

    read_as    the axes of each call, by its title, as a capture reads them
    calls      the identities of each call of the pass that was asked for them
    placed     the axes of those whose tokens are the picture's
    misplaced  titles of calls whose tokens stood elsewhere in a pass, or whose output was added elsewhere
    """

    def __init__(self, model: VisionModel, read_as: dict[str, AxisLayout]) -> None:
        self.model, self.read_as = model, read_as
        self.calls: list[CallCheck] = []
        self.placed: list[AxisLayout] = []
        self.misplaced: list[str] = []
        self._stand: dict[str, AxisLayout] = {}
        self._places: CallSides

    def run(self, pixels: Tensor, with_identities: bool = False) -> Watch:
        """Run the network once, following places."""
        self._places = places = CallSides(pixels)
        with Watch(self.model.net, self._saw if with_identities else self._compare, places) as watch:
            self.model.net(pixels)
        # Only now is it known what the outputs of the calls were added to.
        for title, found in self._stand.items():
            found = in_stream(found, places.rows(found.number))
            if title not in self.read_as or not _stands_as(found, self.read_as[title]):
                self.misplaced.append(title)
        self._stand.clear()
        return watch

    def _saw(self, call: Call) -> None:
        axes = self.read_as[call.title]
        if axes.kind == "tokens":
            self.placed.append(axes)
        with own_precision(call.output.device):
            self.calls.append(replace(_checked(call, axes), tolerance=TOLERANCE.get(call.output.dtype, HALF)))
        self._compare(call)

    def _compare(self, call: Call) -> None:
        axes = arranged_in(call, self.model.prefix, self.read_as.get(call.title))
        self._places.sound(call, axes)
        self._stand[call.title] = axes


def _counted(net: nn.Module, pixels: Tensor) -> tuple[Tensor, int | None]:
    """Give the output of a pass that nobody else watches, and how many softmaxes it ran; None where they cannot be counted.

    They are counted below all Python functions: what `Watch` overlooks is seen here.
    """
    try:
        with SoftmaxCounter() as ran:
            return output_of(net(pixels)), ran.count
    except RuntimeError:
        if not scripted(net):
            raise
        return output_of(net(pixels)), None


def _hidden(net: nn.Module, pixels: Tensor) -> tuple[str, ...]:
    """Name the module of each softmax that no Python function tells of."""
    watch = Watch(net, lambda call: None)
    try:
        with watch, SoftmaxCounter(lambda: watch.running) as ran:
            net(pixels)
    except RuntimeError:
        return scripted(net)
    return ran.hidden(watch)


def _stands_as(found: AxisLayout, axes: AxisLayout) -> bool:
    """Tell whether the tokens of a call, as they were `found`, stand where `axes` says; True for a call that is set aside."""
    if axes.kind not in {"tokens", "pool"}:
        return True
    # Names of learned tokens are given by more than one call (`with_names`): how many there are tells of this one.
    pairs = [(found.layout, axes.layout), (found.key_layout, axes.key_layout)]
    return (
        found.kind == axes.kind
        and all((one.grid, one.n_prefix) == (other.grid, other.n_prefix) for one, other in pairs)
        and torch.equal(found.keys, axes.keys)
        and (axes.kind == "pool" or torch.equal(found.queries, axes.queries))
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
    # Beside the largest value of the whole output: one that is nearly zero would make any rounding large.
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
    """Measure how far the rows' sums are from `sums`. What is kept as factors must be a distribution; a matrix may be one."""
    # Talking heads and gates give matrices that are no distributions, and need be none; that is no fault of the capture.
    found = float((rows.sum(-1) - sums).abs().max())
    return found if call.matrix is None or found <= TOLERANCE.get(rows.dtype, HALF) else None


def _left_behind(net: nn.Module, *watches: Watch) -> int:
    """Count the hooks of these that are still on the network. Others may watch it at the same time, from other threads."""
    found = 0
    for module in net.modules():
        for hook in (*module._forward_hooks.values(), *module._forward_pre_hooks.values()):
            owner = getattr(getattr(hook, "func", hook), "__self__", None)
            found += any(owner is watch for watch in watches)
    return found
