"""Describes a map that leaves the program: a line about it, how its total is split, and its numbers in a file."""

import hashlib
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from vizapp.analysis import Analysis
from vizapp.analysis.provenance import provenance
from vizapp.core.attention.hidden import hidden_to, seen_by, seen_together
from vizapp.core.attention.relevance import Relevance
from vizapp.core.methods import methods, ruled_out


def edited_name(seen: Analysis) -> str:
    """The model's name with the edits of its forward pass: "toy (head-off:5.3)"."""
    return seen.model_name + (f" ({', '.join(map(str, seen.edits))})" if seen.edits else "")


def describe(relevance: Relevance) -> str:
    """The method, the query and the settings in one line, in the words and the counting (from 0) of the API."""
    unused = {"fusion"} if relevance.settings.get("head") is not None else set()
    if method := methods().get(relevance.method):  # what the page has no control for is said where it was changed
        said, defaults = method.settings, method.parameters
        known = {name: value for name, value in relevance.settings.items() if name in said and not said[name].shown}
        unused |= {name for name, value in known.items() if value == defaults[name].default}
    used = {name: value for name, value in relevance.settings.items() if value is not None and name not in unused}
    settings = ", ".join(f"{name}={value}" for name, value in used.items())
    of = f" of {relevance.asked}" if relevance.asked else ""
    about = f" for {relevance.explained}" if relevance.target is not None else ""
    return f"{relevance.method}{of}{about}" + (f" ({settings})" if settings else "")


def even_among(seen: Analysis, relevance: Relevance) -> int:
    """Count the tokens that share an even spread: all, or where windows or a mask hide some, those that the query can see.

    Of a query of several tokens, those that at least one of them sees; so does the page. Where tokens look at the query, those
    that each of them sees; 0 if some see more than others.
    """
    every, settings = relevance.scores.size + len(relevance.on_prefix), relevance.settings
    asked = np.flatnonzero(relevance.query > 0).tolist()
    if relevance.method == "cross_attention":
        block, index = seen.trace.cross_block(settings["block"]), settings["query_index"]
        return max(1, seen_together(block, range(block.n_queries) if index is None else [index]))
    if relevance.method != "attention" or not len(asked):
        return every
    layer = seen.trace.layer(settings["layer"])
    if settings["direction"] == "from":
        return max(1, seen_together(layer, asked))
    hidden, counts = hidden_to(layer, asked[0]), seen_by(layer, range(layer.n_queries))
    different = (counts if hidden is None else counts[~hidden]).unique().tolist()
    return int(different[0]) if len(different) == 1 else 0


def where_it_went(seen: Analysis, relevance: Relevance) -> str:
    """Say how the total is split between the picture and prefix tokens, and what was measured while the map was made."""
    notes = " ".join(one for one in relevance.notes if one not in seen.notes).removesuffix(".")
    return ". ".join(part for part in (_split(seen, relevance), hidden_in_words(seen, relevance), notes) if part)


def hidden_in_words(seen: Analysis, relevance: Relevance) -> str:
    """Say what is hatched in a picture of the map, and why; "" if nothing is."""
    if relevance.hidden is None:
        return ""
    layer = relevance.settings.get("layer")
    one = None if layer is None else seen.trace.layer(layer)
    is_to = relevance.settings.get("direction") == "to"
    by_mask = "a mask hides the query from them" if is_to else "a mask hides them from the query"
    by_window = "no window has them together with the query"
    why = by_mask
    if one is not None and one.is_windowed:
        why = f"{by_window}, or {by_mask}" if one.masks_inside else by_window
    return f"{int(relevance.hidden.sum())} patches are hatched: {why}"


def _split(seen: Analysis, relevance: Relevance) -> str:
    """Say how the total is split; "" for values that are not parts of a total."""
    shown = seen.on_picture(relevance.scores.shape)
    on_picture = float(relevance.scores[shown].sum())
    on_padding = float(relevance.scores.sum()) - on_picture
    layer = relevance.settings.get("layer")
    rest = 1 - on_picture - on_padding - sum(relevance.on_prefix.values())
    # A window at the border reaches beyond the picture, and what falls there is in no score.
    if (
        relevance.method == "attention"
        and 1e-2 < rest <= 1
        and layer is not None
        and seen.trace.layer(layer).is_windowed
    ):
        on_padding, rest = on_padding + rest, 0
    if abs(rest) > 1e-2:
        return ""
    parts = {"the picture's patches": on_picture, **relevance.on_prefix}
    if not shown.all() or on_padding > 1e-2:
        parts["padding"] = on_padding
    return ", ".join(f"{share:.1%} on {name}" for name, share in parts.items())


def made_from(seen: Analysis, relevance: Relevance | None = None) -> dict[str, Any]:
    """The provenance for a file about this analysis, or about one map of it, as JSON.

    Versions, date, model, weights' sha256, preprocessing, the sha256 of the picture's bytes (H, W, 3), fit, edits, and as
    "attention" which of the network's is shown and which is not (`Ledger.in_json`), and which methods that rules out; "cells"
    where patches do not lie evenly on the picture. For a map also method, settings, seed (None if nothing is random), query,
    target and the class by name. For an analysis without its network, what was known when it was made.
    """
    model = seen.context.model if seen.context else None
    known = provenance(model) | ({} if model else {"model": seen.model_name} | _of_network(seen))
    known |= {"picture_sha256": hashlib.sha256(np.ascontiguousarray(seen.picture).data).hexdigest()}
    attention = seen.ledger.in_json() | {"ruled_out": sorted(ruled_out(seen.ledger))}
    known |= {"fit": seen.fit, "edits": [str(edit) for edit in seen.edits], "attention": attention}
    if (cells := seen.trace.cells) is not None:
        known |= {"cells": cells.in_json()}
    if relevance is None:
        return known
    settings = dict(relevance.settings)
    return known | {
        "method": relevance.method,
        "settings": settings,
        "seed": settings.get("seed"),
        "query": relevance.asked,
        "target": relevance.target,
        "class": relevance.label or None,
    }


def _of_network(seen: Analysis) -> dict[str, Any]:
    return {name: seen.origin[name] for name in ("weights_sha256", "preprocess") if name in seen.origin}


def save_numbers(seen: Analysis, relevance: Relevance, path: Path) -> None:
    """Write the .npz that `vizapp.save` describes. Raises `OSError` where `path` cannot be written."""
    logits = seen.trace.logits
    about = {
        "model": seen.model_name,
        "facts": dict(seen.facts),
        "fit": seen.fit,
        "method": relevance.method,
        "query": relevance.asked,
        "settings": relevance.settings,
        "target": relevance.target,
        "prefix": list(relevance.on_prefix),
        "grid": relevance.scores.shape,
        "frame": asdict(seen.frame),
        "edits": [str(edit) for edit in seen.edits],
        "notes": list(dict.fromkeys([*seen.notes, *relevance.notes])),
        "provenance": made_from(seen, relevance),
    }
    with path.open("wb") as file:  # given a name that ends on .NPZ, numpy would add another ending
        arrays: dict[str, Any] = {} if relevance.hidden is None else {"hidden": relevance.hidden}
        np.savez_compressed(
            file,
            scores=relevance.scores,
            on_prefix=np.array(list(relevance.on_prefix.values())),
            query=relevance.query,
            logits=np.zeros(0) if logits is None else logits.cpu().numpy(),
            labels=np.array(seen.labels),
            about=json.dumps(about, default=str),
            **arrays,
        )
