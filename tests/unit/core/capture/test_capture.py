"""Capture: what is kept is what was applied, the network notices nothing, and nothing stays behind."""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
import torch
from torch import nn

from support.networks import HeadsFirst, hooks_of, pixels_for, small_vit, timm_model
from support.spellings import COLS, ROWS, Spelt
from support.waiting import patience
from vizapp.core.attention.layers import FactoredAttention
from vizapp.core.capture.forward import capture, capture_batch
from vizapp.core.capture.watch import Watch
from vizapp.model.preprocess import Preprocess
from vizapp.model.spec import TokenLayout, VisionModel

TIMM = [
    "deit_tiny_distilled_patch16_224",
    "vit_small_patch14_reg4_dinov2",
    "vit_base_patch16_siglip_224",
]


@pytest.mark.parametrize("fused", [True, False])
@pytest.mark.parametrize("name", TIMM)
def test_attention_times_value_is_what_the_network_computed(name: str, fused: bool) -> None:
    """The identity that a wrong scale, bias, head order or q/k norm breaks: A @ v equals the output of that very call."""
    model = timm_model(name)
    for module in model.net.modules():
        if hasattr(module, "fused_attn"):
            module.fused_attn = fused
    seen: list[tuple[torch.Tensor, torch.Tensor]] = []

    def remember(module: nn.Module, inputs: tuple, output: object) -> None:
        seen.append((inputs[0], output))

    handles = [model.net.get_submodule(n).register_forward_hook(remember) for n in model.attention]
    trace = capture(model, pixels_for(model))  # and a survey after it, since a hook may move tokens
    for handle in handles:
        handle.remove()
    assert all(isinstance(layer, FactoredAttention) for layer in trace.layers)
    prefix = {"deit": ("cls", "dist"), "siglip": (), "reg4": ("cls", "reg0", "reg1", "reg2", "reg3")}
    assert trace.layout == TokenLayout(next(names for part, names in prefix.items() if part in name), (3, 3))
    assert (trace.pool is not None) == ("siglip" in name)
    for layer, module_name, (x, output) in zip(
        trace.layers, model.attention, seen[: len(model.attention)], strict=True
    ):
        attention = model.net.get_submodule(module_name)
        torch.testing.assert_close(layer.map().sum(-1), torch.ones(layer.n_heads, trace.layout.n_tokens))
        v = attention.qkv(x)[0].unflatten(-1, (3, layer.n_heads, -1))[:, 2].transpose(0, 1)  # (head, token, d)
        mixed = (layer.map() @ v).transpose(0, 1).flatten(1)  # (token, D)
        expected = attention.proj(attention.norm(mixed) if hasattr(attention, "norm") else mixed)
        torch.testing.assert_close(expected, output[0], rtol=1e-4, atol=1e-5 * float(output.abs().max()))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
@pytest.mark.parametrize("name", ["vit_tiny_patch16_224", "vit_base_patch16_siglip_224"])
def test_the_output_is_bit_equal(name: str, dtype: torch.dtype) -> None:
    model = timm_model(name)
    model.net.to(dtype)
    pixels = pixels_for(model, batch=2)
    with torch.no_grad():
        plain = model.net(pixels)
        with Watch(model.net, lambda call: None):
            watched = model.net(pixels)
    assert torch.equal(plain, watched)


@pytest.mark.parametrize("only", [(), ("blocks.0.attn", "blocks.1.attn")], ids=["all modules", "some"])
@pytest.mark.parametrize("where", ["blocks.1", "blocks.1.attn", "blocks.1.attn.qkv"])
@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_nothing_is_left_behind_after_success_or_an_exception(
    small: VisionModel, only: tuple[str, ...], where: str, error: type[BaseException]
) -> None:
    def stumble(module: nn.Module, inputs: object, output: object) -> None:
        raise error("on purpose")

    before = hooks_of(small.net)
    capture(small, pixels_for(small))
    assert hooks_of(small.net) == before
    stumbling = small.net.get_submodule(where).register_forward_hook(stumble)
    with pytest.raises(error, match="on purpose"), Watch(small.net, lambda call: None, only=only):
        small.net(pixels_for(small))
    stumbling.remove()
    assert hooks_of(small.net) == before
    assert torch.overrides._get_current_function_mode_stack() == []
    capture(small, pixels_for(small))  # and it still works


def test_parameters_keep_their_gradients_and_the_model_its_mode(small: VisionModel) -> None:
    small.net.requires_grad_(True)
    small.net.train()
    capture(small, pixels_for(small))
    assert small.net.training
    assert all(parameter.grad is None and parameter.requires_grad for parameter in small.net.parameters())


def test_a_trace_keeps_no_more_than_q_and_k() -> None:
    """Views of the qkv buffer would keep v too: 3 L N D instead of 2."""
    model = timm_model("vit_tiny_patch16_224")
    trace = capture(model, pixels_for(model))
    width = model.net.embed_dim
    factors, denominators = 2 * width, trace.layers[0].n_heads
    assert trace.nbytes == len(trace.layers) * trace.layout.n_tokens * (factors + denominators) * 4


def test_many_threads_on_one_model_never_mix() -> None:
    """Every thread must see its own picture's attention. Fails when hooks listen to other threads."""
    model = small_vit(embed_dim=64, depth=4)
    batches = [pixels_for(model, seed) for seed in range(6)]
    expected = [capture(model, pixels) for pixels in batches]
    barrier = threading.Barrier(6, timeout=patience())

    def work(index: int) -> float:
        barrier.wait()
        worst = 0.0
        for _ in range(15):
            trace = capture(model, batches[index])
            for layer, reference in zip(trace.layers, expected[index].layers, strict=True):
                worst = max(worst, float((layer.map() - reference.map()).abs().max()))
        return worst

    with ThreadPoolExecutor(6) as pool:
        assert max(pool.map(work, range(6))) < 1e-5
    assert hooks_of(model.net) == 0


def test_attention_need_not_be_named(small: VisionModel) -> None:
    """Without names, prefix or patch size the same is found: by following the picture's coordinates."""
    named = capture(small, pixels_for(small))
    found = capture(replace(small, attention=(), prefix=(), patch=None, readout=""), pixels_for(small))
    assert found.layout == named.layout
    assert found.readout == "cls"
    for one, other in zip(found.layers, named.layers, strict=True):
        assert one.name == other.name
        assert torch.equal(one.map(), other.map())


class AcrossPictures(Spelt):
    """As csatv2 has it: an attention without an axis for pictures, so that pictures of a batch look at each other."""

    def attend(self, x: torch.Tensor) -> torch.Tensor:
        one = x.mean(-1)
        x = x + 0.01 * ((one @ one.mT).softmax(-1) @ one)[..., None]
        q, k, v = self.heads(x)
        return (q @ k.mT).softmax(-1) @ v


@pytest.mark.parametrize("batch", [2, 3])
@pytest.mark.parametrize("kind", [HeadsFirst, AcrossPictures])
def test_heads_before_pictures_are_not_mixed_up(kind: type[Spelt], batch: int) -> None:
    torch.manual_seed(0)
    net = kind().eval().requires_grad_(False)
    net.qkv.weight.mul_(4)
    model = VisionModel("net", net, (), (), None, Preprocess((4 * ROWS, 4 * COLS)), ("a",) * 3, readout="")
    pixels = pixels_for(model, batch=batch)
    traces = capture_batch(model, pixels)
    alone = [capture(model, pixels[index : index + 1]) for index in range(batch)]
    for one, other in zip(traces, alone, strict=True):
        torch.testing.assert_close(one.layers[0].map(), other.layers[0].map())
        torch.testing.assert_close(one.logits, other.logits)
    assert float((alone[0].layers[0].map() - alone[1].layers[0].map()).abs().max()) > 0.01
    # What weighs pictures of a batch by one another is no attention over channels.
    assert [why for why in alone[0].skipped.values() if "channels" in why] == []
    assert len(alone[0].skipped) == (kind is AcrossPictures)
