"""Hands the things that a visitor taught on the tab Attention to a tab that is built in Python.

handed = Handed()                         # add it to the page, among the components that follow the stage
handed.value(seen, things)                # tells the browser which network's things are needed
handed.event(take, ...)                   # fires if the browser has other things than the server; `things_of` reads them
"""

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
from vizapp.pipeline.teaching import MOST, checked
from vizapp.vocabulary import THING_LETTERS

WIDEST = 2**13  # features of a patch: the widest known network has 6144
TRIES = 50  # five a second: the time that a picture may need from the server's answer to the viewer

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
    """names  of two or more; means  (thing, feature) float32, the prototypes; model  the name of their network"""

    model: str
    names: tuple[str, ...]
    means: np.ndarray = field(repr=False)

    def of(self, seen: Analysis) -> "Things | None":
        """Return the things if they belong to the network of the analysis, else None."""
        return self if self.model == seen.model_name else None


class Handed:
    """An invisible component. Each time that something comes to the stage, it asks the viewer for taught things."""

    def __init__(self, elem_id: str) -> None:
        self.part: Any = gr.HTML({}, html_template="", js_on_load=HAND_OVER, elem_id=elem_id, padding=False)

    def value(self, seen: Analysis, things: Things | None) -> dict[str, Any]:
        """Return the network in question, and whether the server still has things of the visitor."""
        return {"model": seen.model_name, "known": things is not None, "new": uuid4().hex}

    def event(self, take: Callable[..., Any], *args: Any, **how: Any) -> Any:
        """Call `take` when the browser has other things than it sent before; see `things_of`."""
        return self.part.taught(take, *args, **how)


def things_of(sent: Any) -> Things | None:
    """Read the things that a browser sent; None for none. Raises `VizError` unless there are two to `MOST`, each with numbers."""
    if not isinstance(sent, dict):
        raise _lost()
    if not sent:
        return None
    model, names, text = (sent.get(key) for key in ("model", "names", "prototypes"))
    if not isinstance(model, str) or not isinstance(names, list) or not isinstance(text, str):
        raise _lost()
    if not all(isinstance(one, str) and len(one.strip()) > 0 for one in names):
        raise _lost()
    if any(len(one) > THING_LETTERS for one in names):
        raise VizError("A thing has a name of {most} letters at most.", "Give it a shorter one.", most=THING_LETTERS)
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
        "The things that were taught did not arrive complete.", "Open the tab Attention, mark a patch, and come back."
    )
