"""Networks with attention, or what looks like it, that a capture may miss."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import torch
from torch import Tensor, nn

from support.networks import pixels_for
from vizapp.core.attention.trace import AttentionTrace
from vizapp.core.capture.forward import capture
from vizapp.model.own_network import describe
from vizapp.model.preprocess import Preprocess
from vizapp.model.spec import VisionModel

Weigh = Callable[[Tensor, Tensor, Tensor], Tensor]


def scores(q: Tensor, k: Tensor) -> Tensor:
    return q @ k.transpose(-2, -1) / 8**0.5


def exp_over_sum(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    weights = (scores(q, k) - scores(q, k).amax(-1, keepdim=True)).exp()
    return weights / weights.sum(-1, keepdim=True) @ v


def plain(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return scores(q, k).softmax(-1) @ v


UNDERSTOOD: dict[str, Weigh] = {
    "log": lambda q, k, v: scores(q, k).log_softmax(-1).exp() @ v,
    "as PyTorch calls it": lambda q, k, v: torch._softmax(scores(q, k), -1, False) @ v,
    "aten": lambda q, k, v: torch.ops.aten._softmax(scores(q, k), -1, False) @ v,
    "aten, overload": lambda q, k, v: torch.ops.aten.bmm.default(
        torch.ops.aten.softmax.int(scores(q, k), -1).flatten(0, 1), v.flatten(0, 1)
    ).unflatten(0, v.shape[:2]),
    "over the other axis": lambda q, k, v: scores(k, q).softmax(-2).transpose(-2, -1) @ v,
    "over the other axis, values first": lambda q, k, v: (v.mT @ scores(k, q).softmax(2)).mT,
}


OTHERS: dict[str, Weigh] = {
    "sigmoid": lambda q, k, v: (scores(q, k) - 2.8).sigmoid() @ v,
    "relu": lambda q, k, v: scores(q, k).relu().square() / 16 @ v,
    "exp over sum": exp_over_sum,
    "no softmax": lambda q, k, v: torch.einsum("bhik,bhjk,bhjd->bhid", q, k, v) / 16,
    "linear": lambda q, k, v: q.sigmoid() @ (k.sigmoid().transpose(-2, -1) @ v) / 16,
    "efficient": lambda q, k, v: q.softmax(-1) @ (k.sigmoid().transpose(-2, -1) @ v),
    "linear, einsum": lambda q, k, v: torch.einsum("bhic,bhjc,bhjd->bhid", q.exp(), k.exp(), v) / 16,
    "times and mean": lambda q, k, v: (scores(q, k).softmax(-1)[..., None] * v[..., None, :, :]).mean(-2) * 16,
    "separable": lambda q, k, v: q * (k * v[..., :1].softmax(-2)).sum(-2, keepdim=True),
    "features first": lambda q, k, v: q.softmax(-1) @ (k.softmax(-2).transpose(-2, -1) @ v),
}


class Block(nn.Module):
    def __init__(self, weigh: Weigh) -> None:
        super().__init__()
        self.weigh, self.qkv, self.proj = weigh, nn.Linear(16, 48), nn.Linear(16, 16)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.qkv(x).unflatten(-1, (3, 2, 8)).permute(2, 0, 3, 1, 4)
        return x + self.proj(self.weigh(q, k, v).transpose(1, 2).flatten(2))


class Hybrid(nn.Module):
    """Three layers; `middle` is how the second weighs its values, `between` what is done to tokens before it."""

    def __init__(self, middle: Weigh = plain, between: nn.Module | None = None, n: int = 3, at: int = 1) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.patches, self.cls = nn.Conv2d(3, 16, 8, 8), nn.Parameter(torch.randn(1, 1, 16))
        self.between = between or nn.Identity()
        self.blocks = nn.ModuleList(Block(middle if i == at else plain) for i in range(n))

    def forward(self, pixels: Tensor) -> Tensor:
        x = self.patches(pixels).flatten(2).transpose(1, 2)
        x = torch.cat([self.cls.expand(len(x), -1, -1), x], 1)
        for index, block in enumerate(self.blocks):
            x = block(self.between(x) if index == 1 else x)
        return x[:, 0]


def of(net: nn.Module) -> VisionModel:
    return describe(net.double().eval().requires_grad_(False), preprocess=Preprocess((32, 32)))


def seen(net: nn.Module) -> AttentionTrace:
    model = of(net)
    return capture(model, pixels_for(model).double())


class Mixer(nn.Module):
    """A linear layer over tokens: it weighs them alike for all pictures."""

    def __init__(self) -> None:
        super().__init__()
        self.norm, self.mix, self.conv = nn.LayerNorm(16), nn.Linear(17, 17), nn.Conv1d(16, 16, 3, padding=1)

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.mix(self.norm(x).transpose(1, 2)).transpose(1, 2)
        return x + self.conv(x.transpose(1, 2)).transpose(1, 2)


class Gate(nn.Module):
    """A softmax over channels, made of what all tokens hold on average; and one over channels with channels."""

    def forward(self, x: Tensor) -> Tensor:
        channels = (x.transpose(-2, -1) @ x / 17).softmax(-1)
        return x * x.mean(1, keepdim=True).softmax(-1) + (channels @ x.transpose(-2, -1)).transpose(-2, -1)


class KeepAttended(nn.Module):
    """EViT: the patches that CLS looks at most go on, the others as one, their mean."""

    def forward(self, x: Tensor) -> Tensor:
        weights = (x[:, :1] @ x[:, 1:].transpose(-2, -1)).softmax(-1)[:, 0]
        kept = weights.topk(8, 1).indices
        rest = weights.scatter(1, kept, 0.0)
        fused = (rest[:, None] / rest.sum(1)[:, None, None]) @ x[:, 1:]
        return torch.cat([x[:, :1], x[:, 1:].gather(1, kept[..., None].expand(-1, -1, x.shape[-1])), fused], 1)


class Sample(nn.Module):
    """ATS: patches are drawn by how much CLS gives them, each once."""

    def forward(self, x: Tensor) -> Tensor:
        share = (x[:, :1] * x[:, 1:]).sum(-1).softmax(-1).cumsum(-1)
        drawn = torch.searchsorted(share, torch.linspace(0.05, 0.95, 9, dtype=x.dtype)[None]).clamp_max(15).unique()
        return torch.cat([x[:, :1], x[:, 1:][:, drawn]], 1)


def in_pieces(of_keys: bool, strided: bool) -> Weigh:
    def weigh(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        n = torch.arange(k.shape[-2])
        parts = [n[::2], n[1::2]] if strided else list(n.chunk(2))
        if not of_keys:
            return torch.cat([plain(q[:, :, one], k, v) for one in parts], 2)[:, :, torch.cat(parts).argsort()]
        share = torch.stack([scores(q, k[:, :, one]).logsumexp(-1) for one in parts]).softmax(0)
        return sum(
            some[..., None] * plain(q, k[:, :, one], v[:, :, one]) for some, one in zip(share, parts, strict=True)
        )

    return weigh


class Hop(Hybrid):
    """Its last layer gets its tokens by way of NumPy: they stem from nothing that could be followed."""

    def forward(self, pixels: Tensor) -> Tensor:
        x = self.patches(pixels).flatten(2).transpose(1, 2)
        x = torch.cat([self.cls.expand(len(x), -1, -1), x], 1)
        for index, block in enumerate(self.blocks):
            x = block(torch.from_numpy(x.detach().numpy().copy()) if index == 2 else x)
        return x[:, 0]


class Threaded(nn.Module):
    """A block that runs in a thread of its own."""

    def __init__(self, block: nn.Module) -> None:
        super().__init__()
        self.block = block

    def forward(self, x: Tensor) -> Tensor:
        def run() -> Tensor:
            with torch.no_grad():
                return self.block(x)

        with ThreadPoolExecutor(1) as pool:
            return pool.submit(run).result()


def threaded(at: int, n: int = 3) -> Hybrid:
    net = Hybrid(n=n)
    net.blocks[at] = Threaded(net.blocks[at])
    return net


class BesideWords(Hybrid):
    """Attention among words, which no picture changes."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Parameter(torch.randn(1, 5, 16))
        self.block = self.blocks[2]

    def forward(self, pixels: Tensor) -> Tensor:
        return super().forward(pixels) + self.block(self.words).mean(1)
