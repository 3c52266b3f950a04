"""Products of attention and values, spelt in several ways."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor


def by_matmul(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return (q @ k.transpose(-2, -1) / 2).softmax(-1) @ v


def by_einsum(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores = torch.einsum("bhqd,bhkd->bhqk", q, k) / 2
    return torch.einsum("bhqk,bhkd->bhqd", scores.softmax(-1), v)


def by_kernel(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return F.scaled_dot_product_attention(q, k, v, scale=0.5)


SPELLINGS = {"matmul": by_matmul, "einsum": by_einsum, "sdpa": by_kernel}
