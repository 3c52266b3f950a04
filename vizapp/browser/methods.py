"""The explanation methods of a page without a server, in words, and why the others are not there."""

from __future__ import annotations

import base64
from typing import Any

from vizapp.core.attention.trace import Share
from vizapp.core.methods import Method, method_named, methods
from vizapp.render.colour import DIVERGING, lut
from vizapp.ui.words import Words
from vizapp.wording import Text

# What engine/methods has: these need the forward pass and nothing else.
HERE = ("attention", "rollout", "value_attention", "value_rollout", "alti", "occlusion", "rise", "random", "centre")
OF_GENERATORS = ("cross_attention", "daam")  # of networks that make pictures: none runs in a page


def method_list(words: Words) -> list[dict[str, Any]]:
    """What the page says of each method that it has."""
    return [_said(method_named(name), words) for name in HERE]


def elsewhere(words: Words) -> str:
    """In sentences, which methods vizapp has that the page has not, and why."""
    others = [one for one in methods().values() if one.name not in (*HERE, *OF_GENERATORS)]
    titles = {one: words.translate(Text(one.title)) for one in others}
    return words.say(
        "export",
        "methodsElsewhere",
        gradients=words.listed(title for one, title in titles.items() if "gradient" in one.needs),
        others=words.listed(title for one, title in titles.items() if "gradient" not in one.needs),
    )


def two_sided() -> dict[str, str]:
    """256 RGB triples each, in base64, for what speaks for a class and for what speaks against it: from white to the colour."""
    against, for_ = lut(DIVERGING[0])[127::-1], lut(DIVERGING[0])[128:]
    return {
        name: base64.b64encode(half.repeat(2, 0).tobytes()).decode()
        for name, half in (("for", for_), ("against", against))
    }


def _said(method: Method, words: Words) -> dict[str, Any]:
    unit = method.unit({name: parameter.default for name, parameter in method.parameters.items()})
    return {
        "name": method.name,
        "title": words.translate(Text(method.title)),
        "sentence": words.translate(Text(method.sentence)),
        "unit": words.translate(unit),
        "isShare": isinstance(unit, Share),
        "isSlow": method.cost == "slow",
        "ofClass": method.class_specific,
        "isSigned": method.signed,
        "isBaseline": method.baseline,
    }
