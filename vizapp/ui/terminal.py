"""What the server says in its terminal: a line each, whatever a stranger has put into it."""

from __future__ import annotations

import sys

LONGEST = 2000  # characters of a line: what is quoted may be as long as a message


def tell(what: object) -> None:
    """Print one line. What it quotes may neither begin another one nor command the terminal: it is seen as \\n, \\x1b."""
    said = str(what)
    said = said if len(said) <= LONGEST else said[: LONGEST - 3] + "..."
    print(f"vizapp: {''.join(map(_seen, said))}", file=sys.stderr, flush=True)


def _seen(letter: str) -> str:
    return letter if letter.isprintable() else letter.encode("unicode_escape").decode()
