"""Mark tensors with what they are made of, as far as that tells who weighs tokens; each function hands marks on or ends them.

A suspect (see `UnseenMixing`) goes from scores to the call that explains it. It goes through functions that keep a map a map:
those that work value by value, moves, and those that mix heads. It ends at all others: what they give is no map any more, and
explains nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torch import Tensor

from vizapp.core import ops
from vizapp.core.capture.refusals.token_pairs import EVERY, Axes

TIMES = ops.TIMES | ops.TIMES_IN_PLACE
OVER = ops.OVER | ops.OVER_IN_PLACE
SOFTENS = ops.SOFTMAX | ops.LOG_SOFTMAX
_HELD = ops.CASTS | ops.IDENTITY | ops.SAME
_SPREADS = TIMES | OVER | ops.BLENDS | ops.BLENDS_IN_PLACE
_PLUS = ops.PLUS | ops.PLUS_IN_PLACE
_MOVED = ops.MOVES | ops.TRIANGLES | ops.COPY | ops.WRITES
_NOBODY = frozenset[int]()


@dataclass(frozen=True)
class Mark:
    """A note of what a tensor is made of, as far as that tells who weighs tokens.

    raw, softened  numbers of suspects: before a softmax, and behind one
    pairs    the axes of a tensor of pairs along which tokens lie
    share    it came out of a softmax, or is a weight over the sum of weights
    spread   it is a map times values, which are still to be summed: any other function ends its suspects
    weighed  it is a product of the picture with itself: the axes over which a sum is one of tokens, weighed by tokens
    product  it is such a product of any kind
    weight   numbers of the tensors that it is a positive function of; `weighs`: such functions of which it was multiplied by
    summed   it was summed over tokens
    """

    raw: frozenset[int] = _NOBODY
    softened: frozenset[int] = _NOBODY
    pairs: Axes = _NOBODY
    share: bool = False
    spread: bool = False
    weighed: Axes = _NOBODY
    product: bool = False
    weight: frozenset[int] = _NOBODY
    weighs: frozenset[int] = _NOBODY
    summed: bool = False


NONE = Mark()
Marked = Sequence[tuple[Tensor, Mark]]


def by_value(name: str, n_given: int, stems: Sequence[Tensor], marked: Marked, made: Tensor) -> Mark:
    """Mark what is made value by value. `stems` are the tensors of the picture among all that are given, each once."""
    kept = [(one, mark) for one, mark in marked if name in _HELD or not mark.spread]
    raw, softened = _suspects(kept, made)
    several, weighed = len(stems) > 1, _NOBODY
    # Of maps times values, and of nothing else, one factor is spread over the other: (query, key, 1) times (key, e).
    shares = [one for one, mark in marked if mark.share]
    maps = [one for one, mark in kept if mark.raw | mark.softened]
    spread = name in _SPREADS and several and any(one.shape != made.shape for one in maps) and len(maps) == 1
    if spread or (name in TIMES and several and len(stems) == n_given and 0 < len(shares) < n_given):
        weighed = EVERY
    product = any(mark.product for _, mark in marked) and (
        name in _HELD | _PLUS or (name in TIMES | OVER and not several)
    )
    product |= name in TIMES and several
    weight, weighs = _union("weight", marked), _union("weighs", marked)
    # A product of two is no weight any more: it is what was weighed, by the weights of both.
    if name in TIMES and several:
        weight, weighs = _NOBODY, weight | weighs
    elif name in OVER and several:
        weight = weighs = _NOBODY
    if name in _HELD:
        weighed, spread = _union("weighed", marked), any(mark.spread for _, mark in marked)
    return Mark(
        raw=_NOBODY if name in SOFTENS else raw,
        softened=softened | raw if name in SOFTENS else softened,
        pairs=frozenset[int]().union(*(mark.pairs for one, mark in marked if one.shape == made.shape)),
        share=name in SOFTENS or (bool(shares) and (len(shares) == n_given or name in _HELD)),
        spread=spread,
        weighed=weighed,
        product=product,
        weight=weight,
        weighs=weighs,
        summed=bool(weight | weighs) and any(mark.summed for _, mark in marked),
    )


def moved(name: str, marked: Marked, made: Tensor) -> Mark:
    """Mark what was only moved; `NONE` where the function is no move."""
    # Anything else ends it. Suspects once went on by their size alone, into a stream as large as the scores, where the next call
    # took them for explained (decision 0007).
    if name not in _MOVED:
        return NONE
    # A pick is smaller than what it is of, and no value of it was summed away.
    raw, softened = _suspects(marked, made, picks=name in ops.PICKS)
    return Mark(
        raw,
        softened,
        share=any(mark.share for _, mark in marked),
        spread=any(mark.spread for _, mark in marked),
        weighed=EVERY if any(mark.weighed for _, mark in marked) else _NOBODY,
        product=any(mark.product for _, mark in marked),
        weight=_union("weight", marked),
        weighs=_union("weighs", marked),
        summed=any(mark.summed for _, mark in marked),
    )


def reduced(marked: Marked, made: Tensor, axes: Axes) -> Mark:
    """Mark what was summed or mixed over `axes`, which count from the end: over features of pairs, or over heads."""
    # A sum over an axis along which pairs have tokens, or of a map times values, is the end of its suspects.
    kept = [(one, mark) for one, mark in marked if not (mark.pairs & axes or mark.spread)]
    # Of pairs that were made value by value, features are summed away before the softmax: they are scores all the same.
    whole = [(one, mark) for one, mark in kept if mark.pairs]
    raw, softened = _suspects([pair for pair in kept if not pair[1].pairs], made)
    return Mark(raw | _union("raw", whole), softened | _union("softened", whole))


def _suspects(marked: Marked, made: Tensor, picks: bool = False) -> tuple[frozenset[int], frozenset[int]]:
    """Collect suspects. Scores stay scores as long as none is summed away, so the result is as large as they are."""
    kept = [(one, mark) for one, mark in marked if picks or made.numel() >= one.numel()]
    return _union("raw", kept), _union("softened", kept)


def _union(what: str, marked: Marked) -> frozenset[int]:
    return _NOBODY.union(*(getattr(mark, what) for _, mark in marked))
