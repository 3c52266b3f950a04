"""What the classifier of a network reads that nobody described: measured, not guessed from the names of its tokens."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import timm
import torch
from torch import nn

import vizapp
from support.networks import sharpen
from vizapp import VizError

PICTURE = np.random.default_rng(0).integers(0, 256, (64, 64, 3), dtype=np.uint8)
FIVE = tuple("abcde")


def own(name: str, **options: Any) -> nn.Module:
    size = 56 if "patch14" in name else 64  # whole patches: a border that is never seen is refused
    return sharpen(timm.create_model(name, img_size=size, num_classes=5, **options))


@pytest.mark.parametrize(
    ("net", "readout"),
    [
        (own("vit_tiny_patch16_224", depth=2), "cls"),
        (own("vit_tiny_patch16_224", depth=2, global_pool="avg"), "mean"),
        (own("deit_tiny_distilled_patch16_224", depth=2), "extra0+extra1"),
        (own("vit_small_patch14_reg4_dinov2", depth=2), "extra0"),
        (own("vit_base_patch16_siglip_224", depth=2), "pool"),
    ],
    ids=["cls", "mean", "distilled", "registers", "pool"],
)
def test_it_is_what_the_gradient_says(net: nn.Module, readout: str) -> None:
    picture = np.zeros((56, 56, 3), np.uint8) if readout == "extra0" else PICTURE
    seen = vizapp.analyse(vizapp.describe(net, labels=FIVE), picture)
    assert seen.trace.readout == readout
    assert not any("Assumed: the readout" in note for note in seen.notes)
    if readout != "pool":
        assert seen.context.model.readout == readout
    assert all(parameter.grad is None for parameter in net.parameters())


def test_what_was_said_is_believed_and_what_cannot_be_measured_is_noted() -> None:
    net = own("vit_tiny_patch16_224", depth=2)
    assert vizapp.analyse(vizapp.describe(net, labels=FIVE, readout="mean"), PICTURE).trace.readout == "mean"
    silent = own("vit_tiny_patch16_224", depth=2)
    nn.init.zeros_(silent.head.weight)
    seen = vizapp.analyse(vizapp.describe(silent, labels=FIVE), PICTURE)
    assert seen.trace.readout == "cls"
    assert "Assumed: the readout of this network is cls" in seen.notes[-1]


def test_a_name_for_the_tokens_after_a_first_look() -> None:
    """What was found without a layout is not kept for a network that is then given one."""
    net = sharpen(timm.create_model("vit_small_patch14_reg4_dinov2", img_size=56, num_classes=5, depth=2))
    vizapp.analyse(net, PICTURE)
    layout = vizapp.TokenLayout(("cls", "reg0", "reg1", "reg2", "reg3"), (4, 4))
    assert vizapp.analyse(net, PICTURE, layout=layout).trace.readout == "cls"


def test_slips_with_a_network_of_your_own() -> None:
    net = own("vit_tiny_patch16_224", depth=2)
    with pytest.raises(VizError, match="5 outputs, but 2 labels"):
        vizapp.analyse(vizapp.describe(net, labels=("a", "b")), PICTURE)
    with pytest.raises(VizError, match="failed on a picture of 1 x 3 x 64 x 64"):
        given = vizapp.Preprocess((64, 64), mean=(0.5,) * 3, std=(0.5,) * 3)
        vizapp.analyse(own("vit_tiny_patch16_224", depth=2, in_chans=1), PICTURE, preprocess=given)


def test_one_output_says_yes_or_no() -> None:
    """Its softmax would be 1 whatever the network thinks."""
    net = sharpen(timm.create_model("vit_tiny_patch16_224", img_size=64, num_classes=1, depth=2))
    seen = vizapp.analyse(vizapp.describe(net, labels=("tumour",)), PICTURE)
    ((label, share),) = seen.top()
    assert label == "tumour"
    assert share == pytest.approx(float(torch.sigmoid(seen.trace.logits[0])))
    assert vizapp.compare(seen, ["chefer"], steps=2).curves["chefer"].deletion[0] == pytest.approx(share, abs=1e-5)
