"""Tokens that are weighed in a spelling of its own, between two ordinary layers: the ledger names the function that does it.

And what weighs no tokens by one another leaves it whole, whatever is multiplied and summed in it.
"""

from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from support.networks import pixels_for
from vizapp.core.attention.trace import AttentionTrace
from vizapp.core.capture.forward import capture
from vizapp.core.capture.refusals.reasons import NOT_UNDERSTOOD
from vizapp.core.methods import method_named
from vizapp.errors import VizError
from vizapp.model.own_network import describe
from vizapp.model.preprocess import Preprocess

Weigh = Callable[[Tensor, Tensor, Tensor], Tensor]  # of (b, h, n, d)
N = 16  # tokens


def scores(q: Tensor, k: Tensor) -> Tensor:
    return q @ k.transpose(-2, -1) / 3


def shares(q: Tensor, k: Tensor) -> Tensor:
    return scores(q, k).softmax(-1)


def plain(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return shares(q, k) @ v


def sigmoids(q: Tensor, k: Tensor) -> Tensor:
    return scores(q, k).sigmoid() / N


def spread(weights: Tensor, v: Tensor) -> Tensor:
    """(b, h, query, key, d): what is still to be summed over the keys."""
    return weights[..., None] * v[..., None, :, :]


def distances(q: Tensor, k: Tensor) -> Tensor:
    """Scores without a product of matrices."""
    return -(q[..., :, None, :] - k[..., None, :, :]).square().sum(-1)


def decayed(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """AFT: what each token gives by itself, and how far away it is."""
    far, e = (-(torch.arange(N)[:, None] - torch.arange(N)).abs().double() / 5).exp(), k.exp()
    return q.sigmoid() * (far @ (e * v)) / (far @ e)


def rwkv_loop(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    above, below, found = 0, 0, []
    e = k.exp()
    for t in range(N):
        above, below = 0.9 * above + e[..., t, :] * v[..., t, :], 0.9 * below + e[..., t, :]
        found.append(above / below)
    return q.sigmoid() * torch.stack(found, -2)


def own_kernel(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    kernel = k.mean(2).flatten(1)[0, :, None, None].repeat(1, 1, 3)
    return tokens(F.conv1d(v.transpose(2, 3).flatten(1, 2), kernel, padding=1, groups=len(kernel)).unflatten(2, (4, 4)))


TO_TOKENS = torch.randn(16, N, generator=torch.Generator().manual_seed(0)).double()


def by_position(q: Tensor) -> Tensor:
    """Each token says how it weighs the first place, the second and so on (Synthesizer)."""
    return (q @ TO_TOKENS[: q.shape[-1]]).sigmoid() / N


def grid(x: Tensor) -> Tensor:
    """(b, h, n, d) -> (b, h * d, 4, 4)."""
    return x.transpose(2, 3).flatten(1, 2).unflatten(-1, (4, 4))


def tokens(x: Tensor) -> Tensor:
    return x.flatten(2).unflatten(1, (2, -1)).transpose(2, 3)


def involution(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    near = F.unfold(grid(v), 3, padding=1).unflatten(1, (-1, 9))  # (b, c, 9, n)
    return tokens((grid(q)[:, :9].flatten(2)[:, None] * near).sum(2).unflatten(-1, (4, 4)))


# Each sums, multiplies or divides in a way of its own: what the ledger says is not understood, and by which function.
ODD: dict[str, tuple[Weigh, str]] = {
    "sigmoid": (lambda q, k, v: sigmoids(q, k) @ v, "matmul"),
    "softmax, by hand": (lambda q, k, v: spread(shares(q, k), v).sum(-2), "mul"),
    "cdist": (lambda q, k, v: spread((-torch.cdist(q, k)).exp(), v).sum(-2), "cdist"),
    "AFT": (decayed, "div"),
    "AFT, simple": (lambda q, k, v: q.sigmoid() * (k.exp() * v).sum(-2, keepdim=True) / N, "sum"),
    "RWKV, cumsum": (lambda q, k, v: q.sigmoid() * ((k.exp() * v).cumsum(-2) / k.exp().cumsum(-2)), "cumsum"),
    "RWKV, loop": (rwkv_loop, "add"),
    "frequencies": (lambda q, k, v: torch.fft.irfft(torch.fft.rfft(q, dim=2) * torch.fft.rfft(v, dim=2), dim=2), "mul"),
    "a kernel of its own": (own_kernel, "conv1d"),
    "by position": (lambda q, k, v: by_position(q) @ v, "matmul"),
    "involution": (involution, "mul"),
    "linear, by hand": (lambda q, k, v: (q[..., None] * (k[..., None] * v[..., None, :]).sum(2, True)).sum(-2), "sum"),
    "vmap over heads": (
        lambda q, k, v: torch.vmap(torch.vmap(lambda q, k, v: sigmoids(q, k) @ v))(q, k, v),
        "torch.vmap",
    ),
}
ONE = torch.linspace(0.1, 1, 16).double()
GATED: dict[str, Weigh] = {  # a map by a softmax, and what the picture does to it: these are seen, and exact
    "gates of queries": lambda q, k, v: F.dropout(shares(q, k) * q[..., :1].sigmoid(), 0.1, False) @ v,
    "gates of keys": lambda q, k, v: F.dropout(shares(q, k) * k[..., :1].sigmoid().mT, 0.1, False) @ v,
    "gates of scores": lambda q, k, v: (scores(q, k) * k[..., :1].mT).softmax(-1) @ v,
    "bias of keys": lambda q, k, v: (scores(q, k) + k[..., :1].mT).softmax(-1) @ v,
    "talking heads": lambda q, k, v: (
        torch.einsum("bhqk,hg->bgqk", shares(q, k) * q[..., :1].exp(), ONE[:4].view(2, 2)) @ v
    ),
    "heads by a convolution": lambda q, k, v: F.conv2d(shares(q, k), ONE[:4].view(2, 2, 1, 1)) @ v,
    "distances": lambda q, k, v: distances(q, k).softmax(-1) @ v,
}


class Block(nn.Module):
    def __init__(self, width: int, weigh: Weigh) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.weigh, self.qkv, self.proj = weigh, nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.kept: dict[int, Tensor] = {}

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.qkv(self.norm(x)).unflatten(-1, (3, 2, -1)).permute(2, 0, 3, 1, 4)
        return x + self.proj(self.weigh(q, k, v).transpose(1, 2).flatten(2))


class Net(nn.Module):
    """Three layers on 4 x 4 patches; `middle` is how the second weighs its values, `between` what runs before it."""

    def __init__(self, features: int, middle: Weigh = plain, between: nn.Module | None = None) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.patches = nn.Conv2d(3, 2 * features, 8, 8)
        self.blocks = nn.ModuleList(Block(2 * features, weigh) for weigh in (plain, middle, plain))
        self.between = between or nn.Identity()

    def forward(self, pixels: Tensor) -> Tensor:
        x = self.patches(pixels).flatten(2).transpose(1, 2)
        for index, block in enumerate(self.blocks):
            x = block(self.between(x) if index == 1 else x)
        return x.mean(1)


def seen(net: nn.Module) -> AttentionTrace:
    model = describe(net.double().eval().requires_grad_(False), preprocess=Preprocess((32, 32)))
    return capture(model, pixels_for(model).double())


def is_whole(trace: AttentionTrace) -> bool:
    return trace.ledger.whole and not trace.no_chain and bool(method_named("rollout")(trace).scores.any())


def test_what_weighs_tokens_otherwise_is_named() -> None:
    slips = []
    for name, (weigh, function) in ODD.items():
        # As many features as tokens: a result with as many values as the map may be taken for one
        trace = seen(Net(N, weigh))
        found = {trace.skipped.get("blocks.1")}
        if is_whole(trace) or found != {NOT_UNDERSTOOD.having(what=function)}:
            slips.append(f"{name}: {found}")
    assert slips == [], "\n".join(slips)


def test_a_map_that_the_picture_changes_is_shown_exactly() -> None:
    slips = []
    for name, weigh in GATED.items():
        given: list[Tensor] = []

        def with_note(*parts: Tensor, weigh: Weigh = weigh, given: list[Tensor] = given) -> Tensor:
            made = weigh(*parts)
            given[:] = [one.detach().clone() for one in parts]
            return made

        trace = seen(Net(4, with_note))
        if not is_whole(trace) or len(trace.layers) != 3:
            slips.append(f"{name}: {trace.no_chain or trace.ledger.line}")
        elif (off := (trace.layers[1].map() @ given[2][0] - weigh(*given)[0]).abs().max()) > 1e-5:
            slips.append(f"{name}: off by {off:.2g}")
    assert slips == [], "\n".join(slips)


class On(nn.Module):
    """x + f(x): of tokens (b, n, c), or of a picture (b, c, 4, 4)."""

    def __init__(
        self, made: Callable[[nn.Module, Tensor], Tensor], *, picture: bool = False, **parts: nn.Module
    ) -> None:
        super().__init__()
        self.made, self.picture = made, picture
        for name, part in parts.items():
            setattr(self, name, part)

    def forward(self, x: Tensor) -> Tensor:
        if not self.picture:
            return x + self.made(self, x)
        turned = x.transpose(1, 2).unflatten(2, (4, 4))
        return x + self.made(self, turned).flatten(2).transpose(1, 2)


C = 8
HARMLESS: dict[str, Callable[[], nn.Module]] = {
    "convolution": lambda: On(lambda m, x: m.conv(x), picture=True, conv=nn.Conv2d(C, C, 3, padding=1, groups=C)),
    "pooling": lambda: On(lambda m, x: F.avg_pool2d(x, 3, 1, 1, count_include_pad=False) - x, picture=True),
    "Mixer": lambda: On(lambda m, x: m.mix(x.transpose(1, 2)).transpose(1, 2), mix=nn.Linear(N, N)),
    "gMLP": lambda: On(lambda m, x: x * m.mix(x.transpose(1, 2)).transpose(1, 2), mix=nn.Linear(N, N)),
    "SwiGLU": lambda: On(
        lambda m, x: m.out(F.silu(m.a(x)) * m.b(x)), a=nn.Linear(C, C), b=nn.Linear(C, C), out=nn.Linear(C, C)
    ),
    "SE": lambda: On(
        lambda m, x: x * m.fc(x.mean((2, 3), keepdim=True)).sigmoid(), picture=True, fc=nn.Conv2d(C, C, 1)
    ),
    "CBAM": lambda: On(
        lambda m, x: x * m.conv(torch.cat([x.mean(1, keepdim=True), x.amax(1, keepdim=True)], 1)).sigmoid(),
        picture=True,
        conv=nn.Conv2d(2, 1, 3, padding=1),
    ),
    "BAM": lambda: On(
        lambda m, x: x * (m.fc(x.mean((2, 3), keepdim=True)) * m.conv(x)).sigmoid(),
        picture=True,
        fc=nn.Conv2d(C, C, 1),
        conv=nn.Conv2d(C, 1, 3, padding=1),
    ),
    "coordinate attention": lambda: On(
        lambda m, x: x * (m.a(x.mean(3, keepdim=True)).sigmoid() * m.b(x.mean(2, keepdim=True)).sigmoid()),
        picture=True,
        a=nn.Conv2d(C, C, 1),
        b=nn.Conv2d(C, C, 1),
    ),
    "gates of branches": lambda: On(
        lambda m, x: (torch.stack([x, m.conv(x)], 1) * m.fc(x.mean((2, 3))).unflatten(1, (2, C, 1, 1)).softmax(1)).sum(
            1
        ),
        picture=True,
        conv=nn.Conv2d(C, C, 3, padding=1),
        fc=nn.Linear(C, 2 * C),
    ),
    "focal modulation": lambda: On(
        lambda m, x: m.q(x) * sum(m.g(x)[:, i : i + 1] * F.gelu(m.conv(x)) for i in range(2)),
        picture=True,
        q=nn.Conv2d(C, C, 1),
        g=nn.Conv2d(C, 2, 1),
        conv=nn.Conv2d(C, C, 3, padding=1, groups=C),
    ),
    "GRN": lambda: On(
        lambda m, x: x * (x.norm(dim=(1,), keepdim=True) / x.norm(dim=(1,), keepdim=True).mean(-1, keepdim=True))
    ),
    "group norm, spelt out": lambda: On(
        lambda m, x: (x - x.mean((1, 2), keepdim=True)) / ((x * x).mean((1, 2), keepdim=True) + 1e-5).sqrt()
    ),
    "layer scale": lambda: On(lambda m, x: m.gamma.weight * x, gamma=nn.Linear(C, 1)),
    "softmax over features": lambda: On(lambda m, x: m.gate(x).softmax(-1) * x, gate=nn.Linear(C, C)),
    "attention over features": lambda: On(lambda m, x: ((x.mT @ x / N).softmax(-1) @ x.mT).mT),
    "token shift": lambda: On(
        lambda m, x: torch.lerp(x, x.roll(1, 1), m.mu.weight[0].sigmoid()) * m.mu.weight[0], mu=nn.Linear(C, 1)
    ),
    "experts": lambda: On(
        lambda m, x: torch.einsum("bne,bnec->bnc", m.g(x).softmax(-1), torch.stack([m.a(x), m.b(x)], 2)),
        g=nn.Linear(C, 2),
        a=nn.Linear(C, C),
        b=nn.Linear(C, C),
    ),
    "weights of the picture": lambda: On(lambda m, x: x @ m.g(x.mean(1)).unflatten(1, (C, C)), g=nn.Linear(C, C * C)),
    "filters of frequencies": lambda: On(
        lambda m, x: torch.fft.ifft2(torch.fft.fft2(x) * torch.ones(4, 4).double()).real, picture=True
    ),
}


def test_what_weighs_no_tokens_leaves_the_ledger_whole() -> None:
    slips = []
    for name, made in HARMLESS.items():
        torch.manual_seed(0)
        trace = seen(Net(C // 2, between=made()))
        if not is_whole(trace) or len(trace.layers) != 3:
            slips.append(f"{name}: {trace.no_chain or trace.ledger.line}")
    assert slips == [], "\n".join(slips)


def chained(how: str) -> Weigh:
    def weigh(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        if how == "twice":
            return shares(q, k) @ (shares(k, q) @ v)
        if how == "fused":
            return F.scaled_dot_product_attention(q, k, F.scaled_dot_product_attention(k, q, v).contiguous())
        if how == "scaled":
            return shares(q, k) @ (0.5 * plain(k, q, v))
        if how == "merged":
            once = plain(k, q, v).transpose(1, 2).flatten(2)
            return plain(q, k, once.unflatten(-1, (2, -1)).transpose(1, 2))
        agents = q.transpose(-2, -1).unflatten(-1, (2, 2, 2, 2)).mean((-3, -1)).flatten(-2).transpose(-2, -1)
        return shares(q, agents) @ (shares(agents, k) @ v)

    return weigh


def test_attention_on_what_attention_gave_is_no_chain_of_layers() -> None:
    """No residual is between the two: a product of their maps is what the network applies, and rollout would add one."""
    for how in ("twice", "fused", "scaled", "merged", "agents"):
        trace = seen(Net(8, chained(how)))
        assert [layer.name for layer in trace.layers] == ["blocks.0", "blocks.1", "blocks.1#1", "blocks.2"], how
        with pytest.raises(VizError, match=r"blocks\.1#1 weighs what blocks\.1 gave, as it is"):
            method_named("rollout")(trace)
