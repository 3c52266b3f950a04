"""Our ViT beside timm's, on the same weights: the same logits, the same maps, the same gradients."""

import ast
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import timm
import torch
from timm.layers import resample_abs_pos_embed
from timm.models.deit import VisionTransformerDistilled
from timm.models.vision_transformer import VisionTransformer
from torch import Tensor, nn

import vizapp.model.vit
from support.networks import off, stir
from support.paths import DEIT
from support.together import together
from support.versions import since_timm
from vizapp.errors import VizError
from vizapp.model.vit import DropPath, ViT, resize_pos_embed

SMALL: dict[str, Any] = {"img_size": 32, "patch_size": 8, "num_classes": 7, "embed_dim": 48, "depth": 3, "num_heads": 4}
TOLERANCE = {torch.float64: 1e-10, torch.float32: 1e-5}  # relative to the largest entry

CASES: dict[str, dict[str, Any]] = {
    "plain": {},
    "grey pictures": {"in_chans": 1},
    "landscape": {"img_size": (24, 48)},
    "portrait, positions for patches only": {"img_size": (48, 16), "no_embed_class": True},
    "no qkv bias, narrow mlp": {"qkv_bias": False, "mlp_ratio": 2.5},
    "features only": {"num_classes": 0},
    "distilled DeiT": {"distilled": True},
    "distilled DeiT, features only": {"distilled": True, "num_classes": 0},
    "DINOv2": {"init_values": 1e-5, "num_classes": 0},
    "DINOv2 with registers": {"init_values": 1e-5, "reg_tokens": 4, "no_embed_class": True, "num_classes": 0},
    "registers with positions": {"reg_tokens": 3},
    "mean of patches": {"global_pool": "avg"},
    "mean of patches, registers": {"global_pool": "avg", "reg_tokens": 2, "no_embed_class": True},
    "mean of patches, no cls": {"global_pool": "avg", "class_token": False},
    "q/k norm": {"qk_norm": True},
    "CLIP": {"pre_norm": True, "norm_eps": 1e-5},
    "coarse norm": {"qk_norm": True, "norm_eps": 0.1},
}


def timm_twin(*, distilled: bool = False, norm_eps: float = 1e-6, **settings: Any) -> nn.Module:
    """timm's network of the same settings, with maps to hook."""
    kind = VisionTransformerDistilled if distilled else VisionTransformer
    return unfused(kind(norm_layer=partial(nn.LayerNorm, eps=norm_eps), **settings).eval())


def unfused(net: nn.Module) -> nn.Module:
    for module in net.modules():
        if hasattr(module, "fused_attn"):
            module.fused_attn = False
    return net


def twins(dtype: torch.dtype, **settings: Any) -> tuple[ViT, nn.Module, Tensor]:
    """Our network and timm's with the same stirred weights, and pixels for both."""
    settings = SMALL | settings
    theirs = stir(timm_twin(**settings))
    ours = ViT(**settings).eval()
    ours.load_state_dict(theirs.state_dict(), strict=True)
    pixels = torch.randn(2, ours.in_chans, *ours.img_size, generator=torch.Generator().manual_seed(1))
    return ours.to(dtype), theirs.to(dtype), pixels.to(dtype)


@contextmanager
def watched(net: nn.Module, ending: str) -> Iterator[list[Tensor]]:
    """The outputs of all modules whose name has this ending, in the order in which they came."""
    seen: list[Tensor] = []
    hooks = [
        module.register_forward_hook(lambda _module, _args, output: seen.append(output))
        for name, module in net.named_modules()
        if name.endswith(ending)
    ]
    try:
        yield seen
    finally:
        for hook in hooks:
            hook.remove()


def gradients(net: nn.Module, out: Tensor) -> dict[str, Tensor]:
    weights = torch.randn(out.shape, generator=torch.Generator().manual_seed(2)).to(out.dtype)
    names, parameters = zip(*net.named_parameters(), strict=True)
    return dict(zip(names, torch.autograd.grad((weights * out).sum(), parameters), strict=True))


@pytest.mark.parametrize("dtype", TOLERANCE, ids=str)
@pytest.mark.parametrize("case", CASES)
def test_equals_timm_in_logits_maps_and_gradients(case: str, dtype: torch.dtype) -> None:
    """What the app shows of our ViT is what a researcher gets from timm with the same checkpoint."""
    ours, theirs, pixels = twins(dtype, **CASES[case])
    with watched(ours, "attn.softmax") as our_maps, watched(theirs, "attn.attn_drop") as their_maps:
        out, expected = ours(pixels), theirs(pixels)
    tolerance = TOLERANCE[dtype]
    assert off(out, expected) < tolerance

    n = len(ours.prefix) + ours.grid[0] * ours.grid[1]
    assert len(our_maps) == len(their_maps) == 3
    for ours_l, theirs_l in zip(our_maps, their_maps, strict=True):
        assert ours_l.shape == (2, 4, n, n)
        assert off(ours_l, theirs_l) < tolerance
        assert torch.allclose(ours_l.sum(-1), torch.ones((), dtype=dtype))
        assert ours_l.amax(-1).mean() > 3 / n, "the maps are too flat to prove anything"

    grads, expected_grads = gradients(ours, out), gradients(theirs, expected)
    assert grads.keys() == expected_grads.keys()
    top = max(float(g.abs().max()) for g in expected_grads.values())
    for name, g in expected_grads.items():
        assert off(grads[name], g, at_least=1e-3 * top) < tolerance, name
        # A shift of all keys moves no map: the one parameter without a say.
        assert float(g.abs().max()) > 1e-5 * top or name.endswith("k_norm.bias"), f"{name} proves nothing"


def test_all_tokens_equal_timm_s_features() -> None:
    """`forward_features` gives every token, normed or not as in timm, for probes and PCA pictures."""
    for case in ("plain", "mean of patches", "DINOv2 with registers", "distilled DeiT"):
        ours, theirs, pixels = twins(torch.float64, **CASES[case])
        features = ours.forward_features(pixels)
        assert off(features, theirs.forward_features(pixels)) < 1e-10
        assert torch.equal(ours.forward_head(features), ours(pixels))


def test_drop_path_in_training_equals_timm() -> None:
    """The same coins drop the same branches of the same pictures: a training run here is one there."""
    ours, theirs, pixels = twins(torch.float64, drop_path_rate=0.5)
    pixels = pixels.repeat(4, 1, 1, 1)
    outs = []
    for net in (ours.train(), theirs.train()):
        torch.manual_seed(3)
        outs.append(net(pixels))
    assert off(*outs) < 1e-10
    assert off(ours(pixels), outs[0]) > 0.01, "nothing was dropped"
    assert off(ours.eval()(pixels), theirs.eval()(pixels)) < 1e-10


def test_agrees_with_timm_on_trained_weights() -> None:
    """Trained weights have outliers that random ones lack."""
    load_file = pytest.importorskip("safetensors.torch").load_file
    path = DEIT
    if not path.exists():
        pytest.skip(f"no trained DeiT-Ti beside the repository (shared/weights/{path.name})")
    weights = load_file(path)
    theirs = unfused(timm.create_model("deit_tiny_patch16_224", pretrained=False).eval())
    theirs.load_state_dict(weights, strict=True)
    ours = ViT(embed_dim=192, num_heads=3).eval()
    ours.load_state_dict(weights, strict=True)
    pixels = torch.randn(1, 3, 224, 224, generator=torch.Generator().manual_seed(5))
    with (
        torch.inference_mode(),
        watched(ours, "attn.softmax") as our_maps,
        watched(theirs, "attn.attn_drop") as their_maps,
    ):
        assert off(ours(pixels), theirs(pixels)) < 1e-5
    assert len(our_maps) == 12
    assert all(off(a, b) < 1e-5 for a, b in zip(our_maps, their_maps, strict=True))


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize("n_prefix", [0, 1, 5])
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ((4, 4), (7, 7)),
        ((8, 8), (3, 5)),
        ((4, 4), (2, 8)),
        pytest.param(
            (2, 8), (4, 4), marks=since_timm("1.0.30", "it left a grid alone that kept its number of patches")
        ),
        ((3, 5), (6, 2)),
    ],
)
def test_positions_are_resized_as_timm_does(
    old: tuple[int, int], new: tuple[int, int], n_prefix: int, dtype: torch.dtype
) -> None:
    """Up, down, to another shape, even with the same number of patches; the prefix has no place and stays."""
    table = torch.randn(1, n_prefix + old[0] * old[1], 12, generator=torch.Generator().manual_seed(6)).to(dtype)
    resized = resize_pos_embed(table, new, old, n_prefix=n_prefix)
    expected = resample_abs_pos_embed(table, list(new), list(old), num_prefix_tokens=n_prefix)
    assert resized.dtype == dtype
    assert off(resized.double(), expected.double()) < 1e-6
    assert torch.equal(resized[:, :n_prefix], table[:, :n_prefix])
    assert not torch.equal(resized, table)
    if old[0] == old[1]:
        assert torch.equal(resize_pos_embed(table, new, n_prefix=n_prefix), resized)


def test_positions_of_the_same_grid_stay_as_they_are() -> None:
    table = torch.randn(1, 1 + 3 * 5, 12)
    assert resize_pos_embed(table, (3, 5), (3, 5), n_prefix=1) is table


@pytest.mark.parametrize("case", ["plain", "distilled DeiT", "DINOv2 with registers", "registers with positions"])
def test_a_checkpoint_moves_to_another_grid_and_on(case: str) -> None:
    """Square to portrait to landscape; the first checkpoint is not changed by it."""
    settings = SMALL | CASES[case]
    theirs = stir(timm_twin(**settings))
    state, old = theirs.state_dict(), None
    for size in ((56, 24), (16, 40)):
        ours = ViT(**settings | {"img_size": size}).eval()
        pos_embed = resize_pos_embed(state["pos_embed"], ours.grid, old, n_prefix=ours.n_embed_prefix)
        resized = state | {"pos_embed": pos_embed}
        assert state["pos_embed"].shape != resized["pos_embed"].shape
        ours.load_state_dict(resized, strict=True)
        state, old = resized, ours.grid
        theirs.set_input_size(size)
        pixels = torch.randn(1, 3, *size)
        assert off(ours(pixels), theirs(pixels)) < 1e-5


def test_heads_of_any_width_follow_the_paper() -> None:
    """A slow replica of one attention, head by head and query by query (Dosovitskiy 2021, appendix A, eq. 5-8)."""
    heads, width, dim = 3, 5, 16
    net = stir(ViT(16, 8, embed_dim=dim, depth=1, num_heads=heads, num_classes=2, head_dim=width)).double()
    attn = net.blocks[0].attn
    assert attn.qkv.weight.shape == (3 * heads * width, dim)
    x = torch.randn(2, 6, dim, dtype=torch.float64)
    with watched(net, "attn.softmax") as maps:
        out = attn(x)
    w, b = attn.qkv.weight.detach(), attn.qkv.bias.detach()
    for picture in range(2):
        for i in range(6):
            mixed = []
            for head in range(heads):
                rows = [slice((part * heads + head) * width, (part * heads + head + 1) * width) for part in range(3)]
                q, k, v = (x[picture] @ w[r].T + b[r] for r in rows)  # each (N, width)
                weights = [float(torch.dot(q[i], k[j])) / width**0.5 for j in range(6)]
                row = torch.tensor(weights, dtype=torch.float64).exp()
                row = row / row.sum()
                assert off(maps[0][picture, head, i], row) < 1e-10
                mixed.append(sum(row[j] * v[j] for j in range(6)))
            assert off(out[picture, i], attn.proj.weight @ torch.cat(mixed) + attn.proj.bias) < 1e-10


@pytest.mark.parametrize("no_embed_class", [False, True])
def test_prefix_names_the_tokens_in_their_order(no_embed_class: bool) -> None:
    """Planted: every token is a number of its own and the patches come out as 0 plus their position."""
    net = ViT(**SMALL, distilled=True, reg_tokens=2, no_embed_class=no_embed_class).eval()
    assert net.prefix == ("cls", "dist", "reg0", "reg1")
    with torch.no_grad():
        for p in net.patch_embed.parameters():
            p.zero_()
        net.cls_token.fill_(100)
        net.dist_token.fill_(200)
        net.reg_token.copy_(torch.tensor([300.0, 400.0])[None, :, None].expand_as(net.reg_token))
        places = net.pos_embed.shape[1]
        net.pos_embed.copy_(torch.arange(places)[None, :, None].expand_as(net.pos_embed))
    seen: list[Tensor] = []
    net.blocks[0].register_forward_pre_hook(lambda _module, args: seen.append(args[0][0, :, 0]))
    net(torch.randn(1, 3, 32, 32))
    prefix, first = ([100, 200, 300, 400], 0) if no_embed_class else ([100, 201, 302, 403], 4)
    assert seen[0].tolist() == prefix + list(range(first, first + 16))


def test_drop_path_grows_with_depth_and_does_nothing_in_eval_mode() -> None:
    x = torch.randn(8, 3, 5)
    assert DropPath(0.9).eval()(x) is x
    assert DropPath(0.0).train()(x) is x
    # Huang 2016, sec. 3: early layers are dropped less, from 0 to the full rate.
    net = ViT(**SMALL | {"depth": 4}, drop_path_rate=0.3)
    assert [block.drop_path1.rate for block in net.blocks] == pytest.approx([0, 0.1, 0.2, 0.3])
    assert [block.drop_path2.rate for block in net.blocks] == pytest.approx([0, 0.1, 0.2, 0.3])
    assert ViT(**SMALL | {"depth": 1}, drop_path_rate=0.3).blocks[0].drop_path1.rate == 0


def test_a_new_network_starts_well() -> None:
    """Truncated normal weights, biases zero, patch tokens of about unit variance."""
    torch.manual_seed(8)
    net = ViT(**SMALL | {"embed_dim": 192}, distilled=True, reg_tokens=2, init_values=0.1)
    for name, p in net.named_parameters():
        if name.endswith("bias"):
            assert not p.any(), name
        elif p.ndim > 1:
            fan_in = p[0].numel()
            std = fan_in**-0.5 if "patch_embed" in name else 0.02
            assert p.std().item() == pytest.approx(std, rel=0.25), name
    assert all((ls.gamma == 0.1).all() for block in net.blocks for ls in (block.ls1, block.ls2))
    assert net.patch_embed(torch.randn(4, 3, 32, 32)).std().item() == pytest.approx(1, rel=0.1)


@together(
    ("settings", "words"),
    [
        ({"img_size": (224, 230)}, ["224x230", "16x16", "(224, 224)"]),
        ({"img_size": 7}, ["7x7", "16x16", "(16, 16)"]),
        ({"embed_dim": 100, "num_heads": 3}, ["100", "3", "head_dim"]),
        ({"class_token": False}, ["cls", 'global_pool="avg"']),
        ({"distilled": True, "global_pool": "avg"}, ["distilled", "token"]),
        ({"drop_path_rate": 1.0}, ["1.0", "below 1"]),
        ({"global_pool": "map"}, ["map", "avg"]),
    ],
)
def test_settings_that_do_not_fit_are_refused_with_advice(settings: dict[str, Any], words: list[str]) -> None:
    with pytest.raises(VizError) as error:
        ViT(**{"depth": 1, "embed_dim": 48, "num_heads": 4} | settings)
    assert error.value.hint
    for word in words:
        assert word in str(error.value)


@together("shape", [(1, 3, 32, 40), (1, 3, 24, 32), (1, 1, 32, 32), (3, 32, 32), (1, 32, 32, 3)])
def test_pixels_of_a_wrong_shape_are_refused_with_advice(shape: tuple[int, ...]) -> None:
    """Without the check, a transposed picture of as many patches would run through with the wrong positions."""
    with pytest.raises(VizError) as error:
        ViT(**SMALL)(torch.zeros(shape))
    for word in ("(batch, 3, 32, 32)", str(shape), "resize_pos_embed"):
        assert word in str(error.value)


@pytest.mark.parametrize(
    ("entries", "old", "n_prefix", "words"),
    [(16, (3, 5), 0, ["16", "3x5 = 15"]), (16, None, 1, ["15", "square"]), (17, (4, 4), 2, ["15", "4x4 = 16"])],
)
def test_positions_that_do_not_fit_their_grid_are_refused(
    entries: int, old: tuple[int, int] | None, n_prefix: int, words: list[str]
) -> None:
    with pytest.raises(VizError) as error:
        resize_pos_embed(torch.zeros(1, entries, 8), (6, 6), old, n_prefix=n_prefix)
    for word in [*words, "old_grid"]:
        assert word in str(error.value)


def test_the_file_stands_alone() -> None:
    """A student can read it, and copy it, without the rest: the standard library, torch, and one error class."""
    tree = ast.parse(Path(vizapp.model.vit.__file__).read_text(encoding="utf-8"))
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    imported |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    foreign = {name for name in imported if name.split(".")[0] not in {*sys.stdlib_module_names, "torch"}}
    assert foreign == {"vizapp.errors"}
