"""A view as lines of code: the Python and the command that make the same map with the same colours.

    print(python(request, view, cache))

A model's file and a visitor's picture are named without their folder, which only their owner knows.
"""

import json
import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, assert_never, cast

from vizapp.analysis import AS_TRAINED, Request
from vizapp.errors import VizError
from vizapp.render.overlay import Style
from vizapp.ui.examples import lesson_of
from vizapp.ui.lesson_pictures import SIZE
from vizapp.vocabulary import CHAINS, COLOUR_MAPS, DIRECTIONS, FUSIONS, Chain, ColourMap, Direction, Fusion

Word = TypeVar("Word", bound=str)
QUERY = re.compile(r"[a-z]+\d*(\+[a-z]+\d*)*")


@dataclass(frozen=True)
class View:
    """The view of the stage, in the words of the viewer's state.

    query      the name of a token, or (row, col) of a patch of the current layer
    high       the value of the top colour
    """

    method: Chain
    layer: int
    head: int | None
    fusion: Fusion
    direction: Direction
    skip_weight: float
    query: str | tuple[int, int]
    colours: ColourMap
    opacity: float
    by_value: bool
    smooth: bool
    high: float

    @classmethod
    def read(cls, sent: Any) -> "View":
        """Read a view that a browser sent. Raises `VizError` for anything else."""
        try:
            query = sent["query"]
            named = query if isinstance(query, str) else (_whole(query[0]), _whole(query[1]))
            view = cls(
                method=_one_of(CHAINS, sent["method"]),
                layer=_whole(sent["layer"]),
                head=None if sent["head"] is None else _whole(sent["head"]),
                fusion=_one_of(FUSIONS, sent["fusion"]),
                direction=_one_of(DIRECTIONS, sent["direction"]),
                skip_weight=float(sent["skipWeight"]),
                query=named,
                colours=_one_of(COLOUR_MAPS, sent["colours"]),
                opacity=float(sent["opacity"]),
                by_value=sent["byValue"] is True,
                smooth=sent["smooth"] is True,
                high=float(sent["high"]),
            )
        except (KeyError, IndexError, TypeError, ValueError, OverflowError) as error:
            raise VizError("This is no view.") from error
        known = (
            (isinstance(view.query, tuple) or QUERY.fullmatch(view.query))
            and all(0 <= number < 1e6 for number in (view.layer, view.head or 0, view.skip_weight, view.high))
            and 0 <= view.opacity <= 1
        )
        if not known:
            raise VizError("This is no view.")
        return view

    @property
    def settings(self) -> dict[str, Any]:
        """Return all settings of the method for `vizapp.explain`: a later change of a default then changes no figure."""
        match self.method:
            case "rollout":
                return {"layer": self.layer, "fusion": self.fusion, "skip_weight": round(self.skip_weight, 6)}
            case "attention":
                heads = {"fusion": self.fusion} if self.head is None else {"head": self.head}
                return {"layer": self.layer, **heads, "direction": self.direction}
            case never:
                assert_never(never)


def _one_of(words: tuple[Word, ...], sent: object) -> Word:
    return words[words.index(cast(Word, sent))]


def _whole(number: Any) -> int:
    if not isinstance(number, int) or isinstance(number, bool):
        raise TypeError
    return number


def python(request: Request, view: View, cache: str) -> str:
    """Write lines of Python that save the map as map.png; "" for rollout towards a token, which the API does not have.

    `cache` is the server's folder. A picture of a lesson is recognised by its path, because a visitor may give any name.
    """
    if view.method == "rollout" and view.direction == "to":
        return ""
    lesson = lesson_of(request.source, cache)
    bare = ", is_bare=True" if lesson and lesson.is_bare else ""
    of_lesson = f'LESSONS["{lesson.name}"].example({lesson.number}, {SIZE}{bare}).picture' if lesson else ""
    picture = of_lesson or _said(_name(request.source))
    fit = "" if request.fit == AS_TRAINED else f", fit={_said(request.fit)}"
    fit += f", page={request.page}" if request.page > 1 else ""
    settings = "".join(f", {name}={_said(value)}" for name, value in view.settings.items())
    style = f"colour_map={_said(view.colours)}, opacity={round(view.opacity, 6)!r}"
    style += "" if view.by_value else ', alpha="constant"'
    style += ", smooth=True" if view.smooth else ""
    lines = [
        "import vizapp  # layers, heads, rows and columns are counted from 0",
        *(["from vizapp.model.toy.lessons import LESSONS"] if lesson else []),
        "",
        f"seen = vizapp.analyse({_said(_model(request))}, {picture}{fit})",
        f"found = vizapp.explain(seen, {_said(view.method)}, query={_said(view.query)}{settings})",
        f"style = vizapp.Style({style}, high={float(f'{view.high:.6g}')!r})",
        'vizapp.save(seen, found, "map.png", style=style)',
    ]
    return "\n".join(lines)


def command(request: Request, view: View, cache: str) -> str:
    """Write the command that makes the same map from a picture in a file; "" if the command cannot do that.

    It cannot render pictures of lessons, and it has one fixed opacity.
    """
    is_own = view.by_value and round(view.opacity, 6) == Style().opacity
    if (view.method == "rollout" and view.direction == "to") or not is_own or lesson_of(request.source, cache):
        return ""
    query = view.query if isinstance(view.query, str) else f"{view.query[0]},{view.query[1]}"
    own = {name: value for name, value in view.settings.items() if name not in ("layer", "head")}
    words = ["vizapp", "explain", _name(request.source), "-o", "map.png", "--model", _model(request)]
    words += [] if request.fit == AS_TRAINED else ["--fit", request.fit]
    words += ["--page", str(request.page)] if request.page > 1 else []
    words += ["--method", view.method, "--layer", str(view.layer)]
    words += [] if view.settings.get("head") is None else ["--head", str(view.head)]
    words += ["--query", query]
    words += [part for name, value in own.items() for part in ("--set", f"{name}={value}")]
    words += ["--colours", view.colours, *(["--smooth"] if view.smooth else []), "--scale", f"{view.high:.6g}"]
    return shlex.join(words)


def _said(value: Any) -> str:
    """Write a value as Python source, with double quotes."""
    return json.dumps(value) if isinstance(value, str) else repr(value)


def _name(source: str) -> str:
    return Path(source).name


def _model(request: Request) -> str:
    """Return the model's name; for a file only the file name, without its path on the server."""
    kind, colon, rest = request.model.partition(":")
    if not colon or kind != "file":
        return request.model
    path, mark, options = rest.partition("?")
    return f"file:{Path(path).name}{mark}{options}"
