"""Track from which tensors each tensor of a pass was computed, without keeping any of them.

No network declares which of its tensors is the residual stream, and its modules need not show it: a sum may stand in no module,
and one module may be called for several layers. But the output of attention is added to the very tensor that it was made from.
"""

from collections.abc import Callable, Collection, Iterable
from typing import Any

from torch import Tensor
from torch.utils.weak import WeakTensorKeyDictionary

from vizapp.core import ops
from vizapp.core.capture.nested import flat

_SAME = ops.RESHAPES | ops.IDENTITY  # the same numbers, in another shape


class Lineage:
    """Sees every function of a pass; each tensor has a number, and the numbers of the tensors that it was made of."""

    def __init__(self) -> None:
        self._numbers = WeakTensorKeyDictionary()
        self._parents: list[tuple[int, ...]] = []

    def number(self, tensor: Tensor) -> int:
        """Number a tensor, the same in another shape; a tensor that is written into gets another number."""
        if tensor not in self._numbers:
            self._numbers[tensor] = self._new(())
        found: int = self._numbers[tensor]
        return found

    def ran(self, func: Callable[..., Any], args: Any, kwargs: Any, run: Callable[[], Any]) -> Any:
        """Run a function, note the tensors that its result was made of, and return the result."""
        # Before it runs: what it writes into is then another.
        given = [one for one in flat((args, kwargs)) if isinstance(one, Tensor)]
        parents = tuple(dict.fromkeys(self.number(one) for one in given))
        result = run()
        made = [one for one in flat(result) if isinstance(one, Tensor)]
        name = ops.name_of(func)
        if name in _SAME and given and len(made) == 1:
            self._numbers[made[0]] = parents[0]
        elif made:
            number = self._new(parents)
            for one in made:
                self._numbers[one] = number
        elif name in ops.WRITES and given:
            self._numbers[given[0]] = self._new(parents)
        return result

    def stems(self, number: int, of: Iterable[Tensor], barred: Collection[int] = ()) -> bool:
        """Tell whether any of the tensors was made from that number, on a way that passes none of `barred`."""
        # What is barred counts as seen, so no way is followed through it.
        waiting, seen = [self.number(one) for one in of], set[int](barred)
        while waiting:
            one = waiting.pop()
            if one == number:
                return True
            if one not in seen:
                seen.add(one)
                waiting.extend(self._parents[one])
        return False

    def _new(self, parents: tuple[int, ...]) -> int:
        self._parents.append(parents)
        return len(self._parents) - 1
