"""The site of an edit: one layer of a trace as a call of the network, and how its axes are read meanwhile."""

from dataclasses import dataclass

import torch
from torch import Tensor

from vizapp.core.capture.call import Call, Shape
from vizapp.core.capture.patches.axis_layout import AxisLayout
from vizapp.errors import VizError


@dataclass(frozen=True, eq=False)
class Site:
    """One layer of the trace, as a call of the network: where an edit is applied.

    layer    its index in a trace; `shape` that of the call for one picture, `axes` how it is read
    calls    where its heads, or its windows, run in calls of their own: those, in their order; else ()
    batched  do several pictures in one pass lie one after the other along the first axis?
    """

    layer: int
    shape: Shape
    axes: AxisLayout
    batched: bool
    calls: "tuple[Site, ...]" = ()

    @property
    def n_heads(self) -> int:
        return self.axes.n_heads(self.shape.lead)

    def check_apart(self) -> None:
        """Raise `VizError` for a layer whose windows run in calls of their own: no one call has a head of it."""
        if self.calls and self.calls[0].axes.is_part:
            raise VizError(
                "{title} computes its windows one after the other, and an edit can change only one call.",
                "Choose another layer.",
                title=self.shape.title,
            )

    def of_head(self, head: int) -> "tuple[Site, int]":
        """Find the one call that has this head, and which of its heads it is."""
        self.check_apart()
        if not self.calls:
            return self, head
        call, own = divmod(head, self.calls[0].n_heads)
        return self.calls[call], own

    def fold(self, tensor: Tensor, pictures: int = 1) -> Tensor:
        """Fold (..., a, b) of a call to (picture * window, head, a, b)."""
        # Picture by picture: `axes` were read from one, and windows may be folded into the axis of pictures.
        parts = tensor.expand(*self._lead(pictures), *tensor.shape[-2:]).chunk(pictures)
        return torch.cat([self.axes.fold(part) for part in parts])

    def unfold(self, maps: Tensor, pictures: int = 1) -> Tensor:
        """Unfold (picture * window, head, a, b) to (..., a, b) of the call: the inverse of `fold`."""
        parts = [self.axes.unfold(part, self.shape.lead) for part in maps.chunk(pictures)]
        return parts[0] if pictures == 1 else torch.cat(parts)

    def heads(self, pictures: int, device: torch.device) -> Tensor:
        """Give (..., 1, 1) the number of the head, for every entry along the first axes of the call."""
        n_windows = self.shape.lead.numel() // self.n_heads
        numbers = torch.arange(self.n_heads, device=device)[None, :, None, None]
        return self.unfold(numbers.expand(pictures * n_windows, -1, -1, -1), pictures)

    def _lead(self, pictures: int) -> tuple[int, ...]:
        return (self.shape.lead[0] * pictures, *self.shape.lead[1:]) if self.shape.lead else ()

    def pictures_in(self, call: Call, pictures: int) -> int:
        """Give `pictures`, if the call has the axes of so many. Raises `VizError` if it is another call than was expected."""
        # Shapes are compared and not names alone: an edit that is read by other axes would change another head.
        expected = (*self._lead(pictures), self.shape.n_queries, self.shape.n_keys)
        found = (*call.output.shape[:-1], call.v.shape[-2])
        if found != expected or (pictures > 1 and not self.batched):
            raise VizError(
                "{title} cannot be edited: its axes are {found} for {n} pictures, expected {expected}, one picture after the "
                "other.",
                "Run one picture at a time, of the size that the model takes.",
                title=self.shape.title,
                found=found,
                n=pictures,
                expected=expected,
            )
        return pictures
