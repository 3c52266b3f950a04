"""Results as plain JSON, the same for `--json` on the command line and for programs that call the page."""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, get_args, get_origin

import numpy as np

from vizapp.analysis import Analysis
from vizapp.core.attention.relevance import Relevance
from vizapp.core.methods import Method
from vizapp.pipeline.comparison import label_of


def written(found: object) -> str:
    """The result as JSON text in ASCII, which every terminal can show. Unknown numbers become null, since JSON has no NaN."""
    return json.dumps(_known(found), indent=1, default=str, allow_nan=False)


def _known(found: object) -> object:
    if isinstance(found, Mapping):
        return {str(name): _known(one) for name, one in found.items()}
    if isinstance(found, (list, tuple)):
        return [_known(one) for one in found]
    return None if isinstance(found, float) and not math.isfinite(found) else found


def numbers(values: np.ndarray | Sequence[Any] | float) -> Any:
    """Nested lists with just enough digits to restore the same float32; null for NaN and infinity."""
    array = np.asarray(values, np.float32)
    if array.ndim:
        return [numbers(row) for row in array]
    value = float(str(array[()]))
    return value if math.isfinite(value) else None


def of_network(seen: Analysis) -> dict[str, Any]:
    """The network, and how the picture was preprocessed for it."""
    cells = seen.trace.cells
    return {
        "model": seen.model_name,
        "fit": seen.fit,
        **({} if cells is None else {"cells": cells.in_json()}),
        "grid": list(seen.trace.layout.grid),
        "prefix": list(seen.trace.layout.prefix),
        "notes": [str(one) for one in seen.notes],
    }


def top_of(seen: Analysis, count: int) -> list[dict[str, Any]]:
    """The most probable classes, best first; [] without a classifier."""
    best = seen.best(count)
    return [{"index": index, "label": seen.labels[index], "probability": numbers(share)} for index, share in best]


def target_of(seen: Analysis, target: int | str | None) -> dict[str, Any] | None:
    """The class that was explained; None if none was."""
    return None if target is None else {"index": target, "label": label_of(seen, target)}


def map_of(one: Relevance) -> dict[str, Any]:
    """A map: its (row, col) values, the relevance of tokens that are not patches, and which patches are hidden, if some are."""
    hidden = {} if one.hidden is None else {"hidden": one.hidden.tolist()}
    on_prefix = {name: numbers(share) for name, share in one.on_prefix.items()}
    return {"values": numbers(one.scores), "on_prefix": on_prefix, **hidden}


def explained(seen: Analysis, found: Relevance) -> dict[str, Any]:
    """One map, the question that it answers, and the network's classes for the picture."""
    about = of_network(seen)
    return about | {
        "notes": list(dict.fromkeys([*about["notes"], *map(str, found.notes)])),
        "method": found.method,
        "query": found.asked or None,
        "target": target_of(seen, found.target),
        "settings": dict(found.settings),
        "unit": str(found.unit),
        "signed": found.signed,
        **map_of(found),
        "top": top_of(seen, 5),
    }


def of_methods(some: Iterable[Method]) -> list[dict[str, Any]]:
    """The descriptions of methods, with their settings."""
    return [
        {name: str(getattr(one, name)) for name in ("name", "title", "sentence", "paper", "cost", "package", "lacks")}
        | {name: getattr(one, name) for name in ("baseline", "class_specific", "signed", "by_query", "needs_network")}
        | {"needs": list(one.needs), "settings": [_setting(one, name) for name in one.parameters]}
        for one in some
    ]


def _setting(method: Method, name: str) -> dict[str, Any]:
    """The values that a setting takes: the words of a choice, or types."""
    parameter, said = method.parameters[name], method.settings[name]
    is_choice = get_origin(parameter.annotation) is Literal
    kinds = get_args(parameter.annotation) or (parameter.annotation,)
    takes = {"choices": list(kinds)} if is_choice else {"takes": [kind.__name__ for kind in kinds]}
    return {"name": name, "default": parameter.default, **takes, "about": f"{said.title}. {said.about}".strip()}
