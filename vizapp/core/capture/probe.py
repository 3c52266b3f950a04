"""Axis layouts of each attention call: at once where the model says what its tokens are, else by a survey."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from vizapp.core.capture.arrange import WHY_NOT, AxisLayout, plain
from vizapp.core.capture.edited import unedited
from vizapp.core.capture.order import Order
from vizapp.core.capture.survey import Shape, Survey, noise_like, survey
from vizapp.core.capture.watch import Watch
from vizapp.core.memo import Memo
from vizapp.core.state import is_stock
from vizapp.errors import VizError
from vizapp.model.spec import TokenLayout, VisionModel
from vizapp.wording import Text

__all__ = ["Reading", "Shape", "order_of", "order_wanted", "orders_of", "reading"]

_surveys: Memo[Survey] = Memo()


@dataclass(frozen=True, eq=False)
class Reading:
    """How the attention calls of a pass are read. What they are as a whole, `gap` and `joined`, is worked out when asked.

    axes   of each of `calls`, in their order
    known  what a survey found; None of a plain ViT, which needs none, has no gap and no heads to be joined
    """

    calls: Sequence[Shape]
    axes: Sequence[AxisLayout]
    known: Survey | None = None

    def gap(self) -> str:
        """What else attends in such a pass, so that these calls are no whole chain; "" if nothing does.

        Channels weigh no tokens, and convolutions, pooling and linear layers over tokens weigh them alike for all pictures:
        those are no gap. Nor is a pooling by learned queries at the end.
        """
        if self.known is None:
            return ""
        read = {call.title: axes for call, axes in zip(self.calls, self.axes, strict=True)}
        unseen = {
            title: one for title, one in self.known.layouts.items() if title not in read and one.kind != "channels"
        }
        kept = [one for one in read.values() if one.kind == "tokens"]
        for title, one in (read | unseen).items():
            # What attends beside the picture, to the words of a sentence, is no part of the chain unless a layer builds on it.
            beside = not one.from_picture and not any((layer.built_on or 0) >> one.number & 1 for layer in kept)
            if one.kind in WHY_NOT and one.kind != "channels" and not beside:
                return Text(
                    "{name} attends, too, and is not among the layers: {why}", name=title, why=WHY_NOT[one.kind]
                )
        if unseen:
            return Text("{name} attends, too, and is not among the modules that are looked at", name=next(iter(unseen)))
        if self.known.astray:
            return Text("{name} runs in another thread, where nothing is seen", name=self.known.astray[0])
        if self.known.unexplained:
            return Text(
                "{name} weighs tokens by one another in a way that is not understood (not by a softmax that was seen)",
                name=self.known.unexplained[0] or Text("the network"),
            )
        for title, pool in read.items():
            for other, layer in read.items():
                if pool.kind == "pool" and layer.kind != "pool" and (layer.built_on or 0) >> pool.number & 1:
                    return Text(
                        "{other} builds on {name}, where learned queries gather what the patches hold",
                        other=other,
                        name=title,
                    )
        return ""

    def elsewhere(self) -> tuple[str, ...]:
        """The modules that weigh tokens in a way that is none of these calls, or where nothing is seen."""
        return () if self.known is None else (*self.known.unexplained, *self.known.astray)

    def goes_on_behind(self) -> bool:
        """Are tokens weighed once more after the last of these calls, in a way that is none of them?

        Then what the output takes from the last one's tokens does not tell which of them the classifier reads.
        """
        if self.known is None:
            return False
        titles = {call.title for call in self.calls}
        last = max(axes.number for axes in self.axes)
        others = [one for title, one in self.known.layouts.items() if title not in titles and one.number > last]
        not_shown = any(one.kind in WHY_NOT and one.kind != "channels" and one.from_picture for one in others)
        return not_shown or self.known.behind > last or bool(self.known.astray)

    def joined(self) -> dict[str, tuple[str, ...]]:
        """Which calls are the heads of one layer: their titles in the order of heads, by that of the first."""
        if self.known is None:
            return {}
        tokens = {call.title for call, one in zip(self.calls, self.axes, strict=True) if one.kind == "tokens"}
        return {first: titles for first, titles in self.known.joined.items() if tokens.issuperset(titles)}


def reading(model: VisionModel, pixels: Tensor, calls: Sequence[Shape], order: Order | None = None) -> Reading:
    """How `calls` are read, which the network made on `pixels` (B, C, h, w), moving its tokens in this `order`.

    Raises `VizError` if a survey does not find the same calls, or if the tokens of all of them change places from picture to
    picture.
    """
    at_once = _at_once(model, pixels, calls)
    if at_once is not None:
        return Reading(calls, at_once)
    known = surveyed(model, pixels) if order is None else _surveyed_as(model, pixels, order)
    found = [known.layout(one, len(pixels)) for one in calls]
    if missing := [one.title for one, axes in zip(calls, found, strict=True) if axes is None]:
        raise VizError(
            "{model} takes another path for this picture than for others: {name} runs for some of them only.",
            "An early exit, or a depth that the picture decides, leaves no layers that all pictures have. Switch it off.",
            model=model.name,
            name=missing[0],
        )
    kinds = {axes.kind for axes in found if axes is not None}
    if "moving" in kinds and kinds <= {"moving", "channels", "unplaced"}:
        raise VizError(
            "{model} puts its tokens in an order that changes with the picture or by chance (it shuffles, sorts or drops "
            "them), so nothing tells which patch a value of its maps belongs to.",
            "Switch that off, or take off the hook that does it. Of a masked autoencoder, look at the encoder as a plain ViT, "
            "or give it an order that stays the same (in transformers: noise=).",
            model=model.name,
        )
    return Reading(calls, [axes for axes in found if axes is not None], known)


def order_of(model: VisionModel, pixels: Tensor, title: str) -> Tensor | slice:
    """Indices that put the tokens of an attention call, as the network has them, in the order of their layout.

    Raises `VizError` where tokens are handed over window by window.
    """
    return orders_of(model, pixels, [title])[0]


def orders_of(model: VisionModel, pixels: Tensor, titles: Sequence[str]) -> list[Tensor | slice]:
    """`order_of` several calls: whether the network is still what it was is asked once."""
    if model.layout() is not None and is_stock(unedited(model).net):
        return [slice(None) for _ in titles]
    known, orders = surveyed(model, pixels), list[Tensor | slice]()
    for title in titles:
        queries = known.layouts[title].queries
        if len(queries) != 1 or bool((queries < 0).any()):
            raise VizError("{name} is given its tokens window by window, in no order of their own.", name=title)
        orders.append(queries[0].argsort())
    return orders


def surveyed(model: VisionModel, pixels: Tensor) -> Survey:
    """The survey for pictures of the size of `pixels` (B, C, h, w): made once, and again if the network was changed in place.

    Where tokens stand depends on the size of the picture, not on what it shows: the survey tells where that is not so.
    """
    model = unedited(model)  # an edit changes values, and where a token stands does not depend on values
    return _surveys.get(model.net, _key(model, pixels), lambda: survey(model, pixels[:1]))


def order_wanted(model: VisionModel) -> Order | None:
    """What to note the moves of a pass in, if places have to be surveyed and a network of unknown parts might change them."""
    return None if is_stock(unedited(model).net) else Order()


def _surveyed_as(model: VisionModel, pixels: Tensor, order: Order) -> Survey:
    """The survey, made anew where a pass moved its tokens as no pass of it did."""
    known, key = surveyed(model, pixels), (len(pixels), order.digest)
    if key in known.orders:
        return known
    plain = unedited(model)
    if len(pixels) > 1 and key[1] != _order_of(plain, noise_like(pixels, 0)):
        # Of which picture? Each for itself; what one says anew is kept for all.
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
    # A network that picks by what it sees, and moves no token by that: what it did before still holds.
    return replace(fresh, orders=fresh.orders | known.orders) if fresh.reads_like(known) else fresh


def _order_of(model: VisionModel, pixels: Tensor) -> int:
    order = Order()
    with torch.no_grad(), Watch(model.net, lambda call: order.attended(), order=order):
        model.net(pixels)
    return order.digest


def _key(model: VisionModel, pixels: Tensor) -> tuple[Hashable, ...]:
    # The names of prefix tokens are part of the layouts that come out, and a network may be given other names later.
    return (*pixels.shape[-3:], *model.prefix)


def _at_once(model: VisionModel, pixels: Tensor, calls: Sequence[Shape]) -> list[AxisLayout] | None:
    """Of a plain ViT, where every call is (batch, head, query, key) over all tokens in their order; None of any other.

    What its owner said of it holds as long as nobody put anything else into it: a hook may hand on tokens in another order.
    """
    layout = model.layout()
    if layout is None or not is_stock(unedited(model).net):
        return None
    found = [_plain(one, layout, len(pixels)) for one in calls]
    every = [one for one in found if one is not None]
    return every if len(every) == len(found) else None


def _plain(call: Shape, layout: TokenLayout, batch: int) -> AxisLayout | None:
    if len(call.lead) != 2 or call.lead[0] != batch:
        return None
    return plain(layout, call.n_queries, call.n_keys)
