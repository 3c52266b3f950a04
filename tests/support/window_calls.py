"""A tower like that of Qwen2.5-VL: tokens in the order of windows, an attention call for each, those at the edge smaller."""

import copy

import torch
import torch.nn.functional as F
from torch import Tensor, nn

PATCH = 4


class Windowed(nn.Module):
    """A call for each window; `how` says what else is done."""

    how = "plain"

    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        self.heads, self.qkv, self.proj = heads, nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)

    def split(self, x: Tensor) -> list[Tensor]:
        return list(self.qkv(x).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4))

    def forward(self, x: Tensor, lengths: list[int]) -> Tensor:
        outs = []
        for q, k, v in zip(*(one.split(lengths, 2) for one in self.split(x)), strict=True):
            out = self.attend(q, k, v.roll(1, 2) if self.how == "parted" else v)
            outs.append(out.roll(1, 2) if self.how == "turned" else out)
        if self.how == "swapped" and len(outs) > 1:
            outs[1], outs[2] = outs[2], outs[1]
        return self.proj(torch.cat(outs, 2).transpose(1, 2).flatten(2))

    def attend(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        if self.how == "spelled":
            return (q @ k.mT / q.shape[-1] ** 0.5).softmax(-1) @ v
        mask = torch.linspace(-1, 1, q.shape[-2] ** 2).unflatten(0, (q.shape[-2], -1)).to(q)
        return F.scaled_dot_product_attention(q, k, v, mask if self.how == "biased" else None)


class Masked(Windowed):
    """The same in one call, with a mask."""

    def forward(self, x: Tensor, lengths: list[int]) -> Tensor:
        of = torch.arange(len(lengths)).repeat_interleave(torch.tensor(lengths))
        out = F.scaled_dot_product_attention(*self.split(x), (of[:, None] == of) if len(lengths) > 1 else None)
        return self.proj(out.transpose(1, 2).flatten(2))


class Block(nn.Module):
    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.attn = Windowed(dim, heads)
        self.mlp = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))

    def forward(self, x: Tensor, lengths: list[int]) -> Tensor:
        x = x + self.attn(self.norm1(x), lengths)
        return x + self.mlp(self.norm2(x))


class Tower(nn.Module):
    """Patches on a grid of n x n, windows of 4 x 4; blocks in `full` attend to all."""

    def __init__(self, n: int, blocks: int, full: tuple[int, ...], dim: int = 16) -> None:
        super().__init__()
        self.n, self.full, self.order = n, full, list(range(blocks))
        self.embed, self.blocks = nn.Conv2d(3, dim, PATCH, PATCH), nn.ModuleList(Block(dim, 2) for _ in range(blocks))
        self.norm, self.head = nn.LayerNorm(dim), nn.Linear(dim, 3)
        grid, starts = torch.arange(n * n).reshape(n, n), range(0, n, 4)
        windows = [grid[row : row + 4, col : col + 4].flatten() for row in starts for col in starts]
        self.lengths = [len(one) for one in windows]
        self.index: Tensor
        self.register_buffer("index", torch.cat(windows))

    def forward(self, pixels: Tensor) -> Tensor:
        x = self.embed(pixels).flatten(2).transpose(1, 2)[:, self.index]
        for number, block in enumerate(self.order):
            x = self.blocks[block](x, [x.shape[1]] if number in self.full else self.lengths)
        return self.head(self.norm(x)[:, self.index.argsort()].mean(1))


def tower(n: int = 6, blocks: int = 2, full: tuple[int, ...] = (1,), how: str = "plain") -> Tower:
    """A tower in double precision whose attention is sharp."""
    torch.manual_seed(0)
    net = Tower(n, blocks, full).double().eval()
    for block in net.blocks:
        block.attn.qkv.weight.data *= 4
        block.attn.how = how
    return net


def in_one_call(net: Tower) -> Tower:
    """The same network, whose windows are a mask."""
    other = copy.deepcopy(net)
    for block in other.blocks:
        block.attn.__class__ = Masked
    return other


def pixels_of(net: Tower, pictures: int = 1) -> Tensor:
    side = PATCH * net.n
    return torch.randn(pictures, 3, side, side, generator=torch.Generator().manual_seed(1)).double()


@torch.no_grad()
def maps_of(net: Tower, pixels: Tensor) -> list[Tensor]:
    """(head, query, key) of each block by a plain loop over windows, in the order of the picture's rows."""
    x, found, back = net.embed(pixels).flatten(2).transpose(1, 2), list[Tensor](), net.index.argsort()
    for number, which in enumerate(net.order):
        block, n = net.blocks[which], net.n**2
        q, k, v = block.attn.split(block.norm1(x))
        map_, rows = torch.zeros(2, n, n).double(), torch.arange(n)
        for own in [rows] if number in net.full else net.index.split(net.lengths):
            scores = q[0][:, own] @ k[0][:, own].mT / q.shape[-1] ** 0.5
            if block.attn.how == "biased":
                scores = scores + torch.linspace(-1, 1, len(own) ** 2).reshape(len(own), len(own)).double()
            map_[:, own[:, None], own] = scores.softmax(-1)
        if number in net.full and block.attn.how == "biased":  # it was added in the order of windows
            q, k = q[0][:, net.index], k[0][:, net.index]
            bias = torch.linspace(-1, 1, n * n).reshape(n, n).double()
            map_ = (q @ k.mT / q.shape[-1] ** 0.5 + bias).softmax(-1)[:, back][:, :, back]
        found.append(map_)
        x = x + block.attn.proj((map_ @ v[0]).transpose(0, 1).flatten(1))[None]
        x = x + block.mlp(block.norm2(x))
    assert torch.allclose(net.head(net.norm(x).mean(1)), net(pixels))
    return found
