"""What a network object says of its pictures is read as when it is loaded by name; what nothing says is assumed aloud."""

from pathlib import Path

import gradio
import numpy as np
import pytest
import timm
import torch
from PIL import Image
from torch import nn

import vizapp
from support.networks import small_vit
from support.paths import DEIT
from support.processors import Prepares
from vizapp import Preprocess, VizError
from vizapp.model.inputs import IMAGENET_MEAN
from vizapp.model.vit import ViT
from vizapp.model.zoo import timm_models

SMALL = dict(img_size=32, patch_size=8, embed_dim=32, depth=2, num_heads=2)
CHEETAH = Path(gradio.__file__).parent / "media_assets" / "images" / "cheetah.jpg"


def test_a_network_of_timm_is_prepared_for_as_by_its_name() -> None:
    net = timm.create_model("vit_base_patch16_siglip_224", **SMALL, num_classes=5).eval()
    by_name = timm_models.describe(net, name="x", labels=())
    model = vizapp.describe(net)
    assert model.preprocess == by_name.preprocess
    assert model.preprocess.mean == (0.5, 0.5, 0.5)
    assert model.preprocess.crop == 0.9, "which nothing else would say"
    assert model.notes == ()
    assert model.labels == tuple(f"class {index}" for index in range(5))


def test_a_size_alone_takes_the_colours_of_the_network_and_says_so() -> None:
    net = timm.create_model("vit_base_patch16_clip_224.openai", **SMALL, num_classes=0).eval()
    model = vizapp.describe(net, preprocess=Preprocess((32, 32)))
    assert model.preprocess.mean == tuple(net.pretrained_cfg["mean"]) != IMAGENET_MEAN
    assert "those that the network names: mean 0.481" in model.notes[0]
    with pytest.raises(VizError, match=r"not known.*describe\(net, preprocess"):
        Preprocess((32, 32))(np.zeros((32, 32, 3), np.uint8))
    with pytest.raises(VizError, match="both a mean and a std"):
        Preprocess((32, 32), mean=IMAGENET_MEAN)


def test_what_nothing_says_is_assumed_aloud(picture: np.ndarray) -> None:
    net = small_vit().net
    for given in (None, Preprocess((32, 32))):
        seen = vizapp.analyse(net, picture, preprocess=given)
        assert seen.context.model.preprocess.mean == IMAGENET_MEAN
        assert "Assumed" in seen.notes[0]
        assert "colours of ImageNet" in seen.notes[0]
    by_hand = vizapp.model.spec.VisionModel("x", net, (), (), None, Preprocess((32, 32)))
    assert "Assumed" in by_hand.notes[0], "a description that was written by hand, too"


def test_a_part_that_says_it_is_named() -> None:
    class Wrapped(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.backbone = timm.create_model("vit_base_patch16_clip_224.openai", **SMALL, num_classes=0)

        def forward(self, pixels: torch.Tensor) -> torch.Tensor:
            return self.backbone(pixels)

    model = vizapp.describe(Wrapped().eval())
    assert model.preprocess.mean == pytest.approx((0.4815, 0.4578, 0.4082), abs=1e-4)
    assert model.preprocess.size == (32, 32)
    assert "its part backbone says" in model.notes[0]


def test_a_configuration_of_timm_says_it_and_a_changed_head_has_labels_of_its_own() -> None:
    net = timm.create_model("deit_tiny_patch16_224", **{**SMALL, "img_size": 32}).eval()
    assert vizapp.describe(net).labels[0] == "tench"
    net.head = nn.Linear(32, 3)
    assert vizapp.describe(net.eval()).labels == ("class 0", "class 1", "class 2")
    assert vizapp.describe(net, labels=()).labels == ()
    config = timm.data.resolve_data_config(
        {}, pretrained_cfg=timm.get_pretrained_cfg("vit_base_patch16_224.augreg_in1k").to_dict()
    )
    model = vizapp.describe(small_vit().net, preprocess=config)
    assert (model.preprocess.mean, model.preprocess.crop) == ((0.5, 0.5, 0.5), 0.9)


def test_labels_that_do_not_fit_what_a_network_gives_are_left_out() -> None:
    """They are its own: nobody who gave none is told to give others."""
    net = timm.create_model("vit_tiny_patch16_224", **SMALL, num_classes=7, global_pool="").eval()
    seen = vizapp.analyse(net, torch.zeros(1, 3, 32, 32))
    assert (seen.trace.outputs, seen.labels, seen.top()) == ((17, 7), (), ())
    found = vizapp.explain(seen, "grad_cam", target=lambda output: output[0, 0, 3])
    assert found.scores.shape == (4, 4)
    with pytest.raises(VizError, match="17 x 7 numbers for a picture, not one for each of 7 labels"):
        vizapp.analyse(net, torch.zeros(1, 3, 32, 32), labels=tuple("abcdefg"))


def test_a_network_that_takes_blue_before_red_or_four_channels(picture: np.ndarray) -> None:
    net = small_vit().net
    straight, flipped = (
        vizapp.describe(net, preprocess=Prepares(flips=flips), labels=tuple("abcde")) for flips in (False, True)
    )
    expected = vizapp.analyse(straight, picture).trace.logits
    assert torch.equal(vizapp.analyse(flipped, picture[..., ::-1].copy()).trace.logits, expected)
    assert not torch.equal(vizapp.analyse(flipped, picture).trace.logits, expected)
    net = ViT(**{**SMALL, "num_classes": 5}, in_chans=4).eval()
    with pytest.raises(VizError, match=r"takes 4 channels.*analyse\(net, tensor, picture="):
        vizapp.analyse(net, picture)
    assert vizapp.check(net).holds


def test_grey_networks_get_grey_pictures(picture: np.ndarray) -> None:
    net = ViT(**{**SMALL, "num_classes": 5}, in_chans=1).eval()
    seen = vizapp.analyse(net, picture)
    assert seen.context.pixels.shape == (1, 1, 32, 32)
    assert any("made grey" in note for note in seen.notes)
    grey = np.array(Image.fromarray(picture).convert("L").convert("RGB"))
    np.testing.assert_allclose(vizapp.analyse(net, grey).context.pixels, seen.context.pixels, atol=0.02)
    assert vizapp.check(net).holds
    said = vizapp.describe(net, preprocess=Preprocess((32, 32), mean=(0.1,), std=(0.3,)))
    assert said.preprocess(np.full((32, 32, 3), 255, np.uint8))[0].unique().tolist() == pytest.approx([3.0])
    timms = timm.create_model("vit_tiny_patch16_224", **SMALL, in_chans=1).eval()
    assert vizapp.describe(timms).preprocess.mean == (0.5,)


@pytest.mark.skipif(not DEIT.exists(), reason="real DeiT-Ti weights are not on this machine")
def test_deit_sees_the_cheetah_as_by_its_name(deit_name: str) -> None:
    by_name = vizapp.load(deit_name, "cpu")
    label, probability = vizapp.analyse(by_name, CHEETAH).top(1)[0]
    assert label == "cheetah"
    for given in (None, Preprocess((224, 224), crop=0.9)):
        model = vizapp.describe(by_name.net, preprocess=given)
        assert vizapp.analyse(model, CHEETAH).top(1)[0] == (label, probability)
