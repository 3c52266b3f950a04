"""What goes wrong before or beside a map is said with it, by its own reason."""

from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import vizapp
from support.networks import small_vit
from vizapp import Preprocess, VizError


class Encoder(nn.Module):
    """PyTorch's own layers on patches and a class token, (picture, token, feature)."""

    def __init__(self, batch_first: bool) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.embed, self.cls = nn.Conv2d(3, 16, 8, 8), nn.Parameter(torch.randn(1, 1, 16))
        self.layers = nn.ModuleList(nn.TransformerEncoderLayer(16, 2, 32, batch_first=batch_first) for _ in range(2))
        self.head = nn.Linear(16, 3)

    def forward(self, pixels: Tensor) -> Tensor:
        x = self.embed(pixels).flatten(2).transpose(1, 2)
        x = torch.cat([self.cls.expand(len(x), -1, -1), x], 1)
        for layer in self.layers:
            x = layer(x)
        return self.head(x[:, 0])


@pytest.mark.parametrize("batch_first", [True, False])
def test_tokens_that_see_themselves_alone_are_said(batch_first: bool, picture: np.ndarray) -> None:
    """nn.MultiheadAttention takes tokens for pictures, unless it is made otherwise."""
    seen = vizapp.analyse(Encoder(batch_first).eval(), picture, preprocess=Preprocess((32, 32), (0.5,) * 3, (0.5,) * 3))
    said = [note for note in seen.notes if "layers.0.self_attn, layers.1.self_attn no token sees another" in note]
    assert len(said) == (not batch_first)


def test_weights_made_under_inference_mode_are_said(picture: np.ndarray) -> None:
    with torch.inference_mode():
        model = small_vit()
    with pytest.raises(VizError, match=r"of .* was made under torch\.inference_mode.*outside of it"):
        vizapp.analyse(model, picture)


def test_pixels_that_are_no_numbers_are_said() -> None:
    for odd in (torch.nan, torch.inf):
        pixels = torch.zeros(1, 3, 32, 32)
        pixels[0, 1, 2, 3] = odd
        with pytest.raises(VizError, match="The pixels hold values that are no numbers"):
            vizapp.analyse(small_vit(), pixels)


@pytest.mark.parametrize("shown", [True, False])
def test_pixels_of_0_to_255_are_said(shown: bool, picture: np.ndarray) -> None:
    """With the picture that they show, and without."""
    square = picture[:32, :32]
    pixels = torch.from_numpy(square.copy()).permute(2, 0, 1)[None].float()
    given = {"picture": square} if shown else {}
    notes = vizapp.analyse(small_vit(), pixels, **given).notes
    assert sum("do not fit the mean and std" in note for note in notes) == 1
    normalised = small_vit().preprocess(square)[0]
    assert not any("do not fit" in note for note in vizapp.analyse(small_vit(), normalised, **given).notes)


def test_a_map_that_is_zero_everywhere_is_said(picture: np.ndarray) -> None:
    """Of a head that was never trained."""
    model = small_vit()
    seen = vizapp.analyse(model, picture)
    assert not any("is zero" in note for note in vizapp.explain(seen, "chefer", target=1).notes)
    nn.init.zeros_(model.net.head.weight)
    found = vizapp.explain(vizapp.analyse(model, picture), "gradient_attention", target=1)
    assert not found.scores.any()
    assert any("Every value of this map is zero" in note for note in found.notes)


@pytest.mark.filterwarnings("ignore")
def test_a_program_of_torchscript_is_called_so(tmp_path: Path) -> None:
    torch.jit.save(torch.jit.script(nn.Linear(2, 2)), tmp_path / "net.pt")
    with pytest.raises(VizError, match=r"'net.pt' is a program of TorchScript.*torch.jit.load"):
        vizapp.load(f"file:{tmp_path / 'net.pt'}", "cpu")
