"""A method's parameters as controls of the page: one for each keyword-only parameter, made from its type."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from inspect import Parameter
from typing import Any, Literal, get_args, get_origin

import gradio as gr

from vizapp.core.methods import Method, method_named
from vizapp.errors import VizError
from vizapp.ui.board import name_of
from vizapp.ui.words import PARAMETERS

COUNTED = ("layer", "head", "start_layer")  # from 0 in code, from 1 on the page


@dataclass(frozen=True)
class Settings:
    """The controls of some methods.

    controls  one Gradio component for each parameter, in the order of `names`
    names     (method, parameter) of each control
    boxes     method -> what holds its controls, to be shown while the method is chosen
    """

    controls: list[Any]
    names: list[tuple[str, str]]
    boxes: dict[str, gr.Group]

    def of(self, values: Sequence[Any], chosen: Sequence[str]) -> dict[str, dict[str, Any]]:
        """method -> parameter -> value, from the values of all controls: those of the chosen methods that are no defaults."""
        found: dict[str, dict[str, Any]] = {}
        for (method, name), value in zip(self.names, values, strict=True):
            parameter = method_named(method).parameters[name]
            if method in chosen and (taken := _as(method, parameter, value)) != parameter.default:
                found.setdefault(method, {})[name] = taken
        return found

    def shown_for(self, chosen: Sequence[str]) -> list[gr.Group]:
        """New values of `boxes`."""
        return [gr.Group(visible=name in chosen) for name in self.boxes]


def settings_of(methods: Sequence[Method], chosen: Sequence[str]) -> Settings:
    """Put a box of controls for each of `methods` that has parameters into the page that is being built."""
    controls: list[Any] = []
    names: list[tuple[str, str]] = []
    boxes: dict[str, gr.Group] = {}
    with gr.Row(elem_id="methods-boxes"):
        for method in methods:
            if not method.parameters:
                continue
            with gr.Group(visible=method.name in chosen) as boxes[method.name]:
                gr.HTML(f"<b>{name_of(method.name)}</b>", padding=True)
                for name, parameter in method.parameters.items():
                    controls.append(_control(method.name, name, parameter))
                    names.append((method.name, name))
    return Settings(controls, names, boxes)


def _control(method: str, name: str, parameter: Parameter) -> Any:
    label, info = PARAMETERS.get(name, (name, ""))
    about = {"label": label, "info": info, "elem_id": f"settings-{method}-{name}"}
    if get_origin(parameter.annotation) is Literal:
        return gr.Dropdown(list(get_args(parameter.annotation)), value=parameter.default, **about)
    if parameter.annotation is bool:
        return gr.Checkbox(parameter.default, **about)
    if name in COUNTED or type(None) in get_args(parameter.annotation):  # gr.Number would show nothing as 0
        return gr.Textbox(_shown(name, parameter.default), max_lines=1, **about)
    precision, step = (None, 0.05) if parameter.annotation is float else (0, 1)
    return gr.Number(parameter.default, precision=precision, step=step, **about)


def _shown(name: str, value: int | None) -> str:
    """A number that may be missing, as its field shows it; empty for the last layer, too."""
    if value is None or (name in COUNTED and value < 0):
        return ""
    return str(value + (name in COUNTED))


def _as(method: str, parameter: Parameter, value: Any) -> Any:
    """What a control holds, as the method takes it: an emptied field is the default."""
    told, name = str("" if value is None else value).strip(), parameter.name
    if not told:
        return parameter.default
    if name not in COUNTED and type(None) not in get_args(parameter.annotation):
        return value
    first = int(name in COUNTED)
    if not told.isdecimal() or int(told) < first:
        label = PARAMETERS.get(name, (name, ""))[0]
        raise VizError(
            f"{name_of(method)}: {label} = {told} is not possible.",
            f"Write a whole number from {first} on, or nothing.",
        )
    return int(told) - first
