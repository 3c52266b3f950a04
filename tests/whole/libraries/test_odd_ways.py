"""Networks that are run in other ways than most: mapped, quantised, under autocast, wrapped. Shown, or refused by a sentence."""

import copy
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import timm
import torch
import torch.nn.attention.flex_attention as flex
from torch import Tensor, nn

import vizapp
from support.networks import MIDDLE, sharpen
from vizapp import VizError
from vizapp.core.capture.watch import Watch
from vizapp.core.methods import method_named, methods
from vizapp.core.trust.randomisation import randomised
from vizapp.model.own_network import describe
from vizapp.model.preprocess import Preprocess
from vizapp.model.spec import VisionModel

PICTURE = np.random.default_rng(0).integers(0, 256, (60, 80, 3), dtype=np.uint8)
LABELS = tuple("abcde")
LOOKS: tuple[Callable[[VisionModel], object], ...] = (vizapp.check, lambda model: vizapp.analyse(model, PICTURE))


def described(net: nn.Module, size: tuple[int, int] = (64, 64)) -> VisionModel:
    return describe(net.eval(), preprocess=Preprocess(size, MIDDLE, MIDDLE), labels=LABELS)


def vit(**options: object) -> nn.Module:
    torch.manual_seed(0)
    options = {"depth": 2, "img_size": 64, "num_classes": 5, **options}
    return sharpen(timm.create_model("vit_tiny_patch16_224", **options))


def maps(model: VisionModel) -> list[Tensor]:
    return [layer.map() for layer in vizapp.analyse(model, PICTURE).trace.layers]


def test_a_loaded_network_in_training_mode_is_refused() -> None:
    """With dropout, two passes on one picture would differ."""
    model = described(vit(proj_drop_rate=0.5))
    seen = vizapp.analyse(model, PICTURE)
    model.net.blocks[1].train()
    for look in (
        *LOOKS,
        lambda model: list(vizapp.analyse_many(model, [PICTURE])),
        lambda model: vizapp.explain(seen, "chefer"),
        lambda model: vizapp.explain(seen, "occlusion"),
        lambda model: vizapp.compare(seen, [], steps=2),
        lambda model: vizapp.find_sinks(seen),
    ):
        with pytest.raises(VizError, match=r"blocks.1 of VisionTransformer is in training mode.*eval"):
            look(model)
    vizapp.explain(seen, "rollout")  # needs no network
    model.net.eval()
    np.testing.assert_array_equal(vizapp.explain(vizapp.analyse(model, PICTURE)).scores, vizapp.explain(seen).scores)


class Mapped(nn.Module):
    """Its pictures one by one, by torch.vmap; attention fused, or spelt out."""

    def __init__(self, fused: bool) -> None:
        super().__init__()
        self.net = vit()
        for block in self.net.blocks:
            block.attn.fused_attn = fused

    def forward(self, pixels: Tensor) -> Tensor:
        return torch.vmap(lambda one: self.net(one[None])[0])(pixels)


class Called(nn.Module):
    """By torch.func.functional_call, with parameters that are handed over."""

    def __init__(self) -> None:
        super().__init__()
        self.net = vit()

    def forward(self, pixels: Tensor) -> Tensor:
        return torch.func.functional_call(self.net, dict(self.net.named_parameters()), (pixels,))


@pytest.mark.parametrize("fused", [True, False])
@pytest.mark.filterwarnings("ignore:There is a performance drop")
def test_vmap_is_refused_by_name(fused: bool) -> None:
    for look in LOOKS:
        with pytest.raises(VizError, match=r"net\.blocks\.0\.attn.* runs inside of torch\.vmap"):
            look(described(Mapped(fused)))


def test_a_functional_call_is_shown() -> None:
    model = described(Called())
    assert vizapp.check(model).holds
    for one, other in zip(maps(model), maps(described(vit())), strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=0)


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


@pytest.mark.filterwarnings("ignore")
def test_a_network_that_was_quantised_is_shown() -> None:
    net = torch.ao.quantization.quantize_dynamic(vit(), {nn.Linear}, dtype=torch.qint8)
    model = describe(net, preprocess=Preprocess((64, 64)), labels=LABELS)  # its layers say that they are training
    found = vizapp.check(model)
    assert found.holds
    assert [call.tokens for call in found.calls] == ["17 tokens (cls + 4x4 patches)"] * 2
    seen = vizapp.analyse(model, PICTURE)
    assert [layer.n_queries for layer in seen.trace.layers] == [17, 17]
    assert vizapp.explain(seen, "rollout").scores.any()
    for name in ("chefer", "attn_lrp", "value_rollout", "transformer_attribution"):
        with pytest.raises(VizError):
            vizapp.explain(seen, name)


def test_under_autocast() -> None:
    """The network runs in half precision, as its owner wants; what is made of it does not."""
    model = described(vit())
    with torch.autocast("cpu", torch.bfloat16):
        found = vizapp.check(model)
        seen = vizapp.analyse(model, PICTURE)
        there = {name: vizapp.explain(seen, name).scores for name in ("rollout", "alti", "chefer")}
        rows = seen.trace.layers[1].map()
    assert found.holds, found.problems
    assert 1e-4 < found.worst < 1e-2
    outside = vizapp.analyse(model, PICTURE)
    assert not torch.equal(seen.trace.logits, outside.trace.logits)
    torch.testing.assert_close(rows, seen.trace.layers[1].map(), rtol=0, atol=0)
    for name, scores in there.items():
        np.testing.assert_allclose(scores, vizapp.explain(seen, name).scores, rtol=1e-6)


def test_autocast_hides_no_mistake() -> None:
    """Planted: more than half precision allows is still a fault, and a call in full precision gets no more room than before."""
    model = described(vit())
    with torch.autocast("cpu", torch.bfloat16):
        found = vizapp.check(model)
    for error, kept in ((0.05, found), (1e-3, vizapp.check(model))):
        assert not replace(kept, calls=tuple(replace(call, error=error) for call in kept.calls)).holds


def test_patches_that_do_not_lie_evenly_are_refused() -> None:
    """timm's dynamic_img_pad: 60 x 72 pixels become 64 x 80, and 4 x 5 patches over the picture alone would lie wrong."""
    net = vit(dynamic_img_pad=True, dynamic_img_size=True)
    for look in LOOKS:
        with pytest.raises(VizError, match=r"pads a picture of 60x72 pixels to about 64x\d\d.*Say a size"):
            look(described(net, (60, 72)))
    assert vizapp.analyse(described(net, (64, 80)), PICTURE).trace.layout.grid == (4, 5)


def test_data_parallel_is_looked_at_by_itself() -> None:
    net = vit()
    seen = vizapp.analyse(described(nn.DataParallel(net)), PICTURE)
    assert [layer.name for layer in seen.trace.layers] == ["blocks.0.attn", "blocks.1.attn"]


def test_weights_that_are_nowhere_are_refused() -> None:
    with pytest.raises(
        VizError, match=r"cls_token of VisionTransformer is on the device 'meta', where it has no values"
    ):
        vizapp.analyse(described(vit().to("meta")), PICTURE)


def test_weights_that_come_when_they_are_needed() -> None:
    """accelerate keeps them elsewhere between two passes, and runs where it was told to."""
    accelerate = pytest.importorskip(
        "accelerate", reason="accelerate is not installed: no offloaded network to look at"
    )
    net = vit()
    expected = maps(described(net))
    offloaded = accelerate.cpu_offload(net, execution_device="cpu")
    assert {one.device.type for one in offloaded.parameters()} == {"meta"}
    model = described(offloaded)
    assert vizapp.check(model).holds
    for one, other in zip(maps(model), expected, strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=0)
    with pytest.raises(VizError, match=r"kept elsewhere.*cannot be randomised"):
        vizapp.sanity(vizapp.analyse(model, PICTURE), ["rollout"])


class Lightning(nn.Module):
    """What a LightningModule is to vizapp: a network inside, a forward that hands on, and much that is for training."""

    def __init__(self) -> None:
        super().__init__()
        self.model, self.loss = vit(), nn.CrossEntropyLoss()

    def forward(self, x: Tensor) -> Tensor:
        return self.model(x)

    def training_step(self, batch: tuple[Tensor, Tensor]) -> Tensor:
        return self.loss(self(batch[0]), batch[1])


def test_a_hook_of_its_owner_is_a_part_of_the_network() -> None:
    """When the network forgets, too; those that watch it meanwhile are not."""
    net = vit()
    net.blocks[1].register_forward_pre_hook(lambda module, inputs: (inputs[0].flip(1),))
    seen = vizapp.analyse(described(net), PICTURE)
    with Watch(net, lambda call: None):
        forgetful = randomised(seen.context, 0).net
    assert [len(part._forward_pre_hooks) for part in forgetful.blocks] == [0, 1]
    assert sum(len(part._forward_hooks) + len(part._forward_pre_hooks) for part in forgetful.modules()) == 1
    last = vizapp.analyse(described(forgetful), PICTURE).trace.layers[1]
    torch.testing.assert_close(last.map(), seen.trace.layers[1].map(), rtol=0, atol=0)


def same_as(
    expected: nn.Module, model: VisionModel, inside: str, refused: tuple[str, ...] = (), other: tuple[str, ...] = ()
) -> None:
    """Every quick method gives the same map of both, but for those that are `refused` in words, and those that give an`other`."""
    wrapped, plain = vizapp.analyse(model, PICTURE), vizapp.analyse(described(expected), PICTURE)
    assert vizapp.check(model).holds
    assert [layer.name for layer in wrapped.trace.layers] == [f"{inside}blocks.{i}.attn" for i in range(2)]
    for name in methods():
        if method_named(name).why_not(wrapped.trace):
            assert method_named(name).why_not(plain.trace)
        elif name in refused:
            with pytest.raises(VizError):
                vizapp.explain(wrapped, name)
        elif method_named(name).cost != "slow" and name not in other:
            found, wanted = (vizapp.explain(one, name).scores for one in (wrapped, plain))
            np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-3 * np.abs(wanted).max())


def test_a_network_in_a_module_for_training() -> None:
    same_as(vit(), described(Lightning()), "model.")


@pytest.mark.filterwarnings("ignore")
def test_a_network_with_adapters() -> None:
    """Shown as the network is that they are merged into; what wants to know *the* output projection finds a sum of two."""
    peft = pytest.importorskip("peft", reason="peft is not installed: no network with adapters to look at")
    config = peft.LoraConfig(target_modules=["qkv", "proj"], r=2, init_lora_weights=False)
    net = peft.get_peft_model(vit(), config).eval()
    merged = copy.deepcopy(net).merge_and_unload()
    values = ("alti", "value_attention", "value_rollout")
    rules = ("attn_lrp", "transformer_attribution", "partial_lrp")  # have rules for sums, and here are more of them
    same_as(merged, described(net), "base_model.model.", values, rules)
