"""One attention, spelt in each way that networks spell it."""

import torch
from torch import Tensor, nn

ROWS, COLS, HEADS, DIM = 4, 6, 2, 4


class Spelt(nn.Module):
    """Patches of 4 x 4 pixels, one learned token before them, one attention as `attend` spells it."""

    prefix = True

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Conv2d(3, HEADS * DIM, 4, 4)
        self.cls = nn.Parameter(torch.randn(1, 1, HEADS * DIM))
        self.qkv = nn.Linear(HEADS * DIM, 3 * HEADS * DIM)
        self.soft = nn.Sequential(nn.Softmax(-1), nn.Dropout(0.1))
        self.norm = nn.Sequential(nn.LayerNorm(ROWS * COLS + 1))
        self.still = nn.Sequential(nn.Identity())
        self.mix = nn.Parameter(torch.rand(HEADS, HEADS))
        self.probe = nn.Parameter(torch.randn(1, HEADS, 1, DIM))

    def tokens(self, pixels: Tensor) -> Tensor:
        patches = self.embed(pixels).flatten(2).transpose(1, 2)
        return torch.cat([self.cls.expand(len(patches), -1, -1), patches], 1) if self.prefix else patches

    def heads(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        q, k, v = self.qkv(x).unflatten(-1, (3, HEADS, DIM)).permute(2, 0, 3, 1, 4)
        return q, k, v

    def attend(self, x: Tensor) -> Tensor:
        raise NotImplementedError

    def forward(self, pixels: Tensor) -> Tensor:
        return self.attend(self.tokens(pixels)).flatten(1)[:, :3]


class Einsum(Spelt):
    def attend(self, x: Tensor) -> Tensor:
        q, k, v = self.heads(x)
        attention = torch.einsum("b h i d, b h j d -> b h i j", q, k).softmax(-1)
        return torch.einsum("b h i j, b h j d -> b h i d", attention, v)


class Ellipsis(Spelt):
    def attend(self, x: Tensor) -> Tensor:
        q, k, v = self.heads(x)
        q = q * (q @ self.probe[0, 0, 0]).sigmoid()[..., None]  # a product with a vector keeps tokens where they are
        attention = torch.einsum("...id,...jd->...ij", q, k).softmax(-1)
        return torch.einsum("...ij,...jd->...id", attention, v)


class TwoAxes(Spelt):
    """Each token hands on a small table."""

    def attend(self, x: Tensor) -> Tensor:
        q, k, v = self.heads(x)
        attention = torch.einsum("b h i d, b h j d -> b h i j", q, k).softmax(-1)
        return torch.einsum("b h i j, b h j w d -> b h i w d", attention, v.unflatten(-1, (2, -1))).flatten(-2)


class Contained(Spelt):
    """The softmax stands in a container with its dropout."""

    def attend(self, x: Tensor) -> Tensor:
        q, k, v = self.heads(x)
        return self.soft(q @ k.transpose(-2, -1)) @ v


class Interrupted(Spelt):
    """Another module runs between the softmax and the values, and a container works on the map."""

    def attend(self, x: Tensor) -> Tensor:
        q, k, v = self.heads(x)
        attention = (q @ k.transpose(-2, -1)).softmax(-1)
        v = self.still(v)
        attention = self.norm(torch.einsum("b h i j, h g -> b g i j", attention, self.mix))
        return torch.einsum("b h i j, b h j d -> b h i d", attention, v)


class MapSecond(Spelt):
    """The values, (..., key, channel), are einsum's first operand, and the map its second."""

    def attend(self, x: Tensor) -> Tensor:
        q, k, v = self.heads(x)
        return torch.einsum("bhkd,bhqk->bhqd", v, (q @ k.mT).softmax(-1))


class MapSecondUpright(Spelt):
    """The same with values and result (..., channel, token)."""

    def attend(self, x: Tensor) -> Tensor:
        q, k, v = self.heads(x)
        return torch.einsum("bhdk,bhqk->bhdq", v.mT, (q @ k.mT).softmax(-1)).mT


class Folded(Spelt):
    """Windows of 2 x 2 patches, folded into one axis with the heads: windows first, heads first, or heads in between."""

    prefix = False

    def __init__(self, order: str) -> None:
        super().__init__()
        self.order = order

    def attend(self, x: Tensor) -> Tensor:
        parts = self.qkv(x).reshape(ROWS // 2, 2, COLS // 2, 2, 3, HEADS, DIM)  # (r, i, c, j, 3, h, d)
        labels = {"r": 0, "c": 2, "h": 5}
        parts = parts.permute(4, *(labels[one] for one in self.order), 1, 3, 6)
        q, k, v = parts.reshape(3, ROWS * COLS * HEADS // 4, 4, DIM)
        out = (q @ k.transpose(-2, -1)).softmax(-1) @ v
        return out.sum(0, keepdim=True)


KINDS: tuple[type[Spelt], ...] = (Einsum, Ellipsis, TwoAxes, Contained, Interrupted, MapSecond, MapSecondUpright)
