"""Attention whose answer is known."""

import torch

from vizapp.core.attention.layers import DenseAttention
from vizapp.core.attention.trace import AttentionTrace
from vizapp.model.spec import TokenLayout


def planted(
    *matrices: torch.Tensor, prefix: tuple[str, ...] = ("cls",), grid: tuple[int, int] = (2, 2)
) -> AttentionTrace:
    layers = tuple(DenseAttention(f"layer {i}", matrix) for i, matrix in enumerate(matrices))
    return AttentionTrace(layers, TokenLayout(prefix, grid), None, "cls")
