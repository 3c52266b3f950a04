"""The plates of docs/: the toy world, and what the bundled networks look at in it. `python docs/plates.py` draws them."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np

import vizapp
from vizapp.core.metrics import metric_named
from vizapp.model.toy.lessons import LESSONS, Example

FOLDER = Path(__file__).parent
SCENES = (16, 1, 3, 4, 7, 11, 12, 5)  # of the set "clutter"
HEADS = {"ViT": 6, "CRATE": 8}
SIDE, GAP, HEAD = 112, 4, 18
STYLE = vizapp.Style(opacity=0.85)


def main() -> None:
    lessons = [[lesson.example(n).picture for n in range(12)] for lesson in LESSONS.values()]
    write("scenes.jpg", grid(lessons, [""] * 12))
    networks = {"ViT": vizapp.load("toy"), "CRATE": vizapp.load("crate")}
    by_layer, by_head = [], []
    for number in SCENES:
        example = LESSONS["clutter"].example(number)
        layers, heads = [outlined(example)], [outlined(example)]
        for model in networks.values():
            seen = vizapp.analyse(model, example.picture)
            layers += [shown(seen, example, method="attention", layer=i) for i in range(len(seen.trace.layers))]
            layers.append(shown(seen, example, method="rollout"))
            last = seen.trace.layers[-1].n_heads
            heads += [shown(seen, example, method="attention", layer=-1, head=h) for h in range(last)]
        by_layer.append(layers)
        by_head.append(heads)
    layer_names, head_names = [""], [""]
    for name, model in networks.items():
        layer_names += [*(f"{name} layer {i + 1}" for i in range(len(model.attention))), f"{name} rollout"]
        head_names += [f"{name} head {i + 1}" for i in range(HEADS[name])]
    write("plate-layers.jpg", grid(by_layer, layer_names))
    write("plate-heads.jpg", grid(by_head, head_names))


def shown(seen: vizapp.Analysis, example: Example, **asked: object) -> np.ndarray:
    """One map on its picture, with its energy on the object in the corner."""
    relevance = vizapp.explain(seen, **asked)
    picture = np.ascontiguousarray(vizapp.paint(seen, relevance, style=STYLE))
    energy = float(metric_named("energy")(relevance.scores, example.truth))
    for colour, width in (((0, 0, 0), 3), ((255, 255, 255), 1)):
        cv2.putText(picture, f"{energy:.0%}", (3, SIDE - 5), cv2.FONT_HERSHEY_SIMPLEX, 0.4, colour, width, cv2.LINE_AA)
    return picture


def outlined(example: Example) -> np.ndarray:
    picture = example.picture.copy()
    contours, _ = cv2.findContours(example.truth.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    return cv2.drawContours(picture, contours, -1, (94, 234, 212), 1)


def grid(rows: list[list[np.ndarray]], names: list[str]) -> np.ndarray:
    """Pictures in rows, each column with its name above."""
    step = SIDE + GAP
    sheet = np.full((HEAD + step * len(rows), step * len(names) - GAP, 3), 255, np.uint8)
    for column, name in enumerate(names):
        cv2.putText(sheet, name, (column * step + 2, 13), cv2.FONT_HERSHEY_SIMPLEX, 0.38, (0, 0, 0), 1, cv2.LINE_AA)
    for r, row in enumerate(rows):
        for column, picture in enumerate(row):
            sheet[HEAD + r * step : HEAD + r * step + SIDE, column * step : column * step + SIDE] = picture
    return sheet


def write(name: str, sheet: np.ndarray) -> None:
    cv2.imwrite(str(FOLDER / name), sheet[:, :, ::-1], [cv2.IMWRITE_JPEG_QUALITY, 85])


if __name__ == "__main__":
    main()
