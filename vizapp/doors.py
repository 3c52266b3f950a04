"""The arguments that public functions have in common: which they are, and where one means nothing, and why.

elsewhere("compare", "inputs")      # the error that says where `inputs` is said; None: it is no common argument

A door is a public function, such as `vizapp.compare`. The arguments are declared once, by the doors that they belong to: what
describes a network by `describe`, how a picture is looked at by `analyse`, what a map is of by `explain`. Every other door takes
them all, or stands in `REFUSED`. A new argument is then taken by all functions that hand it on (`**described`), and
`tests/unit/test_same_arguments.py` names the others.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Literal

from vizapp.errors import VizError
from vizapp.wording import Text

Kind = Literal["network", "look", "question"]

OF_AN_ANALYSIS = (
    "compare embedding explain explain_many export film find_sinks grid head_statistics heads leave_out paint plot sanity "
    "save show steps teach widget"
)
# Functions; the kind of the arguments, or names of some; why these mean nothing there.
REFUSED: tuple[tuple[str, Kind | tuple[str, ...], Text], ...] = (
    (OF_AN_ANALYSIS, "network", Text("it takes an analysis, which has its network")),
    ("open", "network", Text("it opens an analysis, which has its network")),
    ("load", "network", Text("a network with a name says what it is")),
    ("text zero_shot", "network", Text("only networks that are loaded by a name have a tower for sentences")),
    ("measure", ("output",), Text("there, output= is the file to write")),
    (OF_AN_ANALYSIS, "look", Text("it takes an analysis, whose picture was looked at before")),
    ("describe load open quantised text zero_shot", "look", Text("it looks at no picture")),
    (
        "analyse_many evaluate measure video",
        ("picture", "truth", "page"),
        Text("it looks at many pictures, and this belongs to one"),
    ),
    ("check", ("truth",), Text("it draws and scores no map")),
    ("evaluate measure", ("max_pixels",), Text("a picture that is too large is left out, and named")),
    ("video", ("max_pixels",), Text("the frames of a film are all of one size, and small")),
    ("analyse analyse_many check describe load open quantised teach text zero_shot", "question", Text("it makes no map")),
    ("evaluate", "question", Text("it asks for the most probable class, and for what the classifier reads")),
    ("find_sinks head_statistics leave_out measure", "question", Text("it is about all queries, and about no class")),
    ("embedding", "question", Text("it follows a patch to its token, before anything looks at it")),
    ("steps", ("target",), Text("it follows one number of attention, which is the same for every class")),
    ("heads", ("target",), Text("attention is the same for every class")),
    ("export show widget", "question", Text("whoever looks at the page chooses there")),
    ("paint plot save", "question", Text("it takes a map, which has its own")),
)  # fmt: skip


def _where(kind: Kind, name: str) -> Text:
    """Say where the argument belongs."""
    if kind == "look":
        return Text("Say it where the picture is looked at: vizapp.analyse(model, picture, {name}=...).", name=name)
    if kind == "question":
        return Text("Say it where the map is made: vizapp.explain(seen, method, {name}=...).", name=name)
    return Text(
        "Say it where the network is looked at first, vizapp.analyse(net, picture, {name}=...), or once: "
        "vizapp.describe(net, {name}=...).",
        name=name,
    )


def common() -> dict[str, Kind]:
    """Name of an argument -> its kind, as the functions that they belong to declare them."""
    from vizapp.model.own_network import describe
    from vizapp.pipeline import analyse, explain

    of: dict[Kind, Callable[..., Any]] = {"question": explain, "look": analyse, "network": describe}
    return {
        name: kind
        for kind, function in of.items()
        for name, one in inspect.signature(function).parameters.items()
        if one.kind is one.KEYWORD_ONLY
    }


def refused(door: str, name: str, kind: Kind) -> Text | None:
    """Say why an argument means nothing for a function; None if it takes it."""
    return next(
        (why for doors, names, why in REFUSED if door in doors.split() and (kind == names or name in names)), None
    )


def elsewhere(door: str, name: str) -> VizError | None:
    """The error for a common argument where it means nothing; None for all others."""
    kind = common().get(name)
    why = refused(door, name, kind) if kind else None
    if kind is None or why is None:
        return None
    return VizError("{door} takes no {name}=: {why}.", _where(kind, name), door=door, name=name, why=why)
