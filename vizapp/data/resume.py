"""Lets a long run over many pictures be interrupted: a file keeps the answer for each picture, a line each.

A line is a checksum and the answer as JSON. The checksum covers this line and all before it, because damaged or missing lines
would otherwise be averaged into the results unnoticed. It protects against accidents, not against forgery.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Callable, Sequence
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
    """The answers of interrupted runs, in a file beside the output that is deleted at the end."""

    def __init__(self, output: Path | None) -> None:
        self.file = part_of(output) if output else None
        self.kept: dict[str, list[dict[str, Any]]] = {}
        self._sum = ""
        if self.file and self.file.exists():
            with writing(self.file):
                self._read(self.file)

    def _read(self, file: Path) -> None:
        lines = file.read_bytes().splitlines(keepends=True)
        for number, line in enumerate(lines):
            said, _, text = line.partition(b" ")
            own = self._next(text.removesuffix(b"\n"))
            try:
                if said.decode() != own or not line.endswith(b"\n"):
                    raise ValueError
                content = json.loads(text)
                self.kept.setdefault(content["run"], []).append(content["answer"])
            except (ValueError, KeyError, TypeError, RecursionError):
                is_half = number == len(lines) - 1 and not line.endswith(b"\n")  # the run was killed while it wrote
                if not is_half:
                    LOG.warning(
                        "%s is damaged, or of another version, from line %d on: those pictures are looked at again",
                        file,
                        number + 1,
                    )
                file.write_bytes(b"".join(lines[:number]))
                return
            self._sum = own

    def _next(self, text: bytes) -> str:
        """The checksum for one more line."""
        return hashlib.blake2b(self._sum.encode() + text, digest_size=8).hexdigest()

    def of(self, key: str, read: Callable[[Sequence[dict[str, Any]]], Read]) -> Read:
        """Apply `read` to a run's answers, in their order. `key` identifies everything that they depend on."""
        try:
            return read(self.kept.get(key, ()))
        except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError):
            LOG.warning("%s holds what no run writes: those pictures are looked at again", self.file)
            if self.file:
                with writing(self.file):
                    self.file.write_bytes(b"")
            self.kept, self._sum = {}, ""
            return read(())

    def keep(self, key: str, answer: dict[str, Any]) -> None:
        """Write the answer for one more picture. If that fails, the run continues, but cannot be resumed from here."""
        if self.file is None:
            return
        text = json.dumps({"run": key, "answer": answer}).encode()
        try:
            with self.file.open("ab") as file:
                file.write(f"{self._next(text)} ".encode() + text + b"\n")
        except OSError as error:
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
