"""What must be remembered between q k^T, the softmax, and the product with the values, where a network spells attention out.

Nothing in PyTorch says "this tensor is attention". A matrix product may be scores, and a softmax may be a map. Both may be
scaled, masked or mixed on the way. So tensors are remembered by their id as they pass. A tensor is forgotten when the network
leaves the module that made it, unless the module hands it on.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from torch import Tensor
from torch._C._functorch import is_functorch_wrapped_tensor


def versions_of(*tensors: Tensor) -> tuple[int, ...] | None:
    """How often each was written to, as autograd counts it; None in inference mode, where it does not count.

    Writes through `tensor.data` are not counted either: PyTorch hides them from autograd, and so from us.
    """
    return None if any(tensor.is_inference() for tensor in tensors) else tuple(tensor._version for tensor in tensors)


class Scores:
    """result = scale * q @ k_transposed, as long as none of the three was written to."""

    def __init__(self, result: Tensor, q: Tensor, k_transposed: Tensor, scale: float = 1.0) -> None:
        self.result, self.q, self.k_transposed, self.scale = result, q, k_transposed, scale
        self.depth = 0  # of the module that holds it
        self._before = versions_of(result, q, k_transposed)

    @property
    def is_unchanged(self) -> bool:
        """Was none of the three written to? A mask or a bias added in place would make q and k only half of the story."""
        return self._before is not None and self._before == versions_of(self.result, self.q, self.k_transposed)


class Followed:
    """A tensor that comes from a softmax over its last axis; `scores` if it still is that softmax, of a product.

    `sources` are the numbers of all softmaxes that went into it. `upright`: one was over the last axis but one.
    """

    def __init__(
        self, tensor: Tensor, n_keys: int, scores: Scores | None, sources: frozenset[int], upright: bool = False
    ) -> None:
        self.tensor, self.n_keys, self._scores, self.sources, self.upright = tensor, n_keys, scores, sources, upright
        self.depth = 0
        self._before = versions_of(tensor)

    @property
    def scores(self) -> Scores | None:
        """The product under the softmax; None if either was changed since, so that only the matrix tells the truth."""
        unchanged = self._before is not None and self._before == versions_of(self.tensor)
        return self._scores if unchanged and self._scores and self._scores.is_unchanged else None

    def on(self, made: Tensor, sources: frozenset[int]) -> Followed:
        """Follow `made` in place of this; it counts as the same where it is the same memory (dropout that does nothing).

        Read in the same order, too: a square map and its transpose have one memory and one shape.
        """
        same = _memory(made) == _memory(self.tensor)
        return Followed(made, self.n_keys, self.scores if same else None, sources, self.upright)

    def weighs_along(self, tensor: Tensor, axis: int) -> bool:
        """Does `tensor`, which is followed by this, hold weights along an axis, or is it turned the other way?

        An upright map is told by its sums: a softmax over queries, as slots have it, gives a query's weights any sum.
        """
        return not self.upright or bool(((tensor.sum(axis) - 1).abs() < 1e-2).all())


def _memory(tensor: Tensor) -> tuple[object, ...]:
    """Where a tensor's values lie, and in which order they are read."""
    if is_functorch_wrapped_tensor(tensor):
        return (id(tensor),)  # inside of torch.vmap it lies nowhere; `Call` refuses that in words
    storage = tensor.untyped_storage()._cdata
    return storage, tensor.storage_offset(), tensor.shape, tensor.stride(), tensor.dtype


class ByHand(NamedTuple):
    """A map (..., query, key, 1) times values (..., 1, key, e), not summed yet, as some write the product of the two."""

    followed: Followed
    map: Tensor
    values: Tensor
    product: Tensor
    before: tuple[int, ...] | None
    depth: int


class Held:
    """Scores and maps on their way, by the id of their tensor: holding the tensors keeps ids from being used again."""

    def __init__(self) -> None:
        self.scores: dict[int, Scores] = {}
        self.followed: dict[int, Followed] = {}
        self.by_hand: dict[int, ByHand] = {}

    def hold(self, one: Scores | Followed, made: Tensor, depth: int) -> None:
        """Remember `made`, which was made `depth` modules deep."""
        one.depth = depth
        if isinstance(one, Scores):
            self.scores[id(made)] = one
        else:
            self.followed[id(made)] = one

    def multiplied(self, followed: Followed, factors: list[Tensor], made: Tensor, depth: int) -> None:
        """A map was multiplied, value by value: remember it if it is on the way to a product with values."""
        one, other = factors
        map_, values = (one, other) if id(one) in self.followed else (other, one)
        if (
            followed.upright
            or map_.ndim < 3
            or made.ndim != map_.ndim
            or map_.shape[-1] != 1
            or map_.shape[-2] != followed.n_keys
        ):
            return
        if values.ndim >= 2 and values.shape[-2] == followed.n_keys and (values.ndim == 2 or values.shape[-3] == 1):
            self.by_hand[id(made)] = ByHand(followed, map_, values, made, versions_of(map_, values, made), depth)

    def summed(self, args: tuple[Any, ...], kwargs: dict[str, Any], result: Tensor) -> ByHand | None:
        """What `sum` with these arguments adds up, if that is a product written out and is summed over its keys."""
        given = dict(zip(("input", "dim", "keepdim"), args, strict=False)) | kwargs
        one = self.by_hand.get(id(given.get("input")))
        dim = given.get("dim", given.get("axis"))
        dim = dim[0] if isinstance(dim, (tuple, list)) and len(dim) == 1 else dim
        if one is None or not isinstance(dim, int) or given.get("keepdim") or given.get("dtype") is not None:
            return None
        if one.before is None or one.before != versions_of(one.map, one.values, one.product):
            return None
        return one if dim % one.product.ndim == one.product.ndim - 2 else None

    def leave(self, depth: int, handed_on: set[int]) -> None:
        """A module was just left, and `depth` modules are still running: forget what it made.

        Tensors that it handed on (by their ids) now belong to the module around it: a softmax is often a module of its own,
        and the product with the values comes after it. Without this, whole layers of maps would pile up until the pass ends.
        """
        if self.by_hand:
            self.by_hand = {key: one for key, one in self.by_hand.items() if one.depth <= depth and depth}
        held: list[tuple[dict[int, Any], int, Scores | Followed]]
        held = [(store, key, one) for store in (self.scores, self.followed) for key, one in store.items()]
        for store, key, one in held:
            if depth and key in handed_on:
                one.depth = min(one.depth, depth)
            elif one.depth > depth or not depth:
                del store[key]

    def clear(self) -> None:
        """Forget everything."""
        self.scores.clear()
        self.followed.clear()
        self.by_hand.clear()
