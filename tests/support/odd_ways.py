"""Attention that was compiled."""

from collections.abc import Callable

import numpy as np
from torch import nn

import vizapp
from vizapp.model.own_network import describe
from vizapp.model.preprocess import Preprocess
from vizapp.model.spec import VisionModel

PICTURE = np.random.default_rng(0).integers(0, 256, (60, 80, 3), dtype=np.uint8)


LABELS = tuple("abcde")


LOOKS: tuple[Callable[[VisionModel], object], ...] = (vizapp.check, lambda model: vizapp.analyse(model, PICTURE))


def described(net: nn.Module, size: tuple[int, int] = (64, 64)) -> VisionModel:
    return describe(net.eval(), preprocess=Preprocess(size, (0.5,) * 3, (0.5,) * 3), labels=LABELS)
