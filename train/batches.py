"""The training data of a bundled network: batches of rendered scenes, each a pure function of the recipe and the step."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from train.recipes import Recipe
from vizapp.model.toy.lessons import HELD_OUT, LESSONS
from vizapp.model.toy.things import CLASSES

MEAN = STD = (0.5, 0.5, 0.5)


@dataclass(frozen=True)
class Batch:
    """pictures (B, S, S, 3) uint8; classes (B, K) sums to 1; patches (B, rows, cols, things + 1) too, background last."""

    pictures: Tensor
    classes: Tensor
    patches: Tensor

    def pick(self, index: Tensor) -> "Batch":
        return Batch(self.pictures[index], self.classes[index], self.patches[index])


def scenes(seeds: range, recipe: Recipe, size: int) -> Batch:
    """Render the scenes of these seeds; for "objects", the share `pairs` has two objects."""
    patch, things = recipe.patch_size, len(CLASSES)
    rows = size // patch
    pictures = np.empty((len(seeds), size, size, 3), np.uint8)
    classes = np.zeros((len(seeds), len(recipe.classes)), np.float32)
    patches = np.zeros((len(seeds), rows, rows, things + 1), np.float32)
    for i, seed in enumerate(seeds):
        lesson = recipe.lesson
        if lesson == "objects":
            lesson = "two" if math.floor((seed + 1) * recipe.pairs) > math.floor(seed * recipe.pairs) else "clutter"
        example = LESSONS[lesson].make(seed, size)
        pictures[i] = example.picture
        classes[i, list(example.answers)] = 1 / len(example.answers)
        for thing in example.objects:
            patches[i, ..., thing.label] += thing.mask.reshape(rows, patch, rows, patch).mean((1, 3))
        patches[i, ..., things] = 1 - patches[i].sum(-1)
    return Batch(torch.from_numpy(pictures), torch.from_numpy(classes), torch.from_numpy(patches))


def pixels_of(pictures: Tensor) -> Tensor:
    """Convert (B, S, S, 3) uint8 to (B, 3, S, S) float, the input of the network."""
    return (pictures.permute(0, 3, 1, 2).float() / 255 - MEAN[0]) / STD[0]


def batches(recipe: Recipe, number: int, start: int) -> Iterator[Batch]:
    """Yield the batches of phase `number` from step `start` on, each a pure function of recipe, phase and step."""
    phase, per_pass = recipe.phases[number], recipe.chunk // recipe.batch
    loaded, chunk = -1, None
    for step in range(start, phase.steps):
        index, within = divmod(step, per_pass * recipe.passes)
        if index != loaded or chunk is None:
            first = (recipe.seed * 100 + number) * 1_000_000 + index * recipe.chunk
            if first + recipe.chunk > HELD_OUT:
                raise SystemExit(f"seed={recipe.seed} reaches into the held-out scenes; choose one below 10.")
            loaded, chunk = index, scenes(range(first, first + recipe.chunk), recipe, phase.size)
        epoch, position = divmod(within, per_pass)
        shuffle = torch.Generator().manual_seed(hash((recipe.seed, number, index, epoch)) % 2**31)
        order = torch.randperm(recipe.chunk, generator=shuffle)
        yield chunk.pick(order[position * recipe.batch : (position + 1) * recipe.batch])


def augmented(batch: Batch, seed: int) -> tuple[Tensor, Tensor]:
    """Augment pixels and patch targets: half are mirrored; some get other brightness, contrast, tint, grey or swapped colours."""
    g = torch.Generator().manual_seed(seed)
    n = len(batch.pictures)
    pixels, patches = pixels_of(batch.pictures), batch.patches
    mirror = (torch.rand(n, generator=g) < 0.5).to(pixels.device)
    pixels = torch.where(mirror[:, None, None, None], pixels.flip(3), pixels)
    patches = torch.where(mirror[:, None, None, None], patches.flip(2), patches)
    mix = torch.eye(3).repeat(n, 1, 1)
    for i in torch.nonzero(torch.rand(n, generator=g) < 0.3)[:, 0].tolist():
        mix[i] = mix[i, torch.randperm(3, generator=g)]
    mix[torch.rand(n, generator=g) < 0.15] = 1 / 3
    mix = mix * (0.8 + 0.4 * torch.rand(n, 1, 1, generator=g))
    tint = 0.1 * torch.randn(n, 3, 1, 1, generator=g)
    return torch.einsum("bij,bjhw->bihw", mix.to(pixels.device), pixels) + tint.to(pixels.device), patches
