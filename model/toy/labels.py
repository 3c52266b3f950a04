"""What the networks of the toy world say, as sentences that a page can say in another language."""

from __future__ import annotations

from vizapp.wording import Text

WORDS = (
    *(Text("house"), Text("tree"), Text("fish"), Text("sun"), Text("car"), Text("boat")),
    *(Text("mushroom"), Text("flower"), Text("face"), Text("butterfly"), Text("rocket"), Text("cup")),
    *(Text("different kinds"), Text("same kind"), Text("bar code")),
)
_KNOWN = {str(one): one for one in WORDS}


def spoken(label: str) -> str:
    """The same label, with what another language needs to say it; as it is if the toy world does not know it."""
    return _KNOWN.get(label, label)
