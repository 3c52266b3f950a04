"""Nearest prototypes: a slow replica, planted clusters, and features that are those which each network itself reads."""

import math

import numpy as np
import pytest
import torch
from torch import Tensor, nn

import vizapp
from support.pictures import NOISE
from vizapp.core.prototypes import Taught, log_shares, prototypes
from vizapp.core.signals.patch_features import is_norm, patch_features, place_of


def slow_shares(features: np.ndarray, marked: list[list[int]], temperature: float) -> np.ndarray:
    """(patch, thing), number by number."""
    unit = [row / math.sqrt(sum(float(x) ** 2 for x in row)) for row in features.astype(np.float64)]
    means = [sum(unit[i] for i in some) / len(some) for some in marked]
    found = []
    for row in unit:
        cosines = [float(row @ one) / math.sqrt(float(one @ one)) for one in means]
        weights = [math.exp(cosine / temperature) for cosine in cosines]
        found.append([weight / sum(weights) for weight in weights])
    return np.array(found)


@pytest.mark.parametrize("temperature", [0.02, 0.1, 1.0])
def test_shares_are_those_of_the_slow_replica(temperature: float) -> None:
    features = torch.randn(30, 7, generator=torch.Generator().manual_seed(1)) * torch.linspace(0.1, 40, 30)[:, None]
    marked = [[0, 29], [3, 4, 5], [11]]
    fast = log_shares(features, prototypes(features, marked), temperature).exp()
    np.testing.assert_allclose(fast.numpy(), slow_shares(features.numpy(), marked, temperature), rtol=2e-5, atol=1e-7)


def test_planted_clusters_are_found_however_long_their_vectors_are() -> None:
    random = torch.Generator().manual_seed(2)
    centres = nn.functional.normalize(torch.randn(3, 32, generator=random), dim=-1)
    truth = torch.arange(300) % 3
    noise = torch.randn(300, 32, generator=random) * 0.05
    lengths = 10 ** (4 * torch.rand(300, 1, generator=random) - 2)  # 0.01 to 100
    features = (centres[truth] + noise) * lengths
    shares = log_shares(features, prototypes(features, [[0], [1], [2]]), 0.1).exp()
    assert torch.equal(shares.argmax(-1), truth)
    torch.testing.assert_close(shares.sum(-1), torch.ones(300))
    assert float(shares.max(-1).values.min()) > 0.9


def test_a_norm_of_the_read_token_alone_is_put_on_each_patch() -> None:
    """As CLIP of transformers does it: the norm is given CLS and nothing else."""
    seen = vizapp.analyse("toy", NOISE)
    context = seen.context

    class ReadsCls(nn.Module):
        def __init__(self, whole: nn.Module) -> None:
            super().__init__()
            self.whole, self.last = whole, nn.LayerNorm(whole.embed_dim)
            nn.init.normal_(self.last.weight)

        def forward(self, pixels: Tensor) -> Tensor:
            whole = self.whole
            x = whole.patch_embed(pixels)
            x = whole.blocks(torch.cat([whole.cls_token.expand(len(x), -1, -1), x + whole.pos_embed], 1))
            return self.last(x[:, 0])

    net = ReadsCls(context.model.net).eval()
    own = vizapp.analyse(net, context.pixels)
    place = place_of(own.context.model, own.context.pixels, own.trace)
    assert (place.norm, place.block) == ("last", "whole.blocks.4")
    with torch.no_grad():
        x = net.whole.patch_embed(context.pixels)
        x = net.whole.blocks(torch.cat([net.whole.cls_token.expand(1, -1, -1), x + net.whole.pos_embed], 1))
        expected = net.last(x)[0, 1:]
    torch.testing.assert_close(patch_features(own.context.model, own.context.pixels, place), expected)


def test_as_a_network_it_gives_logs_of_the_mean_shares_and_leaves_the_other_as_it_was() -> None:
    seen = vizapp.analyse("toy", NOISE)
    context = seen.context
    place = place_of(context.model, context.pixels, seen.trace)
    features = patch_features(context.model, context.pixels, place)
    things = prototypes(features, [[3], [90, 91], [150]])
    net = Taught(context.model.net, place, things, 0.1).eval()
    both = torch.cat([context.pixels, context.pixels.flip(-1)])
    with torch.no_grad():
        found = net(both)
    expected = slow_shares(features.numpy(), [[3], [90, 91], [150]], 0.1).mean(0)
    np.testing.assert_allclose(found[0].exp().numpy(), expected, rtol=1e-4)
    torch.testing.assert_close(found.softmax(-1).sum(-1), torch.ones(2))
    hooks = [hook for part in context.model.net.modules() for hook in part._forward_hooks]
    assert hooks == []
    with torch.no_grad():
        torch.testing.assert_close(context.model.net(context.pixels)[0], seen.trace.logits)


class TokenFirst(nn.Module):
    """(token, B, feature) inside, as torch.nn.TransformerEncoderLayer has it by default: 16 tokens."""

    def __init__(self) -> None:
        super().__init__()
        self.conv, self.positions = nn.Conv2d(3, 24, 8, 8), nn.Parameter(torch.randn(16, 1, 24))
        self.blocks = nn.ModuleList([nn.TransformerEncoderLayer(24, 2, 48, norm_first=True) for _ in range(2)])
        self.norm, self.head = nn.LayerNorm(24), nn.Linear(24, 5)

    def forward(self, pixels: Tensor) -> Tensor:
        x = self.conv(pixels).flatten(2).permute(2, 0, 1) + self.positions
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x).mean(0))


def test_as_many_pictures_as_tokens_are_no_other_than_one_by_one() -> None:
    torch.manual_seed(0)
    seen = vizapp.analyse(vizapp.describe(TokenFirst().eval(), preprocess=vizapp.Preprocess((32, 32))), NOISE)
    assert seen.trace.layout.n_tokens == 16
    net = vizapp.teach(seen, {"a": [(0, 0), (1, 1)], "b": [(3, 3), (2, 0)]}).model.net
    pixels = torch.randn(16, 3, 32, 32)
    with torch.no_grad():
        alone = torch.cat([net(one[None]) for one in pixels])
        torch.testing.assert_close(net(pixels), alone)
    assert float(alone.std(0).max()) > 1e-2, "pictures differ"


def test_a_linear_layer_behind_the_last_block_is_no_norm() -> None:
    torch.manual_seed(0)
    net = TokenFirst()
    net.norm = nn.Linear(24, 24)
    net.eval()
    seen = vizapp.analyse(vizapp.describe(net, preprocess=vizapp.Preprocess((32, 32))), NOISE)
    assert place_of(seen.context.model, seen.context.pixels, seen.trace).norm == ""


@torch.no_grad()
def test_a_norm_of_long_tokens_in_float16_is_a_norm() -> None:
    """Twice a sink's token was infinite, and the norm none."""
    norm, tokens = nn.LayerNorm(8).half(), torch.randn(1, 5, 8, generator=torch.Generator().manual_seed(3)).half()
    tokens[0, 2] *= 30_000 / float(tokens[0, 2].abs().max())
    tokens[0, 2, 0] = 50_000
    assert is_norm(norm, tokens, norm(tokens))
    assert not is_norm(nn.Linear(8, 8).half(), tokens / 1000, nn.Linear(8, 8).half()(tokens / 1000))
