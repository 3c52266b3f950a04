"""The recipes of the bundled networks: all settings that decide the result of `python -m train`."""

from dataclasses import dataclass, field, fields
from typing import Any, Literal

from vizapp.model.crate import CRATE
from vizapp.model.toy.labels import notes_of
from vizapp.model.toy.lessons import LESSONS
from vizapp.model.toy.things import CLASSES
from vizapp.model.vit import ViT
from vizapp.model.weights import NETWORKS


@dataclass(frozen=True)
class Phase:
    """`steps` batches of pictures `size` pixels wide and high.

    fall         share of the steps, the last ones, in which the rate falls linearly to zero
    rate         share of the recipe's rate
    patch_block  after this block (from 0) the head of the patch loss reads the tokens
    depth        blocks from now on, fewer than before: the last ones are dropped; None: the number of the recipe
    """

    size: int
    steps: int
    fall: float = 0.0
    rate: float = 1.0
    patch_block: int = 3
    depth: int | None = None


@dataclass(frozen=True)
class Recipe:
    """Everything that decides the result.

    title           what the network is, in one line
    network         "vit" (model/vit.py) or "crate" (model/crate.py)
    registers       register tokens beside CLS; `pool` "avg" instead of "token": no CLS, the mean of all patches is read
    start           the bundled network that gives the first weights, as far as they fit; None: from nothing
    lesson          the task: "objects", or the name of a lesson (model/toy/lessons.py) with its own answers
    chunk, passes   number of scenes that are rendered together, and how often each is seen (augmented) before it is dropped
    pairs           share of scenes with two objects; their label is half and half
    warmup          steps of rising rate at the start of a phase, but at most a quarter of it
    average         decay per step of the exponential average of the weights; the average is exported
    patch_loss      weight of the loss of a linear head that names the thing on each patch, dropped on export;
                    0: only the class is taught
    held_out        number of scenes for the evaluation
    film            steps, counted through all phases from 0, before which the averaged weights are kept; the last one belongs
                    to the finished network; (): only the finished network is kept
    """

    title: str
    phases: tuple[Phase, ...]
    network: Literal["vit", "crate"] = "vit"
    registers: int = 0
    pool: Literal["token", "avg"] = "token"
    start: str | None = None
    lesson: str = "objects"
    patch_size: int = 8
    embed_dim: int = 192
    depth: int = 6
    num_heads: int = 6
    batch: int = 32
    chunk: int = 2048
    passes: int = 3
    pairs: float = 0.45
    muon: bool = True
    rate: float = 1.5e-3
    weight_decay: float = 0.05
    smoothing: float = 0.1
    warmup: int = 150
    average: float = 0.99
    patch_loss: float = 1.0
    held_out: int = 2000
    seed: int = 0
    film: tuple[int, ...] = field(default=(), repr=False)  # stands in a card's table of its own

    @property
    def size(self) -> int:
        return self.phases[-1].size

    @property
    def images(self) -> int:
        return self.batch * sum(phase.steps for phase in self.phases)

    def architecture(self, phase: Phase | None = None) -> dict[str, Any]:
        """Return the arguments of the network, in a phase or at the end."""
        phase = phase or self.phases[-1]
        shape: dict[str, Any] = {name: getattr(self, name) for name in ("patch_size", "embed_dim", "num_heads")}
        shape |= {"depth": phase.depth or self.depth, "img_size": [phase.size] * 2, "num_classes": len(self.classes)}
        if self.network == "vit":
            shape["no_embed_class"] = True
        if self.registers:
            shape["reg_tokens"] = self.registers
        if self.pool == "avg":
            shape |= {"class_token": False, "global_pool": "avg"}
        return shape

    @property
    def classes(self) -> tuple[str, ...]:
        return CLASSES if self.lesson == "objects" else LESSONS[self.lesson].classes

    @property
    def taught(self) -> str:
        """Say in plain words what the network was taught."""
        told = {"relation": "whether the two things are of one kind", "shortcut": "the class, beside a bar code of it"}
        parts = [told.get(self.lesson, "the class")]
        if self.patch_loss:
            blocks = " and later ".join(dict.fromkeys(str(phase.patch_block + 1) for phase in self.phases))
            parts.append(f"what each patch shows (through a linear head on the tokens of block {blocks})")
        start = f", beginning with the weights of {self.start}" if self.start else ""
        return " and ".join(parts) + "; never where to look" + start

    @property
    def notes(self) -> tuple[str, ...]:
        """List the facts that a person must know before believing a map of this network."""
        return notes_of(self.lesson, patches_taught=bool(self.patch_loss))

    @property
    def settings(self) -> str:
        """Write the call that makes this recipe, without its title, its film and what is as by default."""
        told = [
            one for one in fields(self) if one.repr and one.name != "title" and getattr(self, one.name) != one.default
        ]
        return f"Recipe({', '.join(f'{one.name}={getattr(self, one.name)!r}' for one in told)})"

    def new_net(self, phase: Phase) -> ViT | CRATE:
        return NETWORKS[self.network](**self.architecture(phase))


LATER = (Phase(112, 144, fall=0.7, depth=5),)  # for networks that start from a trained one

RECIPES: dict[str, Recipe] = {
    # After two phases CLS knows the class before the sixth layer, which then looks anywhere: it is dropped (lab notes).
    "toy": Recipe(
        "a small Vision Transformer that knows twelve toy things",
        (Phase(56, 1920), Phase(112, 1152, fall=0.5), Phase(112, 144, fall=0.7, rate=0.5, depth=5)),
    ),
    "unaided": Recipe(
        "a Vision Transformer that was taught nothing but classes",
        (Phase(56, 1152), Phase(112, 144, fall=0.5)),
        patch_loss=0.0,
        held_out=500,
    ),
    "crate": Recipe(
        "CRATE, a white-box transformer, taught nothing but classes",
        (Phase(56, 1920), Phase(112, 1152, fall=0.5)),
        network="crate",
        embed_dim=320,
        num_heads=8,
        patch_loss=0.0,
    ),
    "registers": Recipe("the toy network with four registers", LATER, registers=4, start="toy", passes=1, held_out=500),
    "mean": Recipe(
        "the toy network without CLS: it reads the mean of all patches",
        LATER,
        pool="avg",
        start="toy",
        passes=1,
        held_out=500,
    ),
    "relation": Recipe(
        "a Vision Transformer that tells whether two things are of one kind",
        LATER,
        lesson="relation",
        start="toy",
        passes=1,
        held_out=500,
    ),
    "shortcut": Recipe(
        "a Vision Transformer that learned to cheat",
        (Phase(56, 384), Phase(112, 128, fall=0.5)),
        lesson="shortcut",
        patch_loss=0.0,
        passes=2,
        held_out=500,
    ),
    # Films. Attention changes most between these steps; a run that kept forty of them found that (lab notes).
    "born": Recipe(
        "a small Vision Transformer, at several steps of its training",
        (Phase(56, 1536, patch_block=2), Phase(112, 640, fall=0.5, patch_block=2)),
        embed_dim=96,
        depth=4,
        num_heads=4,
        rate=2e-3,
        film=(0, 50, 82, 105, 123, 145, 171, 202, 304, 422, 636, 958, 1536, 1701, 1847, 2176),
        held_out=500,
    ),
    "born-shortcut": Recipe(
        "a small Vision Transformer that learns to cheat, at several steps of its training",
        (Phase(112, 320, fall=0.3, patch_block=2),),
        lesson="shortcut",
        patch_loss=0.0,
        embed_dim=64,
        depth=3,
        num_heads=4,
        rate=3e-3,
        passes=2,
        held_out=500,
        film=(0, 16, 32, 40, 48, 56, 64, 80, 88, 104, 112, 128, 144, 160, 192, 240, 320),
    ),
    "seconds": Recipe(
        "a network that learned for seconds; a test of the program",
        phases=(Phase(16, 12, patch_block=0), Phase(32, 12, fall=0.5, patch_block=0)),
        embed_dim=32,
        depth=2,
        num_heads=2,
        batch=8,
        chunk=32,
        passes=2,
        warmup=4,
        held_out=16,
    ),
}
