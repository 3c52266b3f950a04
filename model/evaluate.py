"""How good a trained network is, and where its CLS token looks, on scenes that it never saw; and the card that says so."""

from __future__ import annotations

import math
import platform
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np
import torch
from torch import Tensor

from model.crate import CRATE
from model.scenes import CLASSES, render
from model.vit import Attention, ViT

if TYPE_CHECKING:
    from model.train import Progress, Recipe

HELD_OUT = 1_000_000_000  # seeds from here on are for evaluation only
MEAN = STD = (0.5, 0.5, 0.5)


def pixels_of(pictures: Tensor) -> Tensor:
    """(B, S, S, 3) uint8 -> (B, 3, S, S) float, as the network wants them."""
    return (pictures.permute(0, 3, 1, 2).float() / 255 - MEAN[0]) / STD[0]


@torch.no_grad()
def attention_of(net: ViT | CRATE, pixels: Tensor) -> tuple[Tensor, Tensor]:
    """Logits (B, K), and attention averaged over heads, (layers, B, N, N)."""
    maps: list[Tensor] = []
    hooks = [
        m.softmax.register_forward_hook(lambda _module, _input, a: maps.append(a.mean(1)))
        for m in net.modules()
        if isinstance(m, Attention)
    ]
    try:
        return net(pixels), torch.stack(maps)
    finally:
        for hook in hooks:
            hook.remove()


def cls_maps(net: ViT | CRATE, attention: Tensor) -> dict[str, np.ndarray]:
    """What the CLS token attends to: in each layer, and through all of them (rollout), each (B, rows, cols)."""
    layers = {f"CLS attention, layer {i + 1}": a[:, 0] for i, a in enumerate(attention)}
    row = attention[-1][:, 0] * 0.5
    row[:, 0] += 0.5
    for a in attention.flip(0)[1:]:
        row = 0.5 * row + 0.5 * torch.einsum("bq,bqk->bk", row, a)
    prefix = len(net.prefix)
    return {name: r[:, prefix:].unflatten(1, net.grid).cpu().numpy() for name, r in {**layers, "rollout": row}.items()}


def localisation(heat: np.ndarray, mask: np.ndarray) -> tuple[float, float, float]:
    """How well `heat` (rows, cols) finds `mask` (S, S): pointing game, energy in the mask, AUC over patches.

    pointing   1 if the brightest pixel of the bilinearly enlarged map lies on the object
    energy     share of the map's sum that lies on the object, patches weighted by how much of them it covers
    AUC        how often a patch that is mostly object is brighter than one that is not; nan if there is no such pair
    """
    rows, cols = heat.shape
    cover = mask.reshape(rows, mask.shape[0] // rows, cols, mask.shape[1] // cols).mean((1, 3))
    large = cv2.resize(heat.astype(np.float32), mask.shape[::-1], interpolation=cv2.INTER_LINEAR)
    inside, outside = heat[cover >= 0.5], heat[cover < 0.5]
    wins = (
        (inside[:, None] > outside).mean() + (inside[:, None] == outside).mean() / 2
        if inside.size and outside.size
        else np.nan
    )
    return float(mask.ravel()[large.argmax()]), float((heat * cover).sum() / heat.sum()), float(wins)


def evaluate(net: ViT | CRATE, count: int, *, pairs: bool = True) -> dict[str, Any]:
    """Accuracy on `count` held-out scenes of one object, both of two objects found, and where CLS looks.

    "maps" holds for each kind of map (mean pointing, mean energy, mean AUC); "area" is the share of the object's
    pixels, which is the energy that an uninformed map has.
    """
    net.eval()
    device, size = next(net.parameters()).device, net.img_size[0]
    hits, areas, found = np.zeros((2, len(CLASSES))), [], []
    scores: dict[str, list[tuple[float, float, float]]] = {}
    rng = np.random.default_rng(0)
    away = np.stack(np.meshgrid(*(np.linspace(-1, 1, n) for n in net.grid), indexing="ij"))
    centre = np.exp(-2 * (away**2).sum(0))
    for start in range(0, count, 50):
        batch = [render(HELD_OUT + i, size=size) for i in range(start, min(start + 50, count))]
        pixels = pixels_of(torch.from_numpy(np.stack([scene.picture for scene in batch]))).to(device)
        logits, attention = attention_of(net, pixels)
        maps = cls_maps(net, attention)
        for i, scene in enumerate(batch):
            thing = scene.objects[0]
            hits[:, thing.label] += int(logits[i].argmax()) == thing.label, 1
            areas.append(thing.mask.mean())
            heats = {name: m[i] for name, m in maps.items()}
            heats |= {"centre prior": centre, "uniform random": rng.random(net.grid)}
            for name, heat in heats.items():
                scores.setdefault(name, []).append(localisation(heat, thing.mask))
    for start in range(0, count // 2 if pairs else 0, 50):
        batch = [render(HELD_OUT + 10**6 + i, size=size, objects=2) for i in range(start, min(start + 50, count // 2))]
        with torch.no_grad():
            logits = net(pixels_of(torch.from_numpy(np.stack([scene.picture for scene in batch]))).to(device))
        for scene, best in zip(batch, logits.topk(2).indices.tolist(), strict=True):
            found.append(set(best) == {thing.label for thing in scene.objects})
    return {
        "count": count,
        "accuracy": float(hits[0].sum() / hits[1].sum()),
        "per_class": {name: float(h / max(n, 1)) for name, h, n in zip(CLASSES, *hits, strict=True)},
        "both_found": float(np.mean(found)) if found else math.nan,
        "area": float(np.mean(areas)),
        "maps": {name: np.nanmean(rows, axis=0).tolist() for name, rows in scores.items()},
    }


def card(
    name: str, command: str, recipe: Recipe, done: Progress, result: dict[str, Any], control: dict[str, Any]
) -> str:
    """The model card in Markdown; every figure comes from the arguments."""
    n, last = result["count"], f"CLS attention, layer {recipe.depth}"
    parameters = sum(p.numel() for p in ViT(**recipe.architecture()).parameters()) / 1e6
    phases = ", then ".join(f"{p.steps} batches at {p.size} px" for p in recipe.phases)
    chance, untrained = 1 / len(CLASSES), control["accuracy"]
    facts = {
        "architecture": f"`ViT(**{recipe.architecture()})`, {parameters:.2f} M parameters, stored as fp16",
        "trained by": f"`{command}`",
        "recipe": f"{phases}; all of it: `{recipe}`",
        "scenes": f"{done.images:,} seen, about {done.images // recipe.passes:,} different, from `model/scenes.py`",
        "cost": f"{done.cpu_seconds / 60:.0f} CPU-minutes, {done.seconds / 60:.0f} minutes on a shared machine",
        "versions": f"Python {platform.python_version()}, torch {torch.__version__}, numpy {np.__version__}, "
        f"opencv {cv2.__version__}",
        "licence": "MIT, as the code that made it; no foreign data, no foreign weights",
    }
    what = "\n".join(f"| {key} | {value} |" for key, value in facts.items())
    rows = {**result["maps"], f"{last}, weights re-initialised": control["maps"][last]}
    where = "\n".join(f"| {key} | {p:.3f} | {e:.3f} | {a:.3f} |" for key, (p, e, a) in rows.items())
    best_first = sorted(result["per_class"].items(), key=lambda item: -item[1])
    classes = ", ".join(f"{key} {value:.2f}" for key, value in best_first)
    return f"""# {name}: a small Vision Transformer that knows twelve toy things

**On photographs its labels are wrong**: it has seen nothing but rendered scenes of {", ".join(CLASSES)}.
It is here so that attention can be looked at without any download, on pictures where the right answer is known to the
pixel. This page was written by the program that trained it.

| | |
|---|---|
{what}

## What it can do

Held-out scenes (seeds from {HELD_OUT:,}) with all clutter and occluders. One training run, one seed.

* accuracy, one object, {n} scenes: **{result["accuracy"]:.3f}**
  (chance {chance:.3f}; weights re-initialised {untrained:.3f})
* both objects are the two best classes, {n // 2} scenes with two objects: {result["both_found"]:.3f}
* per class: {classes}

## Where it looks

The same {n} scenes of one object, which covers {result["area"]:.1%} of the picture on average.
Attention is the row of the CLS token, mean over heads; rollout is that of Abnar & Zuidema 2020 with half identity.
Pointing: the brightest pixel lies on the object. Energy: the share of the map's sum that lies on the object. AUC: how
often a patch of the object is brighter than another patch. The re-initialised network: {control["count"]} scenes.

| map | pointing | energy | AUC |
|---|---|---|---|
{where}

What was supervised: the class; and what each patch shows, through a linear head on the patch tokens after block
{recipe.patch_block + 1} that is dropped on export. Attention maps got no supervision, but the patch tokens of the
middle of the network were told where the objects are.
"""
