"""The vision tower of Qwen2.5-VL, as transformers has it: its windows are calls of their own, of 16, 8 and 4 patches."""

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import vizapp
from vizapp.core.attention.hidden import hidden_keys

qwen = pytest.importorskip("transformers.models.qwen2_5_vl.modeling_qwen2_5_vl", reason="pip install vizapp[hf]")
N, PATCH = 10, 4


class Net(nn.Module):
    """Takes a picture, cuts it as the model's processor does (2 x 2 patches side by side), and has a classifier."""

    def __init__(self, attention: str) -> None:
        super().__init__()
        options: dict[str, Any] = {
            "depth": 3,
            "hidden_size": 32,
            "num_heads": 2,
            "intermediate_size": 64,
            "window_size": 16,
        }
        sizes = {"patch_size": PATCH, "spatial_merge_size": 2, "temporal_patch_size": 2, "out_hidden_size": 32}
        config = qwen.Qwen2_5_VLVisionConfig(**options, **sizes, fullatt_block_indexes=[2])
        config._attn_implementation = attention
        self.vision, self.head = qwen.Qwen2_5_VisionTransformerPretrainedModel(config), nn.Linear(32, 3)

    def forward(self, pixels: Tensor) -> Tensor:
        patches = pixels.reshape(3, N // 2, 2, PATCH, N // 2, 2, PATCH).permute(1, 4, 2, 5, 0, 3, 6)
        twice = patches.reshape(N * N, 3, 1, PATCH, PATCH).expand(-1, -1, 2, -1, -1)
        merged = self.vision(twice.reshape(N * N, -1), torch.tensor([[1, N, N]])).pooler_output
        return self.head(merged.mean(0, keepdim=True))


def windows_of() -> Tensor:
    """(patch, patch) bool: are two patches in one window of 4 x 4?"""
    at = torch.arange(N) // 4
    window = (at[:, None] * N + at).flatten()
    return window[:, None] == window


@pytest.mark.parametrize("attention", ["sdpa", "eager"])
def test_its_layers_are_what_it_computes_itself(attention: str, monkeypatch: pytest.MonkeyPatch) -> None:
    torch.manual_seed(0)
    net = Net(attention).eval()
    for block in net.vision.blocks:
        nn.init.normal_(block.attn.qkv.weight, std=0.5)
    pixels = torch.randn(1, 3, N * PATCH, N * PATCH)
    seen = vizapp.analyse(net, pixels, labels=("a", "b", "c"))
    assert [layer.n_windows for layer in seen.trace.layers] == [9, 9, 1]
    assert (seen.trace.layout.grid, seen.trace.no_chain, seen.trace.notes) == ((N, N), "", ())
    assert vizapp.check(net, pixels).verdict == "exact"
    own, plainly = list[Tensor](), qwen.eager_attention_forward

    def recorded(*given: Any, **named: Any) -> Any:
        result = plainly(*given, **named)
        own.append(result[1][0].detach())
        return result

    monkeypatch.setattr(qwen, "eager_attention_forward", recorded)
    net.vision.config._attn_implementation = "eager"
    with torch.no_grad():
        net(pixels)
    # In the order of windows; in each, groups of 2 x 2 patches, row by row.
    pairs = torch.arange(N * N).reshape(N // 2, 2, N // 2, 2).permute(0, 2, 1, 3)
    order = torch.cat([one.flatten() for rows in pairs.split(2) for one in rows.split(2, 1)])
    lengths = [16, 16, 8, 16, 16, 8, 8, 8, 4]
    for number, layer in enumerate(seen.trace.layers):
        expected = torch.zeros(2, N * N, N * N)
        for part, map_ in zip(
            [order] if number == 2 else order.split(lengths), own[9 * number : 9 * number + 9], strict=False
        ):
            expected[:, part[:, None], part] = map_
        np.testing.assert_allclose(layer.map(), expected, rtol=0, atol=1e-5)
        hidden = hidden_keys(layer)
        assert hidden is None if number == 2 else torch.equal(hidden, ~windows_of())
