"""Rows of a table as a file, .csv or .json."""

from __future__ import annotations

import csv
import io
import json
import math
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from vizapp.errors import VizError, writing

ENDINGS = {".csv", ".json"}


def check_name(path: Path) -> None:
    """Raises `VizError` for a name whose ending is of neither kind."""
    if path.suffix.lower() not in ENDINGS:
        raise VizError(
            "'{path}' is neither .csv nor .json.", "Name it {stem}.csv or {stem}.json.", path=path, stem=path.stem
        )


def about_beside(path: Path) -> tuple[Path, ...]:
    """Where `write_rows` writes what holds for all rows, if it is a file of its own."""
    return (path.with_name(path.name + ".json"),) if path.suffix.lower() == ".csv" else ()


def check_output(path: Path, *beside: Path) -> None:
    """Raises `VizError` where rows could not be written to `path`, or to files `beside` it: asked before hours of work."""
    check_name(path)
    if not os.path.isdir(path.parent):
        raise VizError("There is no folder '{folder}'.", "Make it first, or name another.", folder=path.parent)
    for one in (path, *beside):
        with writing(one):
            is_new = not one.exists()
            if not (is_new or one.is_file() or one.is_dir()):  # to open a pipe is to wait for who reads it
                raise VizError("'{path}' cannot be written: it is no file.", "Choose another name.", path=one)
            one.open("ab").close()
            if is_new:
                one.unlink()


def write_rows(path: Path, rows: Sequence[Mapping[str, Any]], about: Mapping[str, Any]) -> None:
    """Write rows; the columns are those of all of them, empty where a row has none.

    about  what holds for all of them, and where they come from: in .json it stands before "rows"; beside .csv it is a file of its
           own, table.csv.json, unless it is empty
    JSON has no NaN, so a number that is not known is null there. Raises `VizError` where `path` cannot be written.
    """
    check_name(path)
    if path.suffix.lower() == ".csv":
        stream = io.StringIO(newline="")
        writer = csv.DictWriter(stream, list(dict.fromkeys(name for row in rows for name in row)))
        writer.writeheader()
        writer.writerows(rows)
        _replace(path, stream.getvalue())
        for beside in about_beside(path) if about else ():
            _replace(beside, json.dumps(about, indent=1, default=str))
    else:
        known = [{key: None if _is_nan(value) else value for key, value in row.items()} for row in rows]
        _replace(path, json.dumps({**about, "rows": known}, indent=1, default=str))


def _replace(path: Path, text: str) -> None:
    """Write a file whole or not at all: half a table looks like a table."""
    fresh = path.with_name(f".{path.name}.new")
    with writing(path):
        try:
            fresh.write_bytes(text.encode("utf-8", "backslashreplace"))  # names of files may hold what is no character
            os.replace(fresh, path)
        except BaseException:
            with suppress(OSError):
                fresh.unlink()
            raise


def _is_nan(value: object) -> bool:
    return isinstance(value, float) and math.isnan(value)
