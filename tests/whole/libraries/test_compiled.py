"""Attention that was compiled."""

import pytest
import torch
import torch.nn.attention.flex_attention as flex
from torch import Tensor, nn

from support.odd_ways import LOOKS, described
from vizapp import VizError


class Flexible(nn.Module):
    """One attention by PyTorch's fused function and one by flex_attention."""

    def __init__(self, how: str) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.how = how
        self.patches, self.qkv, self.head = nn.Conv2d(3, 16, 16, 16), nn.Linear(16, 48), nn.Linear(16, 5)
        self.call = torch.compile(flex.flex_attention, backend="eager") if how == "compiled" else flex.flex_attention

    def forward(self, pixels: Tensor) -> Tensor:
        x = self.patches(pixels).flatten(2).transpose(1, 2)
        for attend in (nn.functional.scaled_dot_product_attention, self.flexibly):
            q, k, v = self.qkv(x).unflatten(-1, (3, 2, 8)).permute(2, 0, 3, 1, 4)
            x = x + attend(q, k, v).transpose(1, 2).flatten(2)
        return self.head(x.mean(1))

    def flexibly(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        if self.how == "scores":
            return self.call(q, k, v, score_mod=lambda score, b, h, i, j: score - 0.1 * (i - j).abs())
        return self.call(q, k, v)


@pytest.mark.parametrize("how", ["scores", "compiled"])
@pytest.mark.filterwarnings("ignore")
def test_flex_attention_is_named(how: str) -> None:
    net = Flexible(how)
    for look in LOOKS:
        with pytest.raises(VizError, match=r"Flexible runs something compiled .*flex_attention.*scaled_dot_product"):
            look(described(net))
    with torch.no_grad():
        assert net(torch.randn(1, 3, 64, 64)).isfinite().all(), "its owner may run it as before"
