"""The screen of a comparison, as data: its maps around one picture, what is said of each, and its curves.

Python paints, writes every word and rounds every number; views/methods.js builds the screen from it, and follows the mouse. A
page without a server says the same of what it has computed itself (browser/page/methods/told.js).
"""

import json
from html import escape
from typing import Any

import numpy as np

from vizapp.core.methods import method_named
from vizapp.pipeline.comparison import RANDOM, Comparison
from vizapp.render.colour import DIVERGING, lut
from vizapp.render.small import data_uri
from vizapp.ui.comparison_curves import charts
from vizapp.ui.comparison_html import Card, Map, about_of, name_of, title_of
from vizapp.ui.words import Words
from vizapp.vocabulary import COLOUR_MAPS
from vizapp.wording import Text

# Before the first run: the picture of the stage, which the script draws.
REST = '<div class="methods-screen"><div class="methods-large"><canvas class="methods-rest"></canvas></div></div>'


def screen(words: Words, result: Comparison, second: Comparison | None, made: list[Card]) -> str:
    """Make the HTML that holds it: views/methods.js builds the rest."""
    told = json.dumps(comparison(words, result, second, made))
    return f'<div class="methods-screen" data-comparison="{escape(told)}"></div>'


def comparison(words: Words, result: Comparison, second: Comparison | None, made: list[Card]) -> dict[str, Any]:
    """Return what views/methods.js calls Told. The first map is large."""
    height, width = made[0].maps[0].picture.shape[:2]
    both = [one for one in (result, second) if one is not None and one.curves]
    return {
        "window": result.seen.frame.window_shares,
        "aspect": round(width / height, 4),
        "words": labels(words),
        "strips": strips(),
        "methods": [_method(words, result, second, card) for card in made],
        "charts": [charts(words, one) for one in both],
        "note": words.say("page", "band", n=result.orders) if both else words["page"]["no_curves"],
    }


def labels(words: Words) -> dict[str, str]:
    """Return the words of the screen itself."""
    page = words["page"]
    return {
        "large": page["large"],
        "all": page["all_maps"],
        "said": page["said_of_map"],
        "here": page["patch_value"],
        "hidden": page["patch_hidden"],
        "against": page["bar_against"],
        "for": page["bar_for"],
    }


def strips() -> list[str]:
    """Return pictures of the colours: of maps with one side, and with two."""
    return [data_uri(lut(name)[None]) for name in (COLOUR_MAPS[0], DIVERGING[0])]


def _method(words: Words, result: Comparison, second: Comparison | None, card: Card) -> dict[str, Any]:
    maps = []
    for number, one in enumerate(card.maps):
        of = second if number == 1 and second else result
        maps.append(_map(words, of, card, one, number))
    return {
        "name": card.method,
        "title": name_of(words, card.method),
        "tag": _tag(words, card.method, card.maps[0]),
        "isOfClass": method_named(card.method).class_specific,
        "maps": maps,
    }


def _map(words: Words, of: Comparison, card: Card, one: Map, number: int) -> dict[str, Any]:
    """Describe a map for the page. Values have three digits, as they are shown; what is hidden has none."""
    name = name_of(words, card.method)
    hidden = np.zeros_like(one.scores, bool) if one.hidden is None else one.hidden
    scores = [
        [None if is_hidden else float(f"{value:.3g}") for value, is_hidden in zip(*row, strict=True)]
        for row in zip(np.asarray(one.scores, float).tolist(), hidden.tolist(), strict=True)
    ]
    return {
        "alt": f"{name}: {one.label}" if one.label else name,
        "label": one.label,
        "src": data_uri(one.picture),
        "bounds": [f"{bound:.3g}" for bound in one.bounds],
        "scores": scores,
        "charts": number % 2,  # a difference stands beside the curves of the first class
        "told": _told(words, of, card, one, number == 2),
    }


def _tag(words: Words, method: str, one: Map) -> str:
    specific = method_named(method).class_specific
    return words.say("page", "for_class", label=one.label) if specific else words["page"]["every_class"]


# ---- what is said of a map


def _told(words: Words, of: Comparison, card: Card, one: Map, is_difference: bool) -> dict[str, Any]:
    method, title = method_named(card.method), title_of(words, card.method, of)
    if is_difference:
        about: dict[str, Any] = {"title": f"{title}: {one.label}", "sentence": words["page"]["scale_apart"]}
        return about | {"tag": "", "numbers": [], "notes": [], "paper": ""}
    return {
        "title": title,
        "tag": _tag(words, card.method, one),
        "sentence": about_of(words, card.method),
        "numbers": _numbers(words, of, card.method),
        "notes": [words.translate(note) for note in card.notes],
        "paper": words.say("page", "paper", paper=method.paper),
    }


def _numbers(words: Words, of: Comparison, method: str) -> list[dict[str, str]]:
    row, told = next(row for row in of.rows() if row["method"] == method), []
    for measure in of.measures:
        if not measure.main or row.get(measure.name) is None:
            continue
        beaten = ""
        if measure.name in of.chance and method != RANDOM:
            better = round(of.beaten(method, measure) * of.orders)
            beaten = words.say("page", "beaten", n=better, of=of.orders)
        title = words.translate(Text(measure.title))
        told.append({"title": title, "value": f"{row[measure.name]:.3f}", "beaten": beaten})
    return told
