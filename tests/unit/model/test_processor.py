"""A processor's colours and the place of its pixels are measured; what cannot be measured is refused."""

from collections.abc import Callable

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from PIL import Image
from torch import Tensor

import vizapp
from support.networks import small_vit
from support.processors import Prepares
from vizapp import VizError
from vizapp.model.processor import Processor

MEAN, STD = torch.tensor([0.4, 0.5, 0.6])[:, None, None], torch.tensor([0.2, 0.25, 0.3])[:, None, None]

# Each cuts, pads or scales another side: nothing that could be exchanged is equal.
PLACED: dict[
    str, tuple[Prepares, tuple[float, float], tuple[float, float]]
] = {  # with (height, width) resized to, and (top, left)
    "squashed": (Prepares((48, 80)), (48, 80), (0, 0)),
    "shape kept": (Prepares(factor=0.3), (30, 45), (0, 0)),
    "cut": (Prepares((50, 70), more=lambda x: x[:, 4:44, 13:69]), (50, 70), (4, 13)),
    "padded below": (Prepares((40, 64), more=lambda x: F.pad(x, (0, 0, 0, 24))), (40, 64), (0, 0)),
    "padded around": (Prepares((40, 50), more=lambda x: F.pad(x, (7, 3, 5, 9), value=0.5)), (40, 50), (-5, -7)),
    "colours": (Prepares((48, 80), more=lambda x: (x - MEAN) / STD), (48, 80), (0, 0)),
    "blue first": (Prepares((48, 80), flips=True), (48, 80), (0, 0)),
}


@pytest.mark.parametrize("name", PLACED)
def test_pixels_are_the_processors_own_and_lie_where_it_is_said(name: str) -> None:
    """A white spot on black is found at its place in the pixels."""
    prepares, scaled, origin = PLACED[name]
    does = Processor(prepares)
    picture = np.zeros((100, 150, 3), np.uint8)
    picture[60:64, 90:96] = 255
    pixels, frame = does(picture)
    own = prepares(Image.fromarray(picture), "pt")["pixel_values"]
    assert torch.equal(pixels.flip(1) if prepares.flips else pixels, own)
    assert frame.scale == pytest.approx((scaled[0] / 100, scaled[1] / 150))
    assert frame.origin == origin
    assert frame.input == tuple(own.shape[2:])
    mean, std = (torch.tensor(one)[:, None, None] for one in (does.mean, does.std))
    spot = (pixels[0] * std + mean).mean(0)
    spot = torch.where(spot > 0.51, spot, 0)  # grey is padding
    x, y = frame.to_model(93, 62)
    rows, cols = torch.arange(spot.shape[0]) + 0.5, torch.arange(spot.shape[1]) + 0.5
    assert float((spot.sum(1) * rows).sum() / spot.sum()) == pytest.approx(y, abs=0.5)
    assert float((spot.sum(0) * cols).sum() / spot.sum()) == pytest.approx(x, abs=0.5)


ODD: dict[str, tuple[Callable[[Tensor], Tensor], str]] = {
    "mirrored": (lambda x: x.flip(2), "not one rectangle"),
    "turned": (lambda x: x.transpose(1, 2), "not one rectangle"),
    "two crops": (lambda x: torch.cat([x[:, :16], x[:, 8:]], 1), "not one rectangle"),
    "half hidden": (lambda x: torch.cat([x[..., :20], 0 * x[..., 20:24], x[..., 24:]], 2), "not one rectangle"),
    "grey": (lambda x: x.mean(0).expand(3, -1, -1), "more to colours"),
    "gamma": (lambda x: x**2.2, "more to colours"),
    "standardised": (lambda x: (x - x.mean()) / (x.std() + 1e-6), "more to colours"),
    "in pieces": (lambda x: x.unfold(1, 16, 16), "not 1 x 3 x height x width"),
    "fails": (lambda x: x[5], "it ends with IndexError"),
}


@pytest.mark.parametrize("name", ODD)
def test_what_cannot_be_followed_is_refused_and_pixels_are_taken(name: str) -> None:
    more, why = ODD[name]
    model = vizapp.describe(small_vit().net, preprocess=Prepares(more=more), labels=tuple("abcde"))
    picture = np.random.default_rng(0).integers(0, 256, (40, 60, 3), dtype=np.uint8)
    for fit in (None, "pad"):
        with pytest.raises(VizError, match=f"Prepares prepares pictures.*{why}.*vizapp.analyse"):
            vizapp.analyse(model, picture, fit=fit)
    assert vizapp.analyse(model, torch.rand(1, 3, 32, 32), picture=picture[:, 10:50]).trace.layers


def test_an_analysis_is_of_the_processors_pixels() -> None:
    """Alone and in a batch; another fit is vizapp's own."""
    prepares = Prepares((32, 32), more=lambda x: (x - MEAN) / STD)
    model = vizapp.describe(small_vit().net, preprocess=prepares, labels=tuple("abcde"))
    pictures = [np.random.default_rng(seed).integers(0, 256, (40, 60, 3), dtype=np.uint8) for seed in (0, 1)]
    for seen, picture in zip(vizapp.analyse_many(model, pictures), pictures, strict=True):
        own = model.net(prepares(Image.fromarray(picture), "pt")["pixel_values"])[0]
        torch.testing.assert_close(seen.trace.logits, own, rtol=0, atol=1e-5)
        assert seen.facts["preprocess"].startswith("Prepares: Preprocess(size=(32, 32)")
    padded = vizapp.analyse(model, pictures[0], fit="pad")
    assert padded.frame.origin[0] < 0
    assert not torch.equal(padded.trace.logits, vizapp.analyse(model, pictures[0]).trace.logits)
