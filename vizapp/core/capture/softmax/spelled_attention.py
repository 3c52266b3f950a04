"""Claim the softmaxes of attention that a network spells out: each is followed until a product applies it to values.

What is done to the map on the way (gates, talking heads, differences, a column that is cut off again) is followed, too. Where the
map meets its values in a function that is not read as a product, the softmax stays unclaimed.
"""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from vizapp.core import ops
from vizapp.core.capture.call import OwnView
from vizapp.core.capture.einsum_labels import einsum_labels
from vizapp.core.capture.nested import flat
from vizapp.core.capture.patches.coordinates import TokenCoordinates
from vizapp.core.capture.softmax.matrix_products import Product, einsum_of, matmul_of
from vizapp.core.capture.softmax.scores_and_maps import FollowedMap, HeldMaps, Scores

# As functions, not as names: this is asked of every call that a network makes.
_PRODUCTS = ops.functions(ops.MATMUL | ops.EINSUM) | ops.primitives(ops.MATMUL)
# The logarithm of a softmax is followed as one: what its exp is applied to, it weighs.
_SOFTMAX = ops.functions(ops.SOFTMAX | ops.LOG_SOFTMAX) | ops.primitives(ops.SOFTMAX | ops.LOG_SOFTMAX)
_LOG_SOFTMAX = ops.functions(ops.LOG_SOFTMAX) | ops.primitives(ops.LOG_SOFTMAX)
_TIMES, _OVER = ops.functions(ops.TIMES), ops.functions(ops.OVER)
_SPREAD = ops.TIMES | ops.OVER | ops.BLENDS
STARTS = _PRODUCTS | _SOFTMAX  # what a network must run for any of this to begin
_HALF = (torch.float16, torch.bfloat16)


class SpelledAttention:
    """The maps of one pass, between their softmax and their values.

    inside  names of the modules that are running now, innermost last; it changes as the pass goes on
    told    called with the parts of each `Call` that is found; gives what the network goes on with
    """

    def __init__(self, inside: Sequence[str], places: TokenCoordinates | None, told: Callable[..., Tensor]) -> None:
        self._inside, self._places, self._told = inside, places, told
        self.softmaxes: list[str] = []  # for each softmax, a fused one as well, the module that ran it
        self.claimed: set[int] = set()  # which of them weighed values
        self.held = HeldMaps()

    @property
    def is_following(self) -> bool:
        """Tell whether anything is on its way, so that each function must be looked at."""
        return bool(self.held.followed or self.held.scores)

    def ran(self, *, claimed: bool = False) -> int:
        """Count a softmax of the module that runs now, and give its number; `claimed`: it is known what it weighs."""
        self.softmaxes.append(self._inside[-1] if self._inside else "")
        number = len(self.softmaxes) - 1
        if claimed:
            self.claimed.add(number)
        return number

    #   function          its result is held as                      and it claims (they weighed values: a call)
    #   fused attention   -                                          its own softmax (watch.py)
    #   product           `Scores`, if no side is followed ...       ... else the softmaxes of the map on that side
    #   softmax           `FollowedMap`, with the scores under it       -
    #   any other         what its argument is held as               -

    def saw(self, func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> Any:
        """Look at a function that ran. Gives its result, or what an edit put in its place."""
        # A product that is written into a buffer of the network's own (out=) is read by nobody: an edit would not reach it.
        if func in _PRODUCTS and kwargs.get("out") is None:
            return self._saw_product(func, args, kwargs, result)
        if func in _SOFTMAX:
            self._saw_softmax(func, result, *args, **kwargs)
        elif self.is_following:
            self._saw_other(func, args, kwargs, result)
        return result

    def _hold(self, one: Scores | FollowedMap, made: Tensor) -> None:
        self.held.hold(one, made, len(self._inside))

    def _saw_softmax(
        self,
        func: Callable[..., Any],
        result: Tensor,
        input: Tensor,
        dim: int | None = None,
        *rest: Any,
        **kwargs: Any,
    ) -> None:
        """Follow a softmax over the last axis, or over the last but one (an upright map), with the scores under it."""
        number = self.ran()
        axis = None if dim is None else dim % input.ndim - input.ndim
        # Over another axis (heads, experts) it weighs no tokens. It stays unclaimed, and a self-test names its module.
        if axis not in {-1, -2}:
            return
        scores = self.held.scores.get(id(input))
        # In half precision the scores are rounded, and so they are by a softmax that changes the precision. Then q and k would
        # give another map than the one that was applied.
        same = scores is not None and scores.is_unchanged and result.dtype == input.dtype not in _HALF
        same = same and axis == -1 and func not in _LOG_SOFTMAX
        map_ = FollowedMap(result, result.shape[axis], scores if same else None, frozenset({number}), axis == -2)
        self._hold(map_, result)

    def _saw_product(
        self, func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], result: Tensor
    ) -> Tensor:
        """Take a product as attention if one of its sides came out of a softmax; else it may be scores. Gives the result."""
        product = self._product_of(func, args, kwargs, result)
        if product is None:
            self._saw_other(func, args, kwargs, result)
            return result
        left, right, out, turn, back, is_straight = product
        made = result
        if (map_ := self.held.followed.get(id(left))) is not None and map_.weighs(left):
            own = OwnView(result, turn, back) if turn and back else None
            made = self._weighed(map_, left, right, out, (left, -1), (right, -1), own)
        # A vector of weights on the right (of features, say) is the map of nobody.
        elif (map_ := self.held.followed.get(id(right))) is not None and right.ndim > 1 and map_.weighs(right.mT):
            #   left = v^T (e, key)   @   right = A^T (key, query)   =   out = (A v)^T (e, query)
            upright = right.transpose(-2, -1), left.transpose(-2, -1), out.transpose(-2, -1)
            own = OwnView.transposed(result, turn, back)
            made = self._weighed(map_, *upright, (right, -2), (left, -2), own, values=(left, -2))
        elif any(id(one) in self.held.followed for one in (left, right)) and isinstance(right, nn.Parameter):
            # A map times what the network learned is still a map: heads are mixed (talking heads).
            self._saw_other(func, args, kwargs, result)
        elif left.ndim >= 3 and is_straight:
            self._hold(Scores(result, left, right), result)
        return made

    def _product_of(
        self, func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], result: Tensor
    ) -> Product | None:
        """Read the product in a function's result; None where a map takes part in it in another way than weighing values."""
        if func is not torch.einsum:
            return matmul_of(args, kwargs, result)
        given = [one for one in flat((args, kwargs)) if isinstance(one, Tensor)]
        maps = [id(one) in self.held.followed for one in given]
        # Two followed tensors of different rank are a map and the weights of heads, which went through a softmax of their own.
        if all(maps) and len({one.ndim for one in given}) > 1:
            return None
        product = einsum_of(args, result, self._permuted, swapped=any(maps) and not maps[0])
        # A map weighs values only on the left. On the right, or mixed among its heads, it is followed on.
        return product if product is None or not any(maps) or id(product.left) in self.held.followed else None

    def _permuted(self, tensor: Tensor, axes: list[int], joined: int, put_in: Sequence[int] = ()) -> Tensor:
        """Put the axes of a tensor in another order, the last `joined` as one, and axes of length 1 where they are `put_in`.

        The network did not make the result, but its tokens stand where they stood, so places are told of it.
        """
        steps: list[tuple[Callable[..., Tensor], Any]] = [(Tensor.permute, axes)]
        if joined > 1:
            steps.append((Tensor.flatten, -joined))
        steps += [(Tensor.unsqueeze, axis) for axis in put_in]
        for func, how in steps:
            made = func(tensor, how)
            if self._places is not None:
                self._places.follow(func, (tensor, how), {}, made)
            tensor = made
        return tensor

    def _weighed(
        self,
        followed: FollowedMap,
        matrix: Tensor,
        v: Tensor,
        output: Tensor,
        rows: tuple[Tensor, int],
        columns: tuple[Tensor, int],
        own: OwnView | None,
        values: tuple[Tensor, int] | None = None,
    ) -> Tensor:
        """Claim the softmaxes of a map that weighs values, and tell of the call: by q and k if they still tell the map."""
        scores = followed.scores
        self.claimed |= followed.sources
        # By q and k where that is true: two factors are kept, and not a matrix, which grows with the square of the tokens.
        if scores is not None and matrix is followed.tensor and scores.tell(matrix):
            k = scores.k_transposed.transpose(-2, -1)
            parts: dict[str, Any] = {"q": scores.q, "k": k, "scale": scores.scale, "values": values}
            parts["applied"] = followed.tensor
            return self._told((scores.q, -1), (scores.k_transposed, -2), v, output, own=own, **parts)
        parts = {
            "matrix": matrix,
            "applied": followed.tensor,
            "softmaxes": len(followed.sources),
            "of_features": followed.upright,
            "values": values,
        }
        return self._told(rows, columns, v, output, own=own, **parts)

    def _saw_other(
        self, func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], result: object
    ) -> None:
        """Follow what is made of maps; scores times a number are scores."""
        tensors = [arg for arg in flat((args, kwargs)) if isinstance(arg, Tensor)]
        name = ops.name_of(func)
        # Before anything else: what is handed out here may be written to at any time, and nobody would count it.
        if name in ops.SHARES_MEMORY:
            self.held.doubt()
        olds = [self.held.followed[id(tensor)] for tensor in tensors if id(tensor) in self.held.followed]
        if olds:
            # Of several, the map is the one with the most axes: weights of heads, which went through a softmax too, have fewer.
            # Of two that are multiplied (a dual softmax), the one over keys tells which axis these lie along.
            old = max(olds, key=lambda one: (one.tensor.ndim, not one.upright))
            sources = frozenset().union(*(one.sources for one in olds))
            if self._meets(name, args, kwargs, tensors, old):
                return
            for made in (one for one in flat(result) if isinstance(one, Tensor) and one.is_floating_point()):
                # Without an axis of its keys it can weigh none. Spread over values, it has weighed them, and is a map no more.
                spread = name in _SPREAD and made.numel() > old.tensor.numel()
                if old.n_keys in made.shape and not spread:
                    self._hold(old.on(made, sources), made)
            return
        scores = next((self.held.scores[id(tensor)] for tensor in tensors if id(tensor) in self.held.scores), None)
        if scores is None or not isinstance(result, Tensor):
            return
        # A call with options is left out: a division may be told to round.
        by_number = (
            len(args) == 2 and not kwargs and (func in _TIMES or func in _OVER) and isinstance(args[1], (int, float))
        )
        if by_number and scores.is_unchanged:
            by = float(args[1]) if func in _TIMES else 1 / args[1]
            self._hold(Scores(result, scores.q, scores.k_transposed, scores.scale * by), result)
        elif result is not scores.result and result.shape == scores.result.shape and ops.is_value_wise(name):
            self._hold(scores.changed(result), result)

    def _meets(
        self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], tensors: Sequence[Tensor], map_: FollowedMap
    ) -> bool:
        """Tell whether a function that is not read as a product sums over the keys of a map, together with values.

        With what the network learned, or with another map, it is a mixture of maps.
        """
        if name not in ops.SUMS_OF_PRODUCTS:
            return False
        others = [
            one
            for one in tensors
            if id(one) not in self.held.followed and not isinstance(one, nn.Parameter) and one.ndim
        ]
        if not others:
            return False
        if name in ops.EINSUM and (spelt := einsum_labels(args)) is not None:
            labels, out, operands = spelt
            return any(label[-1] not in out for label, one in zip(labels, operands, strict=True) if one is map_.tensor)
        if name in ops.LINEAR | ops.CONVOLUTIONS:
            first = args[0] if args else kwargs["input"]
            # As weights it weighs what goes in. As the input of a convolution it is mixed with its neighbours, or other heads.
            return first is not map_.tensor or (name in ops.LINEAR and first.shape[-1] == map_.n_keys)
        return True
