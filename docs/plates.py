"""The plates of docs/: the toy world, and what the bundled networks look at in it. `python docs/plates.py` draws them."""

from pathlib import Path
from typing import Any

import cv2
import numpy as np

import vizapp
from vizapp.core.metrics import metric_named
from vizapp.model.toy.lessons import LESSONS, Example
from vizapp.render.sheet import Panel, sheet

FOLDER = Path(__file__).parent
SCENES = (16, 1, 3, 4, 7, 11, 12, 5)  # of the set "clutter"
SIDE = 1.12  # inches of a picture: of 112 pixels, as the networks see them
STYLE = vizapp.Style(opacity=0.85)


def main() -> None:
    write("scenes.jpg", [Panel(lesson.example(n).picture) for lesson in LESSONS.values() for n in range(12)], 12)
    networks = {"ViT": vizapp.load("toy"), "CRATE": vizapp.load("crate")}
    by_layer: list[list[Panel]] = []
    by_head: list[list[Panel]] = []
    for number in SCENES:
        example = LESSONS["clutter"].example(number)
        layers, heads = [Panel(outlined(example))], [Panel(outlined(example))]
        for name, model in networks.items():
            seen = vizapp.analyse(model, example.picture)
            for n in range(len(seen.trace.layers)):
                layers.append(shown(seen, example, f"{name} layer {n + 1}", method="attention", layer=n))
            layers.append(shown(seen, example, f"{name} rollout", method="rollout"))
            for n in range(seen.trace.layers[-1].n_heads):
                heads.append(shown(seen, example, f"{name} head {n + 1}", method="attention", layer=-1, head=n))
        by_layer.append(layers)
        by_head.append(heads)
    for file, rows in (("plate-layers.jpg", by_layer), ("plate-heads.jpg", by_head)):
        write(file, [one for row in rows for one in row], len(rows[0]))


def shown(seen: vizapp.Analysis, example: Example, name: str, **asked: Any) -> Panel:
    """One map on its picture, under its name and its energy on the object."""
    relevance = vizapp.explain(seen, **asked)
    energy = float(metric_named("energy")(relevance.scores, example.truth))
    return Panel(vizapp.paint(seen, relevance, style=STYLE), f"{name}: {energy:.0%}")


def outlined(example: Example) -> np.ndarray:
    picture = example.picture.copy()
    contours, _ = cv2.findContours(example.truth.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    return cv2.drawContours(picture, contours, -1, (94, 234, 212), 1)


def write(name: str, panels: list[Panel], columns: int) -> None:
    sheet(panels, columns, [], side=SIDE).savefig(FOLDER / name, pil_kwargs={"quality": 80})


if __name__ == "__main__":
    main()
