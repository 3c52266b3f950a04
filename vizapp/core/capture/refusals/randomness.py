"""Say of a network that draws random numbers in its pass that its maps are those of this one pass.

Some do so in eval mode: noise on scores, dropout that asks no mode. Two passes on one picture tell, wherever the numbers come
from. A network of unknown parts is asked once. One that draws from a generator that all share is asked each time, since a coin
may fall alike twice.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor

from vizapp.core.capture.call import Call
from vizapp.core.capture.edited import unedited
from vizapp.core.capture.watch import Watch
from vizapp.core.memo import Memo
from vizapp.core.network import output_of
from vizapp.core.state import is_stock
from vizapp.model.spec import VisionModel
from vizapp.wording import Text

OF_MAPS = Text(
    "Another pass of this network on the same picture gives other maps and another answer: it draws random numbers, or keeps "
    "something from pass to pass."
)
OF_ANSWERS = Text(
    "Another pass of this network on the same picture gives another answer: it draws random numbers, or keeps something from "
    "pass to pass."
)
SAME = 1e-3  # of the largest value: kernels that run in parallel may sum in another order
SAME_HALF = 5e-2

_known: Memo[Text | None] = Memo()


class Copied(Protocol):
    """The parts of an attention call that are kept, and compared."""

    @property
    def q(self) -> Tensor | None: ...
    @property
    def k(self) -> Tensor | None: ...
    @property
    def bias(self) -> Tensor | None: ...
    @property
    def matrix(self) -> Tensor | None: ...


class Chance:
    """Watches a pass for random numbers; entered around it, it says afterwards what must be said of the pass."""

    def __init__(self, model: VisionModel) -> None:
        self.model, self._before, self._has_drawn = model, tuple[Any, ...](), False

    def __enter__(self) -> Chance:
        self._before = _states(self.model.device)
        return self

    def __exit__(self, *exception: object) -> None:
        self._has_drawn = _states(self.model.device) != self._before

    def note(
        self, pixels: Tensor, calls: Sequence[Copied], output: Tensor, copied: Callable[[Call], Copied]
    ) -> Text | None:
        """Say what must be said of a pass on `pixels` (B, C, h, w), which made `calls` (as `copied` copies them) and `output`."""
        net, has_drawn = unedited(self.model).net, self._has_drawn
        asked = _known.known(net, "asked")
        # What was found once holds. What was not found is asked again only where numbers were drawn: a coin falls alike at times.
        if asked is not None and (asked or not has_drawn):
            return asked or None
        # Well-known modules that drew nothing cannot differ, and a second pass would double what a map costs.
        if asked is None and not has_drawn and is_stock(net):
            return None
        # Chance that some pictures only meet is said of them and of those that come after; of those before it is too late.
        found = self._another(pixels, calls, output, copied)
        # "" and not None, which would mean that nobody has asked yet.
        _known.put(net, "asked", found or Text(""))
        return found

    def _another(
        self, pixels: Tensor, calls: Sequence[Copied], output: Tensor, copied: Callable[[Call], Copied]
    ) -> Text | None:
        """Run the same once more and compare each call as it comes: two sets of maps might not fit into memory."""
        n, differs = 0, False

        def saw(call: Call) -> None:
            nonlocal n, differs
            if not differs:
                other = copied(call)
                first = calls[n] if n < len(calls) else None
                differs = first is None or any(
                    not _alike(getattr(first, part), getattr(other, part)) for part in ("q", "k", "bias", "matrix")
                )
            n += 1

        with torch.no_grad(), Watch(self.model.net, saw):
            again = output_of(self.model.net(pixels)).to(output.device)
        if differs or n != len(calls):
            return OF_MAPS
        return None if _alike(output, again) else OF_ANSWERS


def _alike(one: Tensor | None, other: Tensor | None) -> bool:
    if one is None or other is None or one.shape != other.shape:
        return one is other
    if torch.equal(one, other):
        return True
    # A mask's bias is infinite, and infinity less infinity would be no number.
    one, other = one.nan_to_num(), other.to(one.device).nan_to_num()
    limit = SAME if one.dtype in {torch.float32, torch.float64} else SAME_HALF
    return float((one - other).abs().max()) <= limit * float(one.abs().max())


def _states(device: str | torch.device) -> tuple[Any, ...]:
    """Note the states of the generators that all share."""
    device = torch.device(device)
    # As bytes, which can be compared: an array would compare entry by entry.
    numpy: Any = np.random.get_state()
    drawn = numpy[1].tobytes(), numpy[2:]
    own = torch.cuda.get_rng_state(device).numpy().tobytes() if device.type == "cuda" else b""
    return torch.get_rng_state().numpy().tobytes(), own, random.getstate(), drawn
