"""Measures a bundled network and writes its card: its kind, its training, and what it can do. All figures are measured here."""

import platform
from dataclasses import replace
from functools import partial
from pathlib import Path

import cv2
import numpy as np
import torch
from torch import Tensor, nn

from train import film_measures
from train.recipes import RECIPES, Recipe
from train.student import new_student
from train.training import Frames, Progress, export, facts_of
from vizapp.core.measure import Measure
from vizapp.core.methods import method_named
from vizapp.core.metrics import metrics
from vizapp.core.trust.faithfulness import DELETION, INSERTION, curves
from vizapp.data.evaluation import evaluate
from vizapp.data.intervals import Interval, mean_of
from vizapp.data.one_picture import on_the_mark
from vizapp.data.statistics import Evaluation, MapKey
from vizapp.model.spec import VisionModel
from vizapp.model.toy.lessons import HELD_OUT, LESSONS
from vizapp.model.weights import network_of_checkpoint, read_checkpoint
from vizapp.pipeline import analyse

CHOSEN_ON = 100  # held-out pictures on which recipes were chosen (docs/lab-notes.md); cards measure on later ones
CONTROLS = 100  # pictures for untrained networks, whose intervals may be wide
FAITHFUL = 30  # pictures for deletion and insertion, which take 18 passes per map


def publish(name: str, average: dict[str, Tensor], done: Progress, frames: Frames, out: Path) -> None:
    """Write the weights to `out`, load and measure that file, and write the card beside it as .md."""
    recipe = RECIPES[name]
    facts = facts_of(done)
    finer = film_measures.fine_enough(frames, recipe, CHOSEN_ON + recipe.held_out) if frames else {}
    export(average, recipe, out, facts, frames, finer=finer)
    grown = film_measures.measured(partial(loaded, name, out), sorted(frames), recipe, CHOSEN_ON) if frames else None
    model = loaded(name, out)
    lesson = "clutter" if recipe.lesson == "objects" else recipe.lesson
    main = evaluate(model, lesson, count=recipe.held_out, first=CHOSEN_ON)
    if main.accuracy:
        facts["accuracy"] = f"{main.accuracy} on {main.count} held-out scenes"
    export(average, recipe, out, facts, frames, grown, finer)
    text = card(name, recipe, done, model, main)
    if frames:
        model = loaded(name, out)
        assert model.film is not None
        text += (
            "\n"
            + film_measures.section(
                model.film, film_measures.lost_by_packing(frames, recipe, CHOSEN_ON, finer), out.stat().st_size
            )
            + "\n"
        )
    out.with_suffix(".md").write_text(text, "utf-8")


def loaded(name: str, file: Path, step: int | None = None) -> VisionModel:
    """The network in a file of weights; for a film, at a step or the last one."""
    model = network_of_checkpoint(name, *read_checkpoint(file), step=step)
    model.net.eval()
    return model


def card(name: str, recipe: Recipe, done: Progress, model: VisionModel, main: Evaluation) -> str:
    """The card in Markdown. Measures what `main` does not hold: other sets, controls, faithfulness."""
    also = [
        evaluate(model, lesson, methods=[], count=recipe.held_out, first=CHOSEN_ON) for lesson in others_for(recipe)
    ]
    few = min(CONTROLS, recipe.held_out)
    measured = {
        title: evaluate(one, main.lesson, count=few, first=CHOSEN_ON) for title, one in _controls(recipe, model).items()
    }
    accuracies = "\n".join(accuracy_row(one) for one in (main, *also))
    control_rows = "\n".join(
        f"| {title} | {_share(one.accuracy)} | " + scores_row(one, MapKey("attention", len(model.attention) - 1))
        for title, one in measured.items()
    )
    return f"""# {name}: {recipe.title}

**{" ".join(recipe.notes)}** `python -m train` trained the network and wrote this page; every figure was measured on the file
beside it.

| | |
|---|---|
{_facts(name, recipe, done, model)}

## What it can do

Held-out scenes (seeds from {HELD_OUT:,}; the first {CHOSEN_ON} of each set served to choose the recipe and are left out), one
training run. Brackets: 95 % intervals; ±: the larger half of one.

| set | pictures | right answers |
|---|---|---|
{accuracies}

{told(recipe)}

## Where it looks

Set `{main.lesson}`, {main.count} pictures; the objects cover {main.area.mean:.1%} of a picture on average. Attention is that
of what the classifier reads ({model.readout}), mean over heads; the metrics are those of `vizapp/core/metrics`.

{table(main)}

{best_head(main)}

## Controls

The same architecture with less learned, on {few} pictures: attention of the last layer. Where the map of a network that has
learned nothing looks right, training is not the reason.

| network | right answers | {" | ".join(shorts())} |
|---|---|{"---|" * len(shorts())}
{control_rows}

{faithfulness(model, main.lesson, min(FAITHFUL, recipe.held_out))}
"""


def _controls(recipe: Recipe, model: VisionModel) -> dict[str, VisionModel]:
    """The same architecture with less learned, and the network itself, by what is said of them."""
    depth = len(model.attention)
    controls = {"nothing learned": untrained(recipe, model)}
    if recipe.start:
        controls[f"as it began, with the weights of {recipe.start}"] = as_it_began(recipe, model)
    return controls | {
        f"layers 1 to {depth // 2} and the classifier trained, the rest drawn anew": half_forgotten(recipe, model),
        "as it is": model,
    }


def _facts(name: str, recipe: Recipe, done: Progress, model: VisionModel) -> str:
    """Describe the network and how it came to be, as rows of a table."""
    parameters = sum(p.numel() for p in model.net.parameters()) / 1e6
    network = {"vit": "ViT", "crate": "CRATE"}[recipe.network]
    began = f"; before that, those of `{recipe.start}` (see its card)" if recipe.start else ""
    rows = {
        "architecture": f"`{network}(**{recipe.architecture()})`, {parameters:.2f} M parameters, stored "
        + ("as a film, see below" if recipe.film else "as fp16"),
        "what it was taught": recipe.taught,
        "trained by": f"`python -m train --recipe {name}`: `{recipe.settings}`",
        "scenes": f"{done.images:,} seen, about {done.images // recipe.passes:,} different, from `model/toy/scenes.py`{began}",
        "cost": f"{done.cpu_seconds / 60:.0f} CPU-minutes, {done.seconds / 60:.0f} minutes beside other work{began}",
        "versions": f"Python {platform.python_version()}, torch {torch.__version__}, numpy {np.__version__}, "
        f"opencv {cv2.__version__}",
        "licence": "MIT, as the code that made it; no foreign data, no foreign weights",
    }
    return "\n".join(f"| {key} | {value} |" for key, value in rows.items())


def shorts() -> list[str]:
    """The heads of the columns of metrics."""
    return [one.short for one in metrics().values()]


def told(recipe: Recipe) -> str:
    """Explain what the accuracies mean."""
    return {
        "objects": "Of `two`, an answer is right if the two best classes are the two objects.",
        "shortcut": "`clutter` is the same without a bar code: what is left there is what it knows of the things themselves.",
    }.get(recipe.lesson, "Chance is one half.")


def others_for(recipe: Recipe) -> tuple[str, ...]:
    """The further sets on which this network is worth measuring."""
    return {"objects": ("one", "two"), "shortcut": ("clutter",)}.get(recipe.lesson, ())


def untrained(recipe: Recipe, model: VisionModel) -> VisionModel:
    """The same architecture with random initial weights, even if training began with those of another network."""
    return _as(model, new_student(recipe, recipe.phases[-1], from_nothing=True).net)


def as_it_began(recipe: Recipe, model: VisionModel) -> VisionModel:
    """The network before its first step of training, if it began with the weights of another."""
    return _as(model, new_student(recipe, recipe.phases[-1]).net)


def half_forgotten(recipe: Recipe, model: VisionModel) -> VisionModel:
    """The trained network, with random initial weights in its upper blocks."""
    net = new_student(recipe, recipe.phases[-1], from_nothing=True).net
    depth = len(model.attention)
    forgotten = tuple(f"blocks.{i}." for i in range(depth // 2, depth))
    trained = {key: value for key, value in model.net.state_dict().items() if not key.startswith(forgotten)}
    net.load_state_dict({**net.state_dict(), **trained})
    return _as(model, net)


def _as(model: VisionModel, net: nn.Module) -> VisionModel:
    return replace(model, net=net.eval())


def accuracy_row(one: Evaluation) -> str:
    """The share of right answers on one set, as a row."""
    return f"| {one.lesson}: {LESSONS[one.lesson].title.lower()} | {one.count} | {_share(one.accuracy)} |"


def scores_row(one: Evaluation, key: MapKey) -> str:
    """The scores of one map as cells."""
    return " | ".join(_with_interval(one[key][metric]) for metric in metrics()) + " |"


def table(one: Evaluation) -> str:
    """Scores of all fused maps and baselines, in Markdown."""
    marked = [name for name, mark in on_the_mark().items() if mark.main and name in next(iter(one.scores.values()))]
    names = [*shorts(), *marked]
    lines = [f"| map | {' | '.join(names)} |", "|---|" + "---|" * len(names)]
    for key, scores in one.fused.items():
        extra = "".join(f" {_with_interval(scores[name])} |" for name in marked)
        lines.append(f"| {key.counted_from(1)} | {scores_row(one, key)}{extra}")
    return "\n".join(lines)


def best_head(one: Evaluation) -> str:
    """The best head in a sentence."""
    best = one.best_head()
    assert best is not None
    return (
        f"The head with the most energy on the object, picked on these very pictures: {best.counted_from(1)}, "
        f"energy {_with_interval(one[best]['energy'])}, AUC {_with_interval(one[best]['auc'])}."
    )


def faithfulness(model: VisionModel, lesson: str, count: int) -> str:
    """Deletion and insertion of the best class, patches replaced by the picture's mean colour."""
    scores: dict[str, list[tuple[float, float]]] = {}
    for number in range(CHOSEN_ON, CHOSEN_ON + count):
        picture = LESSONS[lesson].example(number, model.preprocess.size[0]).picture
        seen = analyse(model, picture)
        assert seen.trace.logits is not None
        target = int(seen.trace.logits.argmax())
        maps = {
            "random": method_named("random")(seen.trace, seed=number).scores,
            "centre": method_named("centre")(seen.trace).scores,
            "attention, last layer": method_named("attention")(seen.trace).scores,
            "rollout": method_named("rollout")(seen.trace).scores,
        }
        pixels, _ = model.preprocess(picture)
        for name, heat in maps.items():
            scores.setdefault(name, []).append(curves(model.net, pixels, heat, target).areas)
    lines = [f"| map | {_titled(DELETION)} | {_titled(INSERTION)} |", "|---|---|---|"]
    blind = np.array(scores["random"])
    for name, pairs in scores.items():
        found = [_with_interval(mean_of(column, "area")) for column in np.array(pairs).T]
        beyond = [_difference(mean_of(column)) for column in (np.array(pairs) - blind).T]
        lines.append(f"| {name} | {found[0]} ({beyond[0]}) | {found[1]} ({beyond[1]}) |")
    return "\n".join(
        [
            "## Does the class stand on what the maps show?",
            "",
            "Area under the probability of the best class while patches are replaced by the picture's mean colour, the most",
            f"important first (deletion), or put back (insertion), in 8 steps; {count} pictures. In parentheses: the difference",
            "to random.",
            "",
            *lines,
        ]
    )


def _titled(one: Measure) -> str:
    return f"{one.short}, {one.direction} is better"


def _share(value: Interval | None) -> str:
    """Write a share of right answers with its interval, which is lopsided near 0 and 1."""
    return "-" if value is None else f"{value.mean:.3f} [{value.low:.3f}, {value.high:.3f}]"


def _with_interval(value: Interval | None) -> str:
    if value is None:
        return "-"
    return f"{value.mean:.3f}±{max(value.high - value.mean, value.mean - value.low):.3f}"


def _difference(value: Interval) -> str:
    return f"{value.mean:+.3f}±{(value.high - value.low) / 2:.3f}"
