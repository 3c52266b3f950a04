"""Windows and films of networks of timm and transformers."""

import torch
from torch import Tensor, nn

from vizapp.model.own_network import describe
from vizapp.model.preprocess import Preprocess
from vizapp.model.spec import VisionModel


class Frames(nn.Module):
    """Looks at each frame by itself, as pictures of one batch, and takes the mean; its attention is `spelt` in some way."""

    def __init__(self, spelt: str) -> None:
        super().__init__()
        self.patches, self.attention = nn.Conv2d(3, 16, 8, 8), Spelt(spelt)

    def forward(self, clip: Tensor) -> Tensor:
        tokens = self.patches(clip.flatten(0, 1)).flatten(2).transpose(1, 2)
        return self.attention(tokens).mean(1).unflatten(0, clip.shape[:2]).mean(1)


class Spelt(nn.Module):
    """Attention of 4 heads of 4 features over tokens (picture, token, 16), its heads on axes of many kinds."""

    def __init__(self, spelt: str) -> None:
        super().__init__()
        self.spelt = spelt
        self.weights = nn.Parameter(torch.randn(3, 16, 16) / 4)
        self.joint = nn.MultiheadAttention(16, 4, batch_first=True)

    def forward(self, x: Tensor) -> Tensor:
        if self.spelt.startswith("nn.MultiheadAttention"):
            return self.joint(x, x, x, need_weights="weights" in self.spelt)[0]
        if self.spelt == "one axis of heads":
            return attend(*(part.unflatten(-1, (4, 4)).transpose(1, 2) for part in x @ self.weights[:, None])).mean(1)
        if self.spelt == "two axes of heads":
            parts = (part.unflatten(-1, (2, 2, 4)).permute(0, 2, 3, 1, 4) for part in x @ self.weights[:, None])
            return attend(*parts).mean((1, 2))
        if self.spelt == "heads and pictures in one axis":
            parts = (part.unflatten(-1, (4, 4)).transpose(1, 2).flatten(0, 1) for part in x @ self.weights[:, None])
            return attend(*parts).unflatten(0, (-1, 4)).mean(1)
        assert self.spelt == "weights with an axis of heads"
        weights = self.weights.unflatten(-1, (4, 4))
        return attend(*(torch.einsum("bnd,dhk->hbnk", x, one) for one in weights)).mean(0)


def attend(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return (q @ k.transpose(-2, -1)).softmax(-1) @ v


WAYS = (
    "nn.MultiheadAttention",
    "nn.MultiheadAttention, weights",
    "one axis of heads",
    "two axes of heads",
    "heads and pictures in one axis",
    "weights with an axis of heads",
)


def described(net: nn.Module) -> VisionModel:
    return describe(net.eval(), preprocess=Preprocess((32, 32)))
