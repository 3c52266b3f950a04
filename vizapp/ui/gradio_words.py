"""Gradio's own English, which it has in no table of words: names of its buttons for uploads, titles of its toasts."""

from __future__ import annotations

import json
from collections.abc import Mapping

from vizapp.ui.words import Words
from vizapp.ui.words.en import PAGE

GRADIO = ("remove", "upload", "file", "paste", "tabs")

# Elements alone are looked at: text that changes with each move of the mouse is not Gradio's.
RENAME = """
const said = %s;
const rename = (root) => {
  for (const one of [root, ...root.querySelectorAll("[aria-label], [title], .toast-title")]) {
    for (const name of ["aria-label", "title"])
      if (Object.hasOwn(said, one.getAttribute(name))) one.setAttribute(name, said[one.getAttribute(name)]);
    const text = one.matches(".toast-title") ? one.firstChild : null;
    if (text && Object.hasOwn(said, text.data?.trim())) text.data = said[text.data.trim()];
  }
};
new MutationObserver((changes) => {
  for (const { addedNodes } of changes) for (const node of addedNodes) if (node.nodeType === Node.ELEMENT_NODE) rename(node);
}).observe(document.body, { childList: true, subtree: true });
rename(document.body);
"""


def script(words: Words) -> str:
    """Return JavaScript that says them in the language of `words`; "" in English."""
    said = {old: new for old, new in zip(_of(PAGE), _of(words["page"]), strict=True) if old != new}
    return "{" + RENAME % json.dumps(said, ensure_ascii=False) + "}" if said else ""


def _of(page: Mapping[str, str]) -> list[str]:
    return [page["close"], page["error_title"], *(page[f"gradio_{name}"] for name in GRADIO)]
