"""What a map is of: one picture, seen by one network."""

from dataclasses import dataclass, replace

import numpy as np

from vizapp.core.attention.relevance import Relevance
from vizapp.model.frame import Frame
from vizapp.wording import Text

ALL_ZERO = Text("Every value of this map is zero, so it says nothing about the patches.")


@dataclass(frozen=True, eq=False)
class Subject:
    """What a map is of: it is painted on nothing else.

    picture  (H, W, 3) uint8; `frame`: where the pixels lie on it
    network  its name, and the edits of the pass
    logits   (classes,), or None
    """

    picture: np.ndarray
    frame: Frame
    network: str
    logits: np.ndarray | None

    def own(self, one: Relevance) -> Relevance:
        """Return a map of this, which says so; and says, too, if it is empty."""
        return replace(one, of=self, notes=one.notes if one.scores.any() else (*one.notes, ALL_ZERO))

    def same_answer(self, other: "Subject") -> bool:
        """Tell whether both are one picture to one network, up to the rounding of a batch or of half precision."""
        pictures = self.picture is other.picture or np.array_equal(self.picture, other.picture)
        if self.logits is None or other.logits is None or self.logits.shape != other.logits.shape:
            return pictures and self.logits is other.logits
        near = 0.02 * float(np.abs(self.logits).max())
        return pictures and np.allclose(self.logits, other.logits, rtol=0, atol=near, equal_nan=True)
