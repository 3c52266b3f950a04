"""The weights that a page without a server carries of a large network: 8 bits a number, half of half precision.

small = vizapp.quantised("timm:deit_tiny_patch16_224.fb_in1k")
vizapp.analyse(small, "photo.jpg")                  # the numbers of the page
vizapp.export(vizapp.analyse(small, "photo.jpg"), "page.html")
"""

from copy import deepcopy
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import nn

import vizapp.pipeline as pipeline
from vizapp.browser.eight_bits import by_row, from_rows, is_matrix
from vizapp.browser.network import as_half, parts_and_tensors
from vizapp.core.modes import normal_tensors
from vizapp.core.network import refuse_sharded
from vizapp.model.spec import VisionModel

FEW = 4_000_000  # weights. A network with no more is carried in half precision: 8 MB, and its maps stay those of its weights
# 8 bits change a matrix of ordinary numbers by 0.6 to 1.1 % of its length (L2). If they change one by more than this, a few
# numbers of its rows are far larger than the rest, which would lose most of its digits: it stays in half precision.
COARSE = 2**-5


@normal_tensors()
def quantised(model: VisionModel | nn.Module | str, **described: Any) -> VisionModel:
    """The same network with the weights that a page of `vizapp export` carries of it: rounded to 8 bits a number.

    In each matrix (rows, inputs), a row becomes a scale times whole numbers from -127 to 127: the scale is the largest
    absolute value of the row, divided by 127. The kernel of the patches is a matrix (features, channels x height x width).
    Positions and registers are rounded to half precision, and so is a matrix that would change by more than 3 % of its
    length. What has one number per channel (norms, biases, CLS) stays float32. The result computes in float32, and its
    weights are the page's to the last bit. Rounding it again changes nothing.

    `vizapp export` rounds networks with more than 4 million weights. Smaller ones travel in half precision, so for these the
    result is not what a page shows.

    Parameters
    ----------
    model
        a result of `load` or `describe`, a name for `load`, or a network of your own, `described` as for `describe`. It is
        not changed

    Raises
    ------
    VizError
        for a network that a page cannot carry. Source: symmetric quantisation with a scale for each output (Krishnamoorthi
        2018, arXiv 1806.08342), of weights only

    Examples
    --------
    >>> seen = vizapp.analyse(vizapp.quantised("toy"), "example")
    """
    model = pipeline.model_of(model, described, quantised)
    refuse_sharded(model)  # FSDP's modules let nobody copy them
    parts_and_tensors(model)  # refuses what a page cannot carry
    net = deepcopy(model.net).float()
    with torch.no_grad():
        for own in net.state_dict().values():
            if own.is_floating_point():
                own.copy_(torch.from_numpy(rounded(own.cpu().numpy())))
    return replace(model, net=net, film=None, facts={**model.facts, "weights rounded": "8 bits a number, by row"})


def for_a_page(model: VisionModel) -> VisionModel:
    """`model` as a page carries it: rounded if it is large. Raises `VizError` for a large network that a page cannot carry."""
    count = sum(weight.numel() for weight in model.net.parameters())
    return quantised(model) if count > FEW else model


def rounded(values: np.ndarray) -> np.ndarray:
    """The float32 values that a weight of any shape gets."""
    if is_matrix(values):
        found = from_rows(*by_row(values), values.shape)
        if np.linalg.norm((found - values).astype(np.float64)) <= COARSE * np.linalg.norm(values.astype(np.float64)):
            return found
    return as_half(values).astype(np.float32)
