"""Rules for functions that a network spells out: the pass back is that through the function of PyTorch, to the last digits."""

from collections.abc import Callable

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from support.networks import pixels_for, small_vit
from support.slow_replicas import context
from vizapp.core.methods import method_named
from vizapp.core.signals.lrp.attention_aware import attention_aware

EPS = 1e-6


def mean_square(x: Tensor) -> Tensor:
    return x.square().mean(-1, keepdim=True) + EPS


def rms(x: Tensor) -> Tensor:
    return F.rms_norm(x, x.shape[-1:], eps=EPS)


def layer(x: Tensor) -> Tensor:
    return F.layer_norm(x, x.shape[-1:], eps=EPS)


def spelt_softmax(x: Tensor) -> Tensor:
    e = (x - x.amax(-1, keepdim=True)).exp()
    return e / e.sum(-1, keepdim=True)


SPELT: dict[str, tuple[Callable[[Tensor], Tensor], Callable[[Tensor], Tensor]]] = {
    "rsqrt": (lambda x: x * torch.rsqrt(mean_square(x)), rms),
    "root": (lambda x: x / mean_square(x).sqrt(), rms),
    "power": (lambda x: x * mean_square(x) ** -0.5, rms),
    "layer norm": (lambda x: (x - x.mean(-1, True)) / (x.var(-1, correction=0, keepdim=True) + EPS).sqrt(), layer),
    "length": (lambda x: x / x.norm(dim=-1, keepdim=True), lambda x: F.normalize(x, dim=-1)),
    "group norm of one": (lambda x: F.group_norm(x[0], 1, eps=EPS)[None], lambda x: layer(x.flatten(2)).view_as(x)),
    "groups": (
        lambda x: F.group_norm(x[0], 2, torch.arange(1.0, 5).double(), torch.ones(4).double(), EPS)[None],
        lambda x: layer(x.unflatten(2, (2, 2)).flatten(3)).view_as(x) * torch.arange(1.0, 5).double()[:, None] + 1,
    ),
    "softmax": (lambda x: spelt_softmax(x) * x, lambda x: x.softmax(-1) * x),
}


def passed_back(function: Callable[[Tensor], Tensor], through: str) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(1, 3, 4, 6, dtype=torch.float64, generator=generator).requires_grad_(True)
    weight = torch.randn(1, 3, 4, 6, dtype=torch.float64, generator=generator)
    with torch.enable_grad(), attention_aware(0.0, 0.0, through):
        y = function(x * 1.0)
    (gradient,) = torch.autograd.grad((y * weight).sum(), x)
    return y.detach(), gradient


@pytest.mark.parametrize("through", ["attention", "values"])
@pytest.mark.parametrize("name", SPELT)
def test_a_spelling_has_the_rule_of_its_function(name: str, through: str) -> None:
    (value, found), (plain, expected) = (passed_back(one, through) for one in SPELT[name])
    torch.testing.assert_close(value, plain, rtol=1e-9, atol=1e-9)
    torch.testing.assert_close(found, expected, rtol=1e-6, atol=1e-9)


class RMSNorm(nn.Module):
    """As Aimv2's of transformers, Llama's and many others: `power` or the kernel."""

    def __init__(self, width: int, kernel: bool) -> None:
        super().__init__()
        self.weight, self.kernel = nn.Parameter(torch.linspace(0.5, 1.5, width)), kernel

    def forward(self, x: Tensor) -> Tensor:
        if self.kernel:
            return F.rms_norm(x, x.shape[-1:], self.weight, EPS)
        return self.weight * (x * mean_square(x) ** -0.5)


@pytest.mark.parametrize(
    ("name", "settings"), [("attn_lrp", {}), ("attn_lrp", {"through": "values"}), ("libra_grad", {})]
)
def test_a_network_with_its_own_norm_has_the_maps_of_the_kernels(name: str, settings: dict) -> None:
    """Correlations were 0.26, 0.44 and 0.57."""
    maps = []
    for kernel in (False, True):
        torch.manual_seed(0)
        model = small_vit()
        for block in model.net.blocks:
            block.norm1, block.norm2 = RMSNorm(32, kernel), RMSNorm(32, kernel)
        model.net.norm = RMSNorm(32, kernel)
        model.net.double().requires_grad_(False)
        maps.append(method_named(name)(context(model, pixels_for(model), 2), **settings).scores)
    np.testing.assert_allclose(*maps, rtol=0, atol=1e-9 * np.abs(maps[0]).max())
