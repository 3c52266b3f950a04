"""What torchvision and transformers say of their networks."""

from pathlib import Path

import numpy as np
import pytest
from torch import nn

import vizapp
from vizapp import VizError
from vizapp.model.zoo import torchvision_models


def hf_vit(**changes: object) -> nn.Module:
    from transformers import ViTConfig, ViTForImageClassification

    options = dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64, image_size=32)
    config = ViTConfig(**options, patch_size=8, id2label={0: "cat", 1: "dog", 2: "cup"}, **changes)
    return ViTForImageClassification(config).eval()


def test_the_weights_of_torchvision_say_it() -> None:
    from torchvision.models import VisionTransformer, ViT_B_16_Weights

    weights = ViT_B_16_Weights.IMAGENET1K_SWAG_E2E_V1
    by_name = torchvision_models.preprocess_in(weights.transforms())
    net = VisionTransformer(32, 8, 2, 2, 32, 64, num_classes=1000).eval()
    for given in (weights, weights.transforms, weights.transforms()):
        model = vizapp.describe(net, preprocess=given)
        assert model.preprocess == by_name
        assert model.preprocess.size == (384, 384)
    assert vizapp.describe(net, preprocess=weights).labels[0] == "tench"
    assert "Assumed" in vizapp.describe(net).notes[0]
    with pytest.raises(VizError, match="int does not say how pictures are prepared"):
        vizapp.describe(net, preprocess=224)


def test_a_network_of_transformers_says_it(tmp_path: Path, picture: np.ndarray) -> None:
    from transformers import ViTForImageClassification, ViTImageProcessor

    net = hf_vit()
    processor = ViTImageProcessor(size={"height": 32, "width": 32}, image_mean=[0.4, 0.5, 0.6], image_std=[0.2] * 3)
    alone = vizapp.describe(net)
    assert alone.labels == ("cat", "dog", "cup")
    assert "Assumed" in alone.notes[0]
    net.save_pretrained(tmp_path)
    processor.save_pretrained(tmp_path)
    by_name = vizapp.load(f"hf:{tmp_path}", "cpu")
    beside = vizapp.describe(ViTForImageClassification.from_pretrained(tmp_path).eval())
    given = vizapp.describe(net, preprocess=processor)
    for model in (beside, given):
        assert model.preprocess == by_name.preprocess
        assert model.preprocess.mean == (0.4, 0.5, 0.6)
        assert model.notes == ()
        assert vizapp.analyse(model, picture).top() == vizapp.analyse(by_name, picture).top()
