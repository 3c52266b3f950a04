"""The settings of methods as fields of the page: described for its JavaScript, and read from what stands in them."""

from collections.abc import Mapping
from inspect import Parameter
from types import NoneType
from typing import Any, Literal, get_args, get_origin

from vizapp.core.methods import Method, within
from vizapp.core.setting import no_setting
from vizapp.errors import VizError
from vizapp.ui.programs.arguments import check
from vizapp.ui.settings import as_given, shown_as
from vizapp.ui.words import Words
from vizapp.wording import Text

Written = str | int | float | bool | None  # what can stand in a field
LONGEST = 40  # letters
LARGEST = 2**31


def fields(words: Words, method: Method) -> list[dict[str, Any]]:
    """Describe a field for each setting that the page shows: title, about, its kind, choices, and what stands in it at first."""
    shown = {name: one for name, one in method.parameters.items() if method.settings[name].shown}
    return [
        {
            "name": name,
            "title": words.translate(Text(method.settings[name].title)),
            "about": words.translate(Text(method.settings[name].about)),
            **_kind(one, method.settings[name].counted),
        }
        for name, one in shown.items()
    ]


def _kind(parameter: Parameter, counted: bool) -> dict[str, Any]:
    if get_origin(parameter.annotation) is Literal:
        return {"kind": "choice", "choices": list(get_args(parameter.annotation)), "value": parameter.default}
    if parameter.annotation is bool:
        return {"kind": "flag", "choices": [], "value": parameter.default}
    if counted or NoneType in get_args(parameter.annotation):  # empty is a value, too
        return {"kind": "text", "choices": [], "value": shown_as(parameter.default, counted)}
    return {"kind": "number", "choices": [], "value": parameter.default}


def settings_of(method: Method, written: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that stand in a method's fields, without defaults. Raises `VizError` for unknown ones and wrong values."""
    found: dict[str, Any] = {}
    for name, value in written.items():
        if name not in method.parameters:
            raise no_setting(method.name, name[:LONGEST], method.parameters)
        check(name, value, Written)
        if isinstance(value, int | float):
            within(-LARGEST, LARGEST, **{name: value})
        if isinstance(value, str) and len(value) > LONGEST:
            raise VizError("{name} has too many letters.", "Write {most} at most.", name=name, most=LONGEST)
        parameter = method.parameters[name]
        if (taken := as_given(method, parameter, value)) != parameter.default:
            found[name] = taken
    method.check(found)
    return found
