"""A file of weights that is chosen beside the field of models, or dropped on the page: at home, never in public.

It goes through Gradio's upload, and is then a model like any `file:PATH`. If nothing names its network, its name is put into the
field, and the visitor completes `?arch=`.
"""

from typing import Any
from uuid import uuid4

import gradio as gr

from vizapp.errors import VizError
from vizapp.model.named_weights import full_name
from vizapp.model.timm_names import known
from vizapp.ui.retry import QUIETLY
from vizapp.ui.server import folder
from vizapp.ui.words import Words

# The server's answer: a complete name is chosen; an incomplete one is written into the field, as if typed.
FOUND = """
watch("value", () => {
  const { name, asks } = props.value ?? {};
  if (!name) return;
  if (!asks) {
    element.dataset.picked = name;
    element.id = "weights-picked";
    return trigger("pick");
  }
  document.querySelector("#model-chip[aria-expanded=false]")?.click(); // the field stands in a drawer
  const input = document.querySelector("#model input");
  input.focus();
  setTimeout(() => {
    input.value = name;
    input.dispatchEvent(new Event("input", { bubbles: true }));
    input.dispatchEvent(new KeyboardEvent("keydown", { key: "End", bubbles: true })); // by which its list filters
    input.setSelectionRange(name.length, name.length);
    input.scrollLeft = input.scrollWidth;
  }, 50); // after the field has marked what stood in it
});
"""
PICKED = "() => document.querySelector('#weights-picked').dataset.picked"


def weights_button(words: Words, name: gr.Dropdown) -> None:
    """Add the button to the page; a found model is chosen in the field `name`."""
    page = words["page"]
    with gr.Row(elem_id="own-weights"):
        button = gr.UploadButton(page["weights"], file_types=[".safetensors"], size="sm", elem_id="own-weights-button")
        found: Any = gr.HTML({}, html_template="<i hidden></i>", js_on_load=FOUND, min_height=0)

    def named(path: str | None) -> dict[str, Any]:
        """Make a value that the browser has not had before."""
        ours = folder.current().ours(path or "")
        if ours is None:
            return {}
        new = {"new": uuid4().hex}
        try:
            return {"name": full_name(ours, known()), "asks": False} | new
        except VizError as error:
            gr.Warning(words.explain(error), title=page["weights_asks"], duration=30)
            return {"name": f"file:{ours}?arch=", "asks": True} | new

    button.upload(named, button, found, queue=True, show_progress="hidden", api_visibility="private")
    found.pick(None, None, name, js=PICKED, **QUIETLY)
