"""The field where a model is chosen: a list with a search, filtered in the browser, where a name may also be typed in full."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from typing import Any

import gradio as gr

from vizapp.model.known import Known, downloaded, known, repository_of
from vizapp.model.zoo import fetchables
from vizapp.ui.again import QUIETLY
from vizapp.ui.session import Session
from vizapp.ui.words import Words

ARROW = " \u2193"  # behind what is downloaded once
SHOWN = 60  # of a list that opens; more as one scrolls

# A list with a search field: what is typed takes the place of what was chosen. Gradio submits what stands there when the field
# is left; here only Enter and a press on the list do, and half a word gives way to what was chosen before.
TYPING = """
let before = "", chosen = false;
const isList = (target) => target.matches?.("input[role=listbox], input[role=combobox]");
document.addEventListener("focusin", ({ target }) => {
  if (!isList(target)) return;
  [before, chosen] = [target.value, false];
  setTimeout(() => target.select());
});
document.addEventListener("pointerdown", ({ target }) => { chosen = Boolean(target.closest?.("ul[role=listbox]")); }, true);
document.addEventListener("keydown", ({ key, target }) => {
  if (!isList(target)) return;
  // What is not in the list gives way when the field is left.
  const known = [...document.querySelectorAll("ul[role=listbox] li")].length > 0;
  chosen = key === "Enter" && (known || !target.closest(".only-listed"));
  if (key === "Enter" && !chosen) target.blur();
}, true);
document.addEventListener("blur", ({ target }) => {
  if (!isList(target) || chosen || target.value === before) return;
  target.value = before;
  target.dispatchEvent(new Event("input", { bubbles: true }));
}, true);
"""


# Models that are not built in, the latest first; the browser keeps them, and the server never hears of it.
RECENT = """
const KEY = "vizapp-models", MOST = 4;
const kept = () => {
  try {
    return JSON.parse(localStorage.getItem(KEY)).filter((one) => typeof one === "string").slice(0, MOST);
  } catch {
    return []; // nothing yet, or no storage here
  }
};
const row = element.querySelector("p");
let now = "";
function draw() {
  const others = kept().filter((one) => one !== now);
  row.replaceChildren(...others.map((one) => {
    const button = document.createElement("button");
    button.textContent = one.replace(/^timm:/, "").replace(/^file:.*[\\/\\\\]/, "");
    button.title = one;
    button.onclick = () => {
      document.querySelector("#recent").dataset.picked = one;
      trigger("pick");
    };
    return button;
  }));
  row.hidden = !others.length;
  if (others.length) row.prepend(`${row.dataset.title} `);
}
document.addEventListener("vizapp-model", ({ detail }) => {
  now = detail;
  if (now.includes(":") || now.startsWith("photos")) {
    try {
      localStorage.setItem(KEY, JSON.stringify([now, ...kept().filter((one) => one !== now)].slice(0, MOST)));
    } catch { /* a browser that keeps nothing */ }
  }
  draw();
});
"""
LOOKED = "(name) => { document.dispatchEvent(new CustomEvent('vizapp-model', { detail: name })); }"
PICKED = "() => document.querySelector('#recent').dataset.picked"


def model_field(session: Session, words: Words, chosen: str) -> gr.Dropdown:
    """What is offered, well-known ones first; on a page of one's own every network of timm that attends, and any name."""
    page = words["page"]
    help_open = words.say("page", "model_help_open", count=len(known()))
    return gr.Dropdown(
        choices(session, words),
        value=chosen,
        label=page["model"],
        info=page["model_help"] if session.public else help_open,
        allow_custom_value=not session.public,
        num_choices_shown=SHOWN,
        elem_id="model",
        elem_classes=["only-listed"] if session.public else [],
    )


def recent_models(words: Words) -> Callable[[Sequence[Any], gr.Dropdown], None]:
    """The row of models that this browser has looked through. What is returned connects it to the events that look."""
    title = escape(words["page"]["recent"])
    row: Any = gr.HTML(
        "", html_template=f'<p hidden data-title="{title}"></p>', js_on_load=RECENT, elem_id="recent", min_height=0
    )

    def connect(looks: Sequence[Any], name: gr.Dropdown) -> None:
        for one in looks:
            one.success(None, name, None, js=LOOKED, **QUIETLY)
        row.pick(None, None, name, js=PICKED, **QUIETLY)

    return connect


def waiting(session: Session, words: Words) -> gr.HTML:
    """Where words on what is on its way to the stage stand, on the picture, and the button that ends it (theme.py).

    A component of its own: the clock that Gradio puts on a picture is taken out of the page while it runs, and never stops.
    """

    def give_up(asked: gr.Request) -> None:
        session.give_up(asked.session_hash or "")

    place = gr.HTML("", elem_id="wait", min_height=0)
    gr.Button(words["page"]["stop"], size="sm", elem_id="look-stop").click(give_up, None, None, **QUIETLY)
    return place


def choices(session: Session, words: Words) -> list[tuple[str, str]]:
    """(what is shown, full name), with an arrow behind those that are to be downloaded first."""
    names = words["models"]
    if session.public:
        return [(names.get(one, one), one) for one in session.offered]
    here = downloaded()
    offered = {one: _listed(names.get(one, one), repository_of(one) in here) for one in session.offered}
    built_in = {one: label for one, label in offered.items() if ":" not in one}
    fetched = {one: names.get(one, one) + ("" if what.is_here() else ARROW) for one, what in fetchables().items()}
    searched = {one.full_name: _searched(one, one.weights in here, words) for one in known().values()}
    return [(label, name) for name, label in (built_in | fetched | offered | searched).items()]


def _listed(label: str, is_here: bool) -> str:
    return label.removesuffix(ARROW) if is_here else label


def _searched(one: Known, is_here: bool, words: Words) -> str:
    if not one.weights:
        return words.say("page", "model_random", name=one.name, millions=one.millions)
    return words.say("page", "model_found", name=one.name, millions=one.millions) + ("" if is_here else ARROW)
