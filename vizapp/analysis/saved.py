"""Opens an analysis that `Analysis.save` wrote. The file contains no network and no code."""

import os
from collections.abc import Iterator
from dataclasses import MISSING, fields
from pathlib import Path

from vizapp.analysis import Analysis, Truth, archive
from vizapp.core.attention.cells import Cells
from vizapp.core.attention.layers import LayerAttention
from vizapp.core.attention.ledger import Entry, Ledger
from vizapp.core.attention.sides import Sides
from vizapp.core.attention.trace import AttentionTrace
from vizapp.core.attention.windows import WindowedAttention
from vizapp.core.interventions import parse_all
from vizapp.errors import VizError
from vizapp.model.frame import Frame
from vizapp.model.spec import TokenLayout

KINDS = (
    AttentionTrace,
    WindowedAttention,
    TokenLayout,
    Frame,
    Truth,
    Ledger,
    Entry,
    Sides,
    Cells,
)  # and every other kind of layer


def open(path: str | os.PathLike[str]) -> Analysis:
    """Open a saved analysis: picture, attention of every layer and head, logits, labels, notes, and `origin`, who made it
    when.

    Methods that need only attention ("attention", "rollout", ...) can explain it, and it can be painted, plotted and
    compared. Methods that run the network again are refused, because the file has none.

    Raises
    ------
    VizError
        for any other file

    Examples
    --------
    >>> vizapp.analyse("toy", "example").save("kept.vizapp")
    >>> found = vizapp.explain(vizapp.open("kept.vizapp"), "rollout")
    """
    kinds = {kind.__name__: kind for kind in (*KINDS, *_kinds_of(LayerAttention))}
    content = archive.read(Path(os.path.expanduser(path)), kinds)
    needed = {one.name for one in fields(Analysis) if one.default is MISSING and one.default_factory is MISSING}
    if not isinstance(content.get("trace"), AttentionTrace) or not needed | {"edits"} <= content.keys():
        raise VizError("'{path}' is no analysis that vizapp saved: it lacks a part of one.", path=path)
    known = {one.name for one in fields(Analysis)} - {"context"}
    return Analysis(
        **{name: one for name, one in content.items() if name in known} | {"edits": parse_all(content["edits"])}
    )


def _kinds_of(kind: type) -> Iterator[type]:
    one: type
    for one in kind.__subclasses__():
        yield one
        yield from _kinds_of(one)
