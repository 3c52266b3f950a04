"""Write docs/methods.md from what the methods say of themselves: python -m docs.methods"""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from vizapp.core.methods import Method, methods

PAGE = Path(__file__).with_name("methods.md")
ABOUT = """# Methods

What each explanation method computes, from its own docstring; written by `python -m docs.methods`, and a test keeps it fresh.
`vizapp.explain(seen, NAME, ...)`, `vizapp explain IMAGE --method NAME` and the Methods tab of the page run the same code.

How to read a first line: `(token,)` is one value for each token, prefix tokens (CLS, registers) first; `(patch,)` has patches
only. A is attention, dA the gradient of the class's logit with respect to it, ^+ keeps what is above zero. How well each
finds objects, and how faithful it is, stands in [bench/METHODS.md](../bench/METHODS.md). A new one is one file:
[add-a-method.md](add-a-method.md).
"""


def page() -> str:
    every = methods()
    rows = ["| method | for a class | by query | signed | needs |", "|---|---|---|---|---|"]
    rows += [
        f"| [{name}](#{name}) | {_yes(one.class_specific)} | {_yes(one.by_query)} | {_yes(one.signed)} | {_needs(one)} |"
        for name, one in every.items()
    ]
    return "\n".join([ABOUT, *rows, "", *(_section(one) for one in every.values())])


def _yes(value: bool) -> str:
    return "yes" if value else "-"


def _needs(method: Method) -> str:
    if method.needs_gradient:
        return "a backward pass"
    return "forward passes" if method.needs_network else "attention only"


def _section(method: Method) -> str:
    defaults = {name: parameter.default for name, parameter in method.parameters.items()}
    lines = [f"## {method.name}", "", f"{method.paper}. A value is: {method.unit(defaults)}.", "", "```text"]
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
