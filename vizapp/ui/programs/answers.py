"""Results for programs: plain JSON, and files in the server's folder, which deletes them when they are old."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from gradio.data_classes import FileData

from vizapp import painting
from vizapp.analysis import Analysis
from vizapp.analysis.record import made_from, save_numbers
from vizapp.core.attention.relevance import Relevance
from vizapp.core.capture.check import Check
from vizapp.pipeline.as_json import map_of, numbers, of_network, target_of
from vizapp.pipeline.comparison import Comparison
from vizapp.ui import comparison_html
from vizapp.ui.comparison_files import files
from vizapp.ui.server import folder
from vizapp.ui.words import DEFAULT, words_for

SIDES = (320, 1024)  # pixels of the longest side of a painted picture


def check_of(found: Check) -> dict[str, Any]:
    """The findings of the self-test on a network that has passed it."""
    return {
        "word": "exact" if found.ledger.whole else "exact in part",
        "left_out": found.ledger.in_json()["left_out"],
        "largest_error": numbers(found.worst),
        "softmaxes": found.softmaxes,
        "seen": found.seen,
    }


def painted(seen: Analysis, one: Relevance) -> bytes:
    """The map on the picture, as PNG."""
    picture = painting.painted(painting.in_size(seen, SIDES), one, painting.scaled(seen, one, "map", None))
    return bytes(cv2.imencode(".png", picture[:, :, ::-1])[1].tobytes())  # opencv writes BGR


def map_files(seen: Analysis, one: Relevance, key: Sequence[Any]) -> dict[str, Any]:
    """overlay: PNG. numbers: .npz as `vizapp.save` writes it. `key` identifies the question."""
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
    words = words_for(DEFAULT)
    label = comparison_html.said_of(words, result.seen, result.target)
    title = f"{result.seen.model_name}: {label}" if label else result.seen.model_name
    made = files(words, result, comparison_html.cards(words, result, None), lambda _: title)
    return {"table": _file(Path(made.table)), "maps": _file(Path(made.maps))}


def _key(key: Sequence[Any]) -> bytes:
    return repr(key).encode()


def _files(key: Sequence[Any], named: Mapping[str, str]) -> dict[str, Any]:
    at = folder.current().filled("vizapp", _key(key))
    return {name: _file(at / file) for name, file in named.items()}


def _file(path: Path) -> dict[str, Any]:
    return FileData(path=str(path), orig_name=path.name, size=path.stat().st_size).model_dump()
