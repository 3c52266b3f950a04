"""A network whose activations overwrite their input is explained as one whose do not, and never by autograd's own words."""

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import vizapp
from support.networks import small_vit
from vizapp import VizError
from vizapp.analysis import Analysis
from vizapp.core.methods import methods

BY_CLASS = [name for name, one in methods().items() if one.class_specific and one.cost != "slow"]


class Twice(nn.Module):
    """Adds what it has overwritten: as a pre-activation block does by mistake."""

    def __init__(self) -> None:
        super().__init__()
        self.act = nn.ReLU(inplace=True)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.act(x)


def seen_with(act: nn.Module, picture: np.ndarray) -> Analysis:
    torch.manual_seed(0)
    model = small_vit()
    for block in model.net.blocks:
        block.mlp.act = act.eval()
    return vizapp.analyse(model, picture)


@pytest.mark.parametrize("name", BY_CLASS)
def test_in_place_is_as_it_would_be_otherwise(name: str, picture: np.ndarray) -> None:
    plain, other = (seen_with(nn.ReLU(inplace=inplace), picture) for inplace in (False, True))
    assert torch.equal(plain.trace.logits, other.trace.logits)
    found, expected = (vizapp.explain(one, name, target=1).scores for one in (other, plain))
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("name", ["transformer_attribution", "partial_lrp", "attn_lrp", "libra_grad"])
def test_what_was_overwritten_and_is_used_again_is_refused(name: str, picture: np.ndarray) -> None:
    with pytest.raises(VizError, match="uses a tensor again that an activation function has overwritten"):
        vizapp.explain(seen_with(Twice(), picture), name, target=1)
