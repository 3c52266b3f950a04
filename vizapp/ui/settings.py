"""A method's parameters as controls of the page: one for each keyword-only parameter, made from its type."""

from collections.abc import Sequence
from dataclasses import dataclass
from inspect import Parameter
from typing import Any, Literal, get_args, get_origin

import gradio as gr

from vizapp.core.methods import Method, method_named
from vizapp.core.setting import Setting
from vizapp.errors import VizError
from vizapp.ui.comparison_html import name_of
from vizapp.ui.words import Words
from vizapp.wording import Text


@dataclass(frozen=True)
class Settings:
    """The controls of some methods.

    controls  one Gradio component for each parameter, in the order of `names`
    names     (method, parameter) of each control
    boxes     method -> the group of its controls, shown while the method is chosen
    """

    controls: list[Any]
    names: list[tuple[str, str]]
    boxes: dict[str, gr.Group]

    def of(self, values: Sequence[Any], chosen: Sequence[str]) -> dict[str, dict[str, Any]]:
        """method -> parameter -> value, from the values of all controls: for the chosen methods, without defaults."""
        found: dict[str, dict[str, Any]] = {}
        for (method, name), value in zip(self.names, values, strict=True):
            about = method_named(method)
            parameter = about.parameters[name]
            if method in chosen and (taken := as_given(about, parameter, value)) != parameter.default:
                found.setdefault(method, {})[name] = taken
        return found

    def shown_for(self, chosen: Sequence[str]) -> list[gr.Group]:
        """Return new values of `boxes`."""
        return [gr.Group(visible=name in chosen) for name in self.boxes]


def settings_of(words: Words, methods: Sequence[Method]) -> Settings:
    """Add a box of controls to the page for each of `methods` that has parameters."""
    controls: list[Any] = []
    names: list[tuple[str, str]] = []
    boxes: dict[str, gr.Group] = {}
    with gr.Row(elem_id="methods-boxes"):
        for method in methods:
            shown = {name: one for name, one in method.parameters.items() if method.settings[name].shown}
            if not shown:
                continue
            with gr.Group(visible=method.chosen) as boxes[method.name]:
                gr.HTML(f"<b>{name_of(words, method.name)}</b>", padding=True)
                for name, parameter in shown.items():
                    controls.append(_control(words, method.name, parameter, method.settings[name]))
                    names.append((method.name, name))
    return Settings(controls, names, boxes)


def _control(words: Words, method: str, parameter: Parameter, said: Setting) -> Any:
    about = {
        "label": words.translate(Text(said.title)),
        "info": words.translate(Text(said.about)),
        "elem_id": f"settings-{method}-{parameter.name}",
    }
    if get_origin(parameter.annotation) is Literal:
        return gr.Dropdown(list(get_args(parameter.annotation)), value=parameter.default, **about)
    if parameter.annotation is bool:
        return gr.Checkbox(parameter.default, **about)
    if said.counted or type(None) in get_args(parameter.annotation):  # gr.Number would show nothing as 0
        return gr.Textbox(shown_as(parameter.default, said.counted), max_lines=1, **about)
    precision, step = (None, 0.05) if parameter.annotation is float else (0, 1)
    return gr.Number(parameter.default, precision=precision, step=step, **about)


def shown_as(value: int | None, counted: bool) -> str:
    """Write a number for its field, empty if it is missing; empty for the last layer, too."""
    if value is None or (counted and value < 0):
        return ""
    return str(value + counted)  # from 0 in code, from 1 on the page


def as_given(method: Method, parameter: Parameter, value: Any) -> Any:
    """Convert the value of a control for the method: an empty field is the default."""
    told, words = str("" if value is None else value).strip(), method.settings[parameter.name]
    if not told:
        return parameter.default
    if not words.counted and type(None) not in get_args(parameter.annotation):
        return value
    first = int(words.counted)
    if not told.isdecimal() or int(told) < first:
        raise VizError(
            "{method}: {setting} = {value} is not possible.",
            "Write a whole number from {first} on, or nothing.",
            method=Text(method.title),
            setting=Text(words.title),
            value=told,
            first=first,
        )
    return int(told) - first
