"""Videos and volumes: several tokens on one patch, or frames where others have heads, are never shown as something else."""

from dataclasses import replace

import pytest
import torch
from torch import Tensor

import vizapp
from support.frames import WAYS, Frames, described
from support.networks import pixels_for, small_vit
from vizapp.core.capture.forward import CapturedCall, capture, layer_of
from vizapp.core.capture.reading import surveyed
from vizapp.core.capture.watch import Watch
from vizapp.errors import VizError


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


def test_tokens_are_compared_with_the_layout() -> None:
    """Whatever went wrong before: a layer of more tokens than patches is never made."""
    model = small_vit()
    model = replace(model, patch=None, attention=())
    calls: list[CapturedCall] = []
    pixels = pixels_for(model)
    with torch.no_grad(), Watch(model.net, lambda call: calls.append(CapturedCall.of(call))):
        model.net(pixels)
    axes = next(iter(surveyed(model, pixels).layouts.values()))
    assert layer_of(calls[0], axes).n_queries == 17
    with pytest.raises(VizError, match=r"has 17 tokens where 16 tokens \(4x4 patches\) were found"):
        layer_of(calls[0], replace(axes, layout=vizapp.TokenLayout((), (4, 4))))
