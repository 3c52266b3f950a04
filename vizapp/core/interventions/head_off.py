"""One head switched off: what it computes goes nowhere, or it looks everywhere alike."""

import math
from dataclasses import dataclass, replace
from typing import Self

import torch
from torch import Tensor

from vizapp.core.capture.call import Call
from vizapp.core.capture.site import Site
from vizapp.core.interventions.one_head import HeadEdit
from vizapp.core.masks import open_by_bias, open_by_map
from vizapp.errors import VizError
from vizapp.vocabulary import EDITS_LACKING, HEAD_OFF_WAYS, HeadOffWay
from vizapp.wording import Text


@dataclass(frozen=True)
class HeadOff(HeadEdit):
    """Switch one head of one layer off; layers and heads count from 0, and layer -1 is the last.

    by  "zero": the head's output is nothing. "uniform": each query attends evenly to all keys that it may see, so that
        the head still gives the mean of its values, which the layers above may have learned to expect
    """

    name = "head-off"
    title = "Switch a head off"
    sentence = "One head of one layer writes nothing (zero), or the plain mean of what it could see (uniform)."
    form = "head-off:LAYER.HEAD, or head-off:LAYER.HEAD=uniform, both from 0"
    paper = "Michel et al. 2019, Are Sixteen Heads Really Better than One? (arXiv 1905.10650)"

    by: HeadOffWay = "zero"

    def __post_init__(self) -> None:
        super().__post_init__()
        ways = [way for way in HEAD_OFF_WAYS if f"{self.name}={way}" not in EDITS_LACKING["python"]]
        if self.by not in ways:
            raise VizError(
                "A head cannot be switched off by '{by}'.",
                "Choose one of: {ways}.",
                by=self.by,
                ways=", ".join(ways),
            )

    @classmethod
    def read(cls, what: str) -> Self:
        place, equals, by = what.partition("=")
        edit = super().read(place)
        return replace(edit, by=by) if equals else edit  # type: ignore[arg-type]

    def __str__(self) -> str:
        return super().__str__() + ("" if self.by == "zero" else f"={self.by}")

    def apply(self, call: Call, site: Site, pictures: int) -> Call:
        off = site.heads(pictures, call.output.device) == self.head  # (..., 1, 1)
        # Factors of 0 and 1 rather than a choice (where, index): relevance propagation has a rule for them.
        keep, drop = (~off).to(call.output.dtype), off.to(call.output.dtype)
        if self.by == "zero":
            # The map stays what the head computed. Its values are nothing, so what it writes and what any class owes to it
            # are nothing, too, whichever method asks.
            return replace(call, v=call.v * keep, output=call.output * keep)
        assert self.by == "uniform", self.by
        seen = visible(call, site, pictures)
        weights = None if seen is None else (seen / seen.sum(-1, keepdim=True).clamp_min(1)).to(call.v.dtype)
        mean = call.v.mean(-2, keepdim=True) if weights is None else weights @ call.v
        output = call.output * keep + mean.to(call.output.dtype).expand(call.output.shape) * drop
        with torch.no_grad():
            return _even(replace(call, output=output), off, seen)

    @property
    def note(self) -> Text:
        what = "Edited: {edit} (counted from 1: head {head} of layer {layer}), which attends evenly to all that it may see."
        if self.by == "zero":
            what = (
                "Edited: {edit} (counted from 1: head {head} of layer {layer}), which writes nothing; attention maps and rollout "
                "still show where it looked."
            )
        return Text(what, edit=str(self), head=self.head + 1, layer=self.layer + 1)


def visible(call: Call, site: Site, pictures: int) -> Tensor | None:
    """(..., query, key) bool: which keys a query may see; None if it may see all.

    Where only the map is known, a key counts as hidden if no head of the window gives it anything.
    """
    if call.matrix is not None:
        given = site.fold(open_by_map(call.matrix.detach()), pictures).any(1, keepdim=True)
        seen = site.unfold(given.expand(-1, site.n_heads, -1, -1), pictures)
    elif call.bias is not None:
        seen = open_by_bias(call.bias.detach()).expand(*call.output.shape[:-1], call.v.shape[-2])
    else:
        return None
    return None if bool(seen.all()) else seen


def _even(call: Call, off: Tensor, seen: Tensor | None) -> Call:
    """The parts of `call` with a map that is even over what is seen, where `off`: q k^T is zero there, and the bias flat."""
    if call.matrix is not None:
        n_keys = call.matrix.shape[-1]
        even = (
            torch.full_like(call.matrix, 1 / n_keys) if seen is None else seen / seen.sum(-1, keepdim=True).clamp_min(1)
        )
        return replace(call, matrix=torch.where(off, even.to(call.matrix.dtype), call.matrix))
    assert call.q is not None
    assert call.k is not None
    q = call.q * (~off).to(call.q.dtype)
    bias = call.bias
    if bias is not None:
        flat = (
            bias.new_zeros(())
            if seen is None
            else torch.zeros_like(seen, dtype=bias.dtype).masked_fill(~seen, -torch.inf)
        )
        bias = torch.where(off, flat, bias)
    logsumexp = call.logsumexp
    if logsumexp is not None:
        logsumexp = torch.where(off[..., 0], math.log(call.k.shape[-2]), logsumexp)
    return replace(call, q=q, bias=bias, logsumexp=logsumexp)
