"""Labels of the toy networks and notes on them, as sentences that a page can show in another language."""

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


def notes_of(lesson: str, *, patches_taught: bool) -> tuple[str, ...]:
    """List the facts that a person must know before believing a map of a toy network.

    One sentence each, because the page has one line for it. Training with the class of every patch may help attention to find
    objects, so the note of such a network says it.
    """
    if lesson == "relation":
        return (
            Text("Toy world: are two drawn things of one kind? Taught patch by patch, too. Photos mean nothing to it."),
        )
    if lesson == "shortcut":
        return (Text("Spoiled on purpose: in training, a bar code in a corner gave the class away."),)
    if patches_taught:
        return (
            Text("Toy world: twelve drawn things and nothing else, taught patch by patch, too. Photos mislead it."),
        )
    return (Text("Toy world: it knows twelve drawn things and nothing else. On photographs its labels are wrong."),)
