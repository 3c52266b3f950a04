"""Put a parameter in words: `skip_weight: SkipWeight = 0.5`, or `noise: Annotated[float, Setting("Noise", "...")] = 0.1`.

Parameters that several methods have stand here, so that they are called the same everywhere.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from numbers import Integral, Real
from types import NoneType
from typing import Annotated, Any, Literal, get_args, get_origin

from vizapp.errors import VizError
from vizapp.wording import Text, alike, listed


@dataclass(frozen=True)
class Setting:
    """The title of a parameter and what it does, as English sentences that a language may translate.

    counted  it is the number of a layer or head: from 0 in code, from 1 on the page
    shown    has it a control on the page? The command line and code have it anyway
    """

    title: str
    about: str
    counted: bool = False
    shown: bool = True


Layer = Annotated[int, Setting("Layer", "Counted from 1; empty: the last one.", counted=True)]
Block = Annotated[int, Setting("Block", "Counted from 1; empty: the last one.", counted=True)]
Head = Annotated[int | None, Setting("Head", "Counted from 1; empty: all heads, combined.", counted=True)]
StartLayer = Annotated[int, Setting("First layer", "Counted from 1; earlier layers are left out.", counted=True)]
SkipWeight = Annotated[
    float,
    Setting("Skip", "Share of each layer\u2019s input that goes past its attention on the skip connection, 0 to 1."),
]
Seed = Annotated[int, Setting("Seed", "Another number makes other chance.")]
HEADS_COMBINED = Setting("Heads combined by", "How the values of all heads become one.")


def is_control(annotation: object) -> bool:
    """Tell whether a parameter of this type can be a control on the page."""
    if get_origin(annotation) is Literal:
        return True
    kinds = get_args(annotation) or (annotation,)
    return set(kinds) <= {int, float, bool, NoneType} and kinds != (NoneType,)


KINDS = {
    int: Text("a whole number"),
    float: Text("a number"),
    bool: Text("true or false"),
    NoneType: Text("nothing"),
}


def check_choice(name: str, value: object, annotation: object) -> None:
    """Raise `VizError` unless `value` is one of the choices of a Literal, or a number where a number is wanted."""
    if annotation is Any:  # a callable of the user's own need not say its types
        return
    if get_origin(annotation) is Literal:
        choices = ", ".join(map(str, get_args(annotation)))
        is_plain = value is None or isinstance(value, str | int | float)  # an array is equal to nothing in one word
        fits, wanted = is_plain and value in get_args(annotation), Text("one of: {choices}", choices=choices)
    elif annotation is float:
        fits, wanted = isinstance(value, Real) and not isinstance(value, bool), Text("a number")
    else:
        kinds = get_args(annotation) or (annotation,)  # int | None -> (int, NoneType)
        fits = isinstance(value, tuple(Integral if kind is int else kind for kind in kinds))
        fits &= bool in kinds or not isinstance(value, bool)
        *others, last = [KINDS.get(kind, kind.__name__) for kind in kinds]
        wanted = Text("{one} or {other}", one=listed(others), other=last) if others else last
    if not fits:
        raise VizError(
            "{name}={value} is not possible.", "Choose {wanted}.", name=name, value=repr(value), wanted=wanted
        )


def no_setting(method: str, name: str, has: Iterable[str]) -> VizError:
    """The error for a setting that a method does not have."""
    known, close = ", ".join(has) or Text("no settings"), ", ".join(alike(name, has))
    hint = (
        Text("Did you mean {close}? It has: {has}.", close=close, has=known)
        if close
        else Text("It has: {has}.", has=known)
    )
    return VizError("{method} has no setting '{name}'.", hint, method=method, name=name)
