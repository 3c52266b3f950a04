"""Trains a bundled network on rendered scenes, on a CPU.

A killed training goes on from its last checkpoint, which is less than a minute old. Every batch is a pure function of the
recipe and the step, so on the same machine the result is the same as without the interruption.

The small budget is enough because of (docs/lab-notes.md has the numbers): small pictures first and large ones later, an
auxiliary loss that asks the patch tokens of a middle block what they show, positions that start as sines, queries and
keys that start alike (mimetic initialisation), small batches, Muon, and an average over the last weights.
"""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from safetensors.torch import save_file
from torch import Tensor, nn

from train.batches import MEAN, STD, Batch, augmented, batches
from train.optimisers import optimisers, rate_at
from train.recipes import Recipe
from train.student import Student, new_student, resized
from vizapp.model.crate import CRATE
from vizapp.model.film import FILM, pack, read_film, unpack
from vizapp.model.vit import ViT
from vizapp.model.weights import METADATA_KEY, NETWORKS, read_checkpoint
from vizapp.whole_file import written_whole

CHECKPOINT_SECONDS = 45.0
Frames = dict[int, dict[str, Tensor]]  # step -> averaged weights


@dataclass
class Progress:
    """The progress of a training, and its cost so far."""

    phase: int = 0
    step: int = 0
    images: int = 0
    cpu_seconds: float = 0.0
    seconds: float = 0.0


class Training:
    """A network in training, its averaged weights and its optimisers: the contents of a checkpoint."""

    def __init__(self, recipe: Recipe, device: torch.device) -> None:
        self.recipe, self.device, self.done = recipe, device, Progress()
        self._clocks = time.perf_counter(), time.process_time()
        self._learn(new_student(recipe, recipe.phases[0]))
        self.average = {name: value.clone() for name, value in self.student.net.state_dict().items()}
        self.frames: Frames = {}

    @property
    def steps(self) -> int:
        """Steps taken, through all phases."""
        return sum(phase.steps for phase in self.recipe.phases[: self.done.phase]) + self.done.step

    def keep_frame(self) -> None:
        """Keep the averaged weights, in the size of the finished network, if the recipe's film has this step."""
        if self.steps in self.recipe.film:
            frame = resized(self.average, self.recipe, self.recipe.size)
            self.frames[self.steps] = {name: value.clone() for name, value in frame.items()}

    def _learn(self, student: Student) -> None:
        self.student = student.to(self.device)
        self.tools = optimisers(self.student, self.recipe)

    def step(self, batch: Batch) -> Tensor:
        """Learn from one batch. Returns its class loss, patch loss and accuracy; of two objects, either one is right."""
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
        """Stretch the position embedding to the new size, drop blocks, and make new optimisers."""
        self.done.phase, self.done.step = self.done.phase + 1, 0
        if self.done.phase < len(self.recipe.phases):
            phase = self.recipe.phases[self.done.phase]
            grown = resized(self.student.state_dict(), self.recipe, phase.size, "net.pos_embed")
            self._learn(Student(self.recipe, phase))
            self.student.load_state_dict({name: grown[name] for name in self.student.state_dict()})
            average = resized(self.average, self.recipe, phase.size)
            self.average = {name: average[name] for name in self.student.net.state_dict()}

    def save(self, file: Path) -> None:
        """Write the checkpoint whole: a kill leaves the old one intact."""
        clocks = time.perf_counter(), time.process_time()
        self.done.seconds += clocks[0] - self._clocks[0]
        self.done.cpu_seconds += clocks[1] - self._clocks[1]
        self._clocks = clocks
        content: dict[str, Any] = {"recipe": json.dumps(asdict(self.recipe)), "progress": asdict(self.done)}
        content |= {"student": self.student.state_dict(), "average": self.average}
        content |= {"frames": self.frames, "optimisers": [tool.state_dict() for tool in self.tools]}
        file.parent.mkdir(parents=True, exist_ok=True)
        with written_whole(file) as fresh, fresh.open("wb") as opened:  # torch takes no path that begins with a dot
            torch.save(content, opened)

    def load(self, file: Path) -> None:
        content = torch.load(file, map_location=self.device, weights_only=True)
        if json.loads(content["recipe"]) != json.loads(json.dumps(asdict(self.recipe))):
            raise SystemExit(f"{file} belongs to another recipe. Delete it to start anew.")
        self.done = Progress(**content["progress"])
        self._learn(Student(self.recipe, self.recipe.phases[min(self.done.phase, len(self.recipe.phases) - 1)]))
        self.student.load_state_dict(content["student"])
        self.average, self.frames = content["average"], content["frames"]
        for tool, state in zip(self.tools, content["optimisers"], strict=True):
            tool.load_state_dict(state)


def said(line: str) -> None:
    """Print and flush a line: into a file or pipe, Python would hold back the progress of an hour."""
    print(line, flush=True)


def train(
    recipe: Recipe, state: Path, *, stop_after: int | None = None, log: Callable[[str], None] = said
) -> tuple[dict[str, Tensor], Progress, Frames]:
    """Follow the recipe, from the checkpoint `state` if it exists. Returns the network's averaged weights, the cost, and the
    weights at each step of the recipe's film.

    stop_after    stop after this number of steps in this call, as if killed right after a checkpoint
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
            training.keep_frame()
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
            chunk_ends = (
                step % (recipe.chunk // recipe.batch * recipe.passes) == 0
            )  # rendering the next one takes a while
            if now - saved > CHECKPOINT_SECONDS or chunk_ends:
                training.save(state)
                saved = now
            if steps == stop_after:
                break
        if training.done.step == phase.steps:
            training.next_phase()
    training.keep_frame()
    training.save(state)
    return training.average, training.done, training.frames


def export(
    average: dict[str, Tensor],
    recipe: Recipe,
    out: Path,
    facts: dict[str, str],
    frames: Frames | None = None,
    measured: Mapping[str, Any] | None = None,
    finer: Mapping[int, int] | None = None,
) -> None:
    """Write the network as fp16 safetensors; the metadata entry "vizapp" (JSON) describes it.

    frames    of a film: the weights at each of its steps, which are packed in place of `average` (vizapp.model.film)
    measured  the fields of `Film` for these, beside its steps
    finer     steps that are packed more finely than others
    """
    about: dict[str, Any] = {"network": recipe.network, "architecture": recipe.architecture(), "labels": recipe.classes}
    about |= {"mean": MEAN, "std": STD, "interpolation": "bicubic", "size": [recipe.size] * 2, "crop": 1.0}
    about |= {"fit": "crop", "subject": "scenes", "notes": recipe.notes, "facts": {"taught": recipe.taught, **facts}}
    out.parent.mkdir(parents=True, exist_ok=True)
    if frames:
        about[FILM] = {"steps": sorted(frames), **(measured or {})}
        weights = pack(frames, finer)
    else:
        weights = {name: value.half().cpu().contiguous() for name, value in average.items()}
    save_file(weights, out, metadata={METADATA_KEY: json.dumps(about)})
    out.chmod(0o644)  # safetensors lets only the owner read it


def load(file: Path) -> tuple[ViT | CRATE, dict[str, Any]]:
    """Load a file of `export`: the network in float32, in eval mode, and its "vizapp" metadata; of a film the last step."""
    weights, about = read_checkpoint(file)
    net = NETWORKS[about.get("network", "vit")](**about["architecture"])
    if FILM in about:
        weights = unpack(weights, read_film(about[FILM]), {name: one.shape for name, one in net.state_dict().items()})
    net.load_state_dict(weights)
    return net.eval(), about


def facts_of(done: Progress) -> dict[str, str]:
    """List the facts about its training that a file carries."""
    return {"training": f"{done.images:,} rendered scenes, {done.cpu_seconds / 60:.0f} CPU-minutes", "licence": "MIT"}
