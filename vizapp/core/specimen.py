"""What is explained: a network, a picture as it takes it, the attention that it showed, and one of its classes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from numbers import Integral

from torch import Tensor

from model.spec import VisionModel
from vizapp.core.gradients import attention_gradients
from vizapp.core.layers import LayerAttention
from vizapp.core.lrp.deep_taylor import attention_relevances
from vizapp.core.trace import AttentionTrace
from vizapp.core.writing import Written, written
from vizapp.errors import VizError


@dataclass(frozen=True, eq=False)
class Specimen:
    """For methods that need more than a trace. The network is the one that everybody uses, not a copy.

    pixels  (1, 3, h, w) as the network takes them
    target  index of the class whose logit is explained; None: the most probable one
    """

    model: VisionModel = field(repr=False)
    pixels: Tensor = field(repr=False)
    trace: AttentionTrace = field(repr=False)
    target: int | None = None

    @cached_property
    def explained(self) -> int:
        """Index of the class that is explained. Raises `VizError` for a network without a classifier."""
        logits = self.trace.logits
        if logits is None:
            raise VizError(f"{self.model.name} has no classifier, so there is no class to explain.")
        if self.target is None:
            return int(logits.argmax())
        if not isinstance(self.target, Integral) or isinstance(self.target, bool):
            raise VizError(f"{self.target!r} is no class.", f"Give its index, from 0 to {len(logits) - 1}.")
        if not 0 <= self.target < len(logits):
            raise VizError(f"There is no class {self.target}.", f"Classes go from 0 to {len(logits) - 1}.")
        return int(self.target)

    def of(self, target: int | None) -> Specimen:
        """The same picture, another class."""
        return replace(self, target=target)

    @cached_property
    def gradients(self) -> tuple[LayerAttention, ...]:
        """d logit / d attention of each layer of the trace, made when first asked for and kept: two thin factors each."""
        return attention_gradients(self.model, self.pixels, self.trace, self.explained)

    @cached_property
    def relevances(self) -> tuple[LayerAttention, ...]:
        """What each layer's attention must be multiplied by to give its relevance, made when first asked for and kept."""
        return attention_relevances(self.model, self.pixels, self.trace, self.explained)

    @cached_property
    def written(self) -> tuple[Written, ...]:
        """What the attention of each layer writes into the residual stream, made when first asked for and kept."""
        return written(self.model, self.pixels, self.trace)
