"""The common part of edits of one head: how its place is typed, what places there are, and which call computes it."""

import math
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Self

from vizapp.core.capture.site import Site
from vizapp.core.interventions import Edit
from vizapp.errors import VizError


@dataclass(frozen=True)
class HeadEdit(Edit):
    """An edit of one head of one layer; layers and heads count from 0, and layer -1 is the last. It is no kind by itself."""

    head: int

    def __post_init__(self) -> None:
        for what, value, least in (("layer", self.layer, -math.inf), ("head", self.head, 0)):
            if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
                raise VizError(
                    "{value!r} is no {what}.",
                    "Layers and heads count from 0: {form}.",
                    value=value,
                    what=what,
                    form=self.form,
                )

    @classmethod
    def read(cls, what: str) -> Self:
        layer, head = what.split(".")
        return cls(int(layer), int(head))

    def __str__(self) -> str:
        return f"{self.name}:{self.layer}.{self.head}"

    @property
    def target(self) -> tuple[str, int, int]:
        return self.name, self.layer, self.head

    def check(self, site: Site) -> None:
        if self.head >= site.n_heads:
            raise VizError(
                "There is no head {head}: layer {layer} has {n}.",
                "In code, heads go from 0 to {last}.",
                head=self.head,
                layer=self.layer,
                n=site.n_heads,
                last=site.n_heads - 1,
            )

    def within(self, site: Site) -> tuple[Self, Site]:
        """The same head as one of the call that computes it."""
        call, head = site.of_head(self.head)
        return replace(self, head=head), call
