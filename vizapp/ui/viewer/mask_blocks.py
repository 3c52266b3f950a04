"""The masks of a network's layers as blocks for the browser: a word for a causal one, else its different rows as bits."""

import numpy as np

from vizapp.core.attention.hidden import closed
from vizapp.core.attention.layers import LayerAttention
from vizapp.vocabulary import MaskKind

FEW = 256  # different rows that a byte can count


class MaskBlocks:
    """The masks that are sent: each once, since most networks have one in all layers, and none that hides nothing.

    about   the kind of each, in the order in which layers name them
    blocks  of "rows": mask.0 (different rows, bytes), a bit for each key slot, the first in the highest bit, 1 where hidden;
            and mask.at.0 (windows * slots,), the row of each query, unless all have the same
    """

    def __init__(self) -> None:
        self.about: list[MaskKind] = []
        self.blocks: dict[str, np.ndarray] = {}
        self._known: dict[bytes, int] = {}

    def of(self, layer: LayerAttention) -> dict[str, int]:
        """Give the entry of a layer in the header: the number of its mask; {} if it has none."""
        hidden = closed(layer)
        if hidden is None:
            return {}
        parts = layer.parts
        every = hidden.expand(layer.n_windows, -1, -1).flatten(0, 1).cpu().numpy()  # (window * slot, key slot)
        bits = np.packbits(every, axis=1)
        key = np.array(every.shape).tobytes() + bits.tobytes()
        if key not in self._known:
            self._known[key] = len(self.about)
            is_causal = layer.n_windows == 1 and np.array_equal(
                every, ~np.tri(parts.n_queries, parts.n_keys, dtype=bool)
            )
            self.about.append("causal" if is_causal else "rows")
            if not is_causal:
                self._add(self._known[key], bits)
        return {"mask": self._known[key]}

    def _add(self, number: int, bits: np.ndarray) -> None:
        rows, at = np.unique(bits, axis=0, return_inverse=True)
        self.blocks[f"mask.{number}"] = rows
        if len(rows) > 1:
            self.blocks[f"mask.at.{number}"] = at.reshape(-1).astype(np.uint8 if len(rows) <= FEW else np.int32)
