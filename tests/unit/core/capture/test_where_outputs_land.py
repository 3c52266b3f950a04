"""A row of a map is the token that the output is added to: where it is not, the map is refused or a note says it.

The truth is asked of the network by gradients, with its queries and keys held still: how much of each patch's value is in what
each token of the stream got. Nothing of the capture takes part in it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from support.odd import PATCH, SIDE, WIDTH, built, picture
from support.order_spellings import SPELLINGS
from vizapp.core.capture.forward import capture
from vizapp.errors import VizError
from vizapp.model.own_network import describe
from vizapp.model.preprocess import Preprocess

Of = Callable[[Tensor], Tensor]
Joined = Callable[[Tensor, Tensor], Tensor]  # the stream and what is added to it
WEIGHTS = torch.randn(17, 17, generator=torch.Generator().manual_seed(7)).softmax(-1)
MASK = torch.ones(1, 17, 1)
LATER = torch.cat([torch.arange(16).roll(1), torch.tensor([16])])


def same(tokens: Tensor) -> Tensor:
    return tokens


def plus(h: Tensor, d: Tensor) -> Tensor:
    return h + d


@dataclass(frozen=True)
class Case:
    """How a block goes on with what its heads give, (1, head, token, feature), and with that of all, (1, token, WIDTH).

    queries  of (1, head, token, feature) as they are made: fewer of them, where they are pooled
    cls      a learned token comes first
    times    the stream is multiplied by what is joined, so it is divided by that for the truth
    """

    heads: Of = same
    given: Of = same
    join: Joined = plus
    queries: Of = same
    cls: bool = True
    times: bool = False


def on_grid(tokens: Tensor, change: Of) -> Tensor:
    """(1, CLS and 16 patches, D) with `change` made to (1, D, 4, 4)."""
    grid = change(tokens[:, 1:].transpose(1, 2).unflatten(2, (4, 4)))
    return torch.cat([tokens[:, :1], grid.flatten(2).transpose(1, 2)], 1)


def depthwise(grid: Tensor) -> Tensor:
    kernel = torch.randn(grid.shape[1], 1, 3, 3, generator=torch.Generator().manual_seed(2))
    return F.conv2d(grid, kernel, padding=1, groups=grid.shape[1])


def pooled(q: Tensor) -> Tensor:
    return F.avg_pool2d(q.flatten(0, 1).transpose(1, 2).unflatten(2, (4, 4)), 2).flatten(2).transpose(1, 2)[None]


def spread(rows: Tensor, by: Of) -> Tensor:
    """(1, head, 4, feature) -> 16."""
    return by(rows.unflatten(2, (2, 2))).flatten(2, 3)


def nearest(rows: Tensor) -> Tensor:
    return rows.repeat_interleave(2, 2).repeat_interleave(2, 3)


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


class Block(nn.Module):
    """`still`: queries, keys and the skip let no gradient through."""

    def __init__(self, case: Case, spelling: str) -> None:
        super().__init__()
        self.qkv, self.proj = nn.Linear(WIDTH, 3 * WIDTH, bias=False), nn.Linear(WIDTH, WIDTH)
        self.case, self.attend, self.still = case, SPELLINGS[spelling], False

    def forward(self, x: Tensor) -> Tensor:
        held = x.detach() if self.still else x
        parts = zip((held, held, x), self.qkv.weight.chunk(3), strict=True)
        q, k, v = (F.linear(part, weight).unflatten(-1, (2, -1)).transpose(1, 2) for part, weight in parts)
        made = self.case.heads(self.attend(self.case.queries(q), k, v))
        return self.case.join(held, self.case.given(self.proj(made.transpose(1, 2).flatten(2))))


class Landing(nn.Module):
    def __init__(self, case: Case, spelling: str) -> None:
        super().__init__()
        self.embed = nn.Conv2d(3, WIDTH, PATCH, stride=PATCH)
        self.cls = nn.Parameter(torch.randn(1, 1 if case.cls else 0, WIDTH))
        self.pos = nn.Parameter(torch.randn(1, 16 + case.cls, WIDTH))
        self.block, self.norm, self.head = Block(case, spelling), nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 5)

    def entered(self, pixels: Tensor) -> Tensor:
        return torch.cat([self.cls, self.embed(pixels).flatten(2).transpose(1, 2)], 1) + self.pos

    def forward(self, pixels: Tensor) -> Tensor:
        return self.head(self.norm(self.block(self.entered(pixels))).mean(1))


def truth(net: Landing, pixels: Tensor) -> Tensor:
    """(head, token, key): by how much the value of each token is in what each token of the stream got."""
    x, block = net.entered(pixels).detach(), net.block
    block.still, given = True, x.clone().requires_grad_(True)
    feature = torch.randn(WIDTH, generator=torch.Generator().manual_seed(5))
    made = (block(given) / x if block.case.times else block(given))[0] @ feature
    slopes = torch.stack([torch.autograd.grad(part, given, retain_graph=True)[0][0] for part in made])
    block.still = False
    value, out = block.qkv.weight.chunk(3)[2].detach(), block.proj.weight.detach()
    each = torch.stack([feature @ out[:, head] @ value[head] for head in torch.arange(WIDTH).chunk(2)])
    weights = torch.linalg.lstsq(each.T.double(), slopes.flatten(0, 1).T.double()).solution
    return weights.unflatten(1, (len(made), -1)).float()


def shares(rows: Tensor) -> Tensor:
    """Rows that sum to one: a gate of a token, or of a head, changes no map."""
    return rows / rows.sum(-1, keepdim=True)


def verdict(net: Landing, pixels: Tensor) -> str:
    """ "shown", "refused", "noted", or "wrong by ...": shown otherwise than it is, without a word."""
    try:
        trace = capture(describe(net, preprocess=Preprocess((SIDE, SIDE))), pixels)
    except VizError:
        return "refused"
    if not any(layer.name == "block" for layer in trace.layers):
        return "refused" if "block" in trace.skipped else "missing"
    if trace.notes:
        return "noted"
    found, true = trace.layers[0].map(), shares(truth(net, pixels))
    if len(true[0]) != len(found[0]):  # the row of four tokens of the stream
        found = spread(found[None], nearest)[0]
    off = float((found - true).abs().max())
    return "shown" if off < 1e-3 else f"wrong by {off:.2f}"


def network(case: Case, spelling: str) -> Landing:
    net = built(Landing, case=case, spelling=spelling)
    assert isinstance(net, Landing)
    return net


def test_outputs_that_land_elsewhere_are_never_wrong_without_a_word() -> None:
    found = {
        f"{name}, {spelling}": verdict(network(case, spelling), picture(SIDE))
        for name, case in WRONG.items()
        for spelling in ("matmul", "sdpa")
    }
    wrong = {name: what for name, what in found.items() if what not in {"shown", "refused", "noted"}}
    assert not wrong, "\n".join(map(str, wrong.items()))


def test_outputs_that_land_in_their_own_tokens_are_shown_without_a_word() -> None:
    found = {
        f"{name}, {spelling}": verdict(network(case, spelling), picture(SIDE))
        for name, case in HARMLESS.items()
        for spelling in ("matmul", "einsum", "sdpa")
    }
    slips = {name: what for name, what in found.items() if what != "shown"}
    assert not slips, "\n".join(map(str, slips.items()))


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
