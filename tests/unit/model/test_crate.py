"""CRATE is what its paper says: each block beside the published equation, spelled out token by token in float64."""

import math

import pytest
import torch
from torch import Tensor

from vizapp.errors import VizError
from vizapp.model.crate import CRATE, ISTA, MSSA


def ssa(Z: Tensor, U: Tensor, scale: float) -> Tensor:
    """Yu et al. 2023, eq. 14: SSA(Z | U) = (U* Z) softmax((U* Z)* (U* Z)). Z (d, N): a token is a column."""
    p, N = U.shape[1], Z.shape[1]
    w = U.T @ Z
    out = torch.zeros(p, N, dtype=Z.dtype)
    for asks in range(N):
        scores = [scale * float(w[:, other] @ w[:, asks]) for other in range(N)]
        weights = [math.exp(score - max(scores)) for score in scores]
        for answers in range(N):
            out[:, asks] += weights[answers] / sum(weights) * w[:, answers]
    return out


def mssa(Z: Tensor, U: list[Tensor], W: list[Tensor], scale: float) -> Tensor:
    """Eq. 15: [U_1 ... U_K] on the heads below each other, with W_k in the place of U_k."""
    total = torch.zeros_like(Z)
    for U_k, W_k in zip(U, W, strict=True):
        total += W_k @ ssa(Z, U_k, scale)
    return total


def ista(Z: Tensor, D: Tensor, eta: float, lam: float) -> Tensor:
    """Eq. 17: ReLU(Z + eta D* (Z - D Z) - eta lambda 1), one token and one coefficient at a time."""
    out = torch.zeros_like(Z)
    for n in range(Z.shape[1]):
        z = Z[:, n]
        residue = z - D @ z
        for i in range(Z.shape[0]):
            out[i, n] = max(0.0, float(z[i] + eta * (D[:, i] @ residue) - eta * lam))
    return out


@pytest.fixture
def tokens() -> Tensor:
    """(B, N, D), float64."""
    torch.manual_seed(0)
    return torch.randn(2, 7, 12, dtype=torch.float64)


@pytest.mark.parametrize("tied", [True, False], ids=["W is U, as derived", "W is learned, as trained"])
def test_subspace_attention_is_equation_14_and_15(tokens: Tensor, tied: bool) -> None:
    block, heads, width = MSSA(12, 3).double(), 3, 4
    if tied:
        with torch.no_grad():
            block.proj.weight.copy_(block.subspaces.weight.T)
            block.proj.bias.zero_()
    U = [block.subspaces.weight.detach()[k * width : (k + 1) * width].T for k in range(heads)]
    W = U if tied else [block.proj.weight.detach()[:, k * width : (k + 1) * width] for k in range(heads)]
    for z, out in zip(tokens, block(tokens).detach(), strict=True):
        expected = mssa(z.T, U, W, width**-0.5).T + block.proj.bias.detach()
        torch.testing.assert_close(out, expected, rtol=0, atol=1e-12)


def test_sparsification_is_equation_17(tokens: Tensor) -> None:
    block = ISTA(12, step=0.3, sparsity=0.2).double()
    D = block.dictionary.detach()
    for z, out in zip(tokens, block(tokens).detach(), strict=True):
        torch.testing.assert_close(out, ista(z.T, D, 0.3, 0.2).T, rtol=0, atol=1e-12)


def test_sparsification_lowers_what_it_minimises(tokens: Tensor) -> None:
    """A proximal step must lower lambda |A|_1 + 1/2 |Z - D A|^2 (eq. 16), begun at A = Z, when the step is short enough."""
    Z = tokens.relu()
    torch.manual_seed(1)
    D = torch.linalg.qr(torch.randn(12, 12, dtype=torch.float64)).Q  # orthogonal: a step below 1 is short enough
    block = ISTA(12, step=0.5, sparsity=0.2).double()
    block.dictionary.data.copy_(D)

    def objective(A: Tensor) -> float:
        return float(0.2 * A.abs().sum() + 0.5 * (Z - A @ D.T).square().sum())

    assert objective(block(Z).detach()) < objective(Z)


def test_the_network_is_its_layers_one_after_the_other() -> None:
    torch.manual_seed(0)
    net = CRATE(img_size=16, patch_size=4, embed_dim=12, depth=2, num_heads=3, num_classes=5, step=0.1, sparsity=0.1)
    net = net.double().eval()
    pixels = torch.randn(1, 3, 16, 16, dtype=torch.float64)
    patches = [
        torch.einsum("chw,dchw->d", pixels[0, :, r : r + 4, c : c + 4], net.patch_embed.proj.weight)
        + net.patch_embed.proj.bias
        for r in range(0, 16, 4)
        for c in range(0, 16, 4)
    ]
    z = torch.cat([net.cls_token[0], torch.stack(patches) + net.pos_embed[0]])
    for layer in net.blocks:
        half = z + layer.attn(layer.norm1(z)[None])[0]
        z = ista(layer.norm2(half).T.detach(), layer.ista.dictionary.detach(), 0.1, 0.1).T
    torch.testing.assert_close(net(pixels)[0], net.head(net.norm(z[0])), rtol=0, atol=1e-12)


def test_a_wrong_shape_is_said() -> None:
    with pytest.raises(VizError, match="whole patches"):
        CRATE(img_size=30, patch_size=8)
    with pytest.raises(VizError, match="evenly"):
        CRATE(img_size=32, patch_size=8, embed_dim=10, num_heads=3)
    with pytest.raises(VizError, match=r"\(batch, 3, 32, 32\)"):
        CRATE(img_size=32, patch_size=8, embed_dim=12, num_heads=3, depth=1)(torch.zeros(1, 3, 40, 40))
