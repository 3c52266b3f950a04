"""The field for choosing a model: a list with a search, filtered in the browser. One may also type a full name."""

from collections.abc import Callable, Sequence
from html import escape
from typing import Any

import gradio as gr

from vizapp.model.timm_names import downloaded, repository_of, trained
from vizapp.model.zoo import fetchables
from vizapp.ui.progress import ARROW
from vizapp.ui.retry import QUIETLY
from vizapp.ui.session import Session
from vizapp.ui.words import Words

SHOWN = 60  # entries of a list that opens; more while scrolling

# A list with a search field: typed text replaces the chosen name. Gradio submits the text when the field loses focus. Here only
# Enter and a press on the list submit, and half a word is replaced by the earlier choice.
TYPING = """
let before = "", chosen = false;
const isList = (target) => target.matches?.("input[role=listbox], input[role=combobox]");
document.addEventListener("focusin", ({ target }) => {
  if (!isList(target)) return;
  [before, chosen] = [target.value, false];
  setTimeout(() => target.select());
});
document.addEventListener("pointerdown", ({ target }) => { chosen = Boolean(target.closest?.("ul[role=listbox]")); }, true);
document.addEventListener("keydown", (event) => {
  const { key, target } = event;
  if (!isList(target)) return;
  if (key === "Tab") event.stopPropagation(); // Gradio would open the list of a field that has been left
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


# The name of a model without its source, as a button bears it.
SHORT = """
const shortName = (name) => name.replace(/^timm:/, "").replace(/^file:.*[\\/\\\\]/, "");
"""

# Models that are not built in, the latest first; the browser keeps the list and does not send it to the server.
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
    button.textContent = shortName(one);
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
    """Make the field: well-known models first; at home also every network of timm that attends and has weights, and any name."""
    page = words["page"]
    help_open = words.say("page", "model_help_open", count=len(trained()))
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
    """Make the row of models that this browser has used. The returned function connects it to the events that analyse."""
    title = escape(words["page"]["recent"])
    row: Any = gr.HTML(
        "",
        html_template=f'<p hidden data-title="{title}"></p>',
        js_on_load=SHORT + RECENT,
        elem_id="recent",
        min_height=0,
    )

    def connect(looks: Sequence[Any], name: gr.Dropdown) -> None:
        for one in looks:
            one.success(None, name, None, js=LOOKED, **QUIETLY)
        row.pick(None, None, name, js=PICKED, **QUIETLY)

    return connect


def waiting(session: Session, words: Words) -> gr.HTML:
    """Make the message on the picture about the maps that are loading, with the button that ends it (page.css).

    It is a component of its own: Gradio's clock on a picture is removed from the page while it runs, and never stops.
    """

    def give_up(asked: gr.Request) -> None:
        session.give_up(asked.session_hash or "")

    place = gr.HTML("", elem_id="wait", min_height=0)
    gr.Button(words["page"]["stop"], size="sm", elem_id="look-stop").click(give_up, None, None, **QUIETLY)
    return place


def choices(session: Session, words: Words) -> list[tuple[str, str]]:
    """(label, full name) of the models, with an arrow behind those that have to be downloaded first."""
    names = words["models"]
    is_here = {one.model: one.is_here() for one in fetchables().values()}
    here = downloaded() | {repository_of(model) for model, so in is_here.items() if so} - {""}
    offered = {one: _listed(names.get(one, one), repository_of(one) in here) for one in session.offered}
    if session.public:
        return [(label, name) for name, label in offered.items()]
    built_in = {one: label for one, label in offered.items() if ":" not in one}
    fetched = {one: names.get(one, one).removesuffix(ARROW) + ("" if so else ARROW) for one, so in is_here.items()}
    searched = {
        one.full_name: words.say("page", "model_found", name=one.name, millions=one.millions)
        + ("" if one.weights in here else ARROW)
        for one in trained()
    }
    return [(label, name) for name, label in (built_in | fetched | offered | searched).items()]


def _listed(label: str, is_here: bool) -> str:
    return label.removesuffix(ARROW) if is_here else label
