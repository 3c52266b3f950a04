"""CRATE from scratch, to be read from top to bottom: a transformer whose every layer is a step of an optimisation.

Yu et al. 2023, "White-Box Transformers via Sparse Rate Reduction", https://arxiv.org/abs/2306.01129. Tokens are to be
*compressed* into a few subspaces and at the same time become *sparse*; one layer does a little of each:

    Z' = Z  + MSSA(Z)       compress: a gradient step on the coding rate against the subspaces U_1 ... U_K   (eq. 13-15)
    Z  = ISTA(Z')           sparsify: a proximal gradient step of non-negative LASSO in the dictionary D     (eq. 16-17)

Compare `model/vit.py`. Here one matrix per head takes the place of query, key *and* value, and one square matrix the
place of the MLP: three matrices per layer instead of twelve. Yu et al. claim that the heads of such a network learn to
segment objects although nothing teaches them to (https://arxiv.org/abs/2308.16271).

    net = CRATE(img_size=112, patch_size=8, embed_dim=384, depth=6, num_heads=6, num_classes=12)
    logits = net(pixels)               # pixels (B, 3, 112, 112), normalised as in training -> logits (B, 12)

Shapes in the comments: B pictures, N tokens = cls + rows * cols patches, D = embed_dim.
"""

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from vizapp.errors import VizError
from vizapp.model.vit import PatchEmbed, refuse_pixels, refuse_sizes


class MSSA(nn.Module):
    """Multi-head subspace self-attention: each head sees the tokens in a subspace of its own (eq. 14 and 15).

        w_k = U_k^T Z,   attention_k = softmax(w_k^T w_k / sqrt(head_dim)),   MSSA(Z) = sum_k W_k attention_k w_k

    A head asks, answers and speaks with the same vectors w_k, so the scores are symmetric (the maps are not: softmax
    works on rows). The paper derives W_k = U_k up to a factor and then learns it freely, as it divides by sqrt(head_dim)
    without deriving that; this code does the same. The softmax is a module, so that a hook on it sees each map.
    """

    def __init__(self, dim: int, num_heads: int) -> None:
        super().__init__()
        if dim % num_heads:
            raise VizError(
                "{dim} channels cannot be shared out evenly among {num_heads} heads.",
                "Choose num_heads so that it divides embed_dim.",
                dim=dim,
                num_heads=num_heads,
            )
        self.num_heads, self.head_dim = num_heads, dim // num_heads
        self.scale = self.head_dim**-0.5
        self.subspaces = nn.Linear(dim, dim, bias=False)  # U^T, the heads one below the other
        self.softmax = nn.Softmax(dim=-1)
        self.proj = nn.Linear(dim, dim)  # W, the heads side by side

    def forward(self, z: Tensor) -> Tensor:
        w = self.subspaces(z).unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # (B, heads, N, head_dim)
        scores = (w * self.scale) @ w.transpose(-2, -1)  # (B, heads, N query, N key)
        attention = self.softmax(scores)  # (B, heads, N query, N key)
        return self.proj((attention @ w).transpose(1, 2).flatten(2))  # (B, N, D)


class ISTA(nn.Module):
    """One step towards a sparse, non-negative code of the tokens in the dictionary D (eq. 17).

    ISTA(Z) = ReLU(Z + step D^T (Z - D Z) - step sparsity)
    """

    def __init__(self, dim: int, step: float, sparsity: float) -> None:
        super().__init__()
        self.step, self.sparsity = step, sparsity
        self.dictionary = nn.Parameter(torch.empty(dim, dim))
        nn.init.kaiming_uniform_(self.dictionary, a=math.sqrt(5))

    def forward(self, z: Tensor) -> Tensor:
        residue = z - F.linear(z, self.dictionary)  # Z - D Z, (B, N, D)
        gradient = F.linear(residue, self.dictionary.T)  # D^T (Z - D Z), (B, N, D)
        return F.relu(z + self.step * (gradient - self.sparsity))


class Layer(nn.Module):
    """Compress, then sparsify. There is no residual connection around ISTA: its input is part of its sum."""

    def __init__(self, dim: int, num_heads: int, step: float, sparsity: float) -> None:
        super().__init__()
        self.norm1 = nn.LayerNorm(dim)
        self.attn = MSSA(dim, num_heads)
        self.norm2 = nn.LayerNorm(dim)
        self.ista = ISTA(dim, step, sparsity)

    def forward(self, z: Tensor) -> Tensor:
        z = z + self.attn(self.norm1(z))
        return self.ista(self.norm2(z))


def _learned(*shape: int) -> nn.Parameter:
    """Make a parameter of small random numbers; without them on the device `meta`, whose arithmetic PyTorch loads for seconds."""
    made = torch.empty(shape)
    return nn.Parameter(made if made.is_meta else 0.02 * torch.randn(shape))


class CRATE(nn.Module):
    """Pixels (B, 3, height, width) -> logits (B, num_classes), read from the CLS token.

    step, sparsity    of ISTA: the length of its step and the weight of the L1 norm
    """

    def __init__(
        self,
        *,
        img_size: int | tuple[int, int] = 224,
        patch_size: int = 16,
        embed_dim: int = 384,
        depth: int = 12,
        num_heads: int = 6,
        num_classes: int = 1000,
        step: float = 0.1,
        sparsity: float = 0.1,
    ) -> None:
        super().__init__()
        height, width = (img_size, img_size) if isinstance(img_size, int) else img_size
        refuse_sizes(height, width, patch_size)
        self.img_size, self.grid = (height, width), (height // patch_size, width // patch_size)
        self.prefix, self.global_pool = ("cls",), "token"
        self.patch_embed = PatchEmbed(patch_size, 3, embed_dim, bias=True)
        self.cls_token = _learned(1, 1, embed_dim)
        self.pos_embed = _learned(1, self.grid[0] * self.grid[1], embed_dim)
        self.blocks = nn.Sequential(*(Layer(embed_dim, num_heads, step, sparsity) for _ in range(depth)))
        self.norm = nn.LayerNorm(embed_dim)
        self.head = nn.Linear(embed_dim, num_classes)

    @property
    def n_embed_prefix(self) -> int:
        """The number of prefix tokens that have a position in `pos_embed`: none."""
        return 0

    def forward(self, pixels: Tensor) -> Tensor:
        refuse_pixels(pixels, 3, self.img_size)
        patches = self.patch_embed(pixels) + self.pos_embed  # (B, rows * cols, D)
        z = torch.cat([self.cls_token.expand(len(patches), -1, -1), patches], 1)  # (B, N, D)
        return self.head(self.norm(self.blocks(z)[:, 0]))  # (B, num_classes)
