"""Read each attention call of a pass: at once where the model says what its tokens are, else by a survey.

A `Reading` also has the ledger of the pass, which names every attention that is known of, shown or not, with the reason.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import torch
from torch import Tensor

from vizapp.core.attention.ledger import Entry, Ledger
from vizapp.core.capture.call import Shape
from vizapp.core.capture.edited import unedited
from vizapp.core.capture.patches.axis_layout import NO_TOKENS, AxisLayout, plain
from vizapp.core.capture.patches.token_grid import NO_GRID
from vizapp.core.capture.patches.token_order import TokenOrder
from vizapp.core.capture.plain_checkpoints import run_plainly
from vizapp.core.capture.refusals.reasons import IN_A_THREAD, IN_PART, NOT_LOOKED_AT, NOT_UNDERSTOOD, WHY_NOT
from vizapp.core.capture.survey.survey import Survey, noise_like, survey
from vizapp.core.capture.watch import Watch
from vizapp.core.memo import Memo
from vizapp.core.state import state_of
from vizapp.errors import VizError
from vizapp.model.spec import TokenLayout, VisionModel
from vizapp.wording import Text

_surveys: Memo[Survey] = Memo()


@dataclass(frozen=True, eq=False)
class Reading:
    """The attention calls of a pass, as they are read. `ledger` and the heads that are `joined` are worked out when asked.

    axes   of each of `calls`, in their order
    known  what a survey found; None for a plain ViT, which needs none, and has no gap and no heads to be joined
    """

    calls: Sequence[Shape]
    axes: Sequence[AxisLayout]
    known: Survey | None = None

    def ledger(self) -> Ledger:
        """List every attention that is known of: the calls of this pass, and what a survey found besides.

        Attention between channels weighs no tokens, so it stands in the ledger as beside the picture. Convolutions, pooling and
        linear layers over tokens weigh them alike for all pictures, so they do not stand in it. A module may stand in it twice:
        as a layer, and with what else it does.
        """
        # "#1" marks a second call of one module: it is the module that attends.
        modules = {title.partition("#")[0] for title in self._read}
        in_part, apart = list[Entry](), list[Entry]()
        for name, function in {} if self.known is None else self.known.unexplained.items():
            into, said_of_it = (in_part, IN_PART) if name in modules else (apart, NOT_UNDERSTOOD)
            into.append(Entry(name or Text("the network"), why=said_of_it.having(what=function)))
        # What no call tells of comes first: where tokens are lost behind it, it is the cause.
        entries = [Entry(name, why=IN_A_THREAD) for name in (() if self.known is None else self.known.astray)] + apart
        joined = {title for first, titles in self.joined().items() for title in titles if title != first}
        for title, axes in self._known().items():
            among, reason = _place_of(axes) if title in self._read else ("", WHY_NOT.get(axes.kind, NOT_LOOKED_AT))
            # Heads of one layer stand in the ledger once, by the first of them, as they do in the trace.
            if title not in joined:
                entries.append(Entry(title, among, reason, not among and self._is_beside(axes), axes.sides))
        said = () if self.known is None else self.known.learned.notes
        return Ledger(tuple(dict.fromkeys(entries + in_part)), self._gap(entries + in_part), said)

    @cached_property
    def _read(self) -> dict[str, AxisLayout]:
        return {call.title: axes for call, axes in zip(self.calls, self.axes, strict=True)}

    def _known(self) -> dict[str, AxisLayout]:
        """The calls of this pass, then those of a survey that are none of them."""
        return self._read | {
            title: one
            for title, one in ({} if self.known is None else self.known.layouts).items()
            if title not in self._read and one.kind not in NO_TOKENS
        }

    def _is_beside(self, axes: AxisLayout) -> bool:
        """Tell whether a call is no part of what goes through the tokens of the picture.

        Attention between the words of a sentence is beside it, say, unless a layer builds on it.
        """
        layers = [one for one in self._read.values() if one.kind == "tokens"]
        below = any((layer.built_on or 0) >> axes.number & 1 for layer in layers)
        return axes.kind in NO_TOKENS or (not axes.from_picture and not below)

    def _gap(self, entries: Sequence[Entry]) -> str:
        """Say what else attends in such a pass, so that these calls are no whole chain; "" if nothing does.

        A pooling by learned queries at the end is no gap.
        """
        if self.known is None:
            return ""
        lacks = next((one for one in entries if not one.among and not one.beside), None)
        if lacks is not None:
            return Text("{name} attends, too, and is not among the layers: {why}", name=lacks.name, why=lacks.why)
        for title, pool in self._read.items():
            for other, layer in self._read.items():
                if pool.kind == "pool" and layer.kind != "pool" and (layer.built_on or 0) >> pool.number & 1:
                    return Text(
                        "{other} builds on {name}, where learned queries gather what the patches hold",
                        other=other,
                        name=title,
                    )
        return self.known.learned.no_chain

    def elsewhere(self) -> tuple[str, ...]:
        """Name the modules that weigh tokens in a way that is none of these calls, or where nothing is seen."""
        return () if self.known is None else (*self.known.unexplained, *self.known.astray)

    def goes_on_behind(self) -> bool:
        """Tell whether tokens are weighed once more after the last of these calls, in a way that is none of them.

        Then what the output takes from the last one's tokens does not tell which of them the classifier reads.
        """
        if self.known is None:
            return False
        titles = {call.title for call in self.calls}
        # By number and not by place in a list: calls of a survey that this pass did not make lie between them.
        last = max(axes.number for axes in self.axes)
        others = [one for title, one in self.known.layouts.items() if title not in titles and one.number > last]
        not_shown = any(one.kind in WHY_NOT and one.kind not in NO_TOKENS and one.from_picture for one in others)
        # What ran in another thread may have run at any time.
        return not_shown or self.known.behind > last or bool(self.known.astray)

    def joined(self) -> dict[str, tuple[str, ...]]:
        """Tell which calls are the heads of one layer: their titles in the order of heads, by that of the first."""
        if self.known is None:
            return {}
        tokens = {call.title for call, one in zip(self.calls, self.axes, strict=True) if one.kind == "tokens"}
        return {first: titles for first, titles in self.known.joined.items() if tokens.issuperset(titles)}


def reading(model: VisionModel, pixels: Tensor, calls: Sequence[Shape], order: TokenOrder | None = None) -> Reading:
    """Read `calls`, which the network made on `pixels` (B, C, h, w), moving its tokens in this `order`.

    Raises `VizError` if a survey does not find the same calls, or if the tokens of all of them change places from picture to
    picture.
    """
    # A survey runs the network several times: where the owner's word is enough, none is made. An order is of unknown parts.
    at_once = None if order is not None else _at_once(model, pixels, calls)
    if at_once is not None:
        return Reading(calls, at_once)
    # A pass that was watched for its order may have moved its tokens as no pass of the survey did.
    known = surveyed(model, pixels) if order is None else _surveyed_as(model, pixels, order)
    found = [known.layout(one, len(pixels)) for one in calls]
    if missing := [one.title for one, axes in zip(calls, found, strict=True) if axes is None]:
        raise VizError(
            "{model} takes another path for this picture than for others: {name} runs for some of them only.",
            "An early exit, or a depth that the picture decides, leaves no layers that all pictures have. Switch it off.",
            model=model.name,
            name=missing[0],
        )
    # Where only some move, the others are shown, and the ledger names those.
    kinds = {axes.kind for axes in found if axes is not None}
    if "moving" in kinds and kinds <= {"moving", "unplaced", *NO_TOKENS}:
        raise VizError(
            "{model} puts its tokens in an order that changes with the picture or by chance (it shuffles, sorts or "
            "drops them), so it is not known which patch a value of its maps belongs to.",
            "Switch that off, or remove the hook that does it. Load the encoder of a masked autoencoder as a plain ViT, "
            "or give it a fixed order (in transformers: noise=).",
            model=model.name,
        )
    return Reading(calls, [axes for axes in found if axes is not None], known)


def order_of(model: VisionModel, pixels: Tensor, title: str) -> Tensor | slice:
    """Give the indices that put the tokens of an attention call, as the network has them, in the order of their layout.

    Raises `VizError` where tokens are handed over window by window.
    """
    return orders_of(model, pixels, [title])[0]


def orders_of(model: VisionModel, pixels: Tensor, titles: Sequence[str]) -> list[Tensor | slice]:
    """Give `order_of` several calls; whether the network is still what it was is asked only once."""
    if model.layout() is not None and state_of(unedited(model).net).stock:
        return [slice(None) for _ in titles]
    known, orders = surveyed(model, pixels), list[Tensor | slice]()
    for title in titles:
        queries = known.layouts[title].stream_tokens
        if len(queries) != 1 or bool((queries < 0).any()):
            raise VizError("{name} is given its tokens window by window, in no order of their own.", name=title)
        orders.append(queries[0].argsort())
    return orders


def surveyed(model: VisionModel, pixels: Tensor) -> Survey:
    """Give the survey for pictures of the size of `pixels` (B, C, h, w): made once, and again if the network was changed.

    Where tokens stand depends on the size of the picture, not on what it shows. The survey tells where that is not so.
    """
    # In passes of its own: to follow places in each captured pass would take three times as long, each time.
    model = unedited(model)  # an edit changes values, and where a token stands does not depend on values
    return _surveys.get(model.net, _key(model, pixels), lambda: survey(model, pixels[:1]))


def order_wanted(model: VisionModel) -> TokenOrder | None:
    """Give what notes the moves of a pass, if unknown parts may move tokens otherwise than in the survey; else None."""
    return None if state_of(unedited(model).net).stock else TokenOrder()


def _surveyed_as(model: VisionModel, pixels: Tensor, order: TokenOrder) -> Survey:
    """Give the survey, made anew where a pass moved its tokens as no pass of it did."""
    known, key = surveyed(model, pixels), (len(pixels), order.digest)
    if key in known.orders:
        return known
    plain = unedited(model)
    if len(pixels) > 1 and key[1] != _order_of(plain, noise_like(pixels, 0)):
        # Nothing tells which of the pictures it was, so each is asked for itself. What one says anew is kept for all.
        for one in pixels.split(1):
            if (1, _order_of(plain, one)) not in known.orders:
                known = _made_anew(plain, one, known)
    elif len(pixels) == 1:
        known = _made_anew(plain, pixels, known)
    known = replace(known, orders=known.orders | {key})
    _surveys.put(plain.net, _key(plain, pixels), known)
    return known


def _made_anew(model: VisionModel, pixels: Tensor, known: Survey) -> Survey:
    fresh = survey(model, pixels)
    # A network may pick by what it sees and move no token by that. Then its earlier orders still hold.
    return replace(fresh, orders=fresh.orders | known.orders) if fresh.reads_like(known) else fresh


@run_plainly()
def _order_of(model: VisionModel, pixels: Tensor) -> int:
    order = TokenOrder()
    with torch.no_grad(), Watch(model.net, lambda call: order.attended(), order=order):
        model.net(pixels)
    return order.digest


def _key(model: VisionModel, pixels: Tensor) -> tuple[Hashable, ...]:
    # The names of prefix tokens are part of the layouts that come out, and a network may be given other names later.
    return (*pixels.shape[-3:], *model.prefix)


def _at_once(model: VisionModel, pixels: Tensor, calls: Sequence[Shape]) -> list[AxisLayout] | None:
    """Read the calls of a plain ViT, (batch, head, query, key) over all tokens in their order; None for any other network.

    Its owner's word holds as long as nobody put anything else into it: a hook may hand on tokens in another order.
    """
    layout = model.layout()
    if layout is None or not state_of(unedited(model).net).stock:
        return None
    found = [_plain(one, layout, len(pixels)) for one in calls]
    every = [one for one in found if one is not None]
    # All or none: one call that is no plain one means that the network is not what its owner says.
    return every if len(every) == len(found) else None


def _plain(call: Shape, layout: TokenLayout, batch: int) -> AxisLayout | None:
    if len(call.lead) != 2 or call.lead[0] != batch:
        return None
    return plain(layout, call.n_queries, call.n_keys)


def _place_of(axes: AxisLayout) -> tuple[Literal["layers", "cross", ""], str]:
    """Tell where a trace has a call that is read so, or "" and why it has it nowhere."""
    if axes.kind == "tokens":
        return "layers", ""
    if axes.kind != "pool":
        return "", WHY_NOT[axes.kind]
    if axes.key_layout == NO_GRID:
        return "", WHY_NOT["scattered"]
    return ("cross", "") if axes.is_whole else ("", Text("its own queries look into windows of the picture"))
