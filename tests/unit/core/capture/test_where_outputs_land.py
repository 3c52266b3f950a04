"""A row of a map is the token that the output is added to: where it is not, the map is refused or a note says it.

The truth is asked of the network by gradients, with its queries and keys held still: how much of each patch's value is in what
each token of the stream got. Nothing of the capture takes part in it.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from support.landings import (
    MASK,
    Block,
    Case,
    Of,
    depthwise,
    network,
    on_grid,
    pooled,
    same,
    spread,
    verdict,
)
from support.odd import PATCH, SIDE, WIDTH, built, picture
from vizapp.core.capture.forward import capture
from vizapp.errors import VizError
from vizapp.model.own_network import describe
from vizapp.model.preprocess import Preprocess

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


def by_brightness(h: Tensor, d: Tensor) -> Tensor:
    return h + torch.where(h[:, 1:].abs().mean() < 5, d, d.flip(1))


WRONG: dict[str, Case] = {
    "CLS gets another's row": Case(given=lambda d: torch.cat([d[:, 5:6], d[:, 1:]], 1)),
    "CLS gets another's row, written": Case(join=written),
    "CLS gets the mean of all": Case(given=lambda d: torch.cat([d.mean(1, keepdim=True), d[:, 1:]], 1)),
    "pooled queries, tiled": Case(
        heads=lambda o: spread(o, lambda t: t.repeat(1, 1, 2, 2, 1)), queries=pooled, cls=False
    ),
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
        for name, case in WRONG.items()
        for spelling in ("matmul", "sdpa")
    }
    wrong = {name: what for name, what in found.items() if what not in {"shown", "refused", "noted"}}
    assert not wrong, "\n".join(map(str, wrong.items()))


def test_another_choice_of_another_picture_is_not_read_by_the_survey_of_the_first() -> None:
    found = {}
    for spelling in ("matmul", "sdpa"):
        net = network(Case(join=by_brightness), spelling)
        model, one = describe(net, preprocess=Preprocess((SIDE, SIDE))), picture(SIDE)
        assert not capture(model, one).notes
        found[spelling] = "shown"
        try:
            capture(model, one + 50)
        except VizError as error:
            found[spelling] = str(error)
    assert all("changes with the picture" in what for what in found.values()), found


class Again(nn.Module):
    """Two layers, of which the first one's output is added once more behind the second, in another order or in its own."""

    def __init__(self, move: Of) -> None:
        super().__init__()
        self.move, self.embed = move, nn.Conv2d(3, WIDTH, PATCH, stride=PATCH)
        self.one, self.two = (Block(Case(join=lambda h, d: d, cls=False), "matmul") for _ in range(2))
        self.head = nn.Linear(WIDTH, 5)

    def forward(self, pixels: Tensor) -> Tensor:
        x = self.embed(pixels).flatten(2).transpose(1, 2)
        given = self.one(x)
        x = x + given
        x = x + self.two(x) + self.move(given)
        return self.head(x.mean(1))


def test_what_is_added_again_behind_the_next_layer_is_the_first_one_s() -> None:
    def found(move: Of) -> tuple[list[str], tuple[str, ...]]:
        trace = capture(describe(built(Again, move=move), preprocess=Preprocess((SIDE, SIDE))), picture(SIDE))
        return [layer.name for layer in trace.layers], trace.notes

    assert found(same) == (["one", "two"], ())
    assert found(lambda given: given.flip(1)) == (["two"], ())
