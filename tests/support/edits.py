"""An edit of a head in networks of timm, transformers and torchvision is what a hook on the plain network gives."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from support.networks import hooks_of, pixels_for
from vizapp.core.capture.check import check
from vizapp.core.capture.forward import capture_batch
from vizapp.core.interventions.apply import edited
from vizapp.core.interventions.head_off import HeadOff
from vizapp.core.network import output_of
from vizapp.model.preprocess import Preprocess
from vizapp.model.spec import VisionModel


def loud(net: nn.Module) -> nn.Module:
    """Weights under which attention is far from uniform, and no bias or token is without effect."""
    generator = torch.Generator().manual_seed(0)
    for name, parameter in net.named_parameters():
        noise = torch.randn(parameter.shape, generator=generator)
        with torch.no_grad():
            if parameter.ndim < 2 or "pos" in name or "token" in name or "table" in name:
                parameter.add_(0.3 * noise)
            else:
                parameter.copy_(
                    noise * 1.4 / (parameter[0].numel() if parameter.ndim == 4 else parameter.shape[-1]) ** 0.5
                )
    return net.eval().requires_grad_(False)


BOTH = pytest.mark.parametrize("by", ["zero", "uniform"])


def unknown(net: nn.Module, size: tuple[int, int] = (48, 48)) -> VisionModel:
    """A model of which nothing is known but its size."""
    return VisionModel("net", net.eval().requires_grad_(False), (), (), None, Preprocess(size), ("x",), readout="")


@torch.no_grad()
def run(net: nn.Module, pixels: Tensor) -> Tensor:
    return output_of(net(pixels))


def assert_as_by_hand(model: VisionModel, edit: HeadOff, by_hand: Callable[[Tensor], Tensor], batch: int = 3) -> None:
    """Logits of one picture and of several, the trace's logits, the self-test; and the plain network stays as it was."""
    pixels = pixels_for(model, batch=batch)
    plain = run(model.net, pixels)
    expected = by_hand(pixels)
    changed = edited(model, [edit])
    size = float(expected.abs().max())
    torch.testing.assert_close(run(changed.net, pixels), expected, rtol=0, atol=1e-5 * size)
    torch.testing.assert_close(run(changed.net, pixels[:1]), expected[:1], rtol=0, atol=1e-5 * size)
    traces = capture_batch(changed, pixels)
    torch.testing.assert_close(torch.stack([one.logits for one in traces]), expected.float(), rtol=0, atol=1e-5 * size)
    assert float((expected - plain).abs().max()) > 1e-3 * size, "the head does something, or this test could not fail"
    assert check(changed, pixels[:1]).problems == ()
    assert torch.equal(run(model.net, pixels), plain)
    assert hooks_of(model.net) == 0


@contextmanager
def hooked(*handles: Any) -> Iterator[None]:
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


def multihead_by_hand(net: nn.Module, name: str, edit: HeadOff) -> Callable[[Tensor], Tensor]:
    """torch.nn.MultiheadAttention written out in a hook on its output."""
    module = net.get_submodule(name)

    def spelt(module: nn.Module, inputs: tuple[Tensor, ...], output: tuple[Any, ...]) -> tuple[Any, ...]:
        x = inputs[0]
        q, k, v = F.linear(x, module.in_proj_weight, module.in_proj_bias).chunk(3, -1)
        q, k, v = (one.unflatten(-1, (module.num_heads, -1)).transpose(1, 2) for one in (q, k, v))
        attention = (q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5).softmax(-1)
        if edit.by == "uniform":
            attention[:, edit.head] = 1 / attention.shape[-1]
        mixed = attention @ v
        if edit.by == "zero":
            mixed[:, edit.head] = 0
        return (module.out_proj(mixed.transpose(1, 2).flatten(2)), *output[1:])

    def forward(pixels: Tensor) -> Tensor:
        with hooked(module.register_forward_hook(spelt)):
            return run(net, pixels)

    return forward
