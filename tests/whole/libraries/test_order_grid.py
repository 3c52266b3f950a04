"""Keys, values, queries and outputs in orders of their own: no map lies on the wrong patches without a word.

The truth is asked of the network by gradients, with its queries and keys held still: how much of each patch's value is in what is
added to each token. Nothing of the capture takes part in it.
"""

import itertools
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from support.landings import SPELLINGS, weights_in
from support.odd import PATCH, SIDE, WIDTH, built, picture
from vizapp.core.capture.forward import capture
from vizapp.errors import VizError
from vizapp.model.own_network import describe
from vizapp.model.preprocess import Preprocess

PERM = torch.randperm(16, generator=torch.Generator().manual_seed(3))
Move = Callable[[Tensor], Tensor]


def windows(tokens: Tensor) -> Tensor:
    return tokens.unflatten(-2, (2, 2, 2, 2)).transpose(-4, -3).flatten(-5, -2)


# (..., token, feature) in another order, and the way back
MOVES: dict[str, tuple[Move, Move]] = {
    "index": (lambda t: t[..., PERM, :], lambda t: t[..., PERM.argsort(), :]),
    "window": (windows, windows),  # two by two windows of two by two patches: to do it twice is to undo it
}

PLACES = (
    "keys before the projection, keys, values before the projection, values, queries before the projection, queries, "
    "output of the heads, output, stream, all and back"
).split(", ")
STRAIGHT = {"stream", "all and back"}  # there the sides do not part from each other


class Block(nn.Module):
    """x + attention(x), whose tokens are `moved` at one `place`; `still`: queries, keys and the skip let no gradient through."""

    def __init__(self, spelling: str, place: str, move: tuple[Move, Move]) -> None:
        super().__init__()
        self.qkv, self.proj = nn.Linear(WIDTH, 3 * WIDTH, bias=False), nn.Linear(WIDTH, WIDTH, bias=False)
        self.attend, self.place, self.move, self.still = SPELLINGS[spelling], place, move, False

    def moved(self, tokens: Tensor, *places: str) -> Tensor:
        return self.move[0](tokens) if self.place in places else tokens

    def side(self, x: Tensor, number: int, name: str) -> Tensor:
        weight = self.qkv.weight.chunk(3)[number]
        made = F.linear(self.moved(x, f"{name} before the projection"), weight)
        return self.moved(made.unflatten(-1, (2, -1)).transpose(1, 2), name)

    def forward(self, x: Tensor) -> Tensor:
        held = x.detach() if self.still else x
        mine, given = self.moved(held, "all and back"), self.moved(x, "all and back")
        made = self.attend(self.side(mine, 0, "queries"), self.side(mine, 1, "keys"), self.side(given, 2, "values"))
        made = self.moved(made, "output of the heads").transpose(1, 2).flatten(2)
        made = self.moved(self.proj(made), "output")
        if self.place == "all and back":
            made = self.move[1](made)
        return self.moved(held + made, "stream")


class Moving(nn.Module):
    def __init__(self, spelling: str, place: str, move: tuple[Move, Move]) -> None:
        super().__init__()
        self.embed = nn.Conv2d(3, WIDTH, PATCH, stride=PATCH)
        self.pos = nn.Parameter(torch.randn(1, 16, WIDTH))
        self.blocks = nn.ModuleList([Block(spelling, place, move)])
        if place == "stream":  # the order that one hands on is the next one's
            self.blocks.append(Block(spelling, "nowhere", move))
        self.head = nn.Linear(WIDTH, 5)

    def entered(self, pixels: Tensor) -> Tensor:
        return self.embed(pixels).flatten(2).transpose(1, 2) + self.pos

    def forward(self, pixels: Tensor) -> Tensor:
        x = self.entered(pixels)
        for block in self.blocks:
            x = block(x)
        return self.head(x.mean(1))


def truth(net: Moving, pixels: Tensor) -> list[Tensor]:
    """(head, query, key) of each block: by how much the value of each patch is in what is added to each patch's token."""
    x, found, slots = net.entered(pixels).detach(), [], torch.arange(16)
    for block in net.blocks:
        own, weights = slots, weights_in(block, x)
        if block.place == "stream":  # what it hands on is in another order, but what was added is not
            turned = block.move[0](torch.arange(16.0)[:, None])[:, 0].long()
            slots, weights = slots[turned], weights[:, turned.argsort()]
        order = own.argsort()
        found.append(weights[:, order][:, :, order])
        x = block(x).detach()
    return found


def verdict(net: Moving, pixels: Tensor) -> str:
    """ "followed", "refused", or what is wrong."""
    try:
        trace = capture(describe(net, preprocess=Preprocess((SIDE, SIDE))), pixels)
    except VizError:
        return "refused"
    layers = {layer.name: layer for layer in trace.layers}
    expected = truth(net, pixels)
    for number, true in enumerate(expected):
        name = f"blocks.{number}"
        if name not in layers:
            return "refused" if name in trace.skipped else f"{name} is missing"
        off = float((layers[name].map() - true).abs().max())
        if off > 1e-3:
            return f"wrong by {off:.2f}"
    return "followed" if not trace.notes else "refused"


def test_no_order_is_silently_wrong() -> None:
    """Sides that a network moves apart are refused, and what it moves alike is followed."""
    pixels, found = picture(SIDE), dict[str, str]()
    for (place, move), spelling in zip(itertools.product(PLACES, ("index", "window")), itertools.cycle(SPELLINGS)):
        net = built(Moving, spelling=spelling, place=place, move=MOVES[move])
        found[f"{move} of {place}, {spelling}"] = verdict(net, pixels)
    wrong = {name: what for name, what in found.items() if what not in {"followed", "refused"}}
    assert not wrong
    followed = {name.partition(",")[0].partition(" of ")[2] for name, what in found.items() if what == "followed"}
    assert followed >= STRAIGHT  # what the network undoes itself was always exact
