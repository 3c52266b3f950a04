"""What was posted, read before somebody else reads it: JSON that is none, or that is nested without an end, is a slip."""

from __future__ import annotations

import json
import re
from typing import Any

from starlette.types import Message, Receive

from vizapp.errors import VizError

DEEPEST = 64  # lists and objects inside of each other; those who read JSON after us go down by one call for each
NESTING = re.compile(rb"[\[\]{}]")


async def body_of(receive: Receive) -> tuple[bytes, Receive]:
    """All of a body, and what gives it once more to who is asked next."""
    messages = [await receive()]
    while messages[-1].get("more_body", False):
        messages.append(await receive())
    body = b"".join(one.get("body", b"") for one in messages)

    async def again() -> Message:
        return messages.pop(0) if messages else await receive()

    return body, again


def read(body: bytes) -> Any:
    """What the JSON says. Raises `VizError` where it says nothing."""
    try:
        _refuse_deep(body)
        return json.loads(body)
    except (ValueError, RecursionError):
        raise VizError("This is no JSON that can be read.", "At most {n} levels, in UTF-8.", n=DEEPEST) from None


def _refuse_deep(body: bytes) -> None:
    """Before it is read: a reader may have room for fewer levels than the one that looks first. Text counts, too."""
    if body.count(b"[") + body.count(b"{") <= DEEPEST:
        return
    depth = 0
    for one in NESTING.finditer(body):
        depth += 1 if one[0] in b"[{" else -1
        if depth > DEEPEST:
            raise RecursionError
