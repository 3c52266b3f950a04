"""What a patch is before the first layer, and what the classifier reads of it, in networks of other libraries."""

import math
from typing import Any

import pytest
import torch
from torch import Tensor

import vizapp
from support.embeddings import PICTURE, close, compare, described
from support.paths import DEIT
from support.pictures import NOISE
from vizapp.core.signals.patch_features import patch_features, place_of
from vizapp.model.spec import VisionModel
from vizapp.pipeline.step_by_step import embedding
from vizapp.vocabulary import PATCH_FEW


def test_deit() -> None:
    if DEIT.exists():  # as it was trained; the embedding is the same code without them
        seen = vizapp.analyse(f"file:{DEIT}?arch=deit_tiny_patch16_224", PICTURE)
        net: Any = seen.context.model.net
    else:
        net, seen = described("deit_tiny_patch16_224", depth=2)
    found = embedding(seen, (4, 13))
    made = compare(seen, found, net.patch_embed.proj, 4, 13)
    close(found.position, net.pos_embed.detach()[0, 1 + 4 * 14 + 13])
    close(found.token, made + found.position)
    assert len(found.dimensions) == PATCH_FEW, "192 numbers of 768 weights each are too many to send"
    least = float(found.token[found.dimensions].abs().min())
    assert int((found.token.abs() >= least).sum()) == PATCH_FEW, "the largest"
    other = next(i for i in range(192) if i not in found.dimensions)
    with_it = embedding(seen, (4, 13), number=other)
    assert other in with_it.dimensions
    assert len(with_it.dimensions) == PATCH_FEW
    close(with_it.weights, net.patch_embed.proj.weight.detach()[with_it.dimensions])


@pytest.mark.parametrize("name", ["vit_tiny_r_s16_p8_224", "pvt_v2_b0", "hiera_tiny_224", "levit_128s"])
def test_more_than_one_map_is_refused(name: str) -> None:
    """A stem of several layers; patches that overlap."""
    _, seen = described(name)
    with pytest.raises(vizapp.VizError, match="by one linear map"):
        embedding(seen, (1, 1))


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
