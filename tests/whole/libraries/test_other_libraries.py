"""One contract over other people's transformers, small and random: the attention that is captured is the library's own."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from support.edits import loud
from support.networks import SMALL, heard
from vizapp.core.attention.layers import LayerAttention
from vizapp.core.attention.trace import AttentionTrace
from vizapp.core.attention.windows import WindowedAttention
from vizapp.core.capture.check import check
from vizapp.core.capture.forward import capture
from vizapp.model.preprocess import Preprocess
from vizapp.model.spec import VisionModel

open_clip = pytest.importorskip("open_clip")
pytest.importorskip("transformers")
pytest.importorskip("vit_pytorch")


def seen(net: nn.Module, size: int | tuple[int, int]) -> tuple[AttentionTrace, Tensor]:
    """What is captured of `net`, after everything that must hold for every network; and the pixels it saw."""
    height, width = (size, size) if isinstance(size, int) else size
    pixels = torch.randn(1, 3, height, width, generator=torch.Generator().manual_seed(1))
    model = VisionModel("net", loud(net), (), (), None, Preprocess((height, width)), labels=("x",), readout="")
    with torch.no_grad():
        plain = net(pixels)
    trace = capture(model, pixels)
    assert trace.logits is not None
    # Unless it is watched, PyTorch's own module takes a kernel for all that it does at once.
    fast = any(isinstance(module, nn.MultiheadAttention) for module in net.modules())
    torch.testing.assert_close(trace.logits, plain[0], rtol=0, atol=1e-5 if fast else 0)
    found = check(model, pixels)
    assert found.problems == ()
    assert fast or found.seen == found.softmaxes
    assert not any(module._forward_hooks or module._forward_pre_hooks for module in net.modules())
    return trace, pixels


@pytest.fixture(autouse=True)
def the_same_weights_each_time() -> None:
    torch.manual_seed(0)


def maps_of(layer: LayerAttention) -> Tensor:
    """(window, head, query, key), as most libraries return it."""
    if isinstance(layer, WindowedAttention):
        return layer.parts.map().unflatten(0, (-1, layer.n_heads))
    return layer.map()[None]


def assert_same(layers: Sequence[LayerAttention], own: Sequence[Tensor]) -> None:
    assert len(layers) == len(own)
    for layer, expected in zip(layers, own, strict=True):
        torch.testing.assert_close(maps_of(layer), expected.reshape(maps_of(layer).shape), rtol=0, atol=5e-6)
        torch.testing.assert_close(expected.sum(-1), torch.ones(expected.shape[:-1]))
        assert float(expected.max()) * expected.shape[-1] > 1.1, "a uniform map would be equal to many others"


def grids(trace: AttentionTrace) -> list[tuple[int, int]]:
    return list(dict.fromkeys(trace.layouts(i)[0].grid for i in range(len(trace.layers))))


class Encoder(nn.Module):
    """A ViT as people write it in an afternoon."""

    def __init__(self, *, norm_first: bool = False) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, 32, 8, 8)
        self.cls = nn.Parameter(torch.zeros(1, 1, 32))
        self.pos = nn.Parameter(torch.zeros(1, 25, 32))
        layer = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True, norm_first=norm_first)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(32, 5)

    def forward(self, pixels: Tensor) -> Tensor:
        x = self.patches(pixels).flatten(2).transpose(1, 2)
        x = torch.cat([self.cls.expand(len(x), -1, -1), x], 1) + self.pos
        return self.head(self.encoder(x)[:, 0])


def torchvision_vit() -> nn.Module:
    from torchvision.models import VisionTransformer

    return VisionTransformer(48, 8, num_layers=2, num_heads=4, hidden_dim=32, mlp_dim=64, num_classes=5)


def clip_tower(**options: Any) -> nn.Module:
    small = {"image_size": 48, "patch_size": 8, "width": 64, "layers": 2, "heads": 4, "mlp_ratio": 2, "output_dim": 32}
    return open_clip.transformer.VisionTransformer(**small | options)


@torch.no_grad()
def multihead_maps(net: nn.Module, pixels: Tensor) -> list[Tensor]:
    """What each nn.MultiheadAttention gives when it is asked for the weights of every head."""
    asked = heard(
        net,
        lambda: net(pixels),
        lambda module: isinstance(module, nn.MultiheadAttention),
        lambda module, inputs, output: (module, inputs),
    )
    return [module(*inputs[:3], need_weights=True, average_attn_weights=False)[1] for module, inputs in asked]


@pytest.mark.parametrize(
    ("build", "size", "grid"),
    [
        (Encoder, (32, 48), (4, 6)),
        (lambda: Encoder(norm_first=True), (32, 48), (4, 6)),
        (torchvision_vit, 48, (6, 6)),
        (clip_tower, 48, (6, 6)),
        (lambda: clip_tower(pool_type="avg", final_ln_after_pool=True, ls_init_value=0.5), 48, (6, 6)),
    ],
    ids=["TransformerEncoder", "norm first", "torchvision", "open_clip", "open_clip mean"],
)
def test_multihead_attention(build: Callable[[], nn.Module], size: Any, grid: tuple[int, int]) -> None:
    net = build()
    trace, pixels = seen(net, size)
    assert_same(trace.layers, multihead_maps(net, pixels))
    assert (trace.layout.prefix, trace.layout.grid, trace.readout) == (("cls",), grid, "cls")
    assert not trace.no_chain


def test_the_pooling_of_open_clip() -> None:
    net = clip_tower(attentional_pool=True, attn_pooler_queries=3)
    trace, pixels = seen(net, 48)
    assert trace.pool is not None
    assert (trace.pool.n_queries, trace.pool.key_layout) == (3, trace.layout)
    assert_same([*trace.layers, trace.pool], multihead_maps(net, pixels))


def torchvision_swin(version: str, size: int) -> nn.Module:
    from torchvision.models import swin_transformer as swin

    options: dict[str, Any] = dict(patch_size=[4, 4], embed_dim=16, depths=[2, 2], num_heads=[2, 4])
    if version == "v2":
        options |= dict(block=swin.SwinTransformerBlockV2, downsample_layer=swin.PatchMergingV2)
    return swin.SwinTransformer(**options, window_size=[4, 4], num_classes=5)


def torchvision_maxvit() -> nn.Module:
    from torchvision.models import MaxVit

    return MaxVit((64, 64), 16, 2, [16, 32], [1, 1], 8, 0.0, num_classes=5)


@pytest.mark.parametrize(
    ("build", "size", "expected"),
    [
        (lambda: torchvision_swin("v1", 64), 64, [(16, 16), (8, 8)]),
        (lambda: torchvision_swin("v2", 64), 64, [(16, 16), (8, 8)]),
        (lambda: torchvision_swin("v1", 72), (72, 56), [(18, 14), (9, 7)]),
        (torchvision_maxvit, 64, [(16, 16), (8, 8)]),
    ],
    ids=["swin", "swin v2", "swin with padding", "maxvit"],
)
def test_windows_of_torchvision(build: Callable[[], nn.Module], size: Any, expected: list) -> None:
    trace, _ = seen(build(), size)
    assert (grids(trace), trace.readout, trace.no_chain) == (expected, "mean", "")
    for layer in trace.layers:
        assert isinstance(layer, WindowedAttention)
        sums, lost = layer.map().sum(-1), lost_on_padding(layer)
        torch.testing.assert_close(sums, 1 - lost, rtol=0, atol=1e-5)


def lost_on_padding(layer: WindowedAttention) -> Tensor:
    """(head, token): what falls on tokens that stand nowhere."""
    maps = layer.parts.map().unflatten(0, (-1, layer.n_heads))
    share = (maps * (layer.keys < 0)[:, None, None]).sum(-1)  # (window, head, slot)
    lost = torch.zeros(layer.n_heads, layer.n_queries)
    for tokens, part in zip(layer.queries, share, strict=True):
        lost[:, tokens[tokens >= 0]] = part[:, tokens >= 0]
    return lost


def test_torchvision_as_it_ships() -> None:
    from torchvision import models

    trace, _ = seen(models.get_model("swin_v2_t", weights=None), 64)
    assert grids(trace) == [(16, 16), (8, 8), (4, 4), (2, 2)]


class Pixels(nn.Module):
    def __init__(self, net: nn.Module) -> None:
        super().__init__()
        self.net = net

    def forward(self, pixels: Tensor) -> Tensor:
        return self.net(pixel_values=pixels)[0]


@dataclass(frozen=True)
class Case:
    """A class of transformers and its config; `options` beside the small sizes that all share."""

    kind: str
    config: str
    options: dict[str, Any]
    n_prefix: int = 1
    size: tuple[int, int] = (48, 48)

    def build(self, attention: str) -> nn.Module:
        import transformers

        sizes = SMALL | {"image_size": 48, "patch_size": 8}
        config = getattr(transformers, self.config)(**sizes | self.options)
        config._attn_implementation = attention
        return getattr(transformers, self.kind)(config)


CASES = [
    Case("ViTForImageClassification", "ViTConfig", {}),
    Case("ViTForImageClassification", "ViTConfig", {"image_size": [32, 48]}, size=(32, 48)),
    Case("DeiTForImageClassificationWithTeacher", "DeiTConfig", {}, 2),
    Case("BeitForImageClassification", "BeitConfig", {"use_relative_position_bias": True}),
    Case("Data2VecVisionForImageClassification", "Data2VecVisionConfig", {"use_shared_relative_position_bias": True}),
    Case("Dinov2ForImageClassification", "Dinov2Config", {}),
    Case("Dinov2WithRegistersForImageClassification", "Dinov2WithRegistersConfig", {"num_register_tokens": 3}, 4),
    Case("DINOv3ViTModel", "DINOv3ViTConfig", {"num_register_tokens": 4}, 5),
    Case("ViTMSNForImageClassification", "ViTMSNConfig", {}),
    Case("IJepaForImageClassification", "IJepaConfig", {}, 0),
    Case("CLIPVisionModelWithProjection", "CLIPVisionConfig", {}),
    Case("SiglipVisionModel", "SiglipVisionConfig", {}, 0),
    Case("PixtralVisionModel", "PixtralVisionConfig", {"head_dim": 8}, 0),
]


def own_maps(net: nn.Module, pixels: Tensor) -> Sequence[Tensor]:
    with torch.no_grad():
        found: Sequence[Tensor] = net(pixel_values=pixels, output_attentions=True).attentions
    return found


@pytest.mark.parametrize("attention", ["eager", "sdpa"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.kind}-{case.size[0]}")
def test_transformers(case: Case, attention: str) -> None:
    net, eager = case.build(attention), case.build("eager").eval()
    trace, pixels = seen(Pixels(net), case.size)
    eager.load_state_dict(net.state_dict())
    assert_same(trace.layers, own_maps(eager, pixels))
    assert trace.layout.n_prefix == case.n_prefix
    assert trace.layout.grid == (case.size[0] // 8, case.size[1] // 8)
    assert (trace.pool is not None) == case.kind.startswith("Siglip")
    assert not trace.no_chain


SWIN = {"embed_dim": 16, "depths": [2, 2], "num_heads": [2, 4], "window_size": 4, "patch_size": 4, "image_size": 64}


@pytest.mark.parametrize("kind", ["Swin", "Swinv2"])
def test_swin_of_transformers(kind: str) -> None:
    import transformers

    config = getattr(transformers, f"{kind}Config")(**SWIN)
    config._attn_implementation = "eager"
    net = getattr(transformers, f"{kind}ForImageClassification")(config)
    trace, pixels = seen(Pixels(net), 64)
    assert grids(trace) == [(16, 16), (8, 8)]
    own = heard(
        net,
        lambda: own_maps(net, pixels),
        lambda module: type(module).__name__ in {"SwinAttention", "Swinv2SelfAttention"},
        lambda module, inputs, output: output[1],
    )
    assert_same(trace.layers, own)
    for layer in trace.layers:
        torch.testing.assert_close(layer.map().sum(-1), torch.ones(layer.n_heads, layer.n_queries))


def lucid(module: str, name: str, **options: Any) -> Callable[[], nn.Module]:
    def build() -> nn.Module:
        import importlib

        small = {"image_size": 48, "patch_size": 8, "num_classes": 5, "dim": 32, "depth": 2, "heads": 4, "mlp_dim": 64}
        whole = importlib.import_module(f"vit_pytorch.{module}")
        return getattr(whole, name)(**(options.pop("all", None) or small | options))

    return build


CVT = {
    "num_classes": 5,
    "s1_emb_dim": 16,
    "s2_emb_dim": 16,
    "s2_heads": 2,
    "s3_emb_dim": 32,
    "s3_depth": 2,
    "s3_heads": 2,
}
TWINS = {"num_classes": 5, "s1_emb_dim": 16, "s2_emb_dim": 16, "s3_emb_dim": 32, "s4_emb_dim": 32, "s3_depth": 1}
TWINS |= {"s4_depth": 1, "s1_local_patch_size": 4, "s2_local_patch_size": 4, "s3_local_patch_size": 4, "s1_global_k": 4}
TWINS |= {"s2_global_k": 4, "s3_global_k": 4, "s4_global_k": 4}
MAXVIT = {"num_classes": 5, "dim": 16, "dim_head": 8, "depth": (1, 1), "window_size": 4}


def softmax_maps(net: nn.Module, pixels: Tensor) -> list[Tensor]:
    return heard(net, lambda: net(pixels), lambda module: isinstance(module, nn.Softmax), lambda *ran: ran[-1])


def test_the_recorder_of_vit_pytorch_and_attention_that_is_mixed_among_heads() -> None:
    from vit_pytorch.recorder import Recorder

    net = lucid("vit", "ViT")()
    trace, pixels = seen(net, 48)
    _, maps = Recorder(net)(pixels)  # (picture, layer, head, query, key)
    assert_same(trace.layers, list(maps[0]))
    assert str(trace.layout) == "37 tokens (cls + 6x6 patches)"
    # Its maps are no distributions any more; that they make the output is what `seen` has checked.
    trace, _ = seen(lucid("deepvit", "DeepViT")(), 48)
    assert (len(trace.layers), str(trace.layout)) == (2, "37 tokens (cls + 6x6 patches)")
    trace, _ = seen(lucid("cait", "CaiT", cls_depth=1)(), 48)
    assert (len(trace.layers), str(trace.layout), trace.readout) == (2, "36 tokens (6x6 patches)", "pool")
    assert trace.pool is not None
    assert str(trace.pool.key_layout) == "37 tokens (cls + 6x6 patches)"


@pytest.mark.parametrize(
    ("build", "size", "n_prefix", "expected"),
    [
        (lucid("simple_vit", "SimpleViT"), 48, 0, [(6, 6)]),
        (lucid("simple_vit_with_register_tokens", "SimpleViT", num_register_tokens=3), 48, 3, [(6, 6)]),
        (lucid("simple_vit_with_qk_norm", "SimpleViT"), 48, 0, [(6, 6)]),
        (lucid("vit_for_small_dataset", "ViT"), 48, 1, [(6, 6)]),
        (lucid("parallel_vit", "ViT", num_parallel_branches=2), 48, 1, [(6, 6)]),
        (lucid("rvt", "RvT"), 48, 1, [(6, 6)]),
        (lucid("simple_vit_with_hyper_connections", "SimpleViT", num_residual_streams=2), 48, 4, [(6, 6)]),
        (lucid("cvt", "CvT", all=CVT), 64, 0, [(16, 16), (8, 8), (4, 4)]),
        (lucid("twins_svt", "TwinsSVT", all=TWINS), 128, 0, [(32, 32), (16, 16), (8, 8), (4, 4)]),
        (lucid("max_vit", "MaxViT", all=MAXVIT), 64, 0, [(16, 16), (8, 8)]),
    ],
    ids=["simple", "registers", "qk norm", "small", "parallel", "rvt", "hyper", "cvt", "twins", "maxvit"],
)
def test_vit_pytorch(build: Callable[[], nn.Module], size: int, n_prefix: int, expected: list) -> None:
    net = build()
    trace, pixels = seen(net, size)
    assert (trace.layout.n_prefix, grids(trace)) == (n_prefix, expected)
    assert bool(trace.no_chain) == (type(net).__module__ == "vit_pytorch.parallel_vit")
    own = softmax_maps(net, pixels)
    if type(net).__name__ == "TwinsSVT":  # half of its softmaxes are functions; its windows hold the heads, too
        assert {layer.n_heads for layer in trace.layers} == {8}
    else:  # registers stand behind the patches there, and before them here
        assert_same(trace.layers, [maps.roll((n_prefix, n_prefix), (-2, -1)) if n_prefix > 1 else maps for maps in own])
    for layer in trace.layers:
        torch.testing.assert_close(layer.map().sum(-1), torch.ones(layer.n_heads, layer.n_queries))
