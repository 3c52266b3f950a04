"""Features of other libraries' networks are those that each reads."""

import math

import pytest
import torch
from torch import Tensor

import vizapp
from support.pictures import NOISE
from vizapp.core.signals.patch_features import patch_features, place_of
from vizapp.model.spec import VisionModel


def read_by(name: str, model: VisionModel, pixels: Tensor) -> Tensor:
    """(patch, feature): what the network's own code hands to its classifier, or to the mean before a norm of it."""
    net = model.net
    with torch.no_grad():
        found = net.forward_features(pixels)[0]
    return found.flatten(0, 1) if found.ndim == 3 else found[len(model.prefix) :]


@pytest.mark.parametrize(
    ("name", "norm"),
    [
        ("mean", ""),  # its norm is of the mean of all patches
        ("registers", "norm"),
        ("timm:eva02_tiny_patch14_224?pretrained=no", ""),
        ("timm:swin_tiny_patch4_window7_224?pretrained=no", "norm"),
    ],
)
def test_features_are_those_that_the_network_reads(name: str, norm: str) -> None:
    seen = vizapp.analyse(name, NOISE)
    context = seen.context
    place = place_of(context.model, context.pixels, seen.trace)
    assert place.norm == norm
    found = patch_features(context.model, context.pixels, place)
    assert found.shape[0] == math.prod(seen.trace.layouts(-1)[0].grid)
    torch.testing.assert_close(found, read_by(name, context.model, context.pixels), rtol=1e-4, atol=1e-5)
