"""Ops that are registered with PyTorch, as those of another library are."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from support.gaps import Weigh, plain, scores


@torch.library.custom_op("viztests::attend", mutates_args=())
def attend(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return plain(q, k, v)


@torch.library.custom_op("viztests::scaled_dot_product_attention", mutates_args=())
def fused(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return nn.functional.scaled_dot_product_attention(q, k, v)


@torch.library.custom_op("viztests::softmax", mutates_args=())
def softmax(x: Tensor, dim: int) -> Tensor:
    return x.softmax(dim)


@torch.library.custom_op("viztests::weighed", mutates_args=())
def weighed(weights: Tensor, v: Tensor) -> Tensor:
    return weights @ v


@torch.library.custom_op("viztests::packed", mutates_args=())
def packed(qkv: Tensor) -> Tensor:
    return plain(*qkv.unbind())


@torch.library.custom_op("viztests::unit", mutates_args=())
def unit(x: Tensor, eps: float) -> Tensor:
    return x / (x.square().mean(-1, keepdim=True) + eps).sqrt()


@torch.library.custom_op("viztests::blur", mutates_args=())
def blur(x: Tensor) -> Tensor:
    return (x + x.roll(1, 1)) / 2


OPS: dict[str, Weigh] = {
    "attend": attend,
    "scaled_dot_product_attention": fused,
    "softmax": lambda q, k, v: softmax(scores(q, k), -1) @ v,
    "weighed": lambda q, k, v: weighed(scores(q, k).softmax(-1), v),
    "packed": lambda q, k, v: packed(torch.stack([q, k, v])),
}
