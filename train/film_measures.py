"""Measures a film (`vizapp.model.film`): how good its network is at each step, and where CLS looks, on held-out scenes.

measured(at, steps, recipe)      # the measures that the film's file keeps and the page draws
fine_enough(frames, ...)         # how finely steps must be packed; lost_by_packing: how much the maps change by it
section(film, lost, size)        # all of it in Markdown, for the card
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from train.batches import pixels_of
from train.recipes import Recipe
from vizapp.model.film import Film, pack, unpack
from vizapp.model.spec import VisionModel
from vizapp.model.toy.lessons import LESSONS, Example

At = Callable[[int], VisionModel]
BATCH = 50
LEARNED = 0.5  # a class is learned from the step on at which more than this share of its pictures stays right
COMPARED = 30  # pictures whose maps are compared before and after the packing
WITHIN = 1.5e-3  # the largest change of any attention by packing on these pictures; the card reports it on others
TRIES = 4
ROWS = 6  # of the card's table of a film


def measured(at: At, steps: Sequence[int], recipe: Recipe, first: int) -> dict[str, Any]:
    """The measures that `Film` holds, for the network of each step, `at(step)`, on held-out pictures from number `first` on."""
    lesson = "clutter" if recipe.lesson == "objects" else recipe.lesson
    numbers = range(first, first + recipe.held_out)
    examples = [LESSONS[lesson].example(number, recipe.size) for number in numbers]
    is_marked = examples[0].mark is not None
    unmarked = [LESSONS["clutter"].example(number, recipe.size) for number in numbers] if is_marked else []
    places = {"object": _cover([one.truth for one in examples], recipe)}
    if is_marked:
        places["mark"] = _cover([one.mark for one in examples if one.mark is not None], recipe)
    right: list[np.ndarray] = []
    curves: dict[str, list[list[float]]] = {
        name: [[] for _ in range(recipe.architecture()["depth"])] for name in places
    }
    also: list[float] = []
    for step in steps:
        model = at(step)
        said, maps = _seen(model, examples)
        right.append(said)
        for name, cover in places.items():
            for row, share in zip(curves[name], ((maps * cover).sum(-1) / maps.sum(-1)).mean(-1).tolist(), strict=True):
                row.append(round(share, 4))
        if is_marked:
            also.append(round(float(_seen(model, unmarked)[0].mean()), 4))
    answers = np.array([one.answers[0] for one in examples])
    by_class = {
        label: [float(said[answers == number].mean()) for said in right]
        for number, label in enumerate(recipe.classes)
        if (answers == number).any()
    }
    learned = {label: since(shares, steps) for label, shares in by_class.items()}
    return {
        "pictures": len(examples),
        "curves": {"accuracy": [[round(float(said.mean()), 4) for said in right]], **curves}
        | ({"unmarked": [also]} if also else {}),
        "levels": {name: round(float(cover.mean()), 4) for name, cover in places.items()}
        | {"accuracy": round(1 / len(recipe.classes), 4)},
        "learned": {label: step for label, step in learned.items() if step is not None},
    }


def since(shares: Sequence[float], steps: Sequence[int]) -> int | None:
    """The first step from which on more than half stays right until the end; None if the last step is not."""
    known = None
    for share, step in zip(reversed(shares), reversed(steps), strict=True):
        if share <= LEARNED:
            break
        known = step
    return known


def fine_enough(frames: Mapping[int, Mapping[str, Tensor]], recipe: Recipe, first: int) -> dict[int, int]:
    """Find how much finer some steps must be packed than others, so that no attention changes by more than `WITHIN`."""
    finer: dict[int, int] = {}
    for _ in range(TRIES):
        lost = lost_by_packing(frames, recipe, first, finer)
        if not (coarse := [step for step, worst in lost.items() if worst > WITHIN]):
            break
        finer |= {step: 2 * finer.get(step, 1) for step in coarse}
    return finer


def lost_by_packing(
    frames: Mapping[int, Mapping[str, Tensor]], recipe: Recipe, first: int, finer: Mapping[int, int]
) -> dict[int, float]:
    """Step -> the largest difference of any head's attention between the packed and the trained network."""
    lesson = "clutter" if recipe.lesson == "objects" else recipe.lesson
    examples = [LESSONS[lesson].example(number, recipe.size) for number in range(first, first + COMPARED)]
    packed, steps, found = pack(frames, finer), tuple(sorted(frames)), {}
    net = recipe.new_net(recipe.phases[-1]).eval()
    shapes = {name: value.shape for name, value in net.state_dict().items()}
    for step in steps:
        net.load_state_dict(frames[step])
        before = _maps(net, examples)
        net.load_state_dict(unpack(packed, Film(steps, step), shapes))
        after = _maps(net, examples)
        found[step] = max(float((one - other).abs().max()) for one, other in zip(before, after, strict=True))
    return found


def section(film: Film, lost: Mapping[int, float], size: int) -> str:
    """The film in Markdown. `size`: bytes of its file."""
    layers = len(film.curves["object"])
    places = [name for name in ("object", "mark") if name in film.curves]
    word = {"object": "object", "mark": "bar code"}
    columns = {"right answers": film.curves["accuracy"][0]}
    if "unmarked" in film.curves:
        columns["without the bar code"] = film.curves["unmarked"][0]
    columns |= {f"on the {word[name]}, layer {i + 1}": film.curves[name][i] for name in places for i in range(layers)}
    lines = [f"| step | {' | '.join(columns)} |", "|---|" + "---|" * len(columns)]
    lines += [
        f"| {film.steps[i]} | {' | '.join(f'{column[i]:.3f}' for column in columns.values())} |"
        for i in rows_of(len(film.steps))
    ]
    order = sorted(film.learned.items(), key=lambda item: item[1])
    known = ", ".join(f"{label} {step}" for label, step in order) or "none"
    chance = ", ".join(f"{film.levels[name]:.3f} on the {word[name]}" for name in places)
    step, worst = max(lost.items(), key=lambda item: item[1])
    return f"""## The film

{len(film.steps)} steps of the training, as averaged weights, in {size / 1e6:.2f} MB; the name alone opens the last,
`?step={film.steps[1]}` behind it another. Each is stored as its difference to the step before, in whole units
(`model/film.py`). Over {COMPARED} held-out pictures (others than those on which the units were chosen), all layers, heads and
tokens, no attention is other than before the packing by more than {worst:.1e} (step {step}).

Measured on {film.pictures} held-out pictures of the final size; the file holds all steps. "On the object": the share of what CLS
gives to patches, mean over heads. Attention spread evenly has {chance};
right answers by guessing: {film.levels["accuracy"]:.3f}.

{chr(10).join(lines)}

The step of the film from which on a class is named right in more than half of its pictures, to the end: {known}."""


def rows_of(steps: int) -> list[int]:
    """Choose at most `ROWS` steps for the table, the first and the last among them; the file holds the curves whole."""
    return sorted({round(i * (steps - 1) / (ROWS - 1)) for i in range(ROWS)})


def _cover(masks: Sequence[np.ndarray], recipe: Recipe) -> Tensor:
    """(pictures, patches): the fraction of each patch that a mask covers."""
    patch = recipe.patch_size
    side = recipe.size // patch
    stacked = torch.from_numpy(np.stack(masks)).float()
    return stacked.reshape(len(masks), side, patch, side, patch).mean((2, 4)).flatten(1)


def _seen(model: VisionModel, examples: Sequence[Example]) -> tuple[np.ndarray, Tensor]:
    """Give (pictures,), whether each answer is right, and CLS's attention, mean over heads: (layers, pictures, patches)."""
    right, maps = [], []
    for start in range(0, len(examples), BATCH):
        some = examples[start : start + BATCH]
        rows: list[Tensor] = []
        said = _run(model.net, some, partial(_keep_row, rows))
        right += [int(answer) in one.answers for answer, one in zip(said.argmax(1), some, strict=True)]
        maps.append(torch.stack(rows))
    return np.array(right, float), torch.cat(maps, 1)


def _keep_row(rows: list[Tensor], attention: Tensor) -> None:
    """Append CLS's attention to patches in one layer, mean over heads."""
    rows.append(attention[:, :, 0, 1:].mean(1))


def _maps(net: nn.Module, examples: Sequence[Example]) -> list[Tensor]:
    """Every layer's attention (pictures, heads, tokens, tokens)."""
    found: list[Tensor] = []
    _run(net, examples, found.append)
    return found


@torch.no_grad()
def _run(net: nn.Module, examples: Sequence[Example], keep: Callable[[Tensor], Any]) -> Tensor:
    """Run the network and return its logits. `keep` is called with each layer's attention."""
    softmaxes = [part for name, part in net.named_modules() if name.endswith("attn.softmax")]
    hooks = [one.register_forward_hook(lambda module, inputs, out: keep(out)) for one in softmaxes]
    try:
        logits: Tensor = net(pixels_of(torch.from_numpy(np.stack([one.picture for one in examples]))))
        return logits
    finally:
        for hook in hooks:
            hook.remove()
