"""Train a bundled network on rendered scenes, on a CPU; evaluate it; write it with its card.

    python -m model.train --recipe toy

writes assets/weights/toy.safetensors (fp16, what the network is in its metadata) and toy.md (what it can do, measured
by vizapp.card). Kill it and start the same command again: it goes on from its last checkpoint, less than a minute ago.
Every batch is a pure function of the recipe and the step, so on the same machine the result is the same as without the
interruption.

What makes so small a budget enough (docs/lab-notes.md has the numbers): small pictures first and large ones later, an
auxiliary loss that asks the patch tokens of a middle block what they show, positions that start as sines, queries and
keys that start alike (mimetic initialisation), small batches, Muon, an average over the last weights.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
import torch.nn.functional as F
from safetensors.torch import save_file
from torch import Tensor, nn

from model.crate import CRATE
from model.lessons import HELD_OUT, LESSONS
from model.recipes import RECIPES, Phase, Recipe
from model.scenes import CLASSES
from model.vit import Attention, ViT, resize_pos_embed
from model.weights import METADATA_KEY, NETWORKS, read_checkpoint

CHECKPOINT_SECONDS = 45.0
MEAN = STD = (0.5, 0.5, 0.5)
WEIGHTS = Path(__file__).parents[1] / "assets" / "weights"


# -------------------------------------------------------------------------------------------------------------- data


@dataclass(frozen=True)
class Batch:
    """pictures (B, S, S, 3) uint8; classes (B, K) sums to 1; patches (B, rows, cols, things + 1) too, background last."""

    pictures: Tensor
    classes: Tensor
    patches: Tensor

    def pick(self, index: Tensor) -> Batch:
        return Batch(self.pictures[index], self.classes[index], self.patches[index])


def scenes(seeds: range, recipe: Recipe, size: int) -> Batch:
    """Render the scenes of these seeds; of "objects", every so many (`pairs`) have two."""
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
    """(B, S, S, 3) uint8 -> (B, 3, S, S) float, as the network wants them."""
    return (pictures.permute(0, 3, 1, 2).float() / 255 - MEAN[0]) / STD[0]


def batches(recipe: Recipe, number: int, start: int) -> Iterator[Batch]:
    """The batches of phase `number` from step `start` on, each a pure function of recipe, phase and step."""
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
    """Pixels and patch targets, mirrored for half; brightness, contrast, tint, grey and swapped colours for some."""
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


# ----------------------------------------------------------------------------------------------------- network, start


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
    """Start attention as trained ViTs look: W_q W_k^T near the identity, W_v W_proj near minus the identity.

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
    """Before the first step; `from_nothing`: even if the recipe starts with another network's weights."""
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
    """The weights of the bundled network `recipe.start` where name and shape agree; the rest stays as it was drawn."""
    weights, _ = read_checkpoint(WEIGHTS / f"{recipe.start}.safetensors")
    own = student.net.state_dict()
    weights = resized(weights, recipe, student.net.img_size[0])
    student.net.load_state_dict({**own, **{k: v for k, v in weights.items() if k in own and v.shape == own[k].shape}})
    return student


def resized(state: dict[str, Tensor], recipe: Recipe, size: int, key: str = "pos_embed") -> dict[str, Tensor]:
    """The weights, with the position embedding stretched to pictures of `size`."""
    grid = (size // recipe.patch_size,) * 2
    return {**state, key: resize_pos_embed(state[key], grid, n_prefix=0)}


# --------------------------------------------------------------------------------------------------------- optimiser


class Muon(torch.optim.Optimizer):
    """Momentum, made orthogonal: every direction of a matrix gets the same step (Jordan 2024).

    https://kellerjordan.github.io/posts/muon. As `torch.optim.Muon` with adjust_lr_fn="match_rms_adamw", but in
    float32: torch works in bfloat16, which processors without such instructions emulate, and that took longer than
    the rest of the step.
    """

    def __init__(self, matrices: list[nn.Parameter], rate: float, weight_decay: float) -> None:
        super().__init__(matrices, {"lr": rate, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure: Any = None) -> None:  # type: ignore[override]
        for group in self.param_groups:
            for p in group["params"]:
                momentum = self.state[p].setdefault("momentum", torch.zeros_like(p))
                momentum.lerp_(p.grad, 0.05)
                x = torch.lerp(p.grad, momentum, 0.95)  # Nesterov
                x = x.T if x.shape[0] > x.shape[1] else x
                x = x / (x.norm() + 1e-7)
                for _ in range(5):  # Newton-Schulz
                    gram = x @ x.T
                    x = 3.4445 * x + torch.addmm(gram, gram, gram, beta=-4.7750, alpha=2.0315) @ x
                p.mul_(1 - group["lr"] * group["weight_decay"])
                step = group["lr"] * 0.2 * math.sqrt(max(p.shape))
                p.sub_(x.T if p.shape[0] > p.shape[1] else x, alpha=step)


def optimisers(student: Student, recipe: Recipe) -> list[torch.optim.Optimizer]:
    matrices = [p for name, p in student.named_parameters() if name.startswith("net.blocks") and p.ndim == 2]
    matrices = matrices if recipe.muon else []
    known = {id(p) for p in matrices}
    rest = [p for p in student.parameters() if id(p) not in known]
    adam = torch.optim.AdamW(rest, recipe.rate, betas=(0.9, 0.99), weight_decay=recipe.weight_decay)
    return [adam, Muon(matrices, recipe.rate, recipe.weight_decay)] if matrices else [adam]


def rate_at(recipe: Recipe, number: int, step: int) -> float:
    """Learning rate: up at the start of a phase, then constant, then linearly down to zero if the phase says so."""
    phase = recipe.phases[number]
    rise = min(1.0, (step + 1) / min(recipe.warmup, max(1, phase.steps // 4)))
    fall = min(1.0, (phase.steps - step) / (phase.fall * phase.steps)) if phase.fall else 1.0
    return recipe.rate * phase.rate * min(rise, fall)


# ---------------------------------------------------------------------------------------------------------- training


@dataclass
class Progress:
    """How far a training is, and what it has cost so far."""

    phase: int = 0
    step: int = 0
    images: int = 0
    cpu_seconds: float = 0.0
    seconds: float = 0.0


class Training:
    """A network on its way through a recipe, its averaged weights and its optimisers: all that a checkpoint holds."""

    def __init__(self, recipe: Recipe, device: torch.device) -> None:
        self.recipe, self.device, self.done = recipe, device, Progress()
        self._clocks = time.perf_counter(), time.process_time()
        self._learn(new_student(recipe, recipe.phases[0]))
        self.average = {name: value.clone() for name, value in self.student.net.state_dict().items()}

    def _learn(self, student: Student) -> None:
        self.student = student.to(self.device)
        self.tools = optimisers(self.student, self.recipe)

    def step(self, batch: Batch) -> Tensor:
        """Learn from one batch. Gives its class loss, patch loss and accuracy, where either object of two is right."""
        done, recipe = self.done, self.recipe
        batch = Batch(*(t.to(self.device) for t in (batch.pictures, batch.classes, batch.patches)))
        pixels, patches = augmented(batch, done.phase * 10**7 + done.step)
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.device.type == "cuda"):
            logits, patch_logits = self.student(pixels)
        class_loss = F.cross_entropy(logits.float(), batch.classes, label_smoothing=recipe.smoothing)
        patch_loss = F.cross_entropy(patch_logits.float().flatten(0, 2), patches.flatten(0, 2))
        (class_loss + recipe.patch_loss * patch_loss).backward()
        nn.utils.clip_grad_norm_(self.student.parameters(), 1.0)
        for tool in self.tools:
            for group in tool.param_groups:
                group["lr"] = rate_at(recipe, done.phase, done.step)
            tool.step()
            tool.zero_grad()
        keep = min(recipe.average, (done.step + 1) / (done.step + 10))
        for name, value in self.student.net.state_dict().items():
            self.average[name].lerp_(value, 1 - keep)
        done.step, done.images = done.step + 1, done.images + recipe.batch
        hits = batch.classes.gather(1, logits.argmax(1, keepdim=True)) > 0
        return torch.tensor([class_loss.item(), patch_loss.item(), hits.float().mean().item()])

    def next_phase(self) -> None:
        """Stretch the position embedding to the new size, drop blocks, start anew with the optimisers."""
        self.done.phase, self.done.step = self.done.phase + 1, 0
        if self.done.phase < len(self.recipe.phases):
            phase = self.recipe.phases[self.done.phase]
            grown = resized(self.student.state_dict(), self.recipe, phase.size, "net.pos_embed")
            self._learn(Student(self.recipe, phase))
            self.student.load_state_dict({name: grown[name] for name in self.student.state_dict()})
            average = resized(self.average, self.recipe, phase.size)
            self.average = {name: average[name] for name in self.student.net.state_dict()}

    def save(self, file: Path) -> None:
        """Write beside, then move: whoever kills us leaves the old checkpoint whole."""
        clocks = time.perf_counter(), time.process_time()
        self.done.seconds += clocks[0] - self._clocks[0]
        self.done.cpu_seconds += clocks[1] - self._clocks[1]
        self._clocks = clocks
        content: dict[str, Any] = {"recipe": json.dumps(asdict(self.recipe)), "progress": asdict(self.done)}
        content |= {"student": self.student.state_dict(), "average": self.average}
        content |= {"optimisers": [tool.state_dict() for tool in self.tools]}
        file.parent.mkdir(parents=True, exist_ok=True)
        torch.save(content, file.with_suffix(".part"))
        os.replace(file.with_suffix(".part"), file)

    def load(self, file: Path) -> None:
        content = torch.load(file, map_location=self.device, weights_only=True)
        if json.loads(content["recipe"]) != json.loads(json.dumps(asdict(self.recipe))):
            raise SystemExit(f"{file} belongs to another recipe. Delete it to start anew.")
        self.done = Progress(**content["progress"])
        self._learn(Student(self.recipe, self.recipe.phases[min(self.done.phase, len(self.recipe.phases) - 1)]))
        self.student.load_state_dict(content["student"])
        self.average = content["average"]
        for tool, state in zip(self.tools, content["optimisers"], strict=True):
            tool.load_state_dict(state)


def train(
    recipe: Recipe, state: Path, *, stop_after: int | None = None, log: Callable[[str], None] = print
) -> tuple[dict[str, Tensor], Progress]:
    """Follow the recipe, from the checkpoint `state` if it exists. Gives the network's averaged weights, and the cost.

    stop_after    stop after so many steps of this call, as if killed right after a checkpoint
    """
    training = Training(recipe, torch.device("cuda" if torch.cuda.is_available() else "cpu"))
    if state.exists():
        training.load(state)
        log(f"going on from phase {training.done.phase + 1}, step {training.done.step}")
    todo = sum(phase.steps * phase.size**2 for phase in recipe.phases[training.done.phase :])  # time goes with tokens
    todo -= training.done.step * recipe.phases[min(training.done.phase, len(recipe.phases) - 1)].size ** 2
    steps, pixels, recent = 0, 0, []
    started = saved = told = time.perf_counter()
    while training.done.phase < len(recipe.phases) and steps != stop_after:
        phase = recipe.phases[training.done.phase]
        for batch in batches(recipe, training.done.phase, training.done.step):
            recent.append(training.step(batch))
            steps, pixels, step, now = steps + 1, pixels + phase.size**2, training.done.step, time.perf_counter()
            if now - told > 10 or step == phase.steps:
                loss, patch_loss, accuracy = torch.stack(recent).mean(0).tolist()
                speed = pixels / (now - started)
                log(
                    f"{phase.size} px  step {step}/{phase.steps}  loss {loss:.3f} + {patch_loss:.3f}  accuracy "
                    f"{accuracy:.3f}  {speed / phase.size**2 * recipe.batch:.0f} images/s  "
                    f"{(todo - pixels) / speed / 60:.1f} min left"
                )
                told, recent = now, []
            chunk_ends = step % (recipe.chunk // recipe.batch * recipe.passes) == 0  # to render the next takes a while
            if now - saved > CHECKPOINT_SECONDS or chunk_ends:
                training.save(state)
                saved = now
            if steps == stop_after:
                break
        if training.done.step == phase.steps:
            training.next_phase()
    training.save(state)
    return training.average, training.done


# ------------------------------------------------------------------------------------------------------------ export


def export(average: dict[str, Tensor], recipe: Recipe, out: Path, facts: dict[str, str]) -> None:
    """Write the network as fp16 safetensors; the metadata entry "vizapp" (JSON) says what it is."""
    about: dict[str, Any] = {"network": recipe.network, "architecture": recipe.architecture(), "labels": recipe.classes}
    about |= {"mean": MEAN, "std": STD, "interpolation": "bicubic", "size": [recipe.size] * 2, "crop": 1.0}
    about |= {"fit": "crop", "subject": "scenes", "notes": recipe.notes, "facts": {"taught": recipe.taught, **facts}}
    out.parent.mkdir(parents=True, exist_ok=True)
    weights = {name: value.half().cpu().contiguous() for name, value in average.items()}
    save_file(weights, out, metadata={METADATA_KEY: json.dumps(about)})
    out.chmod(0o644)  # safetensors lets only the owner read it


def load(file: Path) -> tuple[ViT | CRATE, dict[str, Any]]:
    """What `export` wrote: the network in float32, in eval mode, and its "vizapp" metadata."""
    weights, about = read_checkpoint(file)
    net = NETWORKS[about.get("network", "vit")](**about["architecture"])
    net.load_state_dict(weights)
    return net.eval(), about


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m model.train", description=str(__doc__).split("\n")[0])
    parser.add_argument("--recipe", choices=RECIPES, default="toy")
    parser.add_argument(
        "--out", type=Path, help="the file (assets/weights/RECIPE.safetensors); its card goes beside it"
    )
    parser.add_argument("--state", type=Path, help="checkpoint of the running training (default: runs/<recipe>.state)")
    parser.add_argument("--threads", type=int, help="CPU threads of torch")
    parser.add_argument(
        "--as-is", action="store_true", help="do not train: evaluate and write what the checkpoint holds"
    )
    options = parser.parse_args()
    out = options.out or WEIGHTS / f"{options.recipe}.safetensors"
    cv2.setNumThreads(1)
    if options.threads:
        torch.set_num_threads(options.threads)
    recipe, state = RECIPES[options.recipe], options.state or Path("runs") / f"{options.recipe}.state"
    average, done = train(recipe, state, stop_after=0 if options.as_is else None)

    from vizapp.card import publish  # the program measures with the tool that its networks are for; the room does not

    publish(options.recipe, resized(average, recipe, recipe.size), done, out)


if __name__ == "__main__":
    main()
