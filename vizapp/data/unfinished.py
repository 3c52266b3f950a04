"""A long run over many pictures that may be broken off: what was found on each, a line per picture in a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


class Unfinished:
    """Answers of runs that were broken off, as JSON takes them, in a file beside the output; gone when all is done."""

    def __init__(self, output: Path | None) -> None:
        self.file = output.with_name(output.name + ".part") if output else None
        self.kept: dict[str, list[dict[str, Any]]] = {}
        if self.file and self.file.exists():
            self._read(self.file)

    def _read(self, file: Path) -> None:
        lines = file.read_bytes().splitlines(keepends=True)
        for number, line in enumerate(lines):
            try:
                content = json.loads(line)
                self.kept.setdefault(content["run"], []).append(content["answer"])
            except (ValueError, KeyError, TypeError):  # half a line, of a run that was killed as it wrote
                file.write_bytes(b"".join(lines[:number]))
                return

    def of(self, key: str) -> list[dict[str, Any]]:
        """The answers of a run, in their order; `key` says all that they depend on."""
        return list(self.kept.get(key, ()))

    def keep(self, key: str, answer: dict[str, Any]) -> None:
        """Write what was found on one more picture."""
        if self.file is not None:
            with self.file.open("a") as file:
                file.write(json.dumps({"run": key, "answer": answer}) + "\n")

    def done(self) -> None:
        """Remove the file."""
        if self.file:
            self.file.unlink(missing_ok=True)
