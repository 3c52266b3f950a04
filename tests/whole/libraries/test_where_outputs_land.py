"""Sides and outputs in orders of their own: what lands in its own token is shown without a word, nothing is silently wrong."""

from itertools import cycle

import torch
import torch.nn.functional as F
from torch import Tensor

from support.landings import MASK, SPELLINGS, Case, depthwise, nearest, network, on_grid, pooled, spread, verdict
from support.odd import SIDE, WIDTH, picture

PERM = torch.randperm(16, generator=torch.Generator().manual_seed(3))


def turned(tokens: Tensor) -> Tensor:
    return tokens[..., PERM, :]


def back(tokens: Tensor) -> Tensor:
    return tokens[..., PERM.argsort(), :]


def windows(tokens: Tensor) -> Tensor:
    """Two by two windows of two by two patches: to do it twice is to undo it."""
    return tokens.unflatten(-2, (2, 2, 2, 2)).transpose(-4, -3).flatten(-5, -2)


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
    "all sides in another order, and back": Case(queries=turned, keys=turned, values=turned, heads=back, cls=False),
    "all sides in windows, and back": Case(queries=windows, keys=windows, values=windows, heads=windows, cls=False),
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
        for (name, case), spelling in zip(HARMLESS.items(), cycle(SPELLINGS))
    }
    slips = {name: what for name, what in found.items() if what != "shown"}
    assert not slips, "\n".join(map(str, slips.items()))


WEIGHTS = torch.randn(17, 17, generator=torch.Generator().manual_seed(7)).softmax(-1)

LATER = torch.cat([torch.arange(16).roll(1), torch.tensor([16])])


def written(h: Tensor, d: Tensor) -> Tensor:
    fresh = torch.zeros_like(h)
    fresh[:, :1], fresh[:, 1:] = d[:, 5:6], d[:, 1:]
    return h + fresh


def swapped_in_place(h: Tensor, d: Tensor) -> Tensor:
    out = h.clone()
    out += d
    out[:, 1:] += d[:, 1:].flip(1)
    return out


WRONG: dict[str, Case] = {
    "CLS gets another's row": Case(given=lambda d: torch.cat([d[:, 5:6], d[:, 1:]], 1)),
    "CLS gets another's row, written": Case(join=written),
    "CLS gets the mean of all": Case(given=lambda d: torch.cat([d.mean(1, keepdim=True), d[:, 1:]], 1)),
    "pooled queries, tiled": Case(
        heads=lambda o: spread(o, lambda t: t.repeat(1, 1, 2, 2, 1)), queries=pooled, cls=False
    ),
    **{
        f"{side} alone, {name}": Case(cls=False, **{side: move})
        for side in ("queries", "keys", "values", "heads", "given")
        for name, move in {"turned": turned, "in windows": windows}.items()
    },
    "a head flipped": Case(heads=lambda o: torch.stack([o[:, 0], o[:, 1].flip(1)], 1)),
    "a head's patches flipped": Case(heads=lambda o: torch.stack([o[:, 0], o[:, 1, [0, *range(16, 0, -1)]]], 1)),
    "constant matrix": Case(given=lambda d: WEIGHTS @ d),
    "constant matrix, einsum": Case(given=lambda d: torch.einsum("qk,bkd->bqd", WEIGHTS, d)),
    "constant matrix of the heads": Case(heads=lambda o: WEIGHTS @ o),
    "depthwise": Case(given=lambda d: on_grid(d, depthwise)),
    "blur": Case(given=lambda d: on_grid(d, lambda grid: F.avg_pool2d(grid, 3, 1, 1))),
    "tril": Case(given=lambda d: torch.ones(17, 17).tril() @ d),
    "cumsum": Case(given=lambda d: d.cumsum(1) / 17),
    "centred": Case(given=lambda d: d - d.mean(1, keepdim=True)),
    "token shift": Case(given=lambda d: torch.cat([d[..., :8], d[..., 8:].roll(1, 1)], -1)),
    "added twice": Case(join=lambda h, d: (h + d) + d.flip(1)),
    "added twice, in place": Case(join=swapped_in_place),
    "both orders at once": Case(join=lambda h, d: h + (d + d.flip(1))),
    "times": Case(join=lambda h, d: h * (1 + d.flip(1)), times=True),
    "times and plus": Case(join=lambda h, d: h + h * d.flip(1), times=True),
    "side by side": Case(join=lambda h, d: torch.cat([h, d.flip(1)], -1) @ torch.eye(WIDTH).repeat(2, 1)),
    "chosen by a float mask": Case(join=lambda h, d: h + MASK * d + (1 - MASK) * d.flip(1)),
    "gathered, one row twice": Case(given=lambda d: d[:, [0, 2, 2, *range(3, 17)]]),
    "joined with the stream, then flipped": Case(join=lambda h, d: h + (0.1 * h + d).flip(1)),
    "all but one later": Case(given=lambda d: d[:, LATER]),
}


def test_outputs_that_land_elsewhere_are_never_wrong_without_a_word() -> None:
    found = {
        f"{name}, {spelling}": verdict(network(case, spelling), picture(SIDE))
        for (name, case), spelling in zip(WRONG.items(), cycle(SPELLINGS))
    }
    wrong = {name: what for name, what in found.items() if what not in {"shown", "refused", "noted"}}
    assert not wrong, "\n".join(map(str, wrong.items()))
