"""What goes in: pixels as the network takes them, of any number of channels, one or a loader full; further inputs, one output."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from PIL import Image
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset

import vizapp
from support.networks import small_vit
from support.pictures import encoded
from support.together import together
from vizapp import Preprocess, VizError
from vizapp.analysis import Truth
from vizapp.model.vit import ViT

SMALL = dict(img_size=32, patch_size=8, num_classes=5, embed_dim=32, depth=2, num_heads=2)


def pixels(*shape: int, seed: int = 0) -> Tensor:
    return torch.rand(*shape, generator=torch.Generator().manual_seed(seed)) * 2 - 1


def test_pixels_are_seen_as_the_picture_that_they_were(picture: np.ndarray) -> None:
    model = small_vit()
    by_picture = vizapp.analyse(model, picture)
    tensor, frame = model.preprocess(picture)
    for given in (tensor, tensor[0]):
        seen = vizapp.analyse(model, given)
        assert torch.equal(seen.trace.logits, by_picture.trace.logits)
        np.testing.assert_array_equal(vizapp.explain(seen).scores, vizapp.explain(by_picture).scores)
        assert seen.picture.shape == (32, 32, 3)
        assert torch.equal(model.preprocess(seen.picture)[0], tensor), "the mean and std taken back, to the pixel"
        assert seen.facts["preprocess"] == "pixels were given as the network takes them"
    shown = vizapp.analyse(model, tensor, picture=picture, fit="crop")
    assert shown.frame == frame
    np.testing.assert_array_equal(vizapp.paint(shown, vizapp.explain(shown)).shape, picture.shape)


def test_what_was_assumed_of_pictures_is_not_said_of_pixels() -> None:
    net = small_vit().net
    assert vizapp.analyse(net, pixels(1, 3, 32, 32)).notes == (), "no colours were assumed"
    assert vizapp.analyse(net, pixels(1, 3, 32, 32), preprocess=Preprocess((64, 64))).notes == (), "nor a size"
    odd = vizapp.analyse(net, 10 * pixels(1, 3, 32, 32))
    assert "shown stretched" in odd.notes[0]
    assert (odd.picture.min(), odd.picture.max()) == (0, 255)


@pytest.mark.parametrize("channels", [1, 2, 4, 13])
def test_any_number_of_channels(channels: int, picture: np.ndarray) -> None:
    torch.manual_seed(0)
    net = ViT(**SMALL, in_chans=channels).eval()
    tensor = pixels(1, channels, 32, 32)
    seen = vizapp.analyse(net, tensor, labels=tuple("abcde"))
    with torch.no_grad():
        torch.testing.assert_close(seen.trace.logits, net(tensor)[0])
    assert vizapp.explain(seen, "chefer").scores.shape == (4, 4)
    assert vizapp.explain(seen, "occlusion").scores.shape == (4, 4)
    assert vizapp.paint(seen, vizapp.explain(seen)).shape == (32, 32, 3)
    assert any(f"the mean of {channels} channels" in note for note in seen.notes) == (channels > 1)
    assert vizapp.check(net, tensor).holds
    larger = np.zeros((64, 64, 3), np.uint8)
    shown = vizapp.analyse(net, tensor, picture=larger)
    assert shown.frame.to_picture(32, 32) == (64, 64)
    edited = vizapp.analyse(net, tensor, edits="head-off:0.0")
    assert not torch.allclose(edited.trace.layers[1].map(), seen.trace.layers[1].map())


def test_a_loader_gives_what_it_likes() -> None:
    model, tensor = small_vit(), pixels(5, 3, 32, 32)
    alone = [vizapp.explain(vizapp.analyse(model, one)).scores for one in tensor]
    labelled = TensorDataset(tensor, torch.arange(5))
    given = {
        "a tensor": tensor,
        "a loader of pairs": DataLoader(labelled, batch_size=2),
        "a dataset of pairs": labelled,
        "a loader of tensors": DataLoader(tensor, batch_size=3),
        "dictionaries": [{"pixel_values": tensor[:3], "labels": [1, 2, 3]}, {"pixel_values": tensor[3:]}],
    }
    for what, loader in given.items():
        told: list[int] = []
        many = list(vizapp.analyse_many(model, loader, batch=2, on_progress=told.append))
        assert told == [1, 2, 3, 4, 5], what
        for seen, expected in zip(many, alone, strict=True):
            np.testing.assert_allclose(vizapp.explain(seen).scores, expected, rtol=1e-4, atol=1e-7, err_msg=what)


def test_pictures_and_pixels_of_several_shapes_in_one_list(picture: np.ndarray) -> None:
    net = small_vit().net
    several = [picture, pixels(3, 32, 32), (picture, "cat"), pixels(2, 3, 32, 32)]
    assert [seen.picture.shape[:2] for seen in vizapp.analyse_many(net, several)] == [(40, 60), (32, 32), (40, 60)] + [
        (32, 32)
    ] * 2


SLIPS = {
    "several": (lambda net: vizapp.analyse(net, pixels(2, 3, 32, 32)), "holds 2 pictures.*analyse_many"),
    "whole numbers": (
        lambda net: vizapp.analyse(net, torch.zeros(3, 32, 32, dtype=torch.uint8)),
        "never uint8.*as an array",
    ),
    "a film": (lambda net: vizapp.analyse(net, torch.zeros(1, 3, 8, 32, 32)), "1 x 3 x 8 x 32 x 32"),
    "another shape": (
        lambda net: vizapp.analyse(net, pixels(3, 32, 32), picture=np.zeros((32, 64, 3), np.uint8)),
        "does not have the shape of pixels 32x32.*fit=",
    ),
    "two pictures": (
        lambda net: vizapp.analyse(net, np.zeros((32, 32, 3), np.uint8), picture=np.zeros((32, 32, 3), np.uint8)),
        "not needed beside a picture",
    ),
    "nothing": (lambda net: vizapp.analyse(net), "nothing to look at"),
    "no pixels": (lambda net: list(vizapp.analyse_many(net, [{"labels": 3}])), "keys are labels.*pixel_values"),
    "no inputs": (lambda net: vizapp.analyse(net, pixels(3, 32, 32), inputs=[3]), "dictionary of further inputs"),
    "no output": (lambda net: vizapp.analyse(net, pixels(3, 32, 32), output="boxes"), "no output 'boxes'.*Tensor"),
    "no activation": (lambda net: vizapp.analyse(net, pixels(3, 32, 32), activation="tanh"), "softmax, sigmoid, none"),
    "described": (lambda net: vizapp.analyse("toy", pixels(3, 32, 32), output="boxes"), "describe"),
    "other channels": (
        lambda net: vizapp.analyse(net, np.zeros((32, 32, 3), np.uint8), preprocess=Preprocess((32, 32), (0,), (1,))),
        "takes pixels of shape",
    ),
    "a label": (lambda net: vizapp.analyse(net, pixels(3, 32, 32), labels="cat"), "a list of names"),
}


@together("slip", SLIPS)
def test_a_slip_is_a_sentence(slip: str) -> None:
    make, words = SLIPS[slip]
    with pytest.raises(VizError, match=words):
        make(small_vit().net)


class Two(nn.Module):
    """Takes a temperature before the pixels, and gives an object with a dictionary in it."""

    def __init__(self, net: nn.Module) -> None:
        super().__init__()
        self.vit = net

    def forward(self, bias: Tensor, pixel_values: Tensor, *, temperature: float = 1.0) -> object:
        found = self.vit(pixel_values) / temperature + bias
        return SimpleNamespace(heads={"ages": found.mean(1, keepdim=True), "classes": [found]}, bias=bias)


def test_further_inputs_and_one_of_several_outputs(picture: np.ndarray) -> None:
    plain, tensor = small_vit(), pixels(3, 3, 32, 32)
    net, bias = Two(plain.net).eval(), torch.linspace(0, 1, 5)[None]
    with pytest.raises(VizError, match=r"missing 1 required.*say inputs="):
        vizapp.analyse(net, tensor[0])
    with torch.no_grad():
        expected = plain.net(tensor) / 2 + bias
    for inputs in ({"bias": bias, "temperature": 2.0}, lambda net, pixels: net(bias, pixels, temperature=2.0)):
        told = dict(inputs=inputs, output=("heads", "classes", 0), labels=tuple("abcde"))
        seen = vizapp.analyse(net, tensor[0], **told)
        torch.testing.assert_close(seen.trace.logits, expected[0])
        many = list(vizapp.analyse_many(net, tensor, **told))
        torch.testing.assert_close(torch.stack([one.trace.logits for one in many]), expected)
        assert vizapp.explain(seen, "chefer", target="b").target == 1
        assert vizapp.check(vizapp.describe(net, **told, preprocess=plain.preprocess), picture).holds
    with pytest.raises(VizError, match=r"no output 'logits'.*dict \(ages, classes\)"):
        vizapp.analyse(net, tensor[0], inputs={"bias": bias}, output=("heads", "logits"))


@pytest.mark.parametrize("model", ["toy", small_vit().net], ids=["by name", "a network"])
def test_a_word_that_is_not_known(model: object) -> None:
    """`edit` for `edits` would be dropped, or a traceback."""
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'edit'. Did you mean 'edits'.*preprocess"):
        vizapp.analyse(model, np.zeros((64, 64, 3), np.uint8), edit="head-off:1.1")


def test_a_picture_that_was_read_smaller_says_so() -> None:
    """With the maps, as every note; and truth must be as large as what was read."""
    model, data = small_vit(), encoded(Image.new("RGB", (400, 300), (9, 99, 200)), "JPEG")
    assert not any("was read at" in note for note in vizapp.analyse(model, data).notes)
    seen = vizapp.analyse(model, data, max_pixels=50_000)
    assert seen.picture.shape == (*seen.frame.picture, 3) == (150, 200, 3)
    assert any("was read at 200 x 150 of its 400 x 300 pixels" in note for note in seen.notes)
    with pytest.raises(VizError, match=r"mask of a known object is \(300, 400\)"):
        vizapp.analyse(model, data, max_pixels=50_000, truth=[Truth("cat", np.ones((300, 400), bool))])
