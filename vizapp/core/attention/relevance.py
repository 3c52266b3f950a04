"""The result of every method: one number per patch for a query."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from vizapp.core.display import html_of
from vizapp.model.spec import TokenLayout
from vizapp.wording import Text


class Share(Text):
    """The unit of values that are shares of a whole: written in per cent, and compared with an even share."""


@dataclass(frozen=True, repr=False, eq=False)
class Relevance:
    """One number per patch for a query: what every method returns and every picture shows.

    scores     (rows, cols) float: for attention and rollout, the share of the query's attention that the patch gets
    on_prefix  the share that stayed on each prefix token, so that `scores.sum() + sum(on_prefix)` is the whole
    asked      the query's name: "cls", "3,4", ... ; "weights" for weights without a name; "" if the method asks for none
    query      (token,) its weights
    method     the method's name; `settings` the values of its parameters
    target     the target of a class-specific method: the index of an output, or the name of a function of the output; None
               for all other methods
    label      the name of that output: "output 3" if the network's outputs have no names; "" of a function
    hidden     (rows, cols) bool: the patches that a mask hides from the query, or that its window leaves out: their score is 0
               whatever they show. None if there are none
    unit       the meaning of one value in words; a `Share` if values are shares of a whole
    signed     whether values can be below zero: colours then diverge from zero
    notes      measurements of this map that must be shown with it: how well sums are kept, in which precision
    of         the `vizapp.analysis.subject.Subject` that it is a map of; None if a caller made it
    """

    scores: NDArray[np.floating[Any]]
    on_prefix: dict[str, float]
    asked: str
    query: NDArray[np.floating[Any]]
    method: str
    settings: dict[str, Any]
    target: int | str | None = None
    unit: str = ""
    signed: bool = False
    notes: tuple[str, ...] = ()
    label: str = ""
    hidden: NDArray[np.bool_] | None = None
    of: Any = None

    @property
    def explained(self) -> str:
        """Name the target of the map: "tabby (class 281)", "output 281" without labels, the name of a function, or ""."""
        if self.target is None:
            return ""
        index = str(self.target) if isinstance(self.target, str) else f"class {self.target}"
        if not isinstance(self.target, str) and self.label == f"output {self.target}":
            return self.label
        return f"{self.label} ({index})" if self.label not in {"", index} else index

    def __repr__(self) -> str:
        about = "" if self.target is None else f", {self.explained}"
        rows, cols = self.scores.shape
        return (
            f"Relevance({self.method} of {self.asked or 'the class'}{about}, {rows} x {cols} patches, "
            f"{self.scores.min():.3g} to {self.scores.max():.3g})"
        )

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """Return the scores, for NumPy and libraries that use it: np.asarray(found), plt.imshow(found)."""
        return np.array(self.scores, dtype=dtype) if copy or dtype is not None else self.scores

    def _repr_html_(self) -> str | None:
        return html_of(self)

    @classmethod
    def from_tokens(
        cls,
        tokens: torch.Tensor,
        layout: TokenLayout,
        *,
        asked: str,
        query: torch.Tensor,
        method: str,
        settings: dict[str, Any],
        target: int | str | None = None,
        unit: str = "",
        signed: bool = False,
        notes: tuple[str, ...] = (),
        label: str = "",
        hidden: torch.Tensor | None = None,
    ) -> "Relevance":
        """Make the map of one value per token, (token,); `hidden` (token,) bool or None."""
        # numpy has no bfloat16, and half precision sums badly.
        values = tokens.detach().to(torch.promote_types(tokens.dtype, torch.float32)).cpu().numpy()
        prefix = {name: float(value) for name, value in zip(layout.prefix, values, strict=False)}
        scores = values[layout.n_prefix :].reshape(layout.grid)
        weights = query.detach().cpu().numpy()
        shut = None if hidden is None else hidden[layout.n_prefix :].reshape(layout.grid).cpu().numpy()
        shut = shut if shut is not None and shut.any() else None
        return cls(scores, prefix, asked, weights, method, settings, target, unit, signed, notes, label, shut)
