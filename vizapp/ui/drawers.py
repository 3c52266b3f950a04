"""Drawers of the page: what is chosen now and then stands behind a button, and opens over the page.

The model's name above the stage opens the choice of models; the plus in the tray opens the ways to bring a picture of one's own.
"""

from html import escape
from pathlib import Path
from typing import Any

import gradio as gr

from vizapp.ui.model_field import ARROW, SHORT
from vizapp.ui.words import Words, languages

OPENING = """
const boxOf = (button) => document.getElementById(button.dataset.drawer);
const open = (button, isOpen) => {
  button.setAttribute("aria-expanded", String(isOpen));
  boxOf(button)?.classList.toggle("is-open", isOpen);
};
document.addEventListener("click", ({ target }) => {
  const button = target.closest?.("button[data-drawer]");
  if (button) open(button, button.getAttribute("aria-expanded") !== "true");
});
// A press elsewhere closes them, also one that opens another; not one in a list that Gradio has opened elsewhere on the page.
document.addEventListener("pointerdown", ({ target }) => {
  for (const button of document.querySelectorAll("button[data-drawer][aria-expanded=true]"))
    if (target.closest("button[data-drawer]") !== button && !target.closest(".drawer, ul[role=listbox], .toast-wrap"))
      open(button, false);
});
document.addEventListener("keydown", (event) => {
  const button = document.querySelector("button[data-drawer][aria-expanded=true]");
  if (event.key !== "Escape" || !button) return;
  open(button, false);
  button.focus();
  event.preventDefault();
}, true);
// A choice is made: the stage is what counts now. The chip bears the model's name as the list has it.
let isFirst = true; // the first maps of a visit are nobody's choice
document.addEventListener("vizapp-model", ({ detail }) => {
  const opened = isFirst ? [] : document.querySelectorAll("button[data-drawer][aria-expanded=true]");
  for (const button of opened) open(button, false);
  isFirst = false;
  const shown = document.querySelector("#model input")?.value || detail;
  document.querySelector("#model-chip b").textContent = shortName(shown.replace(/ \u2193$/, "")).replace(/\\?.*$/, "");
});
"""


def chip(words: Words, model: str) -> str:
    """HTML of the button that bears the model's name."""
    name, said = words["models"].get(model, model), escape(words["page"]["model_chip"])
    if name == model and model.startswith("file:"):
        name = Path(model.partition("?")[0]).name
    opens = f'id="model-chip" data-drawer="model-box" aria-expanded="false" title="{said}"'
    more = len(languages()) - 2  # links to languages stand beside it
    name = name.removesuffix(ARROW)  # it is on the stage, so it is here
    return f'<button type="button" {opens} style="--more-languages: {max(0, more)}"><b>{escape(name)}</b></button>'


def plus(words: Words) -> Any:
    """Add to the tray that is being built the button that brings a picture of one's own."""
    said = escape(words["page"]["add"])
    opens = f'id="plus" data-drawer="add" aria-expanded="false" title="{said}" aria-label="{said}"'
    return gr.HTML(f'<button type="button" {opens}>+</button>', elem_id="plus-box", min_height=0)


def script() -> str:
    """JavaScript that opens and closes drawers."""
    return SHORT + OPENING
