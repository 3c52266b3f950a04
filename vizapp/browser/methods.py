"""Describes the explanation methods of a page without a server, and why it lacks the others."""

import base64
from collections.abc import Sequence
from typing import Any

from vizapp.core.methods import method_named, methods
from vizapp.render.colour import DIVERGING, lut
from vizapp.ui.words import Words
from vizapp.vocabulary import BROWSER_METHODS
from vizapp.wording import Text

OF_GENERATORS = ("cross_attention", "daam")  # of networks that make pictures: none runs in a page


def method_list(words: Words, names: Sequence[str] = BROWSER_METHODS) -> list[dict[str, Any]]:
    """The descriptions of the page's methods."""
    return [
        {
            "name": method.name,
            "title": words.translate(Text(method.title)),
            "sentence": words.translate(Text(method.sentence)),
            "paper": method.paper,
            "isSlow": method.cost == "slow",
            "ofClass": method.class_specific,
            "isSigned": method.signed,
            "isBaseline": method.baseline,
        }
        for method in map(method_named, names)
    ]


def elsewhere(words: Words) -> str:
    """Sentences about the methods of vizapp that the page lacks, and why."""
    others = [one for one in methods().values() if one.name not in (*BROWSER_METHODS, *OF_GENERATORS)]
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
