"""Checks posted bodies before Gradio reads them: invalid or too deeply nested JSON is refused."""

import json
import re
from typing import Any

from starlette.types import Message, Receive

from vizapp.errors import VizError

DEEPEST = 64  # nested lists and objects; JSON readers after this one recurse once for each level
NESTING = re.compile(rb"[\[\]{}]")


async def body_of(receive: Receive) -> tuple[bytes, Receive]:
    """Read a whole body, and return it with a `receive` that delivers it again to the next app."""
    messages = [await receive()]
    while messages[-1].get("more_body", False):
        messages.append(await receive())
    body = b"".join(one.get("body", b"") for one in messages)

    async def again() -> Message:
        return messages.pop(0) if messages else await receive()

    return body, again


def read(body: bytes) -> Any:
    """Parse the JSON. Raises `VizError` if it is invalid."""
    try:
        _refuse_deep(body)
        return json.loads(body)
    except (ValueError, RecursionError):
        raise VizError("This is no JSON that can be read.", "At most {n} levels, in UTF-8.", n=DEEPEST) from None


def _refuse_deep(body: bytes) -> None:
    """Refuse deep nesting before parsing, as the next reader may stand fewer levels. Brackets inside strings count, too."""
    if body.count(b"[") + body.count(b"{") <= DEEPEST:
        return
    depth = 0
    for one in NESTING.finditer(body):
        depth += 1 if one[0] in b"[{" else -1
        if depth > DEEPEST:
            raise RecursionError
