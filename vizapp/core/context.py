"""The context of an explanation: a network, a picture as it takes it, the attention it showed, one of its classes."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from numbers import Integral

import torch
from torch import Tensor

from vizapp.core.attention.layers import LayerAttention
from vizapp.core.attention.trace import AttentionTrace
from vizapp.core.signals.gradients import attention_gradients
from vizapp.core.signals.lens import lens
from vizapp.core.signals.lrp.deep_taylor import Relevances, attention_relevances
from vizapp.core.signals.readout import READ
from vizapp.core.signals.values import ValueOutput, written
from vizapp.core.target import Target, nothing_said
from vizapp.errors import VizError
from vizapp.model.spec import VisionModel, refuse_unready
from vizapp.wording import Text


@dataclass(frozen=True, eq=False)
class ExplainContext:
    """Everything a method may look at that needs more than a trace.

    model   shared with everything else that uses this network, not a copy: methods leave it as they found it
    pixels  (1, 3, h, w) as the network takes them
    target  index of the class whose logit is explained, or a function of the network's output (see core/target.py); None: the
            most probable class, or the largest of outputs without labels
    norms   (patch,) of each layer, of what leaves its block, where the pass was listened to; () where none can be told
    Gradients, relevances and values each take a pass or two, so they are made when first asked for, and kept: several methods
    on one picture share them.
    """

    model: VisionModel = field(repr=False)
    pixels: Tensor = field(repr=False)
    trace: AttentionTrace = field(repr=False)
    target: Target | None = None
    norms: tuple[Tensor, ...] | None = field(default=None, repr=False)

    @property
    def label(self) -> str:
        """The name of the output that is explained: its label, or its number where there are no labels; "" for a function."""
        index, labels = self.explained, self.model.labels
        if isinstance(index, int) and not labels:
            return Text("output {index}", index=index)
        return str(labels[index]) if isinstance(index, int) and 0 <= index < len(labels) else ""

    @property
    def chooses(self) -> bool:
        """Tell whether something is explained where no target is named: the most probable class, or the largest output."""
        if self.trace.logits is not None:
            return True
        return self.trace.largest is not None and (self.model.activation != "none" or self.trace.outputs == (1,))

    @cached_property
    def explained(self) -> Target:
        """Index of the output that is explained, or the function of it. Raises `VizError` where there is no such output."""
        if callable(self.target):
            return self.target
        outputs = self.trace.outputs
        if self.target is None:
            return self._default()
        if not isinstance(self.target, Integral) or isinstance(self.target, bool):
            raise VizError(
                "{got} is no class.",
                "Give its index, from 0 to {last}, or a function of the output.",
                got=repr(self.target),
                last=(outputs or (0,))[0] - 1,
            )
        if len(outputs) != 1:
            raise VizError(
                "{model} gives {shape} numbers for a picture, so an index does not name one of them.",
                "Give a function of the output: target=lambda output: output[0, ...], one number; or say output=... to "
                "vizapp.describe.",
                model=self.model.name,
                shape=" x ".join(map(str, outputs)),
            )
        if not 0 <= self.target < outputs[0]:
            raise VizError(
                "There is no class {got}.", "Classes go from 0 to {last}.", got=self.target, last=outputs[0] - 1
            )
        return int(self.target)

    def _default(self) -> int:
        """The most probable class; of outputs without labels, the largest."""
        logits, largest = self.trace.logits, self.trace.largest
        if logits is None and largest is None:
            raise nothing_said(self.trace.outputs)
        if self.model.activation == "none" and self.trace.outputs != (1,) and (logits is None or len(logits) > 1):
            raise VizError(
                "The outputs of {model} are no probabilities, so none is the most probable.",
                "Say which one: target= takes its index or label.",
                model=self.model.name,
            )
        return int(logits.argmax()) if logits is not None else int(largest or 0)

    def ready(self) -> "ExplainContext":
        """Give itself. Raises `VizError` if its network has since been put into training mode."""
        refuse_unready(self.model)
        return self

    def of(self, target: Target | None) -> "ExplainContext":
        """Give the same picture with another target. A new object: nothing made for the old target is taken for the new one's."""
        return replace(self, target=target)

    @cached_property
    def gradients(self) -> tuple[LayerAttention, ...]:
        """d logit / d attention of each layer of the trace, two thin factors each (see signals/gradients.py)."""
        return attention_gradients(self.model, self.pixels, self.trace, self.explained)

    def check_reads(self, query: Tensor) -> None:
        """Raise `VizError` if what is explained, a function, depends on nothing that `query` (token,) gets at last.

        A classifier reads the readout, which is looked at if no query is named; a function may read any token, such as a box's.
        """
        last = self.gradients[-1]
        every = torch.arange(last.n_queries, device=last.device)
        strength = torch.cat([last.rows(some).abs().amax((0, 2)) for some in last.chunks(every)]).cpu()
        if len(query) != len(strength) or bool((strength[query.cpu() > 0] > READ * strength.max()).any()):
            return
        raise VizError(
            "The target does not depend on the token of the query, the network's own readout ({readout}).",
            "Choose another query: the target depends most on query={best}.",
            readout=self.trace.readout,
            best=repr(self.trace.name_of(int(strength.argmax()))),
        )

    @cached_property
    def relevances(self) -> Relevances:
        """Factors that turn each layer's attention into its relevance (see signals/lrp/deep_taylor.py), from a float64 pass."""
        return attention_relevances(self.model, self.pixels, self.trace, self.explained)

    @cached_property
    def relevances_as_it_computes(self) -> Relevances:
        """The same from a pass in the network's own precision."""
        return attention_relevances(self.model, self.pixels, self.trace, self.explained, "network")

    def relevances_in(self, precision: str) -> Relevances:
        """`relevances`, or those of a pass in the network's own precision ("network")."""
        return self.relevances if precision == "float64" else self.relevances_as_it_computes

    @cached_property
    def lens(self) -> dict[int, Tensor]:
        """The answers that the classifier would give after fewer layers (see signals/lens.py)."""
        return lens(self.model, self.pixels, self.trace)

    @cached_property
    def written(self) -> tuple[ValueOutput, ...]:
        """Vectors that the attention of each layer writes into the residual stream (see signals/values.py)."""
        return written(self.model, self.pixels, self.trace)
