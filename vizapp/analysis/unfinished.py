"""Lets a run over many pictures or frames be interrupted: a file keeps the answer for each, a line each.

A line is a checksum and the answer as JSON. The checksum covers this line and all before it, because damaged or missing lines
would otherwise be averaged into the results unnoticed. It protects against accidents, not against forgery. A file of lines
needs no locks, which the network disks of a cluster often lack, as sqlite does.
"""

import hashlib
import json
import logging
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from vizapp.errors import writing

LOG = logging.getLogger("vizapp.data")
Read = TypeVar("Read")


def part_of(output: Path) -> Path:
    """The file in which an unfinished run keeps its answers."""
    return output.with_name(output.name + ".part")


class Unfinished:
    """The answers of interrupted runs, in a file beside the output that is deleted at the end.

    is_needed  whether the run reads its answers again, so that it cannot continue if they cannot be written
    """

    def __init__(self, output: Path | None, *, is_needed: bool = False) -> None:
        self.file = part_of(output) if output else None
        self.is_needed = is_needed
        self._sum = ""
        self._runs = set[str]()  # of which the file has answers from before, until the first question
        if self.file and self.file.exists():
            with writing(self.file):
                self._check(self.file)

    def _check(self, file: Path) -> None:
        """Cut the file off where it is damaged."""
        whole = 0
        with file.open("r+b") as lines:
            for number, line in enumerate(lines, 1):
                said, _, text = line.partition(b" ")
                own = self._next(text.removesuffix(b"\n"))
                try:
                    if said.decode() != own or not line.endswith(b"\n"):
                        raise ValueError
                    self._runs.add(json.loads(text)["run"])
                except (ValueError, LookupError, TypeError, RecursionError):
                    # Otherwise the run was killed while it wrote the last line.
                    if line.endswith(b"\n") or lines.read(1):
                        LOG.warning(
                            "%s is damaged, or of another version, from line %d on: the rest is looked at again",
                            file,
                            number,
                        )
                    lines.truncate(whole)
                    return
                self._sum = own
                whole += len(line)

    def _next(self, text: bytes) -> str:
        """The checksum for one more line."""
        return hashlib.blake2b(self._sum.encode() + text, digest_size=8).hexdigest()

    def answers(self, key: str) -> Iterator[dict[str, Any]]:
        """The answers of a run, in their order, one in memory at a time."""
        if self.file and self.file.exists():
            with self.file.open("rb") as lines:
                for line in lines:
                    content = json.loads(line.partition(b" ")[2])
                    if content["run"] == key:
                        yield content["answer"]

    def of(self, key: str, read: Callable[[Iterator[dict[str, Any]]], Read]) -> Read:
        """Apply `read` to a run's answers, in their order. `key` identifies everything that they depend on."""
        if self._runs and key not in self._runs:
            LOG.warning("%s is of another run, or of other settings: all is looked at again", self.file)
        self._runs.clear()  # those that follow, of other models or sets, may well have no answers yet
        try:
            return read(self.answers(key))
        except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError):
            LOG.warning("%s holds what no run writes: all is looked at again", self.file)
            if self.file:
                with writing(self.file):
                    self.file.write_bytes(b"")
            self._sum = ""
            return read(iter(()))

    def keep(self, key: str, answer: dict[str, Any]) -> None:
        """Write one more answer. If that fails, the run continues unless it `is_needed`, but cannot be resumed from here."""
        if self.file is None:
            return
        text = json.dumps({"run": key, "answer": answer}).encode()
        try:
            with self.file.open("ab") as file:
                file.write(f"{self._next(text)} ".encode() + text + b"\n")
        except OSError as error:
            if self.is_needed:
                with writing(self.file):
                    raise
            LOG.warning(
                "%s cannot be written (%s): if this run is broken off, the rest of it begins anew",
                self.file,
                error.strerror or error,
            )
            self.file = None
        self._sum = self._next(text)

    def done(self) -> None:
        """Remove the file."""
        if self.file:
            with suppress(OSError):
                self.file.unlink(missing_ok=True)
