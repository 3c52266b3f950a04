"""Tokens that are weighed in a spelling of its own, between two ordinary layers: shown exactly, or the ledger is not whole.

And what weighs no tokens by one another leaves it whole, whatever is multiplied and summed in it.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from support.networks import pixels_for
from vizapp.core.attention.trace import AttentionTrace
from vizapp.core.capture.forward import capture
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


def pairs(q: Tensor, k: Tensor) -> Tensor:
    """(b, h, query, key, d)."""
    return q[..., :, None, :] * k[..., None, :, :]


def spread(weights: Tensor, v: Tensor) -> Tensor:
    """(b, h, query, key, d): what is still to be summed over the keys."""
    return weights[..., None] * v[..., None, :, :]


def by_heads(weigh: Callable[[Tensor, Tensor], Tensor], made: Callable[[Tensor, Tensor], Tensor] = shares) -> Weigh:
    return lambda q, k, v: torch.stack([weigh(made(q, k)[0, head], v[0, head]) for head in range(2)])[None]


def sigmoids(q: Tensor, k: Tensor) -> Tensor:
    return scores(q, k).sigmoid() / N


def eye(v: Tensor) -> Tensor:
    return torch.eye(v.shape[-1]).double()


def with_index_add(a: Tensor, v: Tensor) -> Tensor:
    every = (a[..., None] * v).flatten(0, 1)
    return torch.zeros_like(v).index_add(0, torch.arange(N).repeat_interleave(N), every)


# How a map (query, key) and its values (key, d) come to be multiplied
PRODUCTS: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "tensordot": lambda a, v: torch.tensordot(a, v, dims=1),
    "tensordot, axes": lambda a, v: torch.tensordot(v, a, dims=([0], [1])).T,
    "inner": lambda a, v: torch.inner(a, v.T),
    "multi_dot": lambda a, v: torch.linalg.multi_dot([a, v, eye(v)]),
    "chain_matmul": lambda a, v: torch.chain_matmul(a, v, eye(v)),
    "addbmm": lambda a, v: torch.addbmm(torch.zeros_like(v), a[None], v[None]),
    "addmm_": lambda a, v: torch.zeros_like(v).addmm_(a, v),
    "vecdot": lambda a, v: torch.linalg.vecdot(a[:, None], v.T[None]),
    "mv": lambda a, v: torch.stack([torch.mv(a, v[:, i]) for i in range(v.shape[1])], 1),
    "conv1d": lambda a, v: F.conv1d(v[None], a[:, :, None])[0],
    "linear": lambda a, v: F.linear(a, v.T),
    "einsum": lambda a, v: torch.einsum("ij,jk", a, v),
    "einsum, lists": lambda a, v: torch.einsum(a, [0, 1], v, [1, 2], [0, 2]),
    "cumsum": lambda a, v: (a[..., None] * v).cumsum(1)[:, -1],
    "pool": lambda a, v: F.avg_pool1d((a[..., None] * v).transpose(1, 2), N)[..., 0] * N,
    "ones": lambda a, v: (a[..., None] * v).transpose(1, 2) @ torch.ones(N).double(),
    "index_add": with_index_add,
    "loop": lambda a, v: sum(a[:, j, None] * v[j] for j in range(N)),
}


def normalised(weights: Tensor) -> Tensor:
    return weights / weights.sum(-1, keepdim=True)


# Scores without a product of matrices
SCORES: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "times and sum": lambda q, k: pairs(q, k).sum(-1),
    "expanded": lambda q, k: (
        q.unsqueeze(3).expand(-1, -1, -1, N, -1).contiguous() * k.unsqueeze(2).expand(-1, -1, N, -1, -1)
    ).sum(-1),
    "distance": lambda q, k: -(q[..., :, None, :] - k[..., None, :, :]).square().sum(-1),
    "added": lambda q, k: (q[..., :, None, :] + k[..., None, :, :]).tanh().sum(-1),
    "cdist": lambda q, k: -torch.cdist(q, k),
    "cosine": lambda q, k: F.cosine_similarity(q[..., :, None, :], k[..., None, :, :], dim=-1),
    "vecdot": lambda q, k: torch.linalg.vecdot(q[..., :, None, :], k[..., None, :, :]),
    "tensordot": lambda q, k: torch.stack([torch.tensordot(q[0, h], k[0, h], dims=([1], [1])) for h in range(2)])[None],
    "rows": lambda q, k: (q[..., :, None, None, :] @ k[..., None, :, :, None])[..., 0, 0],
}


def with_decay(pos: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """AFT: what each token gives by itself, and how far away it is."""
    e = key.exp()
    return (pos.exp() @ (e * value)) / (pos.exp() @ e)


def decay(v: Tensor) -> Tensor:
    return -(torch.arange(N)[:, None] - torch.arange(N)).abs().double() / 5


def rwkv_loop(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    above, below, found = 0, 0, []
    e = k.exp()
    for t in range(N):
        above, below = 0.9 * above + e[..., t, :] * v[..., t, :], 0.9 * below + e[..., t, :]
        found.append(above / below)
    return q.sigmoid() * torch.stack(found, -2)


def rwkv_bonus(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    e, own = k.exp(), (k + 0.5).exp()
    return q.sigmoid() * (((e * v).cumsum(-2) + own * v) / (e.cumsum(-2) + own))


def one_by_one(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """A state that each token forgets in part, and adds to."""
    state, found = 0, []
    for t in range(N):
        state = k[..., t, :].sigmoid() * state + q[..., t, :] * v[..., t, :]
        found.append(state * q[..., t, :])
    return torch.stack(found, -2)


def state_of_products(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    state, found = 0, []
    for t in range(N):
        state = 0.9 * state + k[..., t, :, None] * v[..., t, None, :]
        found.append((q[..., t, None, :] @ state)[..., 0, :])
    return torch.stack(found, -2)


def by_shifts(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return sum((q * k.roll(r, 2)).sum(-1, keepdim=True).sigmoid() * v.roll(r, 2) for r in range(4))


def blended(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    a, out = shares(q, k), torch.zeros_like(v)
    for j in range(N):
        out = torch.addcmul(out, a[..., j, None], v[..., j : j + 1, :])
    return out


def written(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    a, out = shares(q, k), torch.zeros_like(v)
    for j in range(N):
        out += a[..., j, None] * v[..., j : j + 1, :]
    return out


def by_frequency(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return torch.fft.irfft(torch.fft.rfft(q, dim=2) * torch.fft.rfft(v, dim=2), dim=2, n=N)


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


def aft_conv(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    kernel = torch.ones(2 * q.shape[-1], 1, 3, 3).double()
    above, below = (F.conv2d(grid(one), kernel, padding=1, groups=len(kernel)) for one in (k.exp() * v, k.exp()))
    return tokens(above / below)


def involution(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    near = F.unfold(grid(v), 3, padding=1).unflatten(1, (-1, 9))  # (b, c, 9, n)
    weights = grid(q)[:, :9] if q.shape[-1] > 4 else grid(q).repeat(1, 2, 1, 1)[:, :9]
    return tokens((weights.flatten(2)[:, None] * near).sum(2).unflatten(-1, (4, 4)))


def sigmoid(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return sigmoids(q, k) @ v


OTHERS: dict[str, Weigh] = {
    **{f"sigmoid, {name}": by_heads(product, sigmoids) for name, product in PRODUCTS.items()},
    **{
        f"exp, scores by {name}": lambda q, k, v, score=score: spread(normalised(score(q, k).exp()), v).sum(-2)
        for name, score in SCORES.items()
    },
    "AFT": lambda q, k, v: q.sigmoid() * with_decay(decay(v), k, v),
    "AFT, simple": lambda q, k, v: q.sigmoid() * ((k.exp() * v).sum(-2, keepdim=True) / k.exp().sum(-2, keepdim=True)),
    "AFT, conv": aft_conv,
    "RWKV, cumsum": lambda q, k, v: q.sigmoid() * ((k.exp() * v).cumsum(-2) / k.exp().cumsum(-2)),
    "RWKV, bonus": rwkv_bonus,
    "RWKV, loop": rwkv_loop,
    "RWKV, times": lambda q, k, v: q.sigmoid() * ((k.exp() * v).cumsum(-2) * k.exp().cumsum(-2).reciprocal()),
    "cumsum of products": lambda q, k, v: q * (k * v).cumsum(2),
    "one by one": one_by_one,
    "a state of products": state_of_products,
    "shifts": by_shifts,
    "softmax, addcmul": blended,
    "softmax, +=": written,
    "frequencies": by_frequency,
    "a kernel of its own": own_kernel,
    "by position": lambda q, k, v: by_position(q) @ v,
    "by position, by hand": lambda q, k, v: spread(by_position(q), v).sum(-2),
    "involution": involution,
    "linear, by hand": lambda q, k, v: (
        (q[..., None] * (k[..., None] * v[..., None, :]).sum(2, keepdim=True)).sum(-2) / N
    ),
    "linear, cumsum": lambda q, k, v: (
        torch.einsum("bhnd,bhnde->bhne", q.exp(), (k.exp()[..., None] * v[..., None, :]).cumsum(2)) / N
    ),
    "sigmoid, vmap over heads": lambda q, k, v: torch.vmap(torch.vmap(sigmoid))(q, k, v),
}
ONE = torch.linspace(0.1, 1, 16).double()
GATED: dict[str, Weigh] = {  # a map by a softmax, and what the picture does to it
    "gates of queries": lambda q, k, v: F.dropout(shares(q, k) * q[..., :1].sigmoid(), 0.1, False) @ v,
    "gates of keys": lambda q, k, v: F.dropout(shares(q, k) * k[..., :1].sigmoid().mT, 0.1, False) @ v,
    "gates of scores": lambda q, k, v: (scores(q, k) * k[..., :1].mT).softmax(-1) @ v,
    "bias of keys": lambda q, k, v: (scores(q, k) + k[..., :1].mT).softmax(-1) @ v,
    "talking heads": lambda q, k, v: (
        torch.einsum("bhqk,hg->bgqk", shares(q, k) * q[..., :1].exp(), ONE[:4].view(2, 2)) @ v
    ),
    "heads by a convolution": lambda q, k, v: F.conv2d(shares(q, k), ONE[:4].view(2, 2, 1, 1)) @ v,
    "by hand": lambda q, k, v: spread(shares(q, k), v).sum(-2),
    "added, by a matrix": lambda q, k, v: (
        ((q[..., :, None, :] + k[..., None, :, :]).tanh() @ ONE[: q.shape[-1], None])[..., 0].softmax(-1) @ v
    ),
    "added, features first": lambda q, k, v: (
        (q[..., :, None, :] + k[..., None, :, :]).relu().movedim(-1, 1).sum(1).softmax(-1) @ v
    ),
}
SOFTMAX: dict[str, Weigh] = {
    **{f"softmax, {name}": weigh for name, weigh in GATED.items()},
    **{f"softmax, {name}": by_heads(product) for name, product in PRODUCTS.items()},
    **{
        f"softmax, scores by {name}": lambda q, k, v, score=score: score(q, k).softmax(-1) @ v
        for name, score in SCORES.items()
    },
}
# Of these the map is seen, and stays: with scores of any spelling that places follow
SEEN = {f"softmax, scores by {name}" for name in ("times and sum", "added", "distance")} | {
    f"softmax, {name}" for name in GATED
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


@pytest.mark.filterwarnings("ignore:.*chain_matmul is deprecated")
def test_what_weighs_tokens_is_shown_exactly_or_said() -> None:
    slips = []
    for name, weigh in (OTHERS | SOFTMAX).items():
        # As many features as tokens: a result with as many values as the map may be taken for one
        features = 4 if name in SOFTMAX else N
        given: list[Tensor] = []

        def with_note(*parts: Tensor, weigh: Weigh = weigh, given: list[Tensor] = given) -> Tensor:
            made = weigh(*parts)
            given[:] = [one.detach().clone() for one in parts]
            return made

        try:
            trace = seen(Net(features, with_note))
        except VizError:
            continue
        if not is_whole(trace):
            slips += [f"{name}: lost"] if name in SEEN else []
        elif len(trace.layers) != 3:
            slips.append(f"{name}: {len(trace.layers)} layers, and nothing said")
        elif (off := (trace.layers[1].map() @ given[2][0] - weigh(*given)[0]).abs().max()) > 1e-5:
            slips.append(f"{name}: off by {off:.2g}")
    assert slips == [], "\n".join(slips)


# ------------------------------------------------------------------------------------------------ what weighs no tokens


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
    "Mixer, matmul": lambda: On(lambda m, x: m.mix.weight @ x, mix=nn.Linear(N, N)),
    "Mixer over gates": lambda: On(
        lambda m, x: m.mix((x * m.gate(x).sigmoid()).transpose(1, 2)).transpose(1, 2),
        mix=nn.Linear(N, N),
        gate=nn.Linear(C, C),
    ),
    "gMLP": lambda: On(lambda m, x: x * m.mix(x.transpose(1, 2)).transpose(1, 2), mix=nn.Linear(N, N)),
    "SwiGLU": lambda: On(
        lambda m, x: m.out(F.silu(m.a(x)) * m.b(x)), a=nn.Linear(C, C), b=nn.Linear(C, C), out=nn.Linear(C, C)
    ),
    "gate, then convolution": lambda: On(
        lambda m, x: m.conv(x * m.gate(x).exp()),
        picture=True,
        gate=nn.Conv2d(C, C, 1),
        conv=nn.Conv2d(C, C, 3, padding=1),
    ),
    "SE": lambda: On(
        lambda m, x: x * m.fc(x.mean((2, 3), keepdim=True)).sigmoid(), picture=True, fc=nn.Conv2d(C, C, 1)
    ),
    "SE, and pooled": lambda: On(
        lambda m, x: (x * m.fc(x.mean(1, keepdim=True)).sigmoid()).mean(1, keepdim=True).expand_as(x),
        fc=nn.Linear(C, C),
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
    "cumsum over features": lambda: On(lambda m, x: (m.gate(x) * x).cumsum(-1), gate=nn.Linear(C, C)),
    "softmax over features": lambda: On(lambda m, x: m.gate(x).softmax(-1) * x, gate=nn.Linear(C, C)),
    "attention over features": lambda: On(lambda m, x: ((x.mT @ x / N).softmax(-1) @ x.mT).mT),
    "mask": lambda: On(lambda m, x: x * (x.norm(dim=-1, keepdim=True) > 2)),
    "token shift": lambda: On(
        lambda m, x: torch.lerp(x, x.roll(1, 1), m.mu.weight[0].sigmoid()) * m.mu.weight[0], mu=nn.Linear(C, 1)
    ),
    "rows and columns, added": lambda: On(
        lambda m, x: m.fc(x.mean(3, keepdim=True)) + m.fc(x.mean(2, keepdim=True)), picture=True, fc=nn.Conv2d(C, C, 1)
    ),
    "gates of branches, their sum": lambda: On(
        lambda m, x: (m.a(x).relu() * x + m.b(x).relu() * x) / (m.a(x).relu() + m.b(x).relu() + 1e-3),
        a=nn.Linear(C, C),
        b=nn.Linear(C, C),
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
    "a gate of coarser patches": lambda: On(
        lambda m, x: x * F.interpolate(m.conv(F.avg_pool2d(x, 2)), scale_factor=2, mode="bilinear").sigmoid(),
        picture=True,
        conv=nn.Conv2d(C, C, 1),
    ),
    "vmap": lambda: On(lambda m, x: torch.vmap(lambda one: m.a(F.gelu(one)))(x), a=nn.Linear(C, C)),
}


def test_what_weighs_no_tokens_leaves_the_ledger_whole() -> None:
    slips = []
    for name, made in HARMLESS.items():
        torch.manual_seed(0)
        trace = seen(Net(C // 2, between=made()))
        if not is_whole(trace) or len(trace.layers) != 3:
            slips.append(f"{name}: {trace.no_chain or trace.ledger.line}")
    assert slips == [], "\n".join(slips)


# ------------------------------------------------------------------------------------------------- two that are one


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
