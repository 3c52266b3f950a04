"""Class attention, object queries, prompts: every cross attention of a network equals what a hook on that module finds."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import timm
import torch
from torch import Tensor, nn

import vizapp
from support.cross import LATE, PICTURE, QUERIES, SIZE, detr, of_timm, own, transformers
from support.networks import sharpen
from vizapp import VizError
from vizapp.analysis import Analysis
from vizapp.core.capture.check import check
from vizapp.core.methods import method_named, methods

XCIT = {"depth": 2, "embed_dim": 32, "num_heads": 2}


def by_timm(module: Any, x: Tensor) -> Tensor:
    """(head, 1, token) of the class attentions of CaiT, VOLO and CrossViT, from what enters them."""
    n = module.num_heads
    if hasattr(module, "kv"):  # VOLO
        q, k = module.q(x[:, :1]), module.kv(x)[..., : x.shape[-1]]
    else:
        query, key = (module.wq, module.wk) if hasattr(module, "wq") else (module.q, module.k)
        q, k = query(x[:, :1]), key(x)
    q, k = (one.unflatten(-1, (n, -1)).transpose(1, 2) for one in (q, k))
    return (q @ k.transpose(-2, -1) * module.scale).softmax(-1)[0]


def of_hooks(net: nn.Module, run: Callable[[], Any], hooked: Callable[[str], bool], found: Callable[..., Any]) -> dict:
    """What `found(module, args, kwargs, output)` makes of each module that is `hooked` by its name, in one pass."""
    maps: dict[str, Tensor] = {}

    def hook(name: str) -> Callable[..., None]:
        def saw(module: nn.Module, args: Any, kwargs: Any, output: Any) -> None:
            maps[name] = found(module, args, kwargs, output)

        return saw

    handles = [
        part.register_forward_hook(hook(name), with_kwargs=True) for name, part in net.named_modules() if hooked(name)
    ]
    with torch.no_grad():
        run()
    for handle in handles:
        handle.remove()
    return maps


def same(seen: Analysis, maps: dict[str, Tensor]) -> None:
    assert maps
    assert [one.name for one in seen.trace.cross] == list(maps)
    for one, expected in zip(seen.trace.cross, maps.values(), strict=True):
        torch.testing.assert_close(one.map(), expected, rtol=0, atol=1e-6)
        assert one.n_queries == len(one.query_names)
    assert seen.trace.pool is seen.trace.cross[-1]


@pytest.mark.parametrize(
    ("name", "options", "is_class_attention", "count"),
    [
        ("cait_xxs24_224", {"img_size": 64, "depth": 2}, lambda name: "token_only" in name and name[-5:] == ".attn", 2),
        ("volo_d1_224", {"img_size": 64}, lambda name: "post_network" in name and name.endswith(".attn"), 2),
        ("xcit_nano_12_p16_224", XCIT, lambda name: "cls_attn" in name and name.endswith(".attn"), 2),
    ],
)
@pytest.mark.parametrize("fused", [True, False])
def test_class_attention(
    name: str, options: dict, is_class_attention: Callable[[str], bool], count: int, fused: bool
) -> None:
    timm.layers.set_fused_attn(fused)
    try:
        seen = of_timm(name, **options)
    finally:
        timm.layers.set_fused_attn(True)
    net, pixels = seen.context.model.net.double(), seen.context.pixels.double()
    # In float64, as two ways to round differ by more than one may think
    seen = vizapp.analyse(seen.context.model, PICTURE)
    maps = of_hooks(net, lambda: net(pixels), is_class_attention, lambda one, args, _, out: by_timm(one, *args))
    assert len(maps) == count
    same(seen, maps)
    assert {one.query_names for one in seen.trace.cross} == {("cls",)}


def test_a_network_without_layers_shows_its_class_attention_and_refuses_the_rest(tmp_path: Path) -> None:
    """XCiT: its patches weigh channels. What is about layers is refused in words wherever it is asked."""
    seen = of_timm("xcit_nano_12_p16_224", **XCIT)
    trace = seen.trace
    assert (trace.layers, trace.readout, trace.layout.prefix) == ((), "cls", ("cls",))
    assert trace.skipped == {f"blocks.{i}.attn": "it weighs channels, not patches" for i in range(2)}
    read = vizapp.explain(seen, "cross_attention", head=1)
    np.testing.assert_allclose(read.scores.ravel(), trace.cross[-1].map()[1, 0, 1:], atol=1e-6)
    said = {}
    asked: dict[str, Callable[[], Any]] = {
        name: lambda name=name: vizapp.explain(seen, name) for name, one in methods().items() if one.cost != "slow"
    }
    asked |= {
        "show": lambda: vizapp.show(seen),
        "export": lambda: vizapp.export(seen, tmp_path / "page.html"),
        "teach": lambda: vizapp.teach(seen, {"a": [(1, 1)], "b": [(2, 2)]}),
        "sanity": lambda: vizapp.sanity(seen, ["cross_attention"]),
        "steps": lambda: vizapp.steps(seen, key="1,1"),
        "heads": lambda: vizapp.heads(seen),
    }
    for name, one in asked.items():
        try:
            one()
        except VizError as error:
            said[name] = str(error)
    assert not {"cross_attention", "attn_lrp", "input_gradient", "centre"} & said.keys()
    assert {"attention", "rollout", "show", "export", "teach", "sanity", "steps", "heads"} <= said.keys()
    assert [name for name, words in said.items() if "only its class token does" not in words] == []
    seen.save(tmp_path / "kept")
    assert seen._repr_html_() is None


def detr_maps(seen: Analysis) -> dict[str, Tensor]:
    """DETR's own, which only its spelled-out attention gives."""
    net, pixels = seen.context.model.net, seen.context.pixels
    implemented(net, "eager")
    return of_hooks(net, lambda: net(pixels), lambda name: name.endswith("encoder_attn"), lambda *told: told[-1][1][0])


def implemented(net: Any, how: str) -> None:
    for part in net.modules():
        if hasattr(part, "config"):
            part.config._attn_implementation = how


@pytest.mark.parametrize("how", ["sdpa", "eager"])
@pytest.mark.parametrize("queries", [QUERIES, 20], ids=["few", "as many as patches"])
def test_object_queries(queries: int, how: str) -> None:
    """Of DETR; 20 queries on 4 x 5 patches once counted as patches, and the decoder as layers between them."""
    model = detr(queries)
    implemented(model.net, how)
    seen = vizapp.analyse(model, PICTURE)
    assert check(model, seen.context.pixels).holds
    assert [layer.name for layer in seen.trace.layers] == [f"encoder.layers.{i}.self_attn" for i in range(2)]
    assert set(seen.trace.skipped) == {f"decoder.layers.{i}.self_attn" for i in range(3)}
    assert seen.trace.cross[0].query_names == tuple(f"query {i}" for i in range(queries))
    same(seen, detr_maps(seen))


def test_a_batch_has_the_cross_attention_of_each_picture() -> None:
    model, other = detr(), PICTURE[::-1].copy()
    for one, picture in zip(vizapp.analyse_many(model, [PICTURE, other]), [PICTURE, other], strict=True):
        alone = vizapp.analyse(model, picture)
        assert len(alone.trace.cross) == 3
        for together, apart in zip(one.trace.cross, alone.trace.cross, strict=True):
            torch.testing.assert_close(together.map(), apart.map(), rtol=0, atol=1e-5)
            assert together.query_names == apart.query_names


def test_masked_object_queries_on_three_grids() -> None:
    """Of Mask2Former: each block looks at another grid, where the block before saw its object."""
    torch.manual_seed(0)
    backbone = transformers.SwinConfig(
        image_size=64,
        patch_size=4,
        embed_dim=8,
        depths=[1, 1, 1, 1],
        num_heads=[1, 2, 2, 2],
        window_size=2,
        out_features=["stage1", "stage2", "stage3", "stage4"],
    )
    config = transformers.Mask2FormerConfig(
        backbone_config=backbone,
        feature_size=32,
        mask_feature_size=32,
        hidden_dim=32,
        encoder_feedforward_dim=16,
        encoder_layers=1,
        decoder_layers=4,
        num_attention_heads=2,
        dim_feedforward=16,
        num_queries=QUERIES,
    )
    net = sharpen(transformers.Mask2FormerModel(config))
    seen = vizapp.analyse(vizapp.describe(net, preprocess=SIZE), PICTURE)

    def by_module(module: Any, args: Any, kwargs: Any, output: Any) -> Tensor:
        asked = kwargs | {"need_weights": True, "average_attn_weights": False}
        return module.forward(*args, **asked)[1][0]

    pixels = seen.context.pixels
    same(seen, of_hooks(net, lambda: net(pixels), lambda name: name.endswith("cross_attn"), by_module))
    assert [one.key_layout.grid for one in seen.trace.cross] == [(2, 2), (4, 4), (8, 8)]
    # Its deformable attention looks at points between patches.
    found = check(seen.context.model, pixels)
    assert found.holds, found.problems
    assert found.verdict != "exact"
    for block, one in enumerate(seen.trace.cross):
        assert vizapp.explain(seen, "cross_attention", block=block, query_index=3).scores.shape == one.key_layout.grid


class Prompted(nn.Module):
    """SAM with two points; a network takes pixels only."""

    def __init__(self) -> None:
        super().__init__()
        small = {"hidden_size": 16, "num_attention_heads": 2, "mlp_dim": 16}
        looks = {"output_channels": 16, "num_hidden_layers": 1, "window_size": 4, "global_attn_indexes": [0]}
        sizes = {"image_size": 64, "patch_size": 8}
        self.sam = transformers.SamModel(
            transformers.SamConfig(
                vision_config=small | looks | sizes | {"num_pos_feats": 8},
                prompt_encoder_config=sizes | {"hidden_size": 16, "image_embedding_size": 8},
                mask_decoder_config=small | {"attention_downsample_rate": 2, "iou_head_hidden_dim": 16},
            )
        )

    def forward(self, x: Tensor) -> Tensor:
        return self.sam(pixel_values=x, input_points=torch.tensor([[[[20.0, 30.0], [5.0, 6.0]]]]).to(x)).pred_masks


def test_prompts_and_mask_tokens() -> None:
    torch.manual_seed(0)
    net = sharpen(Prompted())
    seen = vizapp.analyse(vizapp.describe(net, preprocess=SIZE), PICTURE)
    implemented(net, "eager")
    pixels = seen.context.pixels
    same(
        seen,
        of_hooks(net, lambda: net(pixels), lambda name: name.endswith("token_to_image"), lambda *told: told[-1][1][0]),
    )
    assert len(seen.trace.cross) == 3


def test_one_query_is_shown_and_saved_as_any_map(tmp_path: Path) -> None:
    seen = vizapp.analyse(detr(), PICTURE)
    trace = seen.trace
    maps = list(detr_maps(seen).values())
    one = vizapp.explain(seen, "cross_attention", block=1, head=2, query_index=5)
    np.testing.assert_allclose(one.scores.ravel(), maps[1][2, 5].numpy(), atol=1e-6)
    assert one.scores.shape == trace.cross[1].key_layout.grid == (4, 5)
    fused = vizapp.explain(seen, "cross_attention", query_index=5)
    np.testing.assert_allclose(fused.scores.ravel(), maps[2][:, 5].mean(0).numpy(), atol=1e-6)
    assert fused.settings["block"] == 2
    every = vizapp.explain(seen, "cross_attention", fusion="max")
    np.testing.assert_allclose(every.scores.ravel(), maps[2].mean(1).max(0).values.numpy(), atol=1e-6)
    for scale in ("map", "layer", "all"):
        assert vizapp.paint(seen, one, scale=scale).shape == PICTURE.shape
    vizapp.save(seen, one, tmp_path / "one.png", scale="all")
    vizapp.save(seen, one, tmp_path / "one.npz")
    assert '"query_index": 5' in str(np.load(tmp_path / "one.npz")["about"])
    assert trace.nbytes > sum(layer.nbytes for layer in trace.layers)


def test_what_is_not_there_is_said() -> None:
    seen = own()
    for settings, said in [
        ({"block": 2}, "no block 2 of cross attention: this model has 2"),
        ({"query_index": 1}, "no query 1: late.1 has 1"),
        ({"query_index": -1}, "no query -1"),
        ({"head": 2}, "no head 2"),
        ({"query": "3,3"}, "Say query_index=0"),
    ]:
        with pytest.raises(VizError, match=said):
            vizapp.explain(seen, "cross_attention", **settings)
    plain = vizapp.analyse("toy", PICTURE)
    assert plain.trace.cross == ()
    assert "no cross attention" in method_named("cross_attention").why_not(plain.trace)
    with pytest.raises(VizError, match="no cross attention"):
        vizapp.explain(plain, "cross_attention")


def test_sinks_can_be_left_out_of_it() -> None:
    """Of the same patch, though CLS is among the keys of class attention only."""
    seen = own()
    row, col = 2, 3
    without = vizapp.leave_out(seen, [(row, col)])
    assert seen.trace.cross
    for before, after in zip(seen.trace.cross, without.trace.cross, strict=True):
        at = before.key_layout.token_of(row, col)
        assert not after.map()[..., at].any()
        expected = before.map().clone()
        expected[..., at] = 0
        torch.testing.assert_close(after.map(), expected / expected.sum(-1, keepdim=True))
        assert after.query_names == before.query_names


@pytest.mark.parametrize("which", ["cait", "crossvit", "own, said"])
def test_the_default_query_always_works(which: str) -> None:
    seen = LATE[which]()
    refused = {}
    for name, one in methods().items():
        if one.cost == "slow":
            continue
        try:
            assert np.isfinite(vizapp.explain(seen, name).scores).all()
        except VizError as error:
            refused[name] = str(error)
    assert not {"grad_cam", "attn_lrp", "attention", "centre"} & set(refused)
    assert not [said for said in refused.values() if "no query" in said or "no token" in said], refused
    for index in range(len(seen.trace.layers)):
        assert float(seen.trace.query(None, index).sum()) == pytest.approx(1)
        assert vizapp.explain(seen, "attention", layer=index).asked == seen.trace.readout


@pytest.mark.parametrize("which", ["cait", "own", "own, said"])
def test_a_class_token_that_joins_late_stands_for_what_it_reads(which: str) -> None:
    """Its own weights in the last class block, on the patches."""
    seen = LATE[which]()
    trace = seen.trace
    assert trace.readout == "cls"
    assert trace.queries == ("cls", "mean")
    read = trace.cross[-1].map().mean(0)[0, 1:]
    torch.testing.assert_close(trace.query(), read / read.sum())
    torch.testing.assert_close(trace.query("cls"), trace.query())
    expected = trace.layers[-1].attend(read / read.sum()).mean(0)
    torch.testing.assert_close(torch.tensor(vizapp.explain(seen, "attention").scores.ravel()), expected)
