"""Tell things by example: a prototype is the mean of the features of some patches, and the nearest one labels a patch.

Snell et al. 2017, prototypical networks (arXiv 1703.05175), with the cosine as in Gidaris and Komodakis 2018 (1804.09458).
"""

import math
from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from vizapp.core.signals.patch_features import Place
from vizapp.vocabulary import TEMPERATURE as TEMPERATURE


def prototypes(features: Tensor, marked: Sequence[Sequence[int]]) -> Tensor:
    """(thing, feature): for each thing the mean of the features, (patch, feature), of its patches, each brought to length 1."""
    unit = F.normalize(features, dim=-1)
    return torch.stack([unit[list(some)].mean(0) for some in marked])


def log_shares(features: Tensor, things: Tensor, temperature: float) -> Tensor:
    """(..., patch, thing) log of the softmax over things of the cosine of a patch and a prototype / temperature."""
    cosines = F.linear(F.normalize(features, dim=-1), F.normalize(things, dim=-1))
    return (cosines / temperature).log_softmax(-1)


class Taught(nn.Module):
    """A network as a classifier of things: (B, thing) logs of the share of the picture, of all its patches, that is each thing.

    Their softmax is these shares, as they sum to 1. It runs `net` as far as the patches' features, and nothing that reads
    them.
    """

    things: Tensor

    def __init__(self, net: nn.Module, place: Place, things: Tensor, temperature: float) -> None:
        super().__init__()
        self.net, self.place, self.temperature = net, place, temperature
        self.register_buffer("things", things)

    def forward(self, pixels: Tensor) -> Tensor:
        """Read the things by features of `net` at `place`."""
        features = self.place.features(self.net, pixels)
        # Not `.to(features)`: a capture that follows what is made of the picture would follow the prototypes, too.
        things = self.things.to(features.device, features.dtype)
        each = log_shares(features, things, self.temperature)  # (B, patch, thing)
        return each.logsumexp(1) - math.log(each.shape[1])
