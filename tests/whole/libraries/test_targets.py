"""Targets of networks of transformers: a pixel's class, a sentence, a box."""

import numpy as np
import pytest
import torch
from torch import Tensor

import vizapp
from vizapp import VizError


@pytest.fixture(scope="module")
def pixels() -> Tensor:
    return torch.randn(1, 3, 64, 64, generator=torch.Generator().manual_seed(1))


def test_a_segmentation_is_explained_by_one_pixels_class(pixels: Tensor) -> None:
    from transformers import SegformerConfig, SegformerForSemanticSegmentation

    config = SegformerConfig(
        num_encoder_blocks=2, depths=[1, 1], sr_ratios=[2, 1], hidden_sizes=[8, 16], patch_sizes=[7, 3], strides=[4, 2],
        num_attention_heads=[1, 2], mlp_ratios=[2, 2], decoder_hidden_size=16, num_labels=7,
    )  # fmt: skip
    torch.manual_seed(0)
    net = SegformerForSemanticSegmentation(config).eval()
    seen = vizapp.analyse(net, pixels)
    assert seen.trace.outputs == (7, 16, 16)
    assert seen.top() == ()
    one = vizapp.explain(seen, "grad_cam", target=lambda output: output.logits[0, 3, 4, 5])
    assert one.scores.shape == seen.trace.layout.grid
    for name in ("occlusion", "gradient_attention"):
        assert np.ptp(vizapp.explain(seen, name, target=lambda output: output.logits[0, 3].amax()).scores) > 0
    picked = vizapp.analyse(net, pixels, output="logits")
    np.testing.assert_allclose(
        vizapp.explain(picked, "grad_cam", target=lambda output: output[0, 3, 4, 5]).scores, one.scores, rtol=1e-4
    )
    with pytest.raises(VizError, match=r"gives 7 x 16 x 16 numbers.*target=lambda"):
        vizapp.explain(seen, "grad_cam", target=3)
    with pytest.raises(VizError, match="gives 7 x 16 x 16 numbers for a picture, not one for each of 7 labels"):
        vizapp.analyse(net, pixels, labels=tuple("abcdefg"))


def test_transformers_says_what_has_no_probability() -> None:
    from transformers import ViTConfig, ViTForImageClassification

    small = dict(
        hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=64, image_size=32, patch_size=8
    )
    for said, activation in (
        (dict(num_labels=1), "none"),
        (dict(num_labels=3), ""),
        (dict(num_labels=3, problem_type="regression"), "none"),
        (dict(num_labels=3, problem_type="multi_label_classification"), "sigmoid"),
    ):
        net = ViTForImageClassification(ViTConfig(**small, **said)).eval()
        assert vizapp.describe(net).activation == activation, said


def test_clip_with_a_sentence_beside_the_picture() -> None:
    from transformers import CLIPConfig, CLIPModel

    vision = dict(
        hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=2, image_size=32, patch_size=8
    )
    text = dict(
        hidden_size=32, intermediate_size=64, num_hidden_layers=1, num_attention_heads=2, vocab_size=50, eos_token_id=49
    )
    torch.manual_seed(0)
    net = CLIPModel(CLIPConfig(vision_config=vision, text_config=text, projection_dim=16)).eval()
    ids = torch.tensor([[1, 5, 7, 49]])
    picture = torch.randn(1, 3, 32, 32, generator=torch.Generator().manual_seed(2))
    seen = vizapp.analyse(net, picture, inputs={"input_ids": ids}, output="logits_per_image")
    assert seen.trace.outputs == (1,)
    expected = net(input_ids=ids, pixel_values=picture).logits_per_image[0, 0]
    result = vizapp.compare(seen, ["chefer", "grad_cam"], target=lambda output: output[0, 0], steps=2)
    assert result.curves["chefer"].deletion[0] == pytest.approx(float(expected.detach()), rel=1e-4)
    by_index = vizapp.explain(seen, "chefer", target=0)
    np.testing.assert_allclose(by_index.scores, result.maps["chefer"].scores, rtol=1e-4)
    assert np.ptp(vizapp.explain(seen, "occlusion", target=0).scores) > 0


def test_the_score_of_a_box() -> None:
    from transformers import YolosConfig, YolosForObjectDetection

    config = YolosConfig(
        hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64, image_size=[32, 32], patch_size=8,
        num_detection_tokens=5, use_mid_position_embeddings=False, num_labels=3,
    )  # fmt: skip
    torch.manual_seed(0)
    seen = vizapp.analyse(
        YolosForObjectDetection(config).eval(), torch.randn(1, 3, 32, 32, generator=torch.Generator().manual_seed(3))
    )

    def third_box_is_a_cat(output: object) -> Tensor:
        return output.logits[0, 2].softmax(-1)[1]

    for name in ("grad_cam", "attn_lrp", "occlusion"):
        found = vizapp.explain(seen, name, target=third_box_is_a_cat)
        assert found.target == "third_box_is_a_cat"
        assert np.ptp(found.scores) > 0
    for name in ("gradient_attention", "chefer"):  # what CLS looked at has nothing to do with it
        with pytest.raises(VizError, match=r"the network's own readout.*the target depends most on query='extra3'"):
            vizapp.explain(seen, name, target=third_box_is_a_cat)
        assert np.ptp(vizapp.explain(seen, name, target=third_box_is_a_cat, query="extra3").scores) > 0
