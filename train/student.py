"""A bundled network before its first step, with good first weights and the head of the patch loss."""

import math
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from train.recipes import Phase, Recipe
from vizapp.model.toy.things import CLASSES
from vizapp.model.vit import Attention, resize_pos_embed
from vizapp.model.weights import read_checkpoint

WEIGHTS = Path(__file__).parents[1] / "assets" / "weights"


class Student(nn.Module):
    """The network and a head that is dropped later: pixels -> logits (B, K), patch logits (B, rows, cols, things + 1)."""

    def __init__(self, recipe: Recipe, phase: Phase) -> None:
        super().__init__()
        self.net = recipe.new_net(phase)
        self.patch_norm = nn.LayerNorm(recipe.embed_dim)
        self.patch_head = nn.Linear(recipe.embed_dim, len(CLASSES) + 1)
        self.tokens: Tensor
        self.net.blocks[phase.patch_block].register_forward_hook(self._keep)

    def _keep(self, module: nn.Module, inputs: Any, tokens: Tensor) -> None:
        self.tokens = tokens

    def forward(self, pixels: Tensor) -> tuple[Tensor, Tensor]:
        logits = self.net(pixels)
        patches = self.tokens[:, len(self.net.prefix) :].unflatten(1, self.net.grid)
        return logits, self.patch_head(self.patch_norm(patches))


def sincos(grid: tuple[int, int], dim: int) -> Tensor:
    """Position embedding (1, rows * cols, dim): sines and cosines of row and column (Chen et al. 2021, MoCo v3)."""
    frequency = 100 ** -(torch.arange(dim // 4) / (dim // 4))
    rows, cols = (torch.outer(torch.arange(n), frequency) for n in grid)
    row, col = torch.cat([rows.sin(), rows.cos()], 1), torch.cat([cols.sin(), cols.cos()], 1)  # (n, dim / 2)
    both = torch.cat([row[:, None].expand(-1, grid[1], -1), col[None].expand(grid[0], -1, -1)], -1)
    return both.reshape(1, grid[0] * grid[1], dim)


def mimetic(attn: Attention) -> None:
    """Start attention with the pattern of trained ViTs: W_q W_k^T near the identity, W_v W_proj near minus the identity.

    Trockman & Kolter 2023, https://arxiv.org/abs/2305.09828, eq. 4 and 5 with their weights 0.7, 0.7 and 0.4, 0.4.
    """
    d, rank = attn.proj.in_features, attn.head_dim
    q, k, v = (torch.empty(d, d) for _ in range(3))
    for part_q, part_k in zip(q.split(rank), k.split(rank), strict=True):
        u, s, w = torch.linalg.svd(0.7 * torch.randn(d, d) / math.sqrt(d) + 0.7 * torch.eye(d))
        part_q[:], part_k[:] = (u[:, :rank] * s[:rank].sqrt()).T, w[:rank] * s[:rank, None].sqrt()
    u, s, w = torch.linalg.svd(0.4 * torch.randn(d, d) / math.sqrt(d) - 0.4 * torch.eye(d))
    v[:] = s.sqrt()[:, None] * w
    with torch.no_grad():
        attn.qkv.weight.copy_(torch.cat([q, k, v]))
        attn.proj.weight.copy_(u * s.sqrt())


def new_student(recipe: Recipe, phase: Phase, *, from_nothing: bool = False) -> Student:
    """Make the student before its first step; `from_nothing`: without another network's weights, even if the recipe names one."""
    torch.manual_seed(recipe.seed)
    student = Student(recipe, phase)
    if recipe.start and not from_nothing:
        return started(student, recipe)
    for module in student.net.modules():
        if isinstance(module, Attention):
            mimetic(module)
    with torch.no_grad():
        student.net.pos_embed.copy_(sincos(student.net.grid, recipe.embed_dim))
    return student


def started(student: Student, recipe: Recipe) -> Student:
    """Load the weights of the bundled network `recipe.start` if name and shape agree; the rest stays random."""
    weights, _ = read_checkpoint(WEIGHTS / f"{recipe.start}.safetensors")
    own = student.net.state_dict()
    weights = resized(weights, recipe, student.net.img_size[0])
    student.net.load_state_dict({**own, **{k: v for k, v in weights.items() if k in own and v.shape == own[k].shape}})
    return student


def resized(state: dict[str, Tensor], recipe: Recipe, size: int, key: str = "pos_embed") -> dict[str, Tensor]:
    """Return the weights with the position embedding stretched to pictures of `size`."""
    grid = (size // recipe.patch_size,) * 2
    return {**state, key: resize_pos_embed(state[key], grid, n_prefix=0)}
