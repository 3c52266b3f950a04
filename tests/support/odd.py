"""A small attention network whose ways are overridden; the maps that it applied it keeps itself."""

import torch
from torch import Tensor, nn

import vizapp

SIDE, PATCH, WIDTH = 32, 8, 16  # 4 x 4 patches
GRID = torch.arange(16).reshape(4, 4)


class Attention(nn.Module):
    """`sides` and `mixed` are there to be overridden."""

    def __init__(self) -> None:
        super().__init__()
        self.qkv, self.proj = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.kept: dict[int, Tensor] = {}  # no list: a network whose lists change is looked at anew

    def sides(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        q, k, v = self.qkv(x).unflatten(-1, (3, 2, -1)).permute(2, 0, 3, 1, 4)
        return q, k, v

    def mixed(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        applied = (q @ k.transpose(-2, -1) / 2).softmax(-1)
        self.kept[0] = applied.detach()
        return applied @ v

    def forward(self, x: Tensor) -> Tensor:
        return self.proj(self.mixed(*self.sides(x)).transpose(1, 2).flatten(2))


class Block(nn.Module):
    def __init__(self, attention: type[nn.Module]) -> None:
        super().__init__()
        self.norm, self.attn = nn.LayerNorm(WIDTH), attention()

    def forward(self, x: Tensor) -> Tensor:
        return x + self.attn(self.norm(x))


class Net(nn.Module):
    """CLS and patches, blocks, a classifier of CLS; `pre`, `moved` and `between` are there to be overridden."""

    side, attention = SIDE, Attention

    def __init__(self, depth: int = 2) -> None:
        super().__init__()
        self.embed = nn.Conv2d(3, WIDTH, PATCH, stride=PATCH)
        self.cls = nn.Parameter(torch.randn(1, 1, WIDTH))
        self.pos = nn.Parameter(torch.randn(1, (self.side // PATCH) ** 2, WIDTH))
        self.blocks = nn.ModuleList(Block(self.attention) for _ in range(depth))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 5)

    def pre(self, pixels: Tensor) -> Tensor:
        return pixels

    def moved(self, x: Tensor) -> Tensor:
        return x

    def joined(self, cls: Tensor, x: Tensor) -> Tensor:
        return torch.cat([cls, x], 1)

    def read(self, x: Tensor) -> Tensor:
        return self.head(self.norm(x)[:, 0])

    def forward(self, pixels: Tensor) -> Tensor:
        x = self.moved(self.embed(self.pre(pixels)).flatten(2).transpose(1, 2)) + self.pos
        x = self.joined(self.cls.expand(len(x), -1, -1), x)
        for block in self.blocks:
            x = block(x)
        return self.read(x)


def built(kind: type[nn.Module], **options: object) -> nn.Module:
    """A network whose maps are far from uniform."""
    torch.manual_seed(0)
    net = kind(**options)
    with torch.no_grad():
        for name, parameter in net.named_parameters():
            if "qkv.weight" in name:
                parameter.mul_(3)
    return net.eval()


def picture(side: int = SIDE, seed: int = 1) -> Tensor:
    return torch.randn(1, 3, side, side, generator=torch.Generator().manual_seed(seed))


def seen(net: nn.Module, pixels: Tensor | None = None, side: int = SIDE) -> vizapp.Analysis:
    pixels = picture(side) if pixels is None else pixels
    return vizapp.analyse(net, pixels, preprocess=vizapp.Preprocess((side, side)))


def off(net: Net, analysis: vizapp.Analysis, pixels: Tensor, slots: Tensor) -> float:
    """The largest difference of any map from what the network applied; `slots` tells which patch each of its tokens is."""
    with torch.no_grad():
        net(pixels)
    order = torch.cat([torch.zeros(1, dtype=torch.long), 1 + slots.flatten().argsort()])
    layers = analysis.trace.layers
    assert len(layers) == len(net.blocks)
    applied = [block.attn.kept[0][0][:, order][:, :, order] for block in net.blocks]
    return max(float((layer.map() - map_).abs().max()) for layer, map_ in zip(layers, applied, strict=True))
