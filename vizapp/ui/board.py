"""What a comparison found, as elements of the page."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from vizapp import painting
from vizapp.comparison import RANDOM, Comparison, Sanity, differences, label_of
from vizapp.core.checkpoint import checkpoint
from vizapp.core.measure import Measure
from vizapp.core.methods import Method, baseline_names, method_named, methods
from vizapp.core.metrics import metrics
from vizapp.core.trust.faithfulness import DELETION, INSERTION
from vizapp.render.colour import COLOUR_MAPS, DIVERGING, lut
from vizapp.render.overlay import Style, overlay
from vizapp.render.small import data_uri
from vizapp.ui.glossary import term
from vizapp.ui.words import Words
from vizapp.wording import Text

if TYPE_CHECKING:
    from vizapp.analysis import Analysis
    from vizapp.render.lines import Stroke

# Figures are imported where they are drawn: matplotlib takes most of a second, for which no page that opens should wait.

SIDES = (320, 448)  # pixels of the longest side of a painted map


@dataclass(frozen=True)
class Card:
    """One method: its painted maps, each with the class it explains ("" for none); `notes` of the first."""

    method: str
    maps: tuple[tuple[str, np.ndarray], ...] = field(repr=False)
    notes: tuple[str, ...] = ()


def name_of(words: Words, method: str) -> str:
    """What the page calls a method; other words stay as they are."""
    return words.translate(Text(methods()[method].title)) if method in methods() else method


def about_of(words: Words, method: str) -> str:
    """What a method's map shows, in a sentence."""
    return words.translate(Text(method_named(method).sentence))


def cards(result: Comparison, second: Comparison | None) -> list[Card]:
    """The maps, painted; with a second class three for each method that knows classes: first, second, difference."""
    seen = painting.in_size(result.seen, SIDES)
    apart = differences(result, second) if second else {}
    made = []
    for name, one in result.maps.items():
        checkpoint()
        maps = [(said_of(seen, one.target), painting.paint(seen, one))]
        if second and name in apart:
            other = second.maps[name]
            maps.append((said_of(second.seen, other.target), painting.paint(seen, other)))
            painted = overlay(seen.picture, seen.frame, apart[name], Style(colour_map=DIVERGING[0]))
            maps.append((f"{maps[0][0]} \u2212 {maps[1][0]}", painted))
        made.append(Card(name, tuple(maps), one.notes))
    return made


def said_of(seen: Analysis, target: int | str | None) -> str:
    """What is explained, without quotation marks, which sentences bring along and the page writes around anything."""
    return "" if target is None else label_of(seen, target).strip("\u201c\u201d")


# ---- the grid


def grid(words: Words, made: list[Card], title: str) -> str:
    """All maps as HTML, with their scale explained above them."""
    page = words["page"]
    scale = f"{_strip(COLOUR_MAPS[0])} {page['scale_plain']} {_strip(DIVERGING[0])} {page['scale_signed']}"
    scale += f" {page['scale_apart']}" if any(len(card.maps) > 1 for card in made) else ""
    figures = "".join(_figure(words, card) for card in made)
    return (
        f'<h2>{escape(title)}</h2><p class="methods-scale">{page["scale_own"]}<br>{scale}</p>'
        f'<div class="methods-grid">{figures}</div>'
    )


def _figure(words: Words, card: Card) -> str:
    page = words["page"]
    method = method_named(card.method)
    name, about = escape(name_of(words, card.method)), escape(about_of(words, card.method))
    wide = len(card.maps) > 1
    images = "".join(_image(words, name, label, picture, wide) for label, picture in card.maps)
    explained = (
        page["for_class"].format(label=escape(card.maps[0][0])) if method.class_specific else page["every_class"]
    )
    tag = "" if wide else f'<span class="methods-tag" data-class="{method.class_specific}">{explained}</span>'
    paper = escape(page["paper"].format(paper=method.paper))
    notes = "".join(f'<p class="methods-note">{escape(words.translate(one))}</p>' for one in card.notes)
    return (
        f'<figure class="{"methods-wide" if wide else ""}" data-method="{card.method}"><div>{images}</div>'
        f'<figcaption title="{paper}"><b>{name}</b> {tag}<p>{about}</p>{notes}</figcaption></figure>'
    )


def _image(words: Words, name: str, label: str, picture: np.ndarray, wide: bool) -> str:
    page = words["page"]
    said = f"{name}: {escape(label)}" if label else name
    below = f"<span>{escape(label)}</span>" if wide else ""
    return f'<button type="button" title="{page["see_large"]}"><img alt="{said}" src="{data_uri(picture)}">{below}</button>'


def _strip(colour_map: str) -> str:
    return f'<img class="methods-strip" alt="" src="{data_uri(lut(colour_map)[None])}">'


# ---- curves and agreement


def curves(words: Words, result: Comparison, second: Comparison | None = None) -> str:
    """Deletion and insertion of each class, with what can be told from them."""
    if second is None or not second.curves:
        return _curves(words, result)
    both = ((said_of(one.seen, one.target), _curves(words, one)) for one in (result, second))
    return "".join(f"<h2>\u201c{escape(label)}\u201d</h2>{drawn}" for label, drawn in both)


def _curves(words: Words, result: Comparison) -> str:
    page = words["page"]
    from vizapp.render.figure import svg
    from vizapp.render.lines import lines

    if not result.curves:
        return f"<p>{page['no_curves']}</p>"
    drawn_as = _drawn_as(result.curves)
    values = [value for one in result.curves.values() for value in (*one.deletion, *one.insertion)]
    bounds = min(0.0, *map(float, values)), max(1.0, *map(float, values))  # probabilities, or a score of any size
    gone = {name: (one.share, one.deletion) for name, one in result.curves.items()}
    there = {name: (one.share, one.insertion) for name, one in result.curves.items()}
    no_probability = isinstance(result.target, str) or result.seen.activation == "none"
    what = page["curve_y_score" if no_probability else "curve_y"]
    probability = what.format(label=said_of(result.seen, result.target))
    parts = []
    for which, title, curves in (("deletion", page["deletion"], gone), ("insertion", page["insertion"], there)):
        along = page[f"{which}_x"]
        drawn = svg(lines(curves, drawn_as, x=along, y=probability, bounds=bounds))
        chart = _chart(drawn, words.say("page", "chart_lines", title=title, x=along, y=probability))
        parts.append(f"<div><h3>{term('deletion', title)}</h3>{chart}<p>{page[f'{which}_help']}</p></div>")
    return f'<div class="methods-lines">{"".join(parts)}</div>{_legend(words, drawn_as)}{_verdict(words, result)}'


def _chart(drawn: str, name: str) -> str:
    """A drawing with a name, for those who do not see it."""
    return f'<div role="img" aria-label="{escape(name)}">{drawn}</div>'


def _verdict(words: Words, result: Comparison) -> str:
    """Which method is best, as far as it can be told: what differs by no more than random orders do is level."""
    if not result.spread:
        return ""
    told = []
    for measure in (DELETION, INSERTION):
        if not (ranked := result.ranking(measure)):
            return ""
        best, *others = ranked
        if RANDOM in result.curves and not result.beats(best, RANDOM, measure):
            kind, level = "chance", []
        else:
            level = [one for one in others if result.too_close(best, one, measure)]
            kind = "level" if level else "best"
        values = {"best": name_of(words, best), "others": words.listed(name_of(words, one) for one in level)}
        escaped = {name: escape(value) for name, value in values.items()}
        told.append(words.say("page", f"verdict_{kind}", measure=Text(measure.title), **escaped))
    spread = {name: f"{value:.3f}" for name, value in result.spread.items()}
    told.append(words.say("page", "verdict_help", n=result.orders, **spread))
    return "".join(f'<p class="methods-verdict">{one}</p>' for one in told)


def _drawn_as(names: Collection[str]) -> dict[str, Stroke]:
    """How each line looks. All methods have their own, so that none changes its colour with those beside it."""
    from vizapp.render.lines import strokes

    order = sorted(methods(), key=lambda name: not methods()[name].chosen)  # those that are ticked at first differ most
    return {name: stroke for name, stroke in strokes(order, baseline_names()).items() if name in names}


def _legend(words: Words, drawn_as: Mapping[str, Stroke]) -> str:
    entries = (
        f'<li data-line="{name}"><i style="border-top: 3px {stroke.dashes} {stroke.colour}"></i>'
        f"{escape(name_of(words, name))}</li>"
        for name, stroke in drawn_as.items()
    )
    return f'<ul class="methods-legend">{"".join(entries)}</ul>'


def agreement(words: Words, result: Comparison) -> str:
    """How alike the maps order the patches, as a coloured table."""
    from vizapp.render.figure import svg
    from vizapp.render.lines import matrix

    found, values = result.agreement()
    names = [name_of(words, name) for name in found]
    drawn = _chart(svg(matrix(names, values)), words["page"]["chart_matrix"])
    return f'<div class="methods-matrix">{drawn}{_numbers(words, names, values)}</div>'


def _numbers(words: Words, names: Sequence[str], values: np.ndarray) -> str:
    """The same as a table that only a screen reader finds: a chart cannot be read number by number."""
    heads = "".join(f'<th scope="col">{escape(name)}</th>' for name in names)
    rows = "".join(
        f'<tr><th scope="row">{escape(name)}</th>{"".join(f"<td>{value:.2f}</td>" for value in row)}</tr>'
        for name, row in zip(names, values, strict=True)
    )
    caption = f"<caption>{words['page']['agreement']}</caption>"
    return f'<div class="unseen"><table>{caption}<tr><td></td>{heads}</tr>{rows}</table></div>'


def forgetting(words: Words, found: Sanity) -> str:
    """What is left of each map while the network forgets."""
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
    drawn = _chart(svg(figure), words.say("page", "chart_lines", title=page["forget"], x=along_, y=up))
    return f'<div class="methods-lines"><div>{drawn}</div></div>{_legend(words, drawn_as)}'


# ---- the table


def table(words: Words, result: Comparison, second: Comparison | None = None) -> dict[str, Any]:
    """Headers and rows: a line for each map, with what was measured of it; of a second class below that of the first."""
    page = words["page"]
    measured = [one for one in result.measures if one.main]
    headers = [page["column_method"], page["column_explains"], *(_header(words, one) for one in measured)]
    data = []
    for one in (result, second) if second else (result,):
        label = said_of(one.seen, one.target)
        alike = words.say("page", "every_class_by", label=label) if second else page["every_class"]
        data += [
            [
                _title_of(words, row["method"], one),
                label if row["class_specific"] else alike,
                *(round(row[measure.name], 3) for measure in measured),
            ]
            for row in one.rows()
        ]
    return {"headers": headers, "data": data}


def _title_of(words: Words, method: str, result: Comparison) -> str:
    name = name_of(words, method)
    many = method == RANDOM and result.spread
    return words.say("page", "random_orders", title=name, n=result.orders) if many else name


def _header(words: Words, one: Measure) -> str:
    return words.say("page", f"column_{one.direction}", title=Text(one.title))


def explained(words: Words, result: Comparison) -> str:
    """What the columns mean, and what was left out and why."""
    page = words["page"]
    lines_ = [page["areas_help"]] if result.curves else []
    if result.truth is not None:
        of_metrics = [one for one in metrics().values() if one.main]
        told = words.told(_named(words, words.translate(Text(one.title)), Text(one.sentence)) for one in of_metrics)
        objects = words.listed(map(words.translate, result.objects))
        lines_.append(page["truth_help"].format(objects=escape(objects), metrics=told))
    left_out = "".join(
        f"<li>{_named(words, name_of(words, name), reason)}</li>" for name, reason in result.skipped.items()
    )
    skipped = f"<p>{page['skipped']}</p><ul>{left_out}</ul>" if left_out else ""
    return "".join(f"<p>{line}</p>" for line in lines_) + skipped


def left_out(words: Words, result: Comparison) -> str:
    """A word above the maps on methods that have none; why, stands with the table."""
    page = words["page"]
    names = escape(words.listed(name_of(words, name) for name in result.skipped))
    return f"<p>{page['left_out'].format(names=names)}</p>" if names else ""


def _named(words: Words, name: str, said: str) -> str:
    """HTML of a name, and what is said of it."""
    return words.say("page", "named", name=escape(name), said=escape(words.translate(said)))


def what(words: Words, some: Sequence[Method]) -> str:
    """Each method in one sentence, with its paper."""
    told = ((name_of(words, one.name), about_of(words, one.name), one.paper) for one in some)
    rows = (f"<li>{_named(words, name, about)} <i>{escape(paper)}</i></li>" for name, about, paper in told)
    return f'<ul class="methods-what">{"".join(rows)}</ul>'
