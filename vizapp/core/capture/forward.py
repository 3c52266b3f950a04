"""Make an `AttentionTrace` in one forward pass: every attention of a network, copied, arranged, and put on the patches."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
import torch.nn.functional as F
from torch import Tensor

from vizapp.core.attention.cells import Cells
from vizapp.core.attention.layers import DenseAttention, FactoredAttention, LayerAttention
from vizapp.core.attention.ledger import Ledger
from vizapp.core.attention.trace import AttentionTrace
from vizapp.core.attention.windows import WindowedAttention
from vizapp.core.capture.call import Call, Shape
from vizapp.core.capture.chain import no_chain, round_layers
from vizapp.core.capture.edited import unedited
from vizapp.core.capture.memory import explained, require
from vizapp.core.capture.patches.arrange import check_expected
from vizapp.core.capture.patches.axis_layout import AxisLayout
from vizapp.core.capture.patches.cell_places import cuts_plainly, places_of
from vizapp.core.capture.picture_axis import pictures_first
from vizapp.core.capture.reading import Reading, order_wanted, reading, surveyed
from vizapp.core.capture.refusals.no_attention import no_attention
from vizapp.core.capture.refusals.picture_border import check_covered
from vizapp.core.capture.refusals.randomness import Chance
from vizapp.core.capture.refusals.reasons import SUMMED, WHY_NOT
from vizapp.core.capture.refusals.subtraction import said_of_subtracted
from vizapp.core.capture.survey.head_groups import joined_axes, side_by_side
from vizapp.core.capture.watch import Watch
from vizapp.core.network import dtype_of, output_of, watched_modules
from vizapp.core.state import unchanged
from vizapp.errors import VizError
from vizapp.model.spec import TokenLayout, VisionModel

LOG = logging.getLogger("vizapp.capture")


@dataclass(frozen=True, eq=False)
class CapturedCall:
    """The parts of a `Call` that are kept. q has the scale in it, in float32 or better; `lead`: the axes before the last two."""

    title: str
    lead: torch.Size
    q: Tensor | None
    k: Tensor | None
    bias: Tensor | None
    matrix: Tensor | None
    logsumexp: Tensor | None = None

    @classmethod
    def of(cls, call: Call, device: torch.device | str | None = None) -> "CapturedCall":
        """Copy a call to `device`: a network may be spread over several, and a trace lies on one."""
        # q and k are views of one (3, ...) buffer in most networks: a copy lets the rest of that buffer go. To keep views was
        # tried, and was slower (docs/lab-notes.md). The scale is applied in float32: in bfloat16 the product would be off by up
        # to 0.4 %, and where scores are 20, shares by 8 %.
        q = k = None
        if call.q is not None and call.k is not None:
            q = call.q.detach().to(torch.promote_types(call.q.dtype, torch.float32)) * call.scale
            k = call.k.detach().clone(memory_format=torch.contiguous_format)
        bias = None if call.bias is None else call.bias.detach().clone()
        matrix = None if call.matrix is None else call.matrix.detach().clone()
        logsumexp = None if call.logsumexp is None else call.logsumexp.detach()
        parts = (None if part is None else part.to(device or part.device) for part in (q, k, bias, matrix, logsumexp))
        return cls(call.title, call.output.shape[:-2], *parts)

    @property
    def shape(self) -> Shape:
        if self.matrix is not None:
            return Shape(self.title, self.lead, self.matrix.shape[-2], self.matrix.shape[-1])
        assert self.q is not None
        assert self.k is not None
        return Shape(self.title, self.lead, self.q.shape[-2], self.k.shape[-2])

    @classmethod
    def joined(cls, title: str, heads: "Sequence[CapturedCall]") -> "CapturedCall":
        """Join several calls, the heads or the windows of one layer, along a new axis behind those that they have."""
        first, lead = heads[0], heads[0].lead
        # One head that is kept as a map makes all of them maps: a layer has one form.
        if any(one.matrix is not None for one in heads):
            maps = [one._map() for one in heads]
            return cls(title, torch.Size((*lead, len(heads))), None, None, None, side_by_side(maps, lead))
        q = side_by_side([one.q for one in heads if one.q is not None], lead)
        k = side_by_side([one.k for one in heads if one.k is not None], lead)
        # Windows of several sizes: those that the edge of the picture cuts are smaller.
        if len({one.shape[2:] for one in heads}) > 1:
            # As in one call with its windows as a mask, to 1e-12: maps, rollout and gradients (docs/lab-notes.md).
            return cls(title, torch.Size((*lead, len(heads))), q, k, _closed(heads), None)
        bias = first.bias
        if bias is not None and all(one.bias is not None and torch.equal(one.bias, bias) for one in heads):
            bias = bias.unsqueeze(-3) if bias.ndim > 2 else bias  # one that all heads share is kept once
        elif any(one.bias is not None for one in heads):
            shape = first.shape.n_queries, first.shape.n_keys
            every = [q.new_zeros(()) if one.bias is None else one.bias for one in heads]
            # Whole, for each head: a layer has one bias, and those of its heads differ.
            bias = torch.stack([one.expand(*lead, *shape) for one in every], -3)
        logs = [one.logsumexp for one in heads if one.logsumexp is not None]
        # Only what each head has: a row is made with it or without, for all heads at once.
        logsumexp = torch.stack(logs, -2) if len(logs) == len(heads) else None
        return cls(title, torch.Size((*lead, len(heads))), q, k, bias, None, logsumexp)

    def _map(self) -> Tensor:
        """Give the matrix (..., query, key), of q and k as well; a row that a mask hides altogether is zero."""
        if self.matrix is not None:
            return self.matrix
        assert self.q is not None
        assert self.k is not None
        scores = self.q @ self.k.to(self.q.dtype).transpose(-2, -1)
        scores = scores if self.bias is None else scores + self.bias
        return scores.softmax(-1).where(scores.amax(-1, keepdim=True) != -torch.inf, 0)

    def picture(self, index: int, batch: int) -> "CapturedCall":
        """Take what belongs to one picture of a batch, which is the slowest part of the first axis."""
        if batch == 1 or not self.lead:
            return self
        size = self.lead[0] // batch  # more than 1 where windows are folded into the axis of pictures

        def part(tensor: Tensor | None) -> Tensor | None:
            whole = tensor is not None and tensor.ndim == len(self.lead) + 2 and tensor.shape[0] == self.lead[0]
            return tensor[index * size : (index + 1) * size].clone() if whole and tensor is not None else tensor

        lead = torch.Size((size, *self.lead[1:]))
        logsumexp = None if self.logsumexp is None else self.logsumexp[index * size : (index + 1) * size].clone()
        return CapturedCall(self.title, lead, part(self.q), part(self.k), part(self.bias), part(self.matrix), logsumexp)


def _closed(windows: Sequence[CapturedCall]) -> Tensor:
    """(..., window, query, key): added to the scores of windows of several sizes, so that what fills them up gets nothing."""
    size = max(one.shape.n_keys for one in windows)
    made = []
    for one in windows:
        assert one.q is not None
        own = one.q.new_zeros(*(1,) * len(one.lead), 1, one.shape.n_keys) if one.bias is None else one.bias
        rows = size - own.shape[-2] if own.shape[-2] > 1 else 0
        filled = F.pad(own, (0, size - one.shape.n_keys), value=-torch.inf)
        made.append(F.pad(filled, (0, 0, 0, rows)))
    whole = torch.broadcast_shapes(*(one.shape for one in made))
    return torch.stack([one.expand(whole) for one in made], -3)


def capture(model: VisionModel, pixels: Tensor) -> AttentionTrace:
    """Run `model` once on `pixels` (1, 3, h, w) and keep the attention of every layer and head.

    The network's output, mode, hooks, flags and gradients are as they were. Raises `VizError` where a network shows no
    attention between patches, or where memory does not suffice.
    """
    return capture_batch(model, pixels)[0]


def capture_batch(model: VisionModel, pixels: Tensor) -> list[AttentionTrace]:
    """Do the same for `pixels` (B, 3, h, w) in one pass: a trace for each picture.

    One picture at a time where a network puts heads or windows before the pictures: they could not be told apart.
    """
    # What is remembered of a network is asked for several times in a pass.
    with unchanged(model.net), unchanged(unedited(model).net):
        return _captured(model, pixels)


def _captured(model: VisionModel, pixels: Tensor) -> list[AttentionTrace]:
    kept: list[CapturedCall] = []
    net = model.net
    require(model, pixels, len(pixels))
    device = model.device
    pixels = pixels.to(device, dtype_of(net))
    # Where the modules that attend are known, only they are watched: a mode that is on is called for every function.
    order = order_wanted(model)
    only = watched_modules(model) if order is None else ()

    def saw(call: Call) -> None:
        kept.append(CapturedCall.of(call, device))
        if order is not None:
            order.attended()

    chance = Chance(device)
    with explained(model, device), torch.no_grad(), chance, Watch(net, saw, only=only, order=order):
        given = net(pixels)
        output = _of_pictures(model, output_of(given).to(device), len(pixels))
    # Features may hold an infinity that nobody reads; an answer in words of labels may not.
    if bool(output.isnan().any()) or (model.labels and not bool(output.isfinite().all())):
        raise VizError(
            "{name} gives values that are no numbers (NaN or infinity).", "Run it in float32.", name=model.name
        )
    if not kept:
        raise no_attention(model, pixels)
    with explained(model, device):
        if not pictures_first(model, pixels, [one.lead for one in kept], watched_modules(model)):
            LOG.info("%s puts heads or windows before pictures: they are looked at one by one", model.name)
            return [capture(model, one) for one in pixels.split(1)]
        # The calls are read after the pass, when it is known what ran: most models say what their tokens are, and then nothing
        # runs twice.
        read = reading(model, pixels, [one.shape for one in kept], order)
        check_covered(model, read.axes, pixels)
        places = _places(model, read, pixels)
        ledger = read.ledger()
        taken = said_of_subtracted(model, pixels, [one.title for one in kept])
        drawn = [chance.said] if chance.said else []
        ledger = replace(ledger, said=(*drawn, *ledger.said), subtracted=taken or "")
        return [
            replace(
                _trace(model, pixels, [one.picture(index, len(pixels)) for one in kept], read, ledger, output[index]),
                largest=_largest(output[index]) if isinstance(given, Tensor) else None,
                places=places,
            )
            for index in range(len(pixels))
        ]


def _places(model: VisionModel, read: Reading, pixels: Tensor) -> tuple[Cells, ...]:
    if read.known is not None:
        layouts = {call.title: axes for call, axes in zip(read.calls, read.axes, strict=True)}
        return places_of(layouts, pixels, read.known.sight)
    if cuts_plainly(model, pixels):
        return ()
    known = surveyed(model, pixels)
    return places_of(known.layouts, pixels, known.sight)


def _largest(output: Tensor) -> int | None:
    """Give the index of the largest of one row of outputs; None for anything else, and for what is no number."""
    is_row = output.ndim == 1 and output.is_floating_point() and bool(output.isfinite().all())
    return int(output.argmax()) if is_row and len(output) else None


def _of_pictures(model: VisionModel, output: Tensor, n: int) -> Tensor:
    """Give an output back, whose first axis must be that of its `n` pictures: where it is the only one, that can be told."""
    if output.ndim != 1 or len(output) == n:
        return output
    raise VizError(
        "The output of {name} has only one axis, of length {found}. It must be the axis of the pictures, of length {n}.",
        "Let it keep that axis, (1, {found}) for one picture, or wrap it in an nn.Module that puts it back.",
        name=model.name,
        found=len(output),
        n=n,
    )


# ------------------------------------------------------------------------------------------------------ the trace


def _trace(
    model: VisionModel,
    pixels: Tensor,
    kept: Sequence[CapturedCall],
    read: Reading,
    ledger: Ledger,
    output: Tensor,
) -> AttentionTrace:
    layers: list[LayerAttention] = []
    all_axes: list[AxisLayout] = []
    cross: list[LayerAttention] = []
    by_title = {one.title: one for one in kept}
    axes_of = {one.title: axes for one, axes in zip(kept, read.axes, strict=True)}
    joined = read.joined()
    for entry in ledger.shown:
        one, axes = by_title[entry.name], axes_of[entry.name]
        if entry.name in joined:
            titles = joined[entry.name]
            one = CapturedCall.joined(entry.name, [by_title[title] for title in titles])
            axes = joined_axes([axes_of[title] for title in titles], len(by_title[entry.name].lead))
        layer = layer_of(one, axes)
        if entry.among == "layers":
            layers.append(layer)
            all_axes.append(axes)
        else:
            cross.append(_with_names(layer, axes, learned=one.q is None or one.title == model.pool))
    # A network whose patches weigh channels only has no layers, but what its class token looks at is a map of the picture.
    classes = [one for one in cross if one.key_layout and one.query_names == one.key_layout.prefix]
    if not layers and not classes:
        whys = [entry.why for entry in ledger.entries if not entry.among]
        hint = "Choose another model."
        if WHY_NOT["frames"] in whys:
            hint = "Videos and volumes are not shown: choose a network that looks at one picture."
        raise VizError(
            "{name} has attention, but none between patches of the picture ({why}).",
            hint,
            name=model.name,
            why=next(iter(whys), "") or SUMMED,
        )
    # The last layer's: a pyramid ends on the grid that its classifier reads.
    layout = all_axes[-1].layout if layers else classes[-1].key_layout
    assert layout is not None
    check_expected(model, layout)
    why = no_chain(layers, all_axes, read) or ledger.no_chain
    if read.known is not None and not why:
        why, said = round_layers(model, pixels, [joined.get(one.name, (one.name,)) for one in layers])
        ledger = replace(ledger, said=(*ledger.said, *said))
    # In a network without CLS the last of them ends it (see `AttentionTrace.pool`).
    pool = cross[-1] if cross else None
    return AttentionTrace(
        layers=tuple(layers),
        layout=layout,
        logits=output.float() if model.labels else None,
        readout=_readout(model, layout, pool),
        pool=pool,
        ledger=replace(ledger, no_chain=why),
        cross=tuple(cross),
        outputs=tuple(output.shape),
        joined=joined,
    )


def _with_names(layer: LayerAttention, axes: AxisLayout, learned: bool) -> LayerAttention:
    """Name the queries of `layer`, which are no patches: as the prefix tokens among its keys if it asks with these.

    learned  they are known to be parameters, or nothing tells (of a matrix that was found whole)
    """
    prefix = axes.key_layout.prefix
    tokens = len(prefix) == layer.n_queries and "cls" in prefix and axes.from_picture and not learned
    # Learned queries may be as many as the prefix tokens and are none of them: those are made from the picture.
    layer.query_names = prefix if tokens else tuple(f"query {index}" for index in range(layer.n_queries))
    return layer


def _readout(model: VisionModel, layout: TokenLayout, pool: LayerAttention | None) -> str:
    """Tell what the classifier reads, where the model says it; else CLS if there is one, else the pooling, else the mean."""
    if model.readout:
        return model.readout
    if "cls" in layout.prefix:
        return "cls"
    if pool is None or not pool.key_layout or pool.key_layout.grid != layout.grid:
        return "mean"
    return "cls" if pool.query_names == ("cls",) else "pool"


def layer_of(one: CapturedCall, axes: AxisLayout) -> LayerAttention:
    """Make the attention of a call, (head, query, key): its heads, windows and tokens as `axes` reads them.

    Raises `VizError` if the call has another number of tokens than `axes` has found places for.
    """

    def folded(tensor: Tensor) -> Tensor:
        whole = tensor.expand(*one.lead, *tensor.shape[-2:]) if tensor.shape[:-2] != one.lead else tensor
        return axes.fold(whole).flatten(0, 1)  # (window * head, a, b)

    parts: FactoredAttention | DenseAttention
    if one.matrix is not None:
        # The network applied it, so what gets nothing in any head was hidden by a mask.
        parts = DenseAttention(one.title, folded(one.matrix), is_masked=True)
    else:
        assert one.q is not None
        assert one.k is not None
        bias = one.bias
        if bias is not None:
            # A mask that all heads and windows share is kept once: expanded, it would be as large as the maps themselves.
            same_in_all = bias.ndim <= 2 or all(length == 1 for length in bias.shape[:-2])
            bias = bias.reshape(1, *bias.shape[-2:]) if same_in_all and bias.ndim >= 2 else folded(bias)
        logsumexp = None if one.logsumexp is None else axes.fold(one.logsumexp[..., None]).flatten(0, 1)[..., 0]
        parts = FactoredAttention(one.title, folded(one.q), folded(one.k), bias, logsumexp=logsumexp)
    if axes.is_whole:
        return _whole(parts, axes)
    tokens = axes.queries.to(parts.device), axes.keys.to(parts.device)
    return WindowedAttention(one.title, parts, *tokens, axes.layout, axes.key_layout)


def _whole(parts: FactoredAttention | DenseAttention, axes: AxisLayout) -> LayerAttention:
    """Make attention without windows, its tokens in the order of the layout."""
    layout = None if axes.kind == "pool" else axes.layout
    for found, expected in ((parts.n_queries, layout), (parts.n_keys, axes.key_layout)):
        if expected is not None and found != expected.n_tokens:
            raise VizError(
                "{name} has {found} tokens where {expected} were found on the picture.",
                "Please report this: no map would show the network's own computation.",
                name=parts.name,
                found=found,
                expected=expected,
            )
    if axes.order is None:
        parts.layout, parts.key_layout = layout, axes.key_layout
        return parts
    return parts.in_order(*axes.order, layout, axes.key_layout)
