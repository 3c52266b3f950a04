"""What must be said with a map that a pass tells of: chance in it, and attention that is taken from other attention."""

from __future__ import annotations

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
from vizapp.errors import VizError
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


def seeded(scores: Tensor) -> Tensor:
    torch.manual_seed(3)
    return torch.randn_like(scores)


OWN, NUMPY = torch.Generator(), np.random.default_rng()
NOISE: dict[str, tuple[Callable[[Tensor], Tensor], bool]] = {
    "PyTorch's": (torch.randn_like, True),
    "a generator of its own": (lambda scores: torch.rand(scores.shape, generator=OWN), True),
    "NumPy's": (lambda scores: torch.from_numpy(NUMPY.random(scores.shape, np.float32)), True),
    "with a seed": (seeded, False),
    "drawn and left": (lambda scores: 0 * torch.randn_like(scores), False),
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
    """`check` said False and the analysis nothing. At the first look and at the second; in files and on the page."""
    slips = []
    for name, (noise, is_said) in NOISE.items():
        net = network(noise)
        for look in ("first", "second"):
            seen = analysed(net)
            slips += (
                [] if any(CHANCE in note for note in seen.notes) == is_said else [f"{name}, {look} look: {seen.notes}"]
            )
    assert slips == []
    seen = analysed(network(torch.randn_like))
    seen.save(tmp_path / "it.vizapp")
    assert vizapp.open(tmp_path / "it.vizapp").notes == seen.notes
    assert any("随机" in one for one in sentences(seen, say=words_for("zh").translate)["notes"])


def test_a_coin_that_falls_alike_is_tossed_again() -> None:
    """What is drawn now and then: of the first pictures two passes tell the same, of a later one they do not."""
    net = network(lambda scores: (torch.rand(()) < 0.03) * scores)
    torch.manual_seed(0)
    said = [any(CHANCE in note for note in analysed(net).notes) for _ in range(12)]
    assert not said[0]
    assert said[-1]


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
    """Two fused attentions (or the two heads of one), and `join`, which makes the next stream of `x` and of what they give."""

    def __init__(self, join: Callable[[Two, Tensor, Tensor, Tensor], Tensor], is_one_call: bool) -> None:
        super().__init__()
        self.q, self.k, self.v, self.o, self.w = (nn.Linear(16, 16, bias=False) for _ in range(5))
        self.norm, self.g = nn.LayerNorm(16), nn.Parameter(torch.randn(16))
        self.join, self.is_one_call = join, is_one_call

    def forward(self, x: Tensor) -> Tensor:
        y = self.norm(x)
        q, k = (one(y).unflatten(-1, (2, 8)).transpose(1, 2) for one in (self.q, self.k))
        v = self.v(y)[:, None].expand(-1, 2, -1, -1)
        if self.is_one_call:
            return self.join(self, x, F.scaled_dot_product_attention(q, k, v), y)
        one, other = (F.scaled_dot_product_attention(q[:, i : i + 1], k[:, i : i + 1], v[:, :1]) for i in (0, 1))
        return self.join(self, x, one, other)


class Attention(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.qkv = nn.Linear(16, 48)

    def forward(self, x: Tensor) -> Tensor:
        return F.scaled_dot_product_attention(*self.qkv(x).chunk(3, -1))


class Modules(nn.Module):
    def __init__(self, by: float) -> None:
        super().__init__()
        self.one, self.other, self.norm, self.by = Attention(), Attention(), nn.LayerNorm(16), by

    def forward(self, x: Tensor) -> Tensor:
        y = self.norm(x)
        return x + self.one(y) + self.by * self.other(y)


class Joined(nn.Module):
    def __init__(self, blocks: list[nn.Module]) -> None:
        super().__init__()
        self.patches, self.blocks, self.head = nn.Conv2d(3, 16, 8, 8), nn.ModuleList(blocks), nn.Linear(16, 5)

    def forward(self, pixels: Tensor) -> Tensor:
        x = self.patches(pixels).flatten(2).transpose(1, 2)
        for block in self.blocks:
            x = block(x)
        return self.head(x.mean(1))


TAKEN: dict[str, Callable[[Two, Tensor, Tensor, Tensor], Tensor]] = {
    "a - .8 c": lambda b, x, a, c: x + b.o(a[:, 0] - 0.8 * c[:, 0]),
    "a + (-.8) c": lambda b, x, a, c: x + b.o((a + (-0.8) * c).squeeze(1)),
    "add, alpha": lambda b, x, a, c: x + b.o(a.add(c, alpha=-0.8)[:, 0]),
    "sub, alpha, names": lambda b, x, a, c: x + b.o(torch.sub(input=a, other=c, alpha=0.8)[:, 0]),
    "lerp": lambda b, x, a, c: x + b.o(torch.lerp(a, c, -0.8)[:, 0]),
    "addcmul": lambda b, x, a, c: x + b.o(torch.addcmul(a, c, torch.ones(16), value=-1)[:, 0]),
    "neg": lambda b, x, a, c: x + b.o((a + c.neg())[:, 0]),
    "a learned factor": lambda b, x, a, c: x + b.o((a - b.g.exp() * c)[:, 0]),
    "in place": lambda b, x, a, c: x + b.o(a.clone().sub_(0.8 * c)[:, 0]),
    "norms": lambda b, x, a, c: x + b.o((F.layer_norm(a, (16,)) - 0.8 * F.layer_norm(c, (16,)))[:, 0]),
    "one map for both": lambda b, x, a, c: x + (b.o(a[:, 0]) - 0.8 * b.o(c[:, 0])),
    "maps of their own": lambda b, x, a, c: x + (b.o(a[:, 0]) - b.w(c[:, 0])),
    "one after the other": lambda b, x, a, c: x + b.o(a[:, 0]) - b.w(c[:, 0]),
}
ADDED: dict[str, Callable[[Two, Tensor, Tensor, Tensor], Tensor]] = {
    "a + c": lambda b, x, a, c: x + b.o((a + 0.8 * c)[:, 0]),
    "lerp": lambda b, x, a, c: x + b.o(torch.lerp(a, c, 0.2)[:, 0]),
    "both negative": lambda b, x, a, c: x - b.o(-a[:, 0] - c[:, 0]),
    "less its mean": lambda b, x, a, c: x + b.o((a - a.mean(-1, keepdim=True) + c)[:, 0]),
}
HEADS: dict[str, Callable[[Two, Tensor, Tensor, Tensor], Tensor]] = {
    "picks": lambda b, x, a, y: x + b.o(a[:, 0] - 0.8 * a[:, 1]),
    "every other": lambda b, x, a, y: x + b.o((a[:, 0::2] - 0.8 * a[:, 1::2]).transpose(1, 2).flatten(2)),
    "unbound": lambda b, x, a, y: x + b.o((lambda one, other: one - 0.8 * other)(*a.unbind(1))),
    "behind a reshape": lambda b, x, a, y: (
        x + b.o((lambda t: t[..., :16] - 0.8 * t[..., 16:])(a.transpose(1, 2).flatten(2)))
    ),
}
OF_ONE: dict[str, Callable[[Two, Tensor, Tensor, Tensor], Tensor]] = {
    "a sum of heads": lambda b, x, a, y: x + b.o(a[:, 0] + a[:, 1]),
    "neighbours": lambda b, x, a, y: x + b.o((a - a.roll(1, 2))[:, 0]) + b.w(a[:, 1]),
    "something put in": lambda b, x, a, y: x + b.o(a.index_copy(2, torch.tensor([3]), a[:, :, 4:5])[:, 0]),
    "one less its first": lambda b, x, a, y: x + b.o(a[:, 0] - 0.5 * a[:, 0].mean(-1, keepdim=True)),
    "less a projection": lambda b, x, a, y: x - b.o(a[:, 0]) - b.w(a[:, 1]),
}

MOVED = ("one call: something put in",)  # what is added to a token is not that token's alone


def test_a_difference_of_attentions_is_said_however_it_is_spelt() -> None:
    """Only `a - c` of two whole outputs was seen, and its verdict was plain "exact". What is added is not said to be taken."""
    cases = [(f"{kind}: {name}", join, is_one, is_taken) for kind, some, is_one, is_taken in (
        ("two calls", TAKEN, False, True), ("two calls, added", ADDED, False, False),
        ("heads", HEADS, True, True), ("one call", OF_ONE, True, False),
    ) for name, join in some.items()]  # fmt: skip
    networks = [(name, [Two(join, is_one)], is_taken) for name, join, is_one, is_taken in cases]
    networks += [("modules, taken", [Modules(-0.8)], True), ("modules, added", [Modules(0.8)], False)]
    less = [Two(lambda b, x, a, y: x - b.o(a[:, 0]) - b.w(a[:, 1]), True) for _ in range(2)]
    networks.append(("layers that subtract, one after the other", less, False))
    slips = []
    for name, blocks, is_taken in networks:
        model = described(Joined(blocks).eval())
        if name in MOVED:
            with pytest.raises(VizError, match="tokens of other patches"):
                analysed(model.net)
            continue
        said = [note for note in analysed(model.net).notes if "subtracted" in note]
        if len(said) != is_taken:
            slips.append(f"{name}: says {said}")
        verdict = check(model, torch.randn(1, 3, 32, 32)).verdict
        if ("subtracted" in str(verdict)) != is_taken:
            slips.append(f"{name}: {verdict}")
    assert slips == []
