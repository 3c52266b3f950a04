"""Remember tensors between q k^T, the softmax, and the product with the values, where a network spells attention out.

Nothing in PyTorch says "this tensor is attention". A matrix product may be scores, and a softmax may be a map. Both may be
scaled, masked or mixed on the way. So tensors are remembered by their id as they pass. A tensor is forgotten when the network
leaves the module that made it, unless the module hands it on.

A map is told by q and k only as long as they tell the very map that was applied. What autograd counts as a write to any of the
tensors, or a way to their memory that it does not count, ends that. Then the map itself is kept.
"""

from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import _disable_current_modes

from vizapp.core.capture.storage import has_no_values, memory_of, versions_of

ROUNDING = 1e-3  # of a probability, by which two ways to compute a map may differ; TF32 is the coarsest


class _Trusted:
    """Tensors that say the same as long as none of them was written to.

    depth  how deep in modules they were made: they are forgotten when that one is left (`HeldMaps.leave`)
    """

    def __init__(self, *tensors: Tensor) -> None:
        self.depth = 0
        self._tensors, self._before = tensors, versions_of(*tensors)

    def forget(self) -> None:
        """Trust them no more: their values may be written to from here on, and nobody would know."""
        self._before = None

    @property
    def is_unchanged(self) -> bool:
        """Tell whether none was written to."""
        return self._before is not None and self._before == versions_of(*self._tensors)


class Scores(_Trusted):
    """result = scale * q @ k_transposed. With a mask or a bias added in place, q and k are half of the story."""

    def __init__(self, result: Tensor, q: Tensor, k_transposed: Tensor, scale: float = 1.0) -> None:
        super().__init__(result, q, k_transposed)
        self.result, self.q, self.k_transposed, self.scale = result, q, k_transposed, scale

    def changed(self, result: Tensor) -> "Scores":
        """Follow what a mask or a bias made of the scores: each is still of a query and a key, but q and k do not tell it."""
        made = Scores(result, self.q, self.k_transposed, self.scale)
        made.forget()
        return made

    @torch.no_grad()
    def tell(self, map_: Tensor) -> bool:
        """Tell whether q and k give the first and the last row of the map that was applied.

        A kernel that is not PyTorch's own may write into a tensor, and autograd counts no write.
        """
        # A pass that counts memory has shapes only, and rows inside of torch.vmap cannot be asked for.
        if has_no_values(map_):
            return True
        # Two rows, not all: a whole map would cost as much as the attention, for each layer of each pass. A step copies nothing.
        step = max(map_.shape[-2] - 1, 1)
        with (
            torch._C.DisableTorchFunction(),
            _disable_current_modes(),
        ):  # this is not the network's: nobody may see or count it
            scores = self.q[..., ::step, :] @ self.k_transposed
            scores = scores if self.scale == 1.0 else scores * self.scale
            return bool((scores.softmax(-1) - map_[..., ::step, :]).abs().max() < ROUNDING)


class FollowedMap(_Trusted):
    """A tensor that comes from a softmax over its last axis; `scores` if it still is that softmax, of a product.

    `sources` are the numbers of all softmaxes that went into it. `upright`: one was over the last axis but one.
    """

    def __init__(
        self,
        tensor: Tensor,
        n_keys: int,
        scores: Scores | None,
        sources: frozenset[int],
        upright: bool = False,
    ) -> None:
        super().__init__(tensor)
        self.tensor, self.n_keys, self._scores, self.sources = tensor, n_keys, scores, sources
        self.upright = upright

    @property
    def scores(self) -> Scores | None:
        """Give the product under the softmax; None if either was changed since, so that only the matrix tells the truth."""
        return self._scores if self.is_unchanged and self._scores and self._scores.is_unchanged else None

    def on(self, made: Tensor, sources: frozenset[int]) -> "FollowedMap":
        """Follow `made` in place of this.

        It counts as the same tensor where it is the same memory (dropout that does nothing), read in the same order: a square map
        and its transpose have one memory and one shape.
        """
        same = memory_of(made) == memory_of(self.tensor)
        return FollowedMap(made, self.n_keys, self.scores if same else None, sources, self.upright)

    def weighs(self, tensor: Tensor) -> bool:
        """Tell whether `tensor` (..., query, key), which is followed by this or turned over, holds weights along its last axis.

        What became of a map may have other axes altogether. An upright map is told by its sums.
        """
        if not self.upright:
            return tensor.shape[-1] == self.n_keys
        # Wider than rounding in half precision, and far narrower than what a softmax over another axis leaves.
        return tensor.shape[-1] == self.n_keys and bool(((tensor.sum(-1) - 1).abs() < 1e-2).all())


class HeldMaps:
    """Scores and maps on their way, by the id of their tensor: holding the tensors keeps ids from being used again."""

    def __init__(self) -> None:
        self.scores: dict[int, Scores] = {}
        self.followed: dict[int, FollowedMap] = {}

    def hold(self, one: Scores | FollowedMap, made: Tensor, depth: int) -> None:
        """Remember `made`, which was made `depth` modules deep."""
        one.depth = depth
        if isinstance(one, Scores):
            self.scores[id(made)] = one
        else:
            self.followed[id(made)] = one

    def doubt(self) -> None:
        """Trust nothing more that is held: a tensor went to where writes are not counted (`.data`, NumPy)."""
        # Whichever it was: a map that is kept whole in place of its factors is as true.
        for one in (*self.scores.values(), *self.followed.values()):
            one.forget()

    def leave(self, depth: int, handed_on: set[int]) -> None:
        """Forget what a module made that was just left; `depth` modules are still running.

        Tensors that it handed on (by their ids) now belong to the module around it: a softmax is often a module of its own,
        and the product with the values comes after it. Without this, whole layers of maps would pile up until the pass ends.
        """
        held: list[tuple[dict[int, Any], int, Scores | FollowedMap]]
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
