"""The keys of a link and the values that each takes, for what is written before a page runs: the chapters of the textbook.

    strange("picture=lesson/one/3&layer=99", "toy")     # what of it no page would understand, a sentence each
    strange_goal("head", 77, "toy")                     # the same of what an exercise waits for

The browser reads links by ui/viewer/keys.js and the `state` of its panels. `KEYS` has the same keys, kinds and bounds; a test
compares the two. Layers, heads and tokens are those of the network that the link names, if it is one of ours.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from vizapp import pipeline
from vizapp.core.metrics import metrics
from vizapp.model.zoo import bundled
from vizapp.ui.lesson_pictures import Place
from vizapp.vocabulary import (
    AS_TRAINED,
    ATLAS_ORDERS,
    CHAINS,
    COLOUR_MAPS,
    DIRECTIONS,
    FITS,
    FUSIONS,
    SCALES,
    STATE_VERSION,
    TOKENS,
)

VIEWS = Path(__file__).with_name("views")
NAME = re.compile(r"[^<>&]{1,64}")
NUMBERED = re.compile(r"(reg|extra)\d+")  # tokens of which a network may have several
MOST = 10**6  # of a number that counts
MOST_STEPS = 12  # on the way to one number
GOALS = ("changed", "any", "none")  # what an exercise may wait for, whatever the key is


@dataclass(frozen=True)
class Kind:
    """The values of one key: flag, index (0 to `high`), number (`low` to `high`), place, name, json, or oneOf `names`."""

    kind: str
    low: float = 0
    high: float = MOST
    names: tuple[str, ...] = ()

    def why_not(self, text: str) -> str:
        """Say what is wrong with a value as a link writes it; "" if nothing is."""
        if self.kind == "flag":
            return "" if text in ("0", "1") else "it is 0 or 1"
        if self.kind == "oneOf":
            return "" if text in self.names else f"it is one of {', '.join(self.names)}"
        if self.kind == "name":
            return "" if NAME.fullmatch(text) and text.isprintable() else "it is a name"
        if self.kind == "place":
            parts = [_number(part) for part in text.split(",")]
            is_place = len(parts) == 2 and all(abs(part) <= 9 for part in parts)
            return "" if is_place else "it is two shares of the picture, as 0.25,0.5"
        if self.kind == "json":
            return ""
        value = _number(text)
        if self.kind == "index" and not (value.is_integer() and 0 <= value <= self.high):
            return f"it is a whole number from 0 to {self.high:g}"
        return "" if self.low <= value <= self.high else f"it is a number from {self.low:g} to {self.high:g}"


def _one_of(*names: str) -> Kind:
    return Kind("oneOf", names=names)


FLAG, INDEX, SHARE, PLACE = Kind("flag"), Kind("index"), Kind("number", 0, 1), Kind("place")
NAMED, JSON = Kind("name"), Kind("json")

KEYS: Mapping[str, Kind] = {
    **dict.fromkeys(("pinned", "atlas", "score", "question", "steps", "teach"), FLAG),
    **dict.fromkeys(("byValue", "smooth", "grid", "outline", "sinks", "sinksApart"), FLAG),
    **dict.fromkeys(("layer", "head", "crossBlock", "crossQuery", "dimension", "moment"), INDEX),
    **dict.fromkeys(("skipWeight", "fixed", "opacity"), SHARE),
    **dict.fromkeys(("place", "number"), PLACE),
    **dict.fromkeys(("token", "chapter", "colours", "metric"), NAMED),
    **dict.fromkeys(("things", "shapes"), JSON),
    "step": Kind("index", high=MOST_STEPS - 1),
    "fusion": _one_of("one", *FUSIONS),
    "method": _one_of(*CHAINS),
    "direction": _one_of(*DIRECTIONS),
    "scale": _one_of(*SCALES),
    "order": _one_of(*ATLAS_ORDERS),
}
# Keys that no link holds; an exercise may wait for them.
PASSING = set(
    "hover peek thing labelled taught guess marked hand tool past sinksFound sinksLeft labels".split()
)  # fmt: skip
PAGE_KEYS = ("v", "picture", "page", "model", "fit", "edits", "tab")


@dataclass(frozen=True)
class Network:
    """The parts of a network of ours that a link may name."""

    layers: int
    heads: int
    tokens: tuple[str, ...]

    def why_not(self, key: str, value: str) -> str:
        """Say what is wrong with a value that its kind allows; "" if nothing is."""
        if key == "layer" and int(value) >= self.layers:
            return f"the network has {self.layers} layers, from 0 to {self.layers - 1}"
        if key == "head" and int(value) >= self.heads:
            return f"the network has {self.heads} heads, from 0 to {self.heads - 1}"
        if key == "token" and value not in self.tokens:
            return f"the network has {', '.join(self.tokens)}"
        return ""


@cache
def network_of(model: str) -> Network | None:
    """The network of a name; None if it is not on board."""
    name = model.partition("?")[0]
    if name not in bundled.names():
        return None
    made = bundled.architecture(name)
    own = ["cls"] if made.get("class_token", True) else []
    own += [f"reg{number}" for number in range(made.get("reg_tokens", 0))]
    return Network(made["depth"], made["num_heads"], (*own, "mean"))


def strange(link: str, model: str = "", *, with_page: bool = False) -> Iterator[str]:
    """Yield a sentence for each part of a link's text that no page would understand.

    model      of the page that it is read on, if the text names none
    with_page  whether it may name a picture and a model, too, as the link that opens a view does
    """
    for part in filter(None, link.split("&")):
        if "=" not in part:
            yield f"'{part}' is no key=value"
    said = parse_qsl(link, keep_blank_values=True)
    network = network_of(dict(said).get("model", model) if with_page else model)
    for key, value in said:
        if key in PAGE_KEYS and with_page:
            why = _of_page(key, value)
        elif key not in KEYS:
            why = "no link has this key" if key not in PAGE_KEYS else "only the link that opens a chapter has this key"
        else:
            why = _why_not(key, value, network) if value else ""  # nothing: as at the start
        if why:
            yield f"{key}={value} cannot be: {why}"


def strange_goal(key: str, value: Any, model: str = "") -> str:
    """Say what is wrong with the value of a key that an exercise waits for; "" if nothing is."""
    said = f"{key} = {str(value).lower() if isinstance(value, bool) else value} cannot be done: "
    if key in ("picture", "model"):
        return "" if isinstance(value, str) else f"{said}it is a name, or 'changed'"
    if key not in KEYS:
        return "" if key in PASSING else f"{said}the page has no key {key}"
    kind = KEYS[key]
    if value in GOALS or (key == "layer" and value == "last"):
        return ""
    if isinstance(value, str) and value.startswith(">="):
        is_bound = kind.kind in ("index", "number") and math.isfinite(_number(value[2:]))
        return "" if is_bound else f"{said}it is no number"
    if kind.kind in ("place", "json"):
        return f"{said}it is one of {', '.join(GOALS)}"
    if kind.kind == "flag":
        return "" if isinstance(value, bool) else f"{said}it is true or false"
    is_counted, is_number = kind.kind in ("index", "number"), isinstance(value, (int, float))
    if isinstance(value, bool) or is_counted != is_number or not isinstance(value, (str, int, float)):
        return f"{said}it is {'a number' if is_counted else 'a text'}"
    why = _why_not(key, str(value), network_of(model))
    return f"{said}{why}" if why else ""


def _why_not(key: str, value: str, network: Network | None) -> str:
    if key == "colours" and value not in COLOUR_MAPS:
        return f"it is one of {', '.join(COLOUR_MAPS)}"
    if key == "metric" and value not in metrics():
        return f"it is one of {', '.join(metrics())}"
    if key == "token" and network is None and value not in TOKENS and not NUMBERED.fullmatch(value):
        return f"it is one of {', '.join(TOKENS)}, or reg0, reg1, ..."
    return KEYS[key].why_not(value) or (network.why_not(key, value) if network else "")


def _of_page(key: str, value: str) -> str:
    """Say what is wrong with a value of the page's part of a link; "" if nothing is."""
    if key == "v":
        known = [str(one + 1) for one in range(STATE_VERSION)]
        return "" if value in known else f"versions are {', '.join(known)}"
    if key == "picture":
        kind, _, rest = value.partition("/")
        is_known = (kind == "lesson" and Place.of(rest) is not None) or (kind == "photo" and bool(rest))
        return "" if is_known else "it is lesson/NAME/NUMBER, or photo/NAME"
    if key == "page":
        return "only a visitor's own picture has pages"
    if key == "fit":
        fits = (AS_TRAINED, *FITS)
        return "" if value in fits else f"it is one of {', '.join(fits)}"
    if key == "tab":
        tabs = sorted(path.stem for path in VIEWS.glob("[a-z]*.py"))
        return "" if value in tabs else f"it is one of {', '.join(tabs)}"
    if key == "model" and ":" not in value and not network_of(value) and value not in pipeline.model_names():
        return "there is no such network"
    return ""


def _number(text: str) -> float:
    """A number as the browser reads it; NaN for anything else."""
    try:
        return float(text)
    except ValueError:
        return math.nan
