"""The labels of the toy networks, as sentences that a page can show in another language."""

from __future__ import annotations

from vizapp.wording import Text

WORDS = (
    *(Text("house"), Text("tree"), Text("fish"), Text("sun"), Text("car"), Text("boat")),
    *(Text("mushroom"), Text("flower"), Text("face"), Text("butterfly"), Text("rocket"), Text("cup")),
    *(Text("different kinds"), Text("same kind"), Text("bar code")),
)
_KNOWN = {str(one): one for one in WORDS}


def spoken(label: str) -> str:
    """Return the label with its parts for translation; unchanged if it is not of the toy world."""
    return _KNOWN.get(label, label)
