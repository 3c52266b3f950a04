"""Things that a visitor taught on the tab Attention, on their way to a tab that is built in Python.

handed = Handed()                         # into the page that is being built; among what follows the stage
handed.value(seen, things)                # tells the browser which network's things are asked for
handed.event(take, ...)                   # the browser has others than the server; `things_of` reads what it sent
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import gradio as gr
import numpy as np

from vizapp.analysis import Analysis
from vizapp.errors import VizError
from vizapp.taught import MOST, checked

LONGEST = 40  # letters of a name, as the field for it takes
WIDEST = 2**13  # features of a patch: the widest network that is known has 6144
TRIES = 50  # five a second: so long a picture may need from the server's answer to the viewer

HAND_OVER = f"""
let told = "{{}}", timer = 0;
const text = (rows) => {{
  let all = "";
  for (const row of rows) for (const byte of new Uint8Array(Float32Array.from(row).buffer)) all += String.fromCharCode(byte);
  return btoa(all);
}};
const look = (tries) => {{
  clearTimeout(timer);
  const {{ model, known }} = props.value ?? {{}};
  if (!model) return;
  const viewer = document.querySelector(".viz")?.viewer;
  if (viewer?.payload?.model !== model) {{ // it is on its way
    if (tries) timer = setTimeout(look, 200, tries - 1);
    return;
  }}
  if (!known) told = "{{}}";
  const {{ lesson }} = viewer;
  const now = lesson ? {{ model, names: lesson.names, prototypes: text(lesson.prototypes) }} : {{}};
  if (JSON.stringify(now) === told) return;
  told = JSON.stringify(now);
  trigger("taught", now);
}};
watch("value", () => look({TRIES}));
look({TRIES});
"""


@dataclass(frozen=True, eq=False)
class Things:
    """names  of two or more; means  (thing, feature) float32, the prototypes; model  the name of the network they are of"""

    model: str
    names: tuple[str, ...]
    means: np.ndarray = field(repr=False)

    def of(self, seen: Analysis) -> Things | None:
        """These, if the network that looked at the picture is theirs."""
        return self if self.model == seen.model_name else None


class Handed:
    """What cannot be seen on the page, and asks the viewer what was taught each time that something has come to the stage."""

    def __init__(self, elem_id: str) -> None:
        self.part: Any = gr.HTML({}, html_template="", js_on_load=HAND_OVER, elem_id=elem_id, padding=False)

    def value(self, seen: Analysis, things: Things | None) -> dict[str, Any]:
        """The network that is asked about, and whether the server still has things of a visitor."""
        return {"model": seen.model_name, "known": things is not None, "new": uuid4().hex}

    def event(self, take: Callable[..., Any], *args: Any, **how: Any) -> Any:
        """`take` is called when the browser has other things than it sent before; see `things_of`."""
        return self.part.taught(take, *args, **how)


def things_of(sent: Any) -> Things | None:
    """What a browser sent: None for no things. Raises `VizError` for anything but two to `MOST` with a row of numbers each."""
    if not isinstance(sent, dict):
        raise _lost()
    if not sent:
        return None
    model, names, text = (sent.get(key) for key in ("model", "names", "prototypes"))
    if not isinstance(model, str) or not isinstance(names, list) or not isinstance(text, str):
        raise _lost()
    if not all(isinstance(one, str) and len(one.strip()) > 0 for one in names):
        raise _lost()
    if any(len(one) > LONGEST for one in names):
        raise VizError("A thing has a name of {most} letters at most.", "Give it a shorter one.", most=LONGEST)
    if len(text) > MOST * WIDEST * 4 * 4 / 3 + 4:
        raise _lost()
    try:
        numbers = np.frombuffer(base64.b64decode(text, validate=True), "<f4")
        means = numbers.reshape(max(len(names), 1), -1)
    except (binascii.Error, ValueError):
        raise _lost() from None
    checked(names, means)
    return Things(model, tuple(one.strip() for one in names), means)


def _lost() -> VizError:
    return VizError(
        "What was taught did not arrive as it was sent.", "Open the tab Attention, mark a patch, and come back."
    )
