"""Write docs/methods.md from what methods and metrics say of themselves: python -m docs.methods"""

from __future__ import annotations

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

What each explanation method computes, from its own docstring; written by `python -m docs.methods`, and a test keeps it fresh.
`vizapp.explain(seen, NAME, ...)`, `vizapp explain IMAGE --method NAME` and the Methods tab of the page run the same code.

How to read a first line: `(token,)` is one value for each token, prefix tokens (CLS, registers) first; `(patch,)` has patches
only. A is attention, dA the gradient of the class's logit with respect to it, ^+ keeps what is above zero. How well each
finds objects, and how faithful it is, stands in [bench/METHODS.md](../bench/METHODS.md). A new one is one file:
[add-a-method.md](add-a-method.md). At the end stand the measures, by which maps are compared.
"""
REFERENCES = PAGE.with_name("references.json")
BESIDE = """## Beside the papers and the authors' code

Made by `python -m bench.references`: each method and its reference, written line by line on whole matrices in float64
(`bench/references`), pictures: {pictures}. r is the smallest correlation over them, the difference the largest, in parts of
the reference's largest value. Where a row is that of a paper, they must agree; where it is that of some code, both maps are
scaled to 1 before, and the last column says what that code does otherwise."""
OPEN = """## Open

Methods are written from a paper or its authors' code, never from memory. Not here, for want of these or of time:

- LibraGrad's FullGrad, which gives the biases of each layer their part, and its backward pass under other methods than
  input x gradient, which `libra_grad` is: the code for them was not at hand whole.
- SaCo (arXiv 2404.01415), a measure: its authors' code (adreamwu/SaCo) has the comparison of pairs of groups, and leaves out what
  is put in place of a group and how many groups there are. The paper itself was not at hand; a reproduction of it
  (CENG501-Projects/CENG501-Fall2024, Zengin) puts the picture's mean there, and of groups reproductions have 5 and 10.
- DAAM's mode for features without a class, and its paper: `daam` follows the formulas as daam-timm-vit quotes them.
"""
MEASURES = """## Measures

What is measured of a map; written as `vizapp evaluate`, `vizapp.compare` and the page's table call it. Of a column whose name is
a metric's, a uniform map gets what stands in the last column: what is worth no more than that has found nothing.
"""


def page() -> str:
    every = methods()
    rows = [
        "| method | what it shows | for a class | by query | signed | cost | needs |",
        "|---|---|---|---|---|---|---|",
    ]
    for name, one in every.items():
        said = (_yes(one.class_specific), _yes(one.by_query), _yes(one.signed), one.cost, _needs(one))
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
    lines += [
        f"| method | reference | {' | '.join(f'r, {name} | difference, {name}' for name in names)} | what differs |",
        "|---|---|" + "---|---|" * len(names) + "---|",
    ]
    for rows in zip(*(found[name]["rows"] for name in names), strict=True):
        first = rows[0]
        settings = "".join(f", {name}={value}" for name, value in first["settings"].items())
        numbers = " | ".join(f"{row['r']:.4f} | {row['difference']:.0e}" for row in rows)
        about, title = first["about"] or "nothing", first["title"].replace("|", "\\|")
        lines.append(f"| {first['method']}{settings} | {title} | {numbers} | {about} |")
    return [*lines, ""]


def _table(measures: list[Measure]) -> list[str]:
    rows = ["| measure | better | what it tells | paper | a uniform map |", "|---|---|---|---|---|"]
    for one in measures:
        rows.append(f"| {one.name} | {one.direction} | {one.title}: {one.sentence} | {one.paper} | {one.uninformed} |")
    return rows


def _yes(value: bool) -> str:
    return "yes" if value else "-"


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
        f"**{method.title}.** {method.sentence} {method.paper}. A value is: {method.unit(defaults)}.",
        "",
        "```text",
    ]
    lines += [inspect.cleandoc(method.function.__doc__ or ""), "```", ""]
    if method.parameters:
        lines += ["| parameter | default | choices |", "|---|---|---|"]
        lines += [f"| {name} | {one.default} | {_choices(one.annotation)} |" for name, one in method.parameters.items()]
        lines.append("")
    return "\n".join(lines)


def _choices(annotation: Any) -> str:
    if get_origin(annotation) is Literal:
        return ", ".join(map(str, get_args(annotation)))
    kinds = get_args(annotation) or (annotation,)
    names = {int: "a whole number", float: "a number", bool: "yes or no", type(None): "nothing"}
    return " or ".join(names[kind] for kind in kinds)


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
