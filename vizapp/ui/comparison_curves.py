"""Deletion and insertion of many methods as two charts: one curve stands out against the band of random orders.

They are drawn without matplotlib: lines and letters have one size in any chart, and the page chooses the line.
"""

from __future__ import annotations

from html import escape

import numpy as np

from vizapp.core.trust.faithfulness import DELETION, INSERTION
from vizapp.pipeline.comparison import RANDOM, Comparison
from vizapp.ui.comparison_html import chart, header, name_of, said_of
from vizapp.ui.glossary import term
from vizapp.ui.words import Words

Bounds = tuple[float, float]


def curves(words: Words, result: Comparison, second: Comparison | None, shown: str) -> str:
    """Make the charts of each class, those of the second hidden; `shown` is the method that stands out at first."""
    both = [one for one in (result, second) if one is not None and one.curves]
    if not both:
        return f"<p>{words['page']['no_curves']}</p>"
    return "".join(
        f'<div class="methods-charts" data-class="{number}"{" hidden" if number else ""}>{_charts(words, one, shown)}</div>'
        for number, one in enumerate(both)
    )


def _charts(words: Words, result: Comparison, shown: str) -> str:
    page = words["page"]
    values = [value for one in result.curves.values() for value in (*one.deletion, *one.insertion)]
    bounds = min(0.0, *map(float, values)), max(1.0, *map(float, values))  # probabilities, or a score of any size
    no_probability = isinstance(result.target, str) or result.seen.activation == "none" or not result.seen.labels
    up = page["curve_y_score" if no_probability else "curve_y"].format(label=said_of(words, result.seen, result.target))
    charts = []
    for measure, title in ((DELETION, page["deletion"]), (INSERTION, page["insertion"])):
        which, along = measure.name, page[f"{measure.name}_x"]
        drawn = chart(_svg(result, which, bounds, shown), words.say("page", "chart_lines", title=title, x=along, y=up))
        charts.append(
            f'<figure data-which="{which}"><figcaption>{term("deletion", header(words, measure))}: {escape(up)}</figcaption>'
            f'<div class="methods-plot"><span>{bounds[1]:.3g}</span><span>{bounds[0]:.3g}</span>{drawn}'
            f'<b class="methods-line">{escape(name_of(words, shown))}</b></div>'
            f'<div class="methods-along"><span>0 %</span><span>{escape(along)}</span><span>100 %</span></div></figure>'
        )
    band = f"<p><i></i> {page['band'].format(n=result.orders)}</p>" if result.drawn else ""
    return f"{''.join(charts)}{band}"


def _svg(result: Comparison, which: str, bounds: Bounds, shown: str) -> str:
    lines = "".join(
        f'<polyline data-line="{name}"{_as(name, shown)} points="{_points(one.share, getattr(one, which), bounds)}"/>'
        for name, one in sorted(result.curves.items(), key=lambda item: item[0] == shown)  # it lies on the others
    )
    return f'<svg viewBox="0 0 100 100" preserveAspectRatio="none">{_band(result, which, bounds)}{lines}</svg>'


def _as(name: str, shown: str) -> str:
    kinds = [kind for kind, holds in {"is-shown": name == shown, "is-random": name == RANDOM}.items() if holds]
    return f' class="{" ".join(kinds)}"' if kinds else ""


def _band(result: Comparison, which: str, bounds: Bounds) -> str:
    """Draw what lies between the lowest and the highest random order at each share."""
    if not result.drawn:
        return ""
    share = result.drawn[0].share
    values = np.array([getattr(one, which) for one in result.drawn])
    there, back = _points(share, values.min(0), bounds), _points(share[::-1], values.max(0)[::-1], bounds)
    return f'<polygon points="{there} {back}"/>'


def _points(share: np.ndarray, values: np.ndarray, bounds: Bounds) -> str:
    low, high = bounds
    return " ".join(f"{100 * x:.2f},{100 * (high - y) / (high - low):.3f}" for x, y in zip(share, values, strict=True))
