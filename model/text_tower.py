"""The other tower of a network that was trained on pictures with captions: sentences -> vectors beside those of pictures."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import torch
import torch.nn.functional as F
from torch import Tensor, nn


@dataclass(frozen=True, eq=False)
class TextTower:
    """The tower that reads sentences, and how its vectors are compared with the output of the vision tower.

    encode      sentences -> (sentence, d) on the CPU, not normalised
    projection  (d, features) that makes the vision tower's features comparable; None: they already are
    scale, bias  turn a cosine into a logit; `activation` turns logits into probabilities (see `VisionModel`)
    """

    encode: Callable[[Sequence[str]], Tensor]
    projection: Tensor | None
    scale: float
    bias: float
    activation: Literal["softmax", "sigmoid"]

    @classmethod
    def of(cls, whole: Any, encode: Callable[[Sequence[str]], Tensor], projection: Tensor | None = None) -> "TextTower":
        """Take scale and bias of a network of two towers: CLIP has no bias, and SigLIP judges each sentence by itself."""
        scale, bias = float(whole.logit_scale.detach().exp()), getattr(whole, "logit_bias", None)
        if bias is None:
            return cls(encode, projection, scale, 0.0, "softmax")
        return cls(encode, projection, scale, float(bias.detach()), "sigmoid")

    def vectors(self, sentences: Sequence[str]) -> Tensor:
        """(sentence, d) of length 1, float32."""
        with torch.no_grad():
            return F.normalize(self.encode(sentences).detach().float().cpu(), dim=-1)


class Reader:
    """Makes a `TextTower` at the first call, and keeps it. A copy for another process does not carry the tower.

    make  builds the tower: a function of a module with its arguments (functools.partial), so that it can be pickled
    """

    def __init__(self, make: Callable[[], TextTower]) -> None:
        self.make = make
        self._made: TextTower | None = None

    def __call__(self) -> TextTower:
        """Return the tower. Raises `VizError` if its tokenizer is not available; each call tries again."""
        if self._made is None:
            self._made = self.make()
        return self._made

    def __getstate__(self) -> dict[str, Any]:
        return {"make": self.make, "_made": None}


class Cosine(nn.Module):
    """(B, sentence): cosines of features (B, features) of pictures with the vectors of sentences."""

    vectors: Tensor
    projection: Tensor | None

    def __init__(self, vectors: Tensor, projection: Tensor | None) -> None:
        super().__init__()
        self.register_buffer("vectors", vectors)
        self.register_buffer("projection", None if projection is None else projection.detach().float().cpu())

    def forward(self, features: Tensor) -> Tensor:
        """Compute the cosines in float32 or better, on the device of the features."""
        features = features.to(torch.promote_types(features.dtype, torch.float32))
        if self.projection is not None:
            features = F.linear(features, self.projection.to(features))
        return F.linear(F.normalize(features, dim=-1), self.vectors.to(features))


class ZeroShot(nn.Module):
    """A vision tower as a classifier of sentences: (B, sentence) logits, scale x cosine + bias."""

    def __init__(self, net: nn.Module, cosine: Cosine, scale: float, bias: float) -> None:
        super().__init__()
        self.net, self.cosine, self.scale, self.bias = net, cosine, scale, bias

    def forward(self, pixels: Tensor) -> Tensor:
        """Compare pictures and sentences as the two towers were trained to."""
        return self.cosine(self.net(pixels)) * self.scale + self.bias
