"""Outputs that land in their own tokens are shown without a word."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from support.landings import (
    MASK,
    Case,
    depthwise,
    nearest,
    network,
    on_grid,
    pooled,
    spread,
    verdict,
)
from support.odd import SIDE, picture

HARMLESS: dict[str, Case] = {
    "plain": Case(),
    "no CLS": Case(cls=False),
    "layer scale": Case(given=lambda d: d * 1e-5),
    "norm of each token": Case(join=lambda h, d: h + d + 0 * F.layer_norm(d, d.shape[-1:])),
    "gate of each token": Case(join=lambda h, d: h + h.mean(-1, keepdim=True).sigmoid() * d),
    "gate of the heads": Case(heads=lambda o: o * torch.linspace(0.5, 2, 2)[:, None, None]),
    "in place": Case(join=lambda h, d: h.clone().add_(d)),
    "into what was given": Case(join=lambda h, d: d.clone().add_(h)),
    "written to a part": Case(join=lambda h, d: h + torch.zeros_like(h).copy_(d)),
    "halves": Case(join=lambda h, d: torch.cat([h[:, :1] + d[:, :1], h[:, 1:] + d[:, 1:]], 1)),
    "added twice alike": Case(join=lambda h, d: h + d + 0.5 * d),
    "dropped": Case(given=lambda d: F.dropout(d, 0.1, training=False)),
    "flipped and back": Case(given=lambda d: d.flip(1).flip(1)),
    "another layer beside": Case(join=lambda h, d: h + (d + torch.tanh(h))),
    "hidden by a mask": Case(join=lambda h, d: h + torch.where(MASK > 0, d, 0.0)),
    "as an image": Case(
        join=lambda h, d: (
            (h.transpose(1, 2).unflatten(2, (4, 4)) + d.transpose(1, 2).unflatten(2, (4, 4))).flatten(2).mT
        ),
        cls=False,
    ),
    "a convolution behind the sum": Case(join=lambda h, d: h + d + 0 * depthwise_of(h + d)),
    "pooled queries, repeated": Case(heads=lambda o: spread(o, nearest), queries=pooled, cls=False),
}


def depthwise_of(tokens: Tensor) -> Tensor:
    return on_grid(tokens, depthwise)


def test_outputs_that_land_in_their_own_tokens_are_shown_without_a_word() -> None:
    found = {
        f"{name}, {spelling}": verdict(network(case, spelling), picture(SIDE))
        for name, case in HARMLESS.items()
        for spelling in ("matmul", "einsum", "sdpa")
    }
    slips = {name: what for name, what in found.items() if what != "shown"}
    assert not slips, "\n".join(map(str, slips.items()))
