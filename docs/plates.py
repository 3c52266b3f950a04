"""The plates of docs/: the toy world, and what the bundled networks look at in it. `python docs/plates.py` draws them."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np

import vizapp
from model.lessons import LESSONS, Example
from vizapp.core.metrics import metric_named

FOLDER = Path(__file__).parent
SCENES = (6, 1, 4, 7, 11, 17, 2, 9)  # of the set "clutter"
SIDE, GAP, HEAD = 112, 4, 18
STYLE = vizapp.Style(opacity=0.85)


def main() -> None:
    lessons = [[lesson.example(n).picture for n in range(12)] for lesson in LESSONS.values()]
    write("scenes.jpg", grid(lessons, [""] * 12))
    vit, crate = vizapp.load("toy"), vizapp.load("crate")
    by_layer, by_head = [], []
    for number in SCENES:
        example = LESSONS["clutter"].example(number)
        rows = {"layer": [outlined(example)], "head": [outlined(example)]}
        for model in (vit, crate):
            seen = vizapp.analyse(model, example.picture)
            layers = range(len(seen.trace.layers))
            rows["layer"] += [shown(seen, example, method="attention", layer=i) for i in layers]
            rows["layer"].append(shown(seen, example, method="rollout"))
            heads = range(seen.trace.layers[-1].n_heads)
            rows["head"] += [shown(seen, example, method="attention", layer=-1, head=h) for h in heads]
        by_layer.append(rows["layer"])
        by_head.append(rows["head"])
    names = [f"layer {i}" for i in range(1, 7)] + ["rollout"]
    write("plate-layers.jpg", grid(by_layer, ["", *(f"ViT {n}" for n in names), *(f"CRATE {n}" for n in names)]))
    heads = [f"ViT head {i}" for i in range(1, 7)] + [f"CRATE head {i}" for i in range(1, 9)]
    write("plate-heads.jpg", grid(by_head, ["", *heads]))


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
