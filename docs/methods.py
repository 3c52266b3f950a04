"""Write docs/methods.md from what methods and metrics say of themselves: python -m docs.methods"""

import inspect
import json
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from vizapp.core.measure import Measure
from vizapp.core.methods import Method, methods
from vizapp.core.metrics import metrics
from vizapp.core.trust.faithfulness import DELETION, INSERTION

PAGE = Path(__file__).with_name("methods.md")
ABOUT = """# Methods

This page says what each explanation method computes. `python -m docs.methods` writes it from the methods' own docstrings.
`vizapp.explain(seen, NAME, ...)`, `vizapp explain IMAGE --method NAME` and the Methods tab of the page run the same code.

How to read the table: a map may depend on the class and the query, and be signed. How to read a first line:
`(token,)` is one value for each token, prefix tokens (CLS, registers) first; `(patch,)` has patches only. A is attention, dA is
the gradient of the class's logit with respect to it, and ^+ sets negative values to zero.
[bench/METHODS.md](../bench/METHODS.md) says how well each method finds objects, and how faithful it is. A new method is one
file: [extend.md](extend.md#a-method). The measures by which maps are compared stand at the end.
"""
REFERENCES = PAGE.with_name("references.json")
BESIDE = """## Beside the papers and the authors' code

`python -m bench.references` compares each method with references that are written line by line on whole matrices in float64
(`bench/references`); pictures: {pictures}. r is the smallest correlation, the difference the largest, in parts of the
reference's largest value. Each method equals its paper (r at least 0.999999; the difference in parentheses):"""
OPEN = """## Open

Methods are written from a paper or its authors' code, never from memory. These are missing, because a source was not at hand or
there was no time:

- LibraGrad's FullGrad, which gives the biases of each layer their part, and its backward pass under methods other than
  input x gradient (`libra_grad` is that one). The complete code for them was not at hand.
- SaCo (arXiv 2404.01415), a measure. Its authors' code (adreamwu/SaCo) compares pairs of groups, but does not say what takes
  the place of a group, or how many groups there are. The paper itself was not at hand. A reproduction of it
  (CENG501-Projects/CENG501-Fall2024, Zengin) puts the picture's mean there; reproductions have 5 and 10 groups.
- DAAM's mode for features without a class, and its paper. `daam` follows the formulas as daam-timm-vit quotes them.
"""
MEASURES = """## Measures

Names are those of `vizapp evaluate`, `vizapp.compare` and the page's table. The last column
says what a uniform map gets: a map that gets no more than that has found nothing.
"""


def page() -> str:
    every = methods()
    rows = [
        "| method | what it shows | its map | cost | needs |",
        "|---|---|---|---|---|",
    ]
    for name, one in every.items():
        kinds = {"class": one.class_specific, "query": one.by_query, "signed": one.signed}
        said = (", ".join(kind for kind, is_so in kinds.items() if is_so), one.cost, _needs(one))
        rows.append(f"| [{name}](#{name}) | {one.sentence} | {' | '.join(said)} |")
    measures = [DELETION, INSERTION, *metrics().values()]
    return "\n".join(
        [
            ABOUT,
            *rows,
            "",
            *(_section(one) for one in every.values()),
            *_references(),
            OPEN,
            MEASURES,
            *_table(measures),
            "",
        ]
    )


def _references() -> list[str]:
    """Each method beside its references, as `python -m bench.references` found it."""
    found = json.loads(REFERENCES.read_text("utf-8"))
    names = list(found)
    shown = " and ".join(f"{found[name]['pictures']} on {name}" for name in names)
    lines = [BESIDE.format(pictures=shown), ""]
    table = ["", "Somebody's code may do something else; both maps are scaled to 1 before:", ""]
    table += ["| method | code | r | difference | what it does differently |", "|---|---|---|---|---|"]
    for rows in zip(*(found[name]["rows"] for name in names), strict=True):
        first = rows[0]
        settings = "".join(f", {name}={value}" for name, value in first["settings"].items())
        apart = f"{max(row['difference'] for row in rows):.0e}"
        if first["kind"] == "paper":
            lines.append(f"- {first['method']}{settings}: {first['title']} ({apart})")
        else:
            r = f"{min(row['r'] for row in rows):.4f}"
            table.append(f"| {first['method']}{settings} | {first['title']} | {r} | {apart} | {first['about']} |")
    return [*lines, *table, ""]


def _table(measures: list[Measure]) -> list[str]:
    rows = ["| measure | better | what it tells | paper | a uniform map |", "|---|---|---|---|---|"]
    for one in measures:
        rows.append(f"| {one.name} | {one.direction} | {one.title}: {one.sentence} | {one.paper} | {one.uninformed} |")
    return rows


def _needs(method: Method) -> str:
    passes = "forward passes" if method.needs_network else "attention only"
    words = {
        "gradient": "a backward pass",
        "relevances": "rules for all its layers",
        "written": "values and output projection",
    }
    said = [words[need] for need in method.needs] or [passes]
    return ", ".join([*said, *filter(None, [method.package])])


def _section(method: Method) -> str:
    defaults = {name: parameter.default for name, parameter in method.parameters.items()}
    lines = [
        f"## {method.name}",
        "",
        f"**{method.title}.** {method.paper}. A value is: {method.unit(defaults)}.",
        "",
        "```text",
    ]
    lines += [inspect.cleandoc(method.function.__doc__ or ""), "```", ""]
    if method.parameters:
        settings = (f"`{name}={one.default}`{_choices(one.annotation)}" for name, one in method.parameters.items())
        lines += [f"Settings: {', '.join(settings)}.", ""]
    return "\n".join(lines)


def _choices(annotation: Any) -> str:
    """What a default does not tell: the names that there are, or which kind of value takes the place of None."""
    if get_origin(annotation) is Literal:
        return f" ({', '.join(map(str, get_args(annotation)))})"
    names = {int: "a whole number", float: "a number", bool: "yes or no"}
    kinds = [names[kind] for kind in get_args(annotation) if kind is not type(None)]
    return f" (or {' or '.join(kinds)})" if kinds else ""


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
