"""Deletion and insertion of many methods as two charts: one curve stands out against the band of random orders.

They are drawn without matplotlib: lines and letters have one size in any chart, and the page chooses the line.
"""

from typing import Any

import numpy as np

from vizapp.core.trust.faithfulness import DELETION, INSERTION
from vizapp.pipeline.comparison import RANDOM, Comparison
from vizapp.ui.comparison_html import header, said_of
from vizapp.ui.words import Words


def charts(words: Words, result: Comparison) -> list[dict[str, Any]]:
    """Return the two charts of a class, as views/methods.js takes them."""
    page = words["page"]
    values = [value for one in result.curves.values() for value in (*one.deletion, *one.insertion)]
    bounds = [min(0.0, *map(float, values)), max(1.0, *map(float, values))]  # probabilities, or a score of any size
    no_probability = isinstance(result.target, str) or result.seen.activation == "none"
    label = said_of(words, result.seen, result.target)
    up = page["curve_y_score" if no_probability else "curve_y"].format(label=label)
    made = []
    for measure, title in ((DELETION, page["deletion"]), (INSERTION, page["insertion"])):
        along = page[f"{measure.name}_x"]
        lines = [
            {"method": name, "isRandom": name == RANDOM, "points": _points(one.share, getattr(one, measure.name))}
            for name, one in result.curves.items()
        ]
        made.append(
            {
                "which": measure.name,
                "title": header(words, measure),
                "up": up,
                "along": along,
                "name": words.say("page", "chart_lines", title=title, x=along, y=up),
                "bounds": bounds,
                "lines": lines,
                "band": _band(result, measure.name),
            }
        )
    return made


def _band(result: Comparison, which: str) -> list[list[float]]:
    """Return (share, lowest, highest) of the random orders at each share."""
    if not result.drawn:
        return []
    values = np.array([getattr(one, which) for one in result.drawn])
    return _points(result.drawn[0].share, values.min(0), values.max(0))


def _points(*columns: np.ndarray) -> list[list[float]]:
    return [[round(float(value), 6) for value in row] for row in zip(*columns, strict=True)]
