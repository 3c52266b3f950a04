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

This page says what each explanation method computes. `python -m docs.methods` writes it from the methods' own docstrings.
`vizapp.explain(seen, NAME, ...)`, `vizapp explain IMAGE --method NAME` and the Methods tab of the page run the same code.

How to read a first line: `(token,)` is one value for each token, prefix tokens (CLS, registers) first; `(patch,)` has patches
only. A is attention, dA is the gradient of the class's logit with respect to it, and ^+ sets negative values to zero.
[bench/METHODS.md](../bench/METHODS.md) says how well each method finds objects, and how faithful it is. A new method is one
file: [extend.md](extend.md#a-method). The measures by which maps are compared stand at the end.
"""
REFERENCES = PAGE.with_name("references.json")
BESIDE = """## Beside the papers and the authors' code

`python -m bench.references` compares each method with its reference, which is written line by line on whole matrices in float64
(`bench/references`). Pictures: {pictures}. r is the smallest correlation over them; the difference is the largest, in parts of
the reference's largest value. If the reference is a paper, the two must agree. If it is somebody's code, both maps are scaled
to 1 before, and the last column says what that code does differently."""
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

These are the measures of a map, with the names that `vizapp evaluate`, `vizapp.compare` and the page's table use. The last column
says what a uniform map gets: a map that gets no more than that has found nothing.
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
