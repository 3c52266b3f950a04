"""What must be said with a map that a pass tells of: chance in it, and attention that is taken from other attention."""

import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import timm
import torch
import torch.nn.functional as F
from torch import Tensor, nn

import vizapp
from support.streams import Own, Spelled, Tied, plain
from vizapp.analysis import Analysis
from vizapp.core.capture.check import check
from vizapp.model.spec import VisionModel
from vizapp.ui.viewer.payload import sentences
from vizapp.ui.words import words_for

PICTURE = np.random.default_rng(0).integers(0, 256, (40, 40, 3), dtype=np.uint8)
CHANCE = "random numbers"


class Chancy(Spelled):
    """Its scores have noise of a kind on them."""

    def __init__(self, width: int, noise: Callable[[Tensor], Tensor]) -> None:
        super().__init__(width)
        self.noise = noise

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.qkv(self.norm(x)).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-2, -1) / 3
        return self.out((self.attend(scores + self.noise(scores)) @ v).transpose(1, 2).flatten(2))


NUMPY = np.random.default_rng()
NOISE: dict[str, tuple[Callable[[Tensor], Tensor], bool]] = {
    "PyTorch's": (torch.randn_like, True),
    "NumPy's": (lambda scores: torch.from_numpy(np.random.rand(*scores.shape)).float(), True),
    "Python's, from which a server's threads draw": (lambda scores: scores + random.random(), False),
    "a generator of its own": (lambda scores: torch.from_numpy(NUMPY.random(scores.shape, np.float32)), False),
    "none": (lambda scores: scores / 2, False),
}


def network(noise: Callable[[Tensor], Tensor]) -> nn.Module:
    torch.manual_seed(0)
    net = Own(plain)
    for layer in net.layers:
        layer[0] = Chancy(16, noise)
    return net.eval()


def described(net: nn.Module) -> VisionModel:
    return vizapp.describe(net, preprocess=vizapp.Preprocess((32, 32)))


def analysed(net: nn.Module) -> Analysis:
    return vizapp.analyse(described(net), PICTURE)


def test_noise_in_the_scores_is_said_with_the_map(tmp_path: Path) -> None:
    """At the first look and at the second; in files and on the page. A generator of its own is left to the self-test."""
    slips = []
    for name, (noise, is_said) in NOISE.items():
        net = network(noise)
        for look in ("first", "second"):
            seen = analysed(net)
            slips += (
                [] if any(CHANCE in note for note in seen.notes) == is_said else [f"{name}, {look} look: {seen.notes}"]
            )
    assert slips == []
    own = network(NOISE["a generator of its own"][0])
    assert "two passes on one picture" in check(described(own), torch.randn(1, 3, 32, 32)).verdict
    seen = analysed(network(torch.randn_like))
    seen.save(tmp_path / "it.vizapp")
    assert vizapp.open(tmp_path / "it.vizapp").notes == seen.notes
    assert any("随机" in one for one in sentences(seen, say=words_for("zh").translate)["notes"])


@pytest.mark.parametrize("is_fused", [True, False])
def test_attention_that_is_taken_from_other_attention_is_said(is_fused: bool) -> None:
    """timm's differential attention: two maps, of which the second is subtracted."""
    torch.manual_seed(0)
    net = timm.create_model("vit_tiny_patch16_224", img_size=32, num_classes=5, depth=2, attn_layer="diff").eval()
    for block in net.blocks:
        block.attn.fused_attn = is_fused
    said = [note for note in analysed(net).notes if "subtract" in note]
    assert len(said) == is_fused
    assert (check(described(net), torch.randn(1, 3, 32, 32)).verdict == "exact") == (not is_fused)
    if is_fused:
        assert "blocks.0.attn#1 from blocks.0.attn" in said[0]
        assert "blocks.1.attn#1 from blocks.1.attn" in said[0]


def test_calls_of_one_module_that_are_added_are_not_said_to_be_subtracted() -> None:
    torch.manual_seed(0)
    assert not [note for note in analysed(Tied().eval()).notes if "subtract" in note]


class Two(nn.Module):
    """Two fused attentions, and `join`, which makes the next stream of `x` and of what they give."""

    def __init__(self, join: "Callable[[Two, Tensor, Tensor, Tensor], Tensor]") -> None:
        super().__init__()
        self.q, self.k, self.v, self.o, self.w = (nn.Linear(16, 16, bias=False) for _ in range(5))
        self.norm, self.g, self.join = nn.LayerNorm(16), nn.Parameter(torch.randn(16)), join

    def forward(self, x: Tensor) -> Tensor:
        y = self.norm(x)
        q, k, v = (one(y) for one in (self.q, self.k, self.v))
        one, other = (F.scaled_dot_product_attention(q[..., i : i + 8], k[..., i : i + 8], v) for i in (0, 8))
        return self.join(self, x, one, other)


class Joined(nn.Module):
    def __init__(self, block: nn.Module) -> None:
        super().__init__()
        self.patches, self.block, self.head = nn.Conv2d(3, 16, 8, 8), block, nn.Linear(16, 5)

    def forward(self, pixels: Tensor) -> Tensor:
        return self.head(self.block(self.patches(pixels).flatten(2).transpose(1, 2)).mean(1))


JOINS: dict[str, tuple[Callable[[Two, Tensor, Tensor, Tensor], Tensor], bool]] = {
    "a - .8 c": (lambda b, x, a, c: x + b.o(a - 0.8 * c), True),
    "add, alpha": (lambda b, x, a, c: x + b.o(a.add(c, alpha=-0.8)), True),
    "a learned factor": (lambda b, x, a, c: x + b.o(a - b.g.exp() * c), True),
    "one map for both": (lambda b, x, a, c: x + (b.o(a) - 0.8 * b.o(c)), True),
    "behind a norm": (lambda b, x, a, c: x + b.o(F.layer_norm(a - 0.8 * c, (16,))), True),
    "a + c": (lambda b, x, a, c: x + b.o(a + 0.8 * c), False),
    "both negative": (lambda b, x, a, c: x - b.o(-a - c), False),
    "maps of their own": (lambda b, x, a, c: x + b.o(a) - b.w(c), False),  # as well o(a) + w'(c)
}


def test_a_difference_of_attentions_is_said_however_it_is_spelt() -> None:
    """What is added is not said to be taken."""
    slips = []
    for name, (join, is_taken) in JOINS.items():
        model = described(Joined(Two(join)).eval())
        said = [note for note in analysed(model.net).notes if "subtracted" in note]
        verdict = check(model, torch.randn(1, 3, 32, 32)).verdict
        if len(said) != is_taken or ("subtracted" in str(verdict)) != is_taken:
            slips.append(f"{name}: says {said}, {verdict}")
    assert slips == []
