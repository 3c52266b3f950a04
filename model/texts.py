"""The other tower of a network that was trained on pictures with captions: sentences -> vectors beside those of pictures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import torch
import torch.nn.functional as F
from torch import Tensor, nn


@dataclass(frozen=True, eq=False)
class TextTower:
    """What reads sentences, and how its vectors are compared with what the vision tower gives.

    encode      sentences -> (sentence, d) on the CPU, not normalised
    projection  (d, features) by which the vision tower's features become comparable; None: they are as they come
    scale, bias  of a cosine, to be a logit; `activation` what makes probabilities of logits (see `VisionModel`)
    """

    encode: Callable[[Sequence[str]], Tensor]
    projection: Tensor | None
    scale: float
    bias: float
    activation: Literal["softmax", "sigmoid"]

    def vectors(self, sentences: Sequence[str]) -> Tensor:
        """(sentence, d) of length 1, float32."""
        with torch.no_grad():
            return F.normalize(self.encode(sentences).detach().float().cpu(), dim=-1)


class Reader:
    """Makes a `TextTower` when it is first asked for, and keeps it; sent to another process without it.

    make  what makes it, a function of a module with its arguments (functools.partial), so that it can be sent
    """

    def __init__(self, make: Callable[[], TextTower]) -> None:
        self.make = make
        self._made: TextTower | None = None

    def __call__(self) -> TextTower:
        """The tower. Raises `VizError` where its tokenizer cannot be had, each time anew."""
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
        """In float32 or better, where the features are."""
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
        """As the two towers together were trained to compare them."""
        return self.cosine(self.net(pixels)) * self.scale + self.bias
