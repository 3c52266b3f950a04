"""Tell whether an output reads its tokens alike, as their plain mean, by the gradients on the way back to the last attention."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from torch import Tensor

SAME = 1e-3  # of the largest value: what a plain mean hands back to its tokens is equal to the last digit


class Handed:
    """The gradients that each step behind the last attention was handed by the steps behind it, the output's own first.

    The step that gathers the tokens of a readout hands a plain mean's gradient back to them: the same numbers for each. Steps
    before it (a norm, an MLP) treat tokens one by one, so that their gradients differ, and tell nothing.
    """

    def __init__(self) -> None:
        self._steps: list[tuple[dict[int, bool], Sequence[Tensor]]] = []

    def note(self, node: Any, given: Sequence[Tensor | None]) -> None:
        """Take the gradients of what the step `node` gave."""
        counts = dict[int, bool]()
        for one in given:
            if isinstance(one, Tensor):
                counts |= _alike(one.detach())
        if counts:
            self._steps.append((counts, _factors(node)))

    def alike(self, count: int | None) -> bool:
        """Tell whether some step was handed the same for `count` tokens, and nothing for others; None: for all that there are.

        Where that step multiplies each token by a number of its own, it is a weighted mean.
        """
        for counts, factors in self._steps:
            if count in counts if count is not None else any(counts.values()):
                return not any(_differ(one) for one in factors)
        return False


@contextmanager
def listening(score: Tensor) -> Iterator[Handed]:
    """Note what the steps of the backward pass of `score` are handed. It costs a look at each node of the graph, no pass."""
    handed, nodes, waiting = Handed(), set[Any](), [score.grad_fn]
    while waiting:
        node = waiting.pop()
        if node is not None and node not in nodes:
            nodes.add(node)
            waiting += [below for below, _ in node.next_functions]
    # Only the steps that lead to the last attention run: autograd leaves out what was not asked for.
    # Leaves of the graph have no functions behind them, and hand nothing on.
    hooks = [
        node.register_prehook(lambda given, node=node: handed.note(node, given))
        for node in nodes
        if hasattr(node, "register_prehook") and node.next_functions
    ]
    try:
        yield handed
    finally:
        for hook in hooks:
            hook.remove()


def _alike(gradient: Tensor) -> dict[int, bool]:
    """Number of tokens that are handed the same -> whether there are no others, on any axis."""
    # Rows and columns of a grid may be two axes.
    shapes = [gradient] + [gradient.flatten(axis, axis + 1) for axis in range(gradient.ndim - 1)]
    found = dict[int, bool]()
    for one in shapes:
        for axis, length in enumerate(one.shape):
            if length < 2 or one.numel() < 2 * length:
                continue
            each = one.movedim(axis, 0).reshape(length, -1).float()
            largest = each.abs().amax(1)
            some = largest > SAME * largest.max()
            own = each[some]
            if len(own) > 1 and bool((own - own[0]).abs().max() <= SAME * largest.max()):
                found[len(own)] = found.get(len(own), False) or len(own) == length
    return found


def _factors(node: Any) -> list[Tensor]:
    """The factors of a product that have one number for each token, if `node` is one."""
    if type(node).__name__ != "MulBackward0":
        return []
    found = list[Tensor]()
    for name in ("_saved_self", "_saved_other"):
        with suppress(RuntimeError):  # changed in place since
            one = getattr(node, name)
            if isinstance(one, Tensor) and one.ndim > 1 and one.numel() > 1 and one.numel() == max(one.shape[:-1]):
                found.append(one.detach().flatten())
    return found


def _differ(factor: Tensor) -> bool:
    some = factor[factor != 0].float()
    return len(some) > 1 and bool((some - some[0]).abs().max() > SAME * some.abs().max())
