"""Checks the arguments of a program: converts each to the endpoint's type, or says what was expected."""

import base64
import binascii
import inspect
from collections.abc import Callable, Mapping
from functools import cache
from types import NoneType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from gradio.data_classes import FileData
from pydantic import TypeAdapter, ValidationError

from vizapp.errors import VizError
from vizapp.ui.server.folder import Folder

# A file as Gradio's clients send it (`handle_file`), the path that /gradio_api/upload answered, or the picture in base64.
Picture = FileData | str

UPLOAD = "Upload it to /gradio_api/upload, as the field `files` (curl -F files=@photo.jpg), and send the path that this answers."
KINDS = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    NoneType: "null",
    Any: "anything",
}


def checked(endpoint: Callable[..., Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments by name, each of its type. Raises `VizError` for unknown names and wrong types."""
    check_names(endpoint, given)
    hints = get_type_hints(endpoint)
    for name, value in given.items():
        check(name, value, hints[name])
    return dict(given)


def check_names(endpoint: Callable[..., Any], given: Mapping[str, Any]) -> None:
    """Raise `VizError` for unknown and missing arguments."""
    known = inspect.signature(endpoint).parameters
    if unknown := [name for name in given if name not in known]:
        raise VizError(
            "{endpoint} takes no '{name}'.",
            "It takes: {known}.",
            endpoint=endpoint.__name__,
            name=unknown[0][:80],
            known=", ".join(known),
        )
    if lacking := [name for name, one in known.items() if one.default is one.empty and given.get(name) is None]:
        raise VizError("{endpoint} needs {names}.", endpoint=endpoint.__name__, names=", ".join(lacking))


def check(name: str, value: Any, hint: Any) -> None:
    """Raise `VizError` for a value of another type."""
    if hint == Picture:  # `picture_of` checks it, with better messages
        return
    try:
        _reader(hint).validate_python(value)
    except (ValidationError, RecursionError):
        said = repr(value)
        raise VizError(
            "{name} = {value} is not possible.",
            "It takes {kind}.",
            name=name,
            value=said if len(said) <= 80 else said[:77] + "...",
            kind=kind_of(hint),
        ) from None


@cache
def _reader(hint: Any) -> TypeAdapter[Any]:
    return TypeAdapter(hint, config={"strict": True})


def kind_of(hint: Any) -> str:
    """The description of a type: "a whole number or null"."""
    if hint in KINDS:
        return KINDS[hint]
    parts, origin = get_args(hint), get_origin(hint)
    if origin is Literal:
        return "one of " + ", ".join(map(str, parts))
    if origin is list:
        return f"a list, each {kind_of(parts[0])}"
    if origin is dict:
        return f"an object, each value {kind_of(parts[1])}"
    return " or ".join(map(kind_of, parts))


def picture_of(given: Any, files: Folder) -> str:
    """The path of a picture in the server's folder. Nothing else on the machine is read, and no address is fetched."""
    path = given.get("path") if isinstance(given, Mapping) else given
    if not isinstance(path, str) or not path:
        raise VizError("There is no picture.", UPLOAD)
    if path.startswith("data:"):
        return str(files.put("picture", _decoded(path), ".bin"))
    if "://" in path:
        raise VizError("Pictures are not fetched from addresses here.", "Upload the picture.")
    if (ours := files.ours(path)) is None:
        raise VizError("This picture is not here, or not any more.", UPLOAD)
    files.claim(path)
    return str(ours)


def _decoded(address: str) -> bytes:
    """Decode a data: address."""
    head, _, content = address.partition(",")
    if not head.endswith(";base64"):
        raise VizError("A picture in text must be in base64.", "Such as data:image/png;base64,iVBORw0...")
    try:
        return base64.b64decode(content, validate=True)
    except (binascii.Error, ValueError):
        raise VizError("The picture is no base64.", "Such as data:image/png;base64,iVBORw0...") from None
