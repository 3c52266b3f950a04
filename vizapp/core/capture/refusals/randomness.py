"""Say of a network that draws random numbers in its pass that its maps are those of this one pass.

Some do so in eval mode: noise on scores, dropout that asks no mode. The states of the generators that all share tell. What comes
from a generator of its own is found by the self-test, which compares two passes. So is what comes from Python's `random`: a
server's other threads draw from it at any time, and their draws would be said of this pass.
"""

from typing import Any

import numpy as np
import torch

from vizapp.wording import Text

DRAWN = Text(
    "The network drew random numbers in this pass: another one on the same picture may give other maps, and another answer."
)


class Chance:
    """Watches a pass for random numbers; entered around it, it says afterwards what must be said of the pass."""

    def __init__(self, device: torch.device | str) -> None:
        self._device = torch.device(device)
        self._before: tuple[Any, ...] = ()
        self.said: Text | None = None

    def __enter__(self) -> "Chance":
        self._before = self._states()
        return self

    def __exit__(self, *exception: object) -> None:
        self.said = DRAWN if self._states() != self._before else None

    def _states(self) -> tuple[Any, ...]:
        """Note the states of the generators of PyTorch and NumPy that all share."""
        # As bytes, which can be compared: an array would compare entry by entry.
        numpy: Any = np.random.get_state()
        own = torch.cuda.get_rng_state(self._device).numpy().tobytes() if self._device.type == "cuda" else b""
        return torch.get_rng_state().numpy().tobytes(), own, numpy[1].tobytes(), numpy[2:]
