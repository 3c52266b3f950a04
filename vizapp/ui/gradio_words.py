"""Gradio's own English, which it has in no table of words: names of its buttons for uploads, titles of its toasts.

And a word that it tells screen readers after each event, and has in no language: they would hear "common.complete".
"""

import json
from collections.abc import Mapping

from vizapp.ui.words import DEFAULT, Words, words_for

GRADIO = ("upload", "file", "tabs", "complete")
UNSAID = "common.complete"  # a key of Gradio's that none of its tables has

# Elements alone are looked at, and the text of the line for screen readers: other text, which may change with each move of the
# mouse, is not Gradio's.
RENAME = """
const said = %s;
const told = ".sr-only[role=status]";
const rename = (root) => {
  for (const one of [root, ...root.querySelectorAll(`[aria-label], [title], .toast-title, ${told}`)]) {
    for (const name of ["aria-label", "title"])
      if (Object.hasOwn(said, one.getAttribute(name))) one.setAttribute(name, said[one.getAttribute(name)]);
    const text = one.matches(`.toast-title, ${told}`) ? one.firstChild : null;
    if (text && Object.hasOwn(said, text.data?.trim())) text.data = said[text.data.trim()];
    if (one.matches(told)) heard.observe(one, { characterData: true, subtree: true });
  }
};
const heard = new MutationObserver((changes) => {
  for (const { target, addedNodes } of changes) {
    if (target.nodeType === Node.TEXT_NODE && target.parentElement) rename(target.parentElement);
    for (const node of addedNodes) if (node.nodeType === Node.ELEMENT_NODE) rename(node);
  }
});
heard.observe(document.body, { childList: true, subtree: true });
rename(document.body);
"""


def script(words: Words) -> str:
    """Return JavaScript that says them in the language of `words`."""
    english = words_for(DEFAULT)["page"]
    said = {old: new for old, new in zip(_of(english), _of(words["page"]), strict=True) if old != new}
    said[UNSAID] = words["page"]["gradio_complete"]
    return "{" + RENAME % json.dumps(said, ensure_ascii=False) + "}"


def _of(page: Mapping[str, str]) -> list[str]:
    return [page["close"], page["error_title"], *(page[f"gradio_{name}"] for name in GRADIO)]
