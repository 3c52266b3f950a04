"""A sentence that remembers what it was made of, so that the page can say it in another language."""

import difflib
from collections.abc import Iterable, Mapping, Sequence
from numbers import Number
from typing import Any

LONGEST = 200  # letters of what was typed that are compared
FEW = 3  # names that a sentence has


class Text(str):
    """English, to be read as it is; `key` and `values` let a table of another language say the same.

    text = Text("There is no method '{name}'.", name="rolout")
    print(text)                    # There is no method 'rolout'.
    text.key, text.values          # "There is no method '{name}'.", {"name": "rolout"}

    The key is the English sentence with its braces, as in gettext: English stands where it is said, once. Without values
    braces are plain letters. A value that is a `Text` is translated, too; one that is neither a string nor a number is kept
    as the string that it prints as, so that no error keeps a network alive, or fails to be sent to another process.
    """

    key: str
    values: dict[str, Any]

    def __new__(cls, key: str, /, **values: Any) -> "Text":
        plain = {name: one if isinstance(one, str | Number) else str(one) for name, one in values.items()}
        made = super().__new__(cls, key.format(**plain) if plain else key)
        made.key, made.values = key, plain
        return made

    def having(self, **values: Any) -> "Text":
        """The same sentence with other values."""
        return Text(self.key, **values)

    @classmethod
    def again(cls, key: str, values: dict[str, Any]) -> "Text":
        """A sentence from the two parts of one, as a file kept them."""
        return cls(key, **values)

    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, Any]]:
        return (self.key,), self.values


def listed(parts: Sequence[str], between: str = ", ") -> Text:
    """One `Text` of several, such as the reasons of a refusal: each is translated by itself."""
    names = [f"part{number}" for number in range(len(parts))]
    return Text(between.join(f"{{{name}}}" for name in names), **dict(zip(names, parts, strict=True)))


def few(names: Sequence[str]) -> Text:
    """Name the first of several things, and say how many more there are: a sentence that lists all is not read."""
    first, more = listed(names[:FEW]), len(names) - FEW
    return first if more <= 0 else Text("{names} and {n} more", names=first, n=more)


def alike(typed: str, names: Iterable[str], most: int = 3) -> list[str]:
    """Choose the names that are like what was typed, the most alike first: for "did you mean"."""
    plain = {name.lower(): name for name in names}
    return [plain[one] for one in difflib.get_close_matches(str(typed).lower()[:LONGEST], plain, n=most, cutoff=0.6)]


def columns(rows: Iterable[Mapping[str, Any]]) -> str:
    """Write rows with equal columns as a table of plain text; numbers have three digits."""
    listed = list(rows)
    if not listed:
        return ""
    shown = [[*listed[0]]] + [
        [f"{one:.3g}" if isinstance(one, float) else str(one) for one in row.values()] for row in listed
    ]
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in shown
    )
