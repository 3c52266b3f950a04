"""What was found, for programs: plain JSON, and files in the server's folder, which deletes them in time."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from gradio.data_classes import FileData

from vizapp import painting
from vizapp.analysis import Analysis
from vizapp.analysis.record import made_from, save_numbers
from vizapp.comparison import Comparison, label_of
from vizapp.core.attention.trace import Relevance
from vizapp.core.capture.check import Check
from vizapp.ui import board
from vizapp.ui.comparison_files import files
from vizapp.ui.server import folder
from vizapp.ui.words import DEFAULT, words_for

SIDES = (320, 1024)  # pixels of the longest side of a painted picture


def numbers(values: np.ndarray | Sequence[Any] | float) -> Any:
    """Nested lists that give the same float32 again, with no more digits than that needs; null for what is no number."""
    array = np.asarray(values, np.float32)
    if array.ndim:
        return [numbers(row) for row in array]
    value = float(str(array[()]))
    return value if math.isfinite(value) else None


def of_network(seen: Analysis) -> dict[str, Any]:
    """What an answer says of the network and of how the picture was brought to it."""
    return {
        "model": seen.model_name,
        "fit": seen.fit,
        "grid": list(seen.trace.layout.grid),
        "prefix": list(seen.trace.layout.prefix),
        "notes": [str(one) for one in seen.notes],
    }


def top_of(seen: Analysis, count: int) -> list[dict[str, Any]]:
    """The most probable classes, best first; [] where there is no classifier."""
    best = seen.best(count)
    return [{"index": index, "label": seen.labels[index], "probability": numbers(share)} for index, share in best]


def target_of(seen: Analysis, target: int | str | None) -> dict[str, Any] | None:
    """The class that was explained."""
    return None if target is None else {"index": target, "label": label_of(seen, target)}


def map_of(one: Relevance) -> dict[str, Any]:
    """A map: (row, col) values and what stayed on tokens that are no patches."""
    return {"values": numbers(one.scores), "on_prefix": {name: numbers(share) for name, share in one.on_prefix.items()}}


def check_of(found: Check) -> dict[str, Any]:
    """What the self-test found of a network that has passed it."""
    return {
        "word": "exact",
        "largest_error": numbers(found.worst),
        "softmaxes": found.softmaxes,
        "seen": found.seen,
    }


def painted(seen: Analysis, one: Relevance) -> bytes:
    """The map on the picture, as PNG."""
    picture = painting.paint(painting.in_size(seen, SIDES), one)
    return bytes(cv2.imencode(".png", picture[:, :, ::-1])[1].tobytes())  # opencv writes BGR


def map_files(seen: Analysis, one: Relevance, key: Sequence[Any]) -> dict[str, Any]:
    """overlay: PNG. numbers: .npz as `vizapp.save` writes it. `key` says what was asked."""
    with folder.current().filling("vizapp", _key(key)) as made_in:
        (made_in / "overlay.png").write_bytes(painted(seen, one))
        save_numbers(seen, one, made_in / "numbers.npz")
    return _files(key, {"overlay": "overlay.png", "numbers": "numbers.npz"})


def layer_files(
    seen: Analysis, shown: Relevance, layers: Mapping[int, Relevance], key: Sequence[Any]
) -> dict[str, Any]:
    """overlay: PNG of one layer. numbers: .npz with `layer_N` (row, col) of each, `logits`, `labels`, and `about` in JSON."""
    logits = seen.trace.logits
    about = of_network(seen) | {"settings": shown.settings, "query": shown.asked, "provenance": made_from(seen, shown)}
    arrays: dict[str, Any] = {f"layer_{index}": one.scores for index, one in layers.items()}
    arrays |= {
        "logits": np.zeros(0) if logits is None else logits.cpu().numpy(),
        "labels": np.array(seen.labels),
        "about": np.array(json.dumps(about, default=str)),
    }
    with folder.current().filling("vizapp", _key(key)) as made_in:
        (made_in / "overlay.png").write_bytes(painted(seen, shown))
        with (made_in / "numbers.npz").open("wb") as file:
            np.savez_compressed(file, **arrays)
    return _files(key, {"overlay": "overlay.png", "numbers": "numbers.npz"})


def comparison_of(result: Comparison) -> dict[str, Any]:
    """Maps, scores, curves, and how far maps agree."""
    names, agreement = result.agreement()
    return {
        "target": target_of(result.seen, result.target),
        "rows": [
            {name: numbers(one) if isinstance(one, float) else one for name, one in row.items()}
            for row in result.rows()
        ],
        "maps": {
            name: map_of(one) | {"unit": str(one.unit), "signed": one.signed} for name, one in result.maps.items()
        },
        "curves": {
            name: {
                "share": numbers(one.share),
                "deletion": numbers(one.deletion),
                "insertion": numbers(one.insertion),
            }
            for name, one in result.curves.items()
        },
        "agreement": {"methods": names, "rank_correlation": numbers(agreement)},
        "skipped": {name: str(why) for name, why in result.skipped.items()},
        "objects": [str(one) for one in result.objects],
    }


def comparison_files(result: Comparison) -> dict[str, Any]:
    """table: CSV. maps: PNG with all of them, as the page saves both."""
    words, label = words_for(DEFAULT), board.said_of(result.seen, result.target)
    title = f"{result.seen.model_name}: {label}" if label else result.seen.model_name
    made = files(words, result, board.cards(result, None), lambda _: title)
    return {"table": _file(Path(made.table)), "maps": _file(Path(made.maps))}


def _key(key: Sequence[Any]) -> bytes:
    return repr(key).encode()


def _files(key: Sequence[Any], named: Mapping[str, str]) -> dict[str, Any]:
    at = folder.current().filled("vizapp", _key(key))
    return {name: _file(at / file) for name, file in named.items()}


def _file(path: Path) -> dict[str, Any]:
    return FileData(path=str(path), orig_name=path.name, size=path.stat().st_size).model_dump()
