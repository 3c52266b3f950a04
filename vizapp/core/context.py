"""The context of an explanation: a network, a picture as it takes it, the attention it showed, one of its classes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from numbers import Integral

from torch import Tensor

from vizapp.core.attention.layers import LayerAttention
from vizapp.core.attention.trace import AttentionTrace
from vizapp.core.signals.gradients import attention_gradients
from vizapp.core.signals.lrp.deep_taylor import attention_relevances
from vizapp.core.signals.values import ValueOutput, written
from vizapp.errors import VizError
from vizapp.model.spec import VisionModel, refuse_unready


@dataclass(frozen=True, eq=False)
class ExplainContext:
    """Everything a method may look at that needs more than a trace.

    model   shared with everything else that uses this network, not a copy: methods leave it as they found it
    pixels  (1, 3, h, w) as the network takes them
    target  index of the class whose logit is explained; None: the most probable one
    Gradients, relevances and values each take a pass or two, so they are made when first asked for, and kept: several methods
    on one picture share them.
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
            raise VizError("{model} has no classifier, so there is no class to explain.", model=self.model.name)
        if self.target is None:
            return int(logits.argmax())
        if not isinstance(self.target, Integral) or isinstance(self.target, bool):
            raise VizError(
                "{got} is no class.", "Give its index, from 0 to {last}.", got=repr(self.target), last=len(logits) - 1
            )
        if not 0 <= self.target < len(logits):
            raise VizError(
                "There is no class {got}.", "Classes go from 0 to {last}.", got=self.target, last=len(logits) - 1
            )
        return int(self.target)

    def ready(self) -> ExplainContext:
        """Itself. Raises `VizError` if its network has since been put into training mode."""
        refuse_unready(self.model)
        return self

    def of(self, target: int | None) -> ExplainContext:
        """The same picture, another class. A new object, so that nothing made for the old class is taken for the new one's."""
        return replace(self, target=target)

    @cached_property
    def gradients(self) -> tuple[LayerAttention, ...]:
        """d logit / d attention of each layer of the trace, two thin factors each (see signals/gradients.py)."""
        return attention_gradients(self.model, self.pixels, self.trace, self.explained)

    @cached_property
    def relevances(self) -> tuple[LayerAttention, ...]:
        """Factors that turn each layer's attention into its relevance (see signals/lrp/deep_taylor.py)."""
        return attention_relevances(self.model, self.pixels, self.trace, self.explained)

    @cached_property
    def written(self) -> tuple[ValueOutput, ...]:
        """Vectors that the attention of each layer writes into the residual stream (see signals/values.py)."""
        return written(self.model, self.pixels, self.trace)
