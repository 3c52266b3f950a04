"""From pixels to a token: each number equals what the network's own convolution and position embedding give, spelt out."""

from typing import Any

import numpy as np
import pytest
import timm
import torch
from torch import Tensor, nn

import vizapp
from support.embeddings import PICTURE, close, compare, described, entering
from vizapp.pipeline.step_by_step import embedding
from vizapp.ui.viewer.answers.embedding import in_json
from vizapp.ui.viewer.answers.steps import packed
from vizapp.vocabulary import PATCH_FEW, PATCH_MOST


@pytest.mark.parametrize("name", ["toy", "registers", "mean", "crate", "born"])
@pytest.mark.parametrize(("row", "col"), [(0, 0), (3, 11)])
def test_networks_of_our_own(name: str, row: int, col: int) -> None:
    seen = vizapp.analyse(name, PICTURE)
    net: Any = seen.context.model.net
    found = embedding(seen, (row, col))
    made = compare(seen, found, net.patch_embed.proj, row, col)
    place = row * seen.trace.layout.grid[1] + col
    positions = net.pos_embed.detach()[0]
    close(found.position, positions[len(positions) - seen.trace.layout.n_patches + place])
    close(found.token, made + found.position)
    close(found.token, entering(net, "blocks.0", seen.context.pixels)[seen.trace.layout.n_prefix + place])


def test_rotary_positions_add_nothing() -> None:
    net, seen = described("vit_small_patch16_dinov3", img_size=64, depth=2)
    found = embedding(seen, (2, 1))
    made = compare(seen, found, net.patch_embed.proj, 2, 1)
    assert found.position is not None
    assert float(found.position.abs().max()) == 0
    close(found.token, made)


def test_a_norm_after_it_is_no_position() -> None:
    """Swin: before the norm and after it, and no sum is claimed; CLIP adds the position before its norm."""
    net, seen = described("swin_tiny_patch4_window7_224", depths=(2,), embed_dim=24, num_heads=(2,))
    found = embedding(seen, (20, 31))
    made = compare(seen, found, net.patch_embed.proj, 20, 31)
    assert found.position is None
    with torch.no_grad():
        close(found.token, net.patch_embed.norm(made))
    net, seen = described("vit_base_patch16_clip_224", embed_dim=48, num_heads=2, depth=2)
    found = embedding(seen, (1, 2))
    made = compare(seen, found, net.patch_embed.proj, 1, 2)
    assert found.position is None
    with torch.no_grad():
        close(found.token, net.norm_pre(made + net.pos_embed[0, 1 + 14 + 2]))


class Normed(nn.Module):
    """As vit-pytorch: pieces of the picture through a norm, and then a linear layer."""

    def __init__(self, norm: nn.Module) -> None:
        super().__init__()
        self.norm, self.linear = norm, nn.Linear(3 * 64, 24)
        block = timm.models.vision_transformer.Block(24, 2)
        self.blocks = nn.ModuleList([block, timm.models.vision_transformer.Block(24, 2)])
        self.head = nn.Linear(24, 5)

    def forward(self, pixels: Tensor) -> Tensor:
        n = pixels.shape[-1] // 8
        cut = pixels.unflatten(2, (n, 8)).unflatten(4, (n, 8)).permute(0, 2, 4, 3, 5, 1).flatten(3).flatten(1, 2)
        x = self.linear(self.norm(cut))
        for block in self.blocks:
            x = block(x)
        return self.head(x.mean(1))


def test_a_linear_layer_is_a_map_as_well_and_a_norm_before_it_is_none() -> None:
    torch.manual_seed(0)
    preprocess = vizapp.Preprocess((64, 64))
    plain = Normed(nn.Identity()).eval()
    seen = vizapp.analyse(vizapp.describe(plain, preprocess=preprocess), PICTURE)
    found = embedding(seen, (5, 2))
    weight = plain.linear.weight.detach().unflatten(1, (8, 8, 3)).permute(0, 3, 1, 2)
    close(found.weights, weight[found.dimensions])
    close(found.bias, plain.linear.bias.detach()[found.dimensions])
    close(found.token, found.made)
    seen = vizapp.analyse(vizapp.describe(Normed(nn.LayerNorm(192)).eval(), preprocess=preprocess), PICTURE)
    with pytest.raises(vizapp.VizError, match="by one linear map"):
        embedding(seen, (5, 2))


def test_slips_are_named_and_a_plain_patch_changes_too() -> None:
    seen = vizapp.analyse("toy", PICTURE)
    with pytest.raises(vizapp.VizError, match="no patch"):
        embedding(seen, (0, 99))
    with pytest.raises(vizapp.VizError, match="no number 9999"):
        embedding(seen, (0, 0), number=9999)
    # The patch is replaced to prove the map: also one of a single colour must become another.
    for level in (0, 128, 255):
        seen = vizapp.analyse("toy", np.full((112, 112, 3), level, np.uint8))
        close(embedding(seen, (3, 3)).pixels, seen.context.pixels[0, :, 24:32, 24:32])


def test_what_is_sent_is_what_python_has() -> None:
    seen = vizapp.analyse("toy", PICTURE)
    found = embedding(seen, (2, 5), number=3)
    sent = in_json(found)
    assert 3 in sent["dimensions"]
    assert sent["dimensions"] == found.dimensions.tolist()
    for name, (shape, values) in sent["vectors"].items():
        assert shape == list(getattr(found, name).shape)
        assert values == packed(getattr(found, name))
    assert set(sent["vectors"]) == {"pixels", "weights", "bias", "made", "position", "token"}
    assert found.weights.numel() <= max(PATCH_MOST, PATCH_FEW * found.pixels.numel())
