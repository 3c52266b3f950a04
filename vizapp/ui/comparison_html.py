"""The results of a comparison: painted maps, names, verdicts, the table, agreement, and what is left of a map that forgets."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from vizapp import painting
from vizapp.core.measure import Measure
from vizapp.core.methods import Method, baseline_names, method_named, methods
from vizapp.core.metrics import metrics
from vizapp.core.pauses import may_pause
from vizapp.core.trust.faithfulness import DELETION, INSERTION
from vizapp.pipeline.comparison import RANDOM, Comparison, differences, label_of
from vizapp.pipeline.sanity import Sanity
from vizapp.render.colour import DIVERGING
from vizapp.render.overlay import Style, overlay
from vizapp.ui.words import Words
from vizapp.vocabulary import ORDERS
from vizapp.wording import Text

if TYPE_CHECKING:
    from vizapp.analysis import Analysis
    from vizapp.core.attention.relevance import Relevance
    from vizapp.render.lines import Stroke

# Figures are imported where they are drawn: matplotlib takes most of a second, and a page that opens should not wait for it.

SIDES = (320, 448)  # pixels of the longest side of a painted map


@dataclass(frozen=True)
class Map:
    """One painted map.

    label   the class that it explains, "" for none
    bounds  the scores of its lowest and highest colour
    hidden  (rows, cols) bool: patches that are hatched, and have no score; None if there are none
    """

    label: str
    picture: np.ndarray = field(repr=False)
    scores: np.ndarray = field(repr=False)
    bounds: tuple[float, float]
    hidden: np.ndarray | None = field(default=None, repr=False)


@dataclass(frozen=True)
class Card:
    """One method and its maps: of one class, or of two and their difference; `notes` of the first."""

    method: str
    maps: tuple[Map, ...] = field(repr=False)
    notes: tuple[str, ...] = ()


def name_of(words: Words, method: str) -> str:
    """Return the page's name of a method; other words stay as they are."""
    return words.translate(Text(methods()[method].title)) if method in methods() else method


def about_of(words: Words, method: str) -> str:
    """Return the sentence about a method's map."""
    return words.translate(Text(method_named(method).sentence))


def cards(words: Words, result: Comparison, second: Comparison | None) -> list[Card]:
    """Paint the maps; with a second class, three for each method that explains a class: first, second, difference."""
    seen, small = result.seen, painting.in_size(result.seen, SIDES)
    apart = differences(result, second) if second else {}
    made = []
    for name, one in result.maps.items():
        may_pause()
        maps = [_painted(seen, small, said_of(words, seen, one.target), one)]
        if second and name in apart:
            other = second.maps[name]
            maps.append(_painted(second.seen, small, said_of(words, second.seen, other.target), other))
            style = Style(colour_map=DIVERGING[0])
            label = f"{maps[0].label} \u2212 {maps[1].label}"
            painted = overlay(small.picture, small.frame, apart[name], style)
            maps.append(Map(label, painted, apart[name], style.range_of(apart[name])))
        made.append(Card(name, tuple(maps), one.notes))
    return made


def _painted(seen: Analysis, small: Analysis, label: str, one: Relevance) -> Map:
    style = painting.scaled(seen, one, "map", None)
    return Map(label, painting.painted(small, one, style), one.scores, style.range_of(one.scores), one.hidden)


def said_of(words: Words, seen: Analysis, target: int | str | None) -> str:
    """Name the target without quotation marks: sentences bring their own, and the page adds its own to any name."""
    return "" if target is None else words.translate(label_of(seen, target)).strip("\u201c\u201d")


# ---- the numbers


def chart(drawn: str, name: str) -> str:
    """Wrap a drawing in an element that names it for screen readers."""
    return f'<div role="img" aria-label="{escape(name)}">{drawn}</div>'


def verdict(words: Words, result: Comparison) -> str:
    """Say which map is ahead on this picture, and by how much, and which are better than chance, among random orders."""
    if not result.chance or not result.ranking(DELETION):
        return ""
    told = []
    for place, measure in enumerate((DELETION, INSERTION)):
        ranked = result.ranking(measure)
        better = [one for one in ranked if result.beats_chance(one, measure)]
        worse = [one for one in ranked if one not in better]
        best, second, *_ = [*ranked, ranked[0]]
        areas = [result.curves[one].areas[place] for one in (best, second)]
        values = {
            "best": name_of(words, best),
            "area": f"{areas[0]:.3f}",
            "second": name_of(words, second),
            "apart": f"{abs(areas[0] - areas[1]):.3f}",
            "better": words.listed(name_of(words, one) for one in better),
            "worse": words.listed(name_of(words, one) for one in worse),
        }
        escaped = {name: escape(value) for name, value in values.items()}
        of, better_than = Text(measure.title), "some" if better and worse else "all" if better else "none"
        ahead = words.say("page", f"verdict_{'best' if len(ranked) > 1 else 'alone'}", measure=of, **escaped)
        both = ahead, words.say("page", f"verdict_{better_than}", **escaped)
        told.append(words.told(both))
    told.append(words.say("page", "verdict_help", n=result.orders))
    if result.orders < ORDERS:
        told.append(words.say("page", "verdict_ended", n=result.orders))
    return "".join(f'<p class="methods-verdict">{one}</p>' for one in told)


def _drawn_as(names: Collection[str]) -> dict[str, Stroke]:
    """Choose the stroke of each line. Every method has its own, so its colour does not depend on the others in the chart."""
    from vizapp.render.lines import strokes

    order = sorted(methods(), key=lambda name: not methods()[name].chosen)  # those ticked at first differ most
    return {name: stroke for name, stroke in strokes(order, baseline_names()).items() if name in names}


def _legend(words: Words, drawn_as: Mapping[str, Stroke]) -> str:
    entries = (
        f'<li data-line="{name}"><i style="border-top: 3px {stroke.dashes} {stroke.colour}"></i>'
        f"{escape(name_of(words, name))}</li>"
        for name, stroke in drawn_as.items()
    )
    return f'<ul class="methods-legend">{"".join(entries)}</ul>'


def agreement(words: Words, result: Comparison) -> str:
    """Show how similarly the maps order the patches, as a coloured table."""
    from vizapp.render.figure import svg
    from vizapp.render.lines import matrix

    found, values = result.agreement()
    names = [name_of(words, name) for name in found]
    drawn = chart(svg(matrix(names, values)), words["page"]["chart_matrix"])
    return f'<div class="methods-matrix">{drawn}{_numbers(words, names, values)}</div>'


def _numbers(words: Words, names: Sequence[str], values: np.ndarray) -> str:
    """Make a table that only screen readers find: a chart cannot be read number by number."""
    heads = "".join(f'<th scope="col">{escape(name)}</th>' for name in names)
    rows = "".join(
        f'<tr><th scope="row">{escape(name)}</th>{"".join(f"<td>{value:.2f}</td>" for value in row)}</tr>'
        for name, row in zip(names, values, strict=True)
    )
    caption = f"<caption>{words['page']['agreement']}</caption>"
    return f'<div class="unseen"><table>{caption}<tr><td></td>{heads}</tr>{rows}</table></div>'


def forgetting(words: Words, found: Sanity) -> str:
    """Show how much of each map remains while the network forgets."""
    page = words["page"]
    from vizapp.render.figure import svg
    from vizapp.render.lines import lines

    stages = (page["stage_none"], *map(words.translate, found.stages))
    along = np.arange(len(stages))
    after = {name: (along, np.concatenate([[1.0], values])) for name, values in found.correlation.items()}
    drawn_as = _drawn_as(after)
    low = min([0.0, *(float(np.nanmin(values)) for _, values in after.values())])
    along_, up = page["forget_x"], page["forget_y"]
    figure = lines(after, drawn_as, x=along_, y=up, bounds=(low - 0.05, 1.05), ticks=stages)
    drawn = chart(svg(figure), words.say("page", "chart_lines", title=page["forget"], x=along_, y=up))
    return f'<div class="methods-lines"><div>{drawn}</div></div>{_legend(words, drawn_as)}'


# ---- the table


def table(words: Words, result: Comparison, second: Comparison | None = None) -> dict[str, Any]:
    """Make headers and rows: a row of measurements for each map; those of a second class stand below the first."""
    page = words["page"]
    measured = [one for one in result.measures if one.main]
    headers = [page["column_method"], page["column_explains"], *(header(words, one) for one in measured)]
    data = []
    for one in (result, second) if second else (result,):
        label = said_of(words, one.seen, one.target)
        alike = words.say("page", "every_class_by", label=label) if second else page["every_class"]
        data += [
            [
                title_of(words, row["method"], one),
                label if row["class_specific"] else alike,
                *(round(row[measure.name], 3) for measure in measured),
            ]
            for row in one.rows()
        ]
    return {"headers": headers, "data": data}


def title_of(words: Words, method: str, result: Comparison) -> str:
    """Return the name of a method; that of chance says how many orders it is the mean of."""
    name = name_of(words, method)
    many = method == RANDOM and result.orders > 1
    return words.say("page", "random_orders", title=name, n=result.orders) if many else name


def header(words: Words, one: Measure) -> str:
    """Return the name of a measure, which says in which direction it is better."""
    return words.say("page", f"column_{one.direction}", title=Text(one.title))


def numbers(words: Words, result: Comparison, second: Comparison | None = None) -> str:
    """Write which map is ahead, the table, and what its columns mean."""
    page, made = words["page"], table(words, result, second)
    ahead = "".join(
        (f"<h3>\u201c{escape(said_of(words, one.seen, one.target))}\u201d</h3>" if second else "") + verdict(words, one)
        for one in (result, second)
        if one is not None and one.curves
    )
    heads = "".join(f'<th scope="col"><button type="button">{escape(one)}</button></th>' for one in made["headers"])
    rows = "".join(
        "<tr>"
        + "".join(f"<td>{cell:.3f}</td>" if isinstance(cell, float) else f"<td>{escape(cell)}</td>" for cell in row)
        for row in made["data"]
    )
    return (
        f'{ahead}<div id="methods-table" tabindex="0" role="region" aria-label="{page["table"]}">'
        f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>{explained(words, result)}"
    )


def explained(words: Words, result: Comparison) -> str:
    """Explain the columns of the table."""
    page = words["page"]
    lines_ = [page["areas_help"]] if result.curves else []
    if result.truth is not None:
        of_metrics = [one for one in metrics().values() if one.main]
        told = words.told(named(words, words.translate(Text(one.title)), Text(one.sentence)) for one in of_metrics)
        objects = words.listed(map(words.translate, result.objects))
        lines_.append(page["truth_help"].format(objects=escape(objects), metrics=told))
    return "".join(f"<p>{line}</p>" for line in lines_)


def heading(words: Words, result: Comparison, title: str) -> str:
    """Make the lines above the maps: what they speak for, how to read them, and which methods have none here, and why."""
    page = words["page"]
    reasons = "".join(f"<li>{named(words, name_of(words, name), why)}</li>" for name, why in result.skipped.items())
    names = escape(words.listed(name_of(words, name) for name in result.skipped))
    left = page["left_out"].format(names=names)
    skipped = f"<details><summary>{left}</summary><ul>{reasons}</ul></details>" if reasons else ""
    return f"<h2>{escape(title)}</h2><div>{skipped}<p>{page['scale_own']}</p></div>"


def named(words: Words, name: str, said: str) -> str:
    """Make the HTML of a name and its text."""
    return words.say("page", "named", name=escape(name), said=escape(words.translate(said)))


def what(words: Words, some: Sequence[Method]) -> str:
    """Describe each method in one sentence, with its paper."""
    told = ((name_of(words, one.name), about_of(words, one.name), one.paper) for one in some)
    rows = (f"<li>{named(words, name, about)} <i>{escape(paper)}</i></li>" for name, about, paper in told)
    return f'<ul class="methods-what">{"".join(rows)}</ul>'
