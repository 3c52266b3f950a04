"""One layer whose sides or outputs go on in ways of their own, and what its map must be."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from support.odd import PATCH, SIDE, WIDTH, built
from vizapp.core.capture.forward import capture
from vizapp.errors import VizError
from vizapp.model.own_network import describe
from vizapp.model.preprocess import Preprocess

Of = Callable[[Tensor], Tensor]

Joined = Callable[[Tensor, Tensor], Tensor]  # the stream and what is added to it

MASK = torch.ones(1, 17, 1)


def by_matmul(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return (q @ k.transpose(-2, -1) / 2).softmax(-1) @ v


def by_einsum(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    scores = torch.einsum("bhqd,bhkd->bhqk", q, k) / 2
    return torch.einsum("bhqk,bhkd->bhqd", scores.softmax(-1), v)


def by_kernel(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return F.scaled_dot_product_attention(q, k, v, scale=0.5)


SPELLINGS = {"matmul": by_matmul, "einsum": by_einsum, "sdpa": by_kernel}


def same(tokens: Tensor) -> Tensor:
    return tokens


def plus(h: Tensor, d: Tensor) -> Tensor:
    return h + d


@dataclass(frozen=True)
class Case:
    """How a block goes on with what its heads give, (1, head, token, feature), and with that of all, (1, token, WIDTH).

    queries  of (1, head, token, feature) as they are made: fewer of them, where they are pooled; `keys` and `values` alike
    cls      a learned token comes first
    times    the stream is multiplied by what is joined, so it is divided by that for the truth
    """

    heads: Of = same
    given: Of = same
    join: Joined = plus
    queries: Of = same
    keys: Of = same
    values: Of = same
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
        case = self.case
        made = case.heads(self.attend(case.queries(q), case.keys(k), case.values(v)))
        return case.join(held, case.given(self.proj(made.transpose(1, 2).flatten(2))))


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
    """(head, token, key): by how much the value of each token is in what each token of the stream got.

    By gradients of one feature of that, while the block is `still`.
    """
    block, x, times = net.block, net.entered(pixels).detach(), net.block.case.times
    block.still, given = True, x.clone().requires_grad_(True)
    feature = torch.randn(WIDTH, generator=torch.Generator().manual_seed(5))
    made = (block(given) / x if times else block(given))[0] @ feature
    slopes = torch.stack([torch.autograd.grad(part, given, retain_graph=True)[0][0] for part in made])
    block.still = False
    value, out = block.qkv.weight.chunk(3)[2].detach(), block.proj.weight.detach()
    each = torch.stack([feature @ out[:, head] @ value[head] for head in torch.arange(WIDTH).chunk(2)])  # (head, D)
    # (token, key, D) = sum over heads of weight x each
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
