"""Heads on axes where others have frames or windows. Videos themselves: tests/whole/libraries/test_grids.py."""

import pytest
import torch
from torch import Tensor

import vizapp
from support.frames import WAYS, Frames, described
from support.networks import pixels_for
from vizapp.core.capture.forward import capture


@pytest.mark.parametrize("spelt", WAYS)
def test_heads_on_other_axes_are_still_heads(spelt: str) -> None:
    """Planted: the same attention on one picture, wherever its heads are."""

    class One(Frames):
        def forward(self, pixels: Tensor) -> Tensor:
            return super().forward(pixels[:, None])

    torch.manual_seed(0)
    model = described(One(spelt))
    (layer,) = capture(model, pixels_for(model)).layers
    assert (layer.n_heads, layer.n_queries) == (4, 16)
    assert {call.kind for call in vizapp.check(model).calls} == {"tokens"}
