"""Read the labels of an einsum's axes, as its equation has them or leaves them to be understood."""

from typing import Any

from torch import Tensor


def einsum_labels(args: tuple[Any, ...]) -> tuple[list[str], str, list[Tensor]] | None:
    """Read einsum's arguments: the labels of each operand, of the result, and the operands. Each axis of "..." gets a label.

    Without an arrow the result has the letters that come once, in the order of the alphabet. None for lists of numbers in place
    of letters, which PyTorch itself writes as letters.
    """
    equation, *operands = args
    if not isinstance(equation, str):
        return None
    if "->" not in equation:
        once = sorted(one for one in set(equation) if one.isalpha() and equation.count(one) == 1)
        equation += "->" + "..." * ("..." in equation) + "".join(once)
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = list(operands[0])
    inputs, out = equation.replace(" ", "").split("->")
    labels = inputs.split(",")
    # The axes of "..." are counted from the last, as PyTorch broadcasts them: an operand with fewer has the last letters.
    free = [chr(ord("A") + i) for i in range(26) if chr(ord("A") + i) not in equation]
    rest = [one.ndim - len(each.replace("...", "")) for each, one in zip(labels, operands, strict=True)]
    every = "".join(free[: max((n for each, n in zip(labels, rest, strict=True) if "..." in each), default=0)])
    labels = [each.replace("...", every[len(every) - n :]) for each, n in zip(labels, rest, strict=True)]
    return labels, out.replace("...", every), operands
