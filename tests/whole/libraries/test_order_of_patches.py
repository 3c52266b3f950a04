"""A network of each family of timm: does a column of a map belong to the patch that vizapp says? The picture itself tells.

Nothing of where vizapp followed the tokens to is used, only the maps and the pixels. One patch of the picture is changed: of the
scores of the first layer, those of its key change for every query, and those of its query for every key; all others stay.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import timm
import torch
from timm.models import (
    crossvit,
    efficientformer,
    efficientformer_v2,
    efficientvit_msra,
    gcvit,
    levit,
    maxxvit,
    metaformer,
    mvitv2,
    naflexvit,
    nest,
    pit,
    shvit,
    tnt,
    volo,
)
from torch import Tensor, nn

import vizapp
from bench.coverage import fill
from vizapp.core.attention.layers import LayerAttention
from vizapp.core.attention.trace import AttentionTrace
from vizapp.core.capture.forward import CapturedCall, capture_batch, layer_of
from vizapp.core.capture.patches.axis_layout import AxisLayout

Made = tuple[nn.Module, int]  # a network, and the height and width of its pictures

ONE: dict[str, Any] = {"depth": 1, "embed_dim": 32, "num_heads": 2}
FOUR: dict[str, Any] = {"depths": (1, 1, 1, 1), "embed_dims": (16,) * 4, "num_heads": (2,) * 4}
WINDOWS: dict[str, Any] = {"depths": (2, 1), "embed_dim": 16, "num_heads": (2, 2), "window_size": 4}


def named(name: str, side: int, **options: Any) -> Callable[[], Made]:
    return lambda: (timm.create_model(name, num_classes=3, **options), side)


def sized(name: str, side: int, **options: Any) -> Callable[[], Made]:
    return named(name, side, img_size=side, **options)


def built(kind: Callable[..., nn.Module], side: int, *given: Any, **options: Any) -> Callable[[], Made]:
    return lambda: (kind(*given, num_classes=3, **options), side)


CUT = {  # into patches that do not overlap: the very patch must change most
    "vit": sized("vit_tiny_patch16_224", 96, **ONE),
    "deit, distilled": sized("deit_tiny_distilled_patch16_224", 96, **ONE),
    "dinov2, registers": sized("vit_small_patch14_reg4_dinov2", 84, **ONE),
    "dinov3, rotary": sized("vit_small_patch16_dinov3", 96, **ONE),
    "vit, relative": sized("vit_relpos_small_patch16_224", 96, **ONE),
    "siglip": sized("vit_base_patch16_siglip_224", 96, **ONE),
    "naflex": built(naflexvit.NaFlexVit, 96, naflexvit.NaFlexVitCfg(patch_size=16, **ONE)),
    "eva02": sized("eva02_tiny_patch14_224", 84, **ONE),
    "beit": sized("beit_base_patch16_224", 96, **ONE),
    "cait": sized("cait_xxs24_224", 96, **ONE),
    "convit": sized("convit_tiny", 96, **ONE | {"depth": 2}, local_up_to_layer=1),
    "sam": sized("samvit_base_patch16", 128, **ONE | {"depth": 2}, global_attn_indexes=(1,), window_size=3),
    "swin": sized("swin_tiny_patch4_window7_224", 64, **WINDOWS),
    "swin v2": sized("swinv2_tiny_window8_256", 64, **WINDOWS),
    "swin v2 cr": sized("swinv2_cr_tiny_224", 64, **WINDOWS),
    "twins svt": sized("twins_svt_small", 64, **FOUR, wss=(4, 4, 2, 2), sr_ratios=(4, 2, 1, 1)),
    "twins pcpvt": sized("twins_pcpvt_small", 64, **FOUR),
    "nest": built(nest.Nest, 64, 64, embed_dims=(16,) * 3, num_heads=(2,) * 3, depths=(1,) * 3),
    "crossvit": built(
        crossvit.CrossVit,
        96,
        96,
        (1.0, 1.0),
        (12, 16),
        embed_dim=(16, 32),
        depth=((1, 1, 0),),
        num_heads=(2, 2),
        mlp_ratio=(2, 2, 1),
    ),
}
OVERLAP = {  # or are looked at through convolutions: one of its neighbours may change as much
    "tnt": built(tnt.TNT, 96, 96, embed_dim=32, inner_dim=16, depth=1, num_heads_inner=2, num_heads_outer=2),
    "pvt v2": named("pvt_v2_b0", 64, **FOUR),
    "hiera": named("hiera_tiny_224", 64, img_size=(64, 64), embed_dim=16, stages=(1, 1, 1, 1), num_heads=1),
    "mvit v2": built(mvitv2.MultiScaleVit, 64, mvitv2.MultiScaleVitCfg(depths=(1, 1, 1, 1), embed_dim=16), (64, 64)),
    "levit": built(levit.Levit, 112, 112, embed_dim=(32, 32), key_dim=16, depth=(1, 1), num_heads=(2, 2)),
    "pit": built(pit.PoolingVisionTransformer, 96, 96, base_dims=(16,) * 3, depth=(1,) * 3, heads=(2,) * 3),
    "volo": built(volo.VOLO, 64, (1, 1, 1, 1), 64, embed_dims=(16, 32, 32, 32), num_heads=(2,) * 4),
    "gcvit": built(
        gcvit.GlobalContextVit,
        64,
        img_size=64,
        window_ratio=(16, 16, 16, 32),
        embed_dim=16,
        depths=(2, 1, 1, 1),
        num_heads=(2,) * 4,
    ),
    "davit": named("davit_tiny", 64, **FOUR, window_size=4),
    "tiny_vit": named("tiny_vit_5m_224", 64, **FOUR, window_sizes=(4, 4, 4, 2)),
    "visformer": sized("visformer_tiny", 96, **ONE | {"depth": (1, 1, 1)}),
    "efficientformer": built(efficientformer.EfficientFormer, 224, (1,) * 4, (8, 16, 16, 32), num_vit=1, img_size=224),
    "efficientformer v2": built(
        efficientformer_v2.EfficientFormerV2, 128, (1, 1, 1, 2), img_size=128, embed_dims=(8, 16, 16, 32), num_vit=1
    ),
    "efficientvit": built(efficientvit_msra.EfficientVitMsra, 224, 224, embed_dim=(32, 48, 64), num_heads=(2,) * 3),
    "shvit": built(shvit.SHViT, 224, embed_dim=(32, 48, 64), partial_dim=(16,) * 3),
    "mobilevit": named("mobilevit_xxs", 128),
    "caformer": built(
        metaformer.MetaFormer,
        128,
        depths=(1,) * 4,
        dims=(8, 16, 32, 64),
        token_mixers=[metaformer.SepConv, metaformer.SepConv, metaformer.Attention, metaformer.Attention],
        norm_layers=[metaformer.LayerNorm2dNoBias] * 2 + [metaformer.LayerNormNoBias] * 2,
    ),
    "maxvit": built(
        maxxvit.MaxxVit,
        128,
        maxxvit.MaxxVitCfg(embed_dim=(32, 32), depths=(1, 1), block_type=("M", "M"), stem_width=16),
        128,
    ),
}


def changes(before: AttentionTrace, after: AttentionTrace, layer: int, *, of_keys: bool) -> Tensor:
    """(row, col) how much the scores of each patch changed: as a key for all queries, or as a query for all keys."""
    old, new = (trace.layers[layer].map() for trace in (before, after))
    change = (new.abs().clamp_min(1e-12).log() - old.abs().clamp_min(1e-12).log()).where(old != 0, torch.nan)
    change = (change - change.nanmedian(-1, keepdim=True).values).abs()  # a row's denominator is that of all its keys
    each = change.nanmean(1) if of_keys else change.nanmedian(-1).values
    layout = before.layouts(layer)[1 if of_keys else 0]
    return each.nanmean(0)[layout.n_prefix :].nan_to_num().reshape(layout.grid)


def slips(name: str, make: Callable[[], Made], *, cut: bool) -> list[str]:
    """Where a patch that was changed is not the one that the first layer shows as changed.

    cut  it must be the one that changes most; else the middle of what changes must lie less than two patches from it
    """
    torch.manual_seed(0)
    net, side = make()
    fill(net.eval().requires_grad_(False))
    model = vizapp.describe(net.double(), preprocess=vizapp.Preprocess((side, side)))
    generator = torch.Generator().manual_seed(1)
    picture = torch.randn(1, 3, side, side, generator=generator, dtype=torch.float64)
    [before] = capture_batch(model, picture)
    found, seen = [], dict[tuple[int, int], list[AttentionTrace]]()
    for of_keys in (True, False):
        rows, cols = grid = before.layouts(0)[1 if of_keys else 0].grid
        patches = [(rows // 3, 2 * cols // 3), (rows - 1, 0), (0, cols // 2)]
        if grid not in seen:
            changed = picture.repeat(len(patches), 1, 1, 1)
            for one, (row, col) in zip(changed, patches, strict=True):
                part = one[:, side * row // rows : side * (row + 1) // rows]
                part = part[..., side * col // cols : side * (col + 1) // cols]
                part += 3 * torch.randn(part.shape, generator=generator, dtype=torch.float64)
            seen[grid] = capture_batch(model, changed)
        for (row, col), after in zip(patches, seen[grid], strict=True):
            change = changes(before, after, 0, of_keys=of_keys) ** 4  # far more of what changes most than of the rest
            y, x = divmod(int(change.argmax()), cols)
            if not cut:
                y, x = (
                    float(change.sum(1 - axis) @ torch.arange(grid[axis]).double() / change.sum()) for axis in (0, 1)
                )
            if max(abs(y - row), abs(x - col)) >= (1 if cut else 2):
                who = "key" if of_keys else "query"
                found.append(f"{name}, {who}: {(row, col)} of {rows}x{cols} shows at ({y:.1f}, {x:.1f})")
    return found


def test_every_family_shows_a_patch_where_it_is() -> None:
    found = [slip for name, make in CUT.items() for slip in slips(name, make, cut=True)]
    found += [slip for name, make in OVERLAP.items() for slip in slips(name, make, cut=False)]
    assert found == []


@pytest.mark.parametrize("part", ["q", "k"], ids=["queries", "keys"])
def test_patches_in_another_order_would_be_noticed(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def turned_over(one: CapturedCall, axes: AxisLayout) -> LayerAttention:
        tokens: Tensor = getattr(one, part)
        patches = tokens[..., 1:, :].unflatten(-2, axes.layout.grid).transpose(-3, -2).flatten(-3, -2)
        return layer_of(replace(one, **{part: torch.cat([tokens[..., :1, :], patches], -2)}), axes)

    monkeypatch.setattr("vizapp.core.capture.forward.layer_of", turned_over)
    assert len(slips("vit", CUT["vit"], cut=True)) == 3
