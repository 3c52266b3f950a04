"""The screen of a comparison: one map large, all maps small around the same picture, what is said of one, and its curves.

Python writes every word and number; views/methods.js shows the map that is pointed at, and marks one patch in all of them.
"""

from __future__ import annotations

import json
from html import escape
from typing import Any

import numpy as np

from vizapp.core.methods import method_named
from vizapp.pipeline.comparison import RANDOM, Comparison
from vizapp.render.colour import DIVERGING, lut
from vizapp.render.small import data_uri
from vizapp.ui.comparison_curves import curves
from vizapp.ui.comparison_html import Card, Map, about_of, name_of, title_of
from vizapp.ui.words import Words
from vizapp.vocabulary import COLOUR_MAPS
from vizapp.wording import Text

# Before the first run: the picture of the stage, which the script draws.
REST = '<div class="methods-screen"><div class="methods-large"><canvas class="methods-rest"></canvas></div></div>'
MARK = '<i class="methods-mark" hidden></i><output class="methods-value"></output>'


def screen(words: Words, result: Comparison, second: Comparison | None, made: list[Card]) -> str:
    """Make the HTML of all of it. The first map is large."""
    page = words["page"]
    first = made[0].maps[0]
    height, width = first.picture.shape[:2]
    maps = [(card, number, one) for card in made for number, one in enumerate(card.maps)]
    wide = any(len(card.maps) > 1 for card in made)
    columns = 6 if wide or len(made) > 10 else max(4, -(-len(made) // 2))
    rows = min(3, -(-len(made) // columns))
    told = {"window": _window(result), "maps": [_told(card, number, one) for card, number, one in maps]}
    figures, at = [], 0
    for card in made:
        figures.append(_figure(words, card, at))
        at += len(card.maps)
    large = (
        f'<div class="methods-picture" data-map="0" tabindex="0" role="application" aria-label="{page["large"]}">'
        f'{_image(words, made[0], first)}{MARK}<span class="methods-scale" data-signed="{str(first.bounds[0] < 0).lower()}">'
        f"<i>{page['bar_against']}</i><span>{first.bounds[0]:.3g}</span>{_strip(COLOUR_MAPS[0])}{_strip(DIVERGING[0])}"
        f"<span>{first.bounds[1]:.3g}</span><i>{page['bar_for']}</i></span></div>"
    )
    return (
        f'<div class="methods-screen" data-maps="{escape(json.dumps(told))}" data-here="{escape(page["patch_value"])}"'
        f' style="--aspect: {width / height:.4f}; --columns: {columns}; --rows: {rows}">'
        f'<div class="methods-large">{large}</div>'
        f'<div class="methods-grid" role="group" tabindex="0" aria-label="{page["all_maps"]}">{"".join(figures)}</div>'
        f'<div class="methods-told" tabindex="0" role="region" aria-label="{page["said_of_map"]}">'
        f'{_sections(words, result, second, made)}<output class="methods-here"></output></div>'
        f'<div id="methods-curves">{curves(words, result, second, made[0].method)}</div></div>'
    )


def _window(result: Comparison) -> list[float]:
    """What the network saw, as shares of the picture: left, top, right, bottom."""
    height, width = result.seen.frame.picture
    left, top, right, bottom = result.seen.frame.window
    return [left / width, top / height, right / width, bottom / height]


def _told(card: Card, number: int, one: Map) -> dict[str, Any]:
    """What the script needs of a map. Values have three digits, as they are shown."""
    scores = [[float(f"{value:.3g}") for value in row] for row in np.asarray(one.scores, float).tolist()]
    of_class = number % 2  # a difference stands beside the curves of the first class
    bounds = [f"{bound:.3g}" for bound in one.bounds]
    about = {"method": card.method, "told": f"{card.method} {number}", "class": of_class}
    return about | {"bounds": bounds, "scores": scores}


def _figure(words: Words, card: Card, at: int) -> str:
    name, wide = escape(name_of(words, card.method)), len(card.maps) > 1
    buttons = "".join(
        f'<button type="button" data-map="{at + number}" aria-pressed="{str(at + number == 0).lower()}">'
        f'<span class="methods-picture" data-map="{at + number}">{_image(words, card, one)}{MARK}</span>'
        f"{f'<small>{escape(one.label)}</small>' if wide else ''}</button>"
        for number, one in enumerate(card.maps)
    )
    tag = "" if wide else _tag(words, card.method, card.maps[0])
    return (
        f'<figure class="{"methods-wide" if wide else ""}" data-method="{card.method}"><div>{buttons}</div>'
        f'<figcaption title="{name}"><b>{name}</b>{tag}</figcaption></figure>'
    )


def _tag(words: Words, method: str, one: Map) -> str:
    page, specific = words["page"], method_named(method).class_specific
    said = page["for_class"].format(label=escape(one.label)) if specific else page["every_class"]
    return f'<span class="methods-tag" data-class="{specific}">{said}</span>'


def _image(words: Words, card: Card, one: Map) -> str:
    name = name_of(words, card.method)
    return f'<img alt="{escape(f"{name}: {one.label}" if one.label else name)}" src="{data_uri(one.picture)}">'


def _strip(colour_map: str) -> str:
    return f'<img alt="" src="{data_uri(lut(colour_map)[None])}">'


# ---- what is said of a map


def _sections(words: Words, result: Comparison, second: Comparison | None, made: list[Card]) -> str:
    """Write one section for each map; all but the first are hidden."""
    sections: list[str] = []
    for card in made:
        for number, one in enumerate(card.maps):
            said = _section(words, second if number == 1 and second else result, card, one, number == 2)
            sections.append(
                f'<section data-told="{card.method} {number}"{" hidden" if sections else ""}>{said}</section>'
            )
    return "".join(sections)


def _section(words: Words, of: Comparison, card: Card, one: Map, is_difference: bool) -> str:
    page, method = words["page"], method_named(card.method)
    name = escape(title_of(words, card.method, of))
    if is_difference:
        return f"<h3>{name}: {escape(one.label)}</h3><p>{page['scale_apart']}</p>"
    paper = page["paper"].format(paper=method.paper)
    notes = "".join(f'<p class="methods-note">{escape(words.translate(one))}</p>' for one in card.notes)
    return (
        f"<h3>{name} {_tag(words, card.method, one)}</h3><p>{escape(about_of(words, card.method))}</p>"
        f"{_numbers(words, of, card.method)}{notes}<small>{escape(paper)}</small>"
    )


def _numbers(words: Words, of: Comparison, method: str) -> str:
    row, parts = next(row for row in of.rows() if row["method"] == method), []
    for measure in of.measures:
        if not measure.main or row.get(measure.name) is None:
            continue
        beaten = ""
        if measure.name in of.chance and method != RANDOM:
            better = round(of.beaten(method, measure) * of.orders)
            said = words.say("page", "beaten", n=better, of=of.orders)
            beaten = f" <small>{said}</small>"
        title = escape(words.translate(Text(measure.title)))
        parts.append(f"<li>{title} <b>{row[measure.name]:.3f}</b>{beaten}</li>")
    return f'<ul class="methods-areas">{"".join(parts)}</ul>' if parts else ""
