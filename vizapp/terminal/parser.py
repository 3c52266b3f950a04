"""Reads arguments as argparse does, and says what was meant: a verb, an option or a choice that is spelt almost so."""

import argparse
import re
from collections.abc import Sequence
from typing import Any, NoReturn

from vizapp.wording import alike


class Parser(argparse.ArgumentParser):
    """argparse's parser, with "Did you mean". An unknown option ends with the usage of its own verb, not of the program."""

    def parse_known_args(self, args: Sequence[str] | None = None, namespace: Any = None) -> tuple[Any, list[str]]:  # type: ignore[override]
        """Parse, and refuse what is left over here, where it is known which verb it was given to."""
        found, left = super().parse_known_args(args, namespace)
        if left:
            self.error(f"unrecognized arguments: {' '.join(left)}")
        return found, left

    def error(self, message: str) -> NoReturn:
        """End with the usage, what is wrong, and what may have been meant."""
        wrong = re.search(r"(?:invalid choice: '|unrecognized arguments: )([^\s'=]+)", message)
        known = [name for action in self._actions for name in (*action.option_strings, *(action.choices or ()))]
        close = alike(wrong[1], map(str, known), most=1) if wrong else []
        super().error(f"{message}. Did you mean {close[0]}?" if close else message)
