"""A comparison as files: the table as CSV, the maps as a PNG of any width; each file names its own origin.

The maps are kept in the server's folder for as long as their files are, so that another width needs no second run.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from vizapp.errors import VizError
from vizapp.pipeline.comparison import Comparison
from vizapp.render.colour import DIVERGING
from vizapp.ui.comparison_html import Card, name_of
from vizapp.ui.server import folder
from vizapp.ui.words import DEFAULT, Words, words_for
from vizapp.vocabulary import COLOUR_MAPS

# Figures are imported where they are drawn: matplotlib takes most of a second, and a page that opens should not wait for it.

WIDTHS = (800, 1600, 2400, 3600)  # pixels; 2400 are 20 cm in print, at 300 dpi
NARROW = WIDTHS[0]  # drawn after every comparison; the others on demand
SIDE = 2.2  # inches of the longest side of a picture
PLATE = "plate.npz"


@dataclass(frozen=True)
class Files:
    """Paths in the server's folder. plate: the input of `drawn_again`; button: the label of the button that saves the maps."""

    table: str
    maps: str
    plate: str
    button: str


def drawable(words: Words) -> Words:
    """Return the words for a file: those of the page, or English if this machine has no font for them."""
    from vizapp.render.letters import can_write

    return words if can_write(words["page"].values()) else words_for(DEFAULT)


def files(
    words: Words,
    result: Comparison,
    made: list[Card],
    titled: Callable[[Words], str],
    second: Comparison | None = None,
    width: int = NARROW,
) -> Files:
    """Write them into the server's folder, which deletes them later: `drawable` words, `width` of the picture in pixels."""
    page, drawn = words["page"], drawable(words)
    button = page["save_png"] if drawn is words else page["save_png_english"]
    words = drawn
    page, title = words["page"], titled(words)
    columns = 3 if any(len(card.maps) > 1 for card in made) else 4
    cards = sorted(made, key=lambda card: len(card.maps) == 1)  # wide ones first, else as they were
    panels = [
        (name_of(words, card.method), one.label if len(card.maps) > 1 else _about(words, one.label), one.picture)
        for card in cards
        for one in card.maps
    ]
    told = {
        "title": title,
        "columns": columns,
        "panels": [[name, about] for name, about, _ in panels],
        "bars": [
            [COLOUR_MAPS[0], "0", "", page["bar_high"]],
            [DIVERGING[0], page["bar_against"], "0", page["bar_for"]],
        ],
        "about": result.made_from(second),
    }
    pictures: dict[str, Any] = {str(number): painted for number, (_, _, painted) in enumerate(panels)}
    key = repr([words.language, title, result.rows(), second and second.rows()]).encode()
    with folder.current().filling("vizapp", key) as made_in:
        result.save(made_in / "methods.csv", second, alone=True)
        with (made_in / PLATE).open("wb") as file:
            np.savez(file, told=json.dumps(told, default=str), **pictures)
        _draw(made_in / PLATE, made_in / f"methods-{width}.png", width)
    placed = folder.current().filled("vizapp", key)
    table, maps, plate = (str(placed / name) for name in ("methods.csv", f"methods-{width}.png", PLATE))
    return Files(table, maps, plate, button)


def numbers(result: Comparison, second: Comparison | None, path: Path) -> None:
    """Write an .npz: `scores_METHOD` (row, col); `share_METHOD`, `deletion_METHOD` and `insertion_METHOD` of its curves; `about`,
    the provenance as JSON. Those of a second class begin with "second_".
    """
    arrays: dict[str, Any] = {"about": json.dumps(result.made_from(second), default=str)}
    for of, one in (("", result), ("second_", second)):
        for name, made in one.maps.items() if one else ():
            arrays[f"{of}scores_{name}"] = made.scores
        for name, found in one.curves.items() if one else ():
            arrays |= {f"{of}{each}_{name}": getattr(found, each) for each in ("share", "deletion", "insertion")}
    with path.open("wb") as file:
        np.savez_compressed(file, **arrays)


def drawn_again(plate: str, width: int) -> str:
    """Draw the maps of a comparison in another width, and return the path of the PNG. Raises `VizError` if they are gone."""
    ours = folder.current().ours(plate)
    if ours is None or ours.name != PLATE:
        raise VizError("The maps of this comparison are not here any more.", "Press Compare again.")
    path = ours.with_name(f"methods-{width}.png")
    if not path.is_file():
        with folder.current().reading(plate), folder.current().filling("vizapp", str(path).encode()) as made_in:
            _draw(ours, made_in / path.name, width)
        path = folder.current().filled("vizapp", str(path).encode()) / path.name
    return str(path)


def _draw(plate: Path, path: Path, width: int) -> None:
    from vizapp.render.figure import save
    from vizapp.render.sheet import Bar, Panel, sheet

    with np.load(plate, allow_pickle=False) as kept:
        told = json.loads(str(kept["told"]))
        panels = [Panel(kept[str(number)], *names) for number, names in enumerate(told["panels"])]
    bars = [Bar(colours, words=words) for colours, *words in told["bars"]]
    drawn = sheet(panels, told["columns"], bars, side=SIDE, title=told["title"])
    # A thousandth of a pixel more: matplotlib rounds down.
    save(drawn, path, (width + 1e-3) / drawn.get_figwidth(), told["about"])


def _about(words: Words, label: str) -> str:
    page = words["page"]
    return page["for_class"].format(label=label) if label else page["every_class"]
