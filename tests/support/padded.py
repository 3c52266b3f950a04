"""Networks whose patches do not lie evenly on the picture, and what their patches see, by pixels that are changed one by one."""

from functools import cache

import numpy as np
import torch
from torch import Tensor, nn

import vizapp
from support.networks import MIDDLE
from support.odd import WIDTH, Net, built
from vizapp.analysis import Analysis, Truth
from vizapp.model.preprocess import Preprocess

SIDE = 64
CUTS: dict[str, dict[str, int | tuple[int, int]]] = {  # height and width differ where nothing else does
    "vitpose": {"kernel_size": 8, "stride": 8, "padding": 2},
    "overlapping": {"kernel_size": (7, 10), "stride": (4, 8)},
    "dilated": {"kernel_size": (3, 2), "stride": 8, "dilation": (3, 4)},
    "a rest": {"kernel_size": 9, "stride": 9},
    "overlapping evenly": {"kernel_size": (16, 12), "stride": 8, "padding": (4, 2)},
    "plain": {"kernel_size": 8, "stride": 8},
}


class Padded(Net):
    """Two layers, CLS and patches that one convolution cuts, or several."""

    side = SIDE

    def __init__(self, *cuts: dict[str, int | tuple[int, int]]) -> None:
        super().__init__()
        widths = (3, *(WIDTH,) * len(cuts))
        self.embed = nn.Sequential(*(nn.Conv2d(widths[i], WIDTH, **cut) for i, cut in enumerate(cuts)))
        self.grid = tuple(self.embed(torch.zeros(1, 3, SIDE, SIDE)).shape[-2:])
        self.pos = nn.Parameter(torch.randn(1, self.grid[0] * self.grid[1], WIDTH))


def net_of(which: str) -> nn.Module:
    """A network of one of `CUTS`, or of "stem": two convolutions in a row."""
    cuts = [{"kernel_size": 3, "stride": 2, "padding": 1}] * 3 if which == "stem" else [CUTS[which]]
    return built(lambda: Padded(*cuts))


def seen_of(net: nn.Module, picture: np.ndarray, truth: tuple[Truth, ...] = ()) -> Analysis:
    """`picture` (64, 64, 3) uint8 as it is, a pixel of it for each of the network's."""
    described = vizapp.describe(
        net, preprocess=Preprocess((SIDE, SIDE), MIDDLE, MIDDLE), labels=tuple("abcde"), name="padded"
    )
    return vizapp.analyse(described, picture, truth=truth)


def noise() -> np.ndarray:
    return np.random.default_rng(0).integers(0, 256, (SIDE, SIDE, 3), dtype=np.uint8)


@cache
def seen_by(which: str) -> Analysis:
    """With a known thing: the pixels 20 to 40 of rows, 14 to 30 of columns."""
    mask = np.zeros((SIDE, SIDE), bool)
    mask[20:40, 14:30] = True
    return seen_of(net_of(which), noise(), (Truth("thing", mask),))


@torch.no_grad()
def told(net: nn.Module) -> list[np.ndarray]:
    """(rows, SIDE), (columns, SIDE) bool: whether patches there change before the first block, if a line of pixels does."""
    entered: list[Tensor] = []
    handle = net.blocks[0].register_forward_pre_hook(lambda module, args: entered.append(args[0]))
    pictures = torch.zeros(2 * SIDE + 1, 3, SIDE, SIDE)
    for at in range(SIDE):
        pictures[at, :, at] = pictures[SIDE + at, :, :, at] = 1.0
    net(pictures)
    handle.remove()
    patches = entered[0][:, 1:]
    changed = (patches[:-1] != patches[-1:]).any(-1).unflatten(1, net.grid)
    return [changed[:SIDE].any(2).T.numpy(), changed[SIDE:].any(1).T.numpy()]
