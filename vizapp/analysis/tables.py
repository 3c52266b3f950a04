"""Writes rows of a table to a .csv or .json file."""

import csv
import io
import json
import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from vizapp.errors import VizError, writing
from vizapp.whole_file import written_whole

ENDINGS = {".csv", ".json"}


def check_name(path: Path) -> None:
    """Raise `VizError` for a name with another ending."""
    if path.suffix.lower() not in ENDINGS:
        raise VizError(
            "'{path}' is neither .csv nor .json.", "Name it {stem}.csv or {stem}.json.", path=path, stem=path.stem
        )


def about_beside(path: Path) -> tuple[Path, ...]:
    """The separate file to which `write_rows` writes what holds for all rows, if there is one."""
    return (path.with_name(path.name + ".json"),) if path.suffix.lower() == ".csv" else ()


def check_output(path: Path, *beside: Path) -> None:
    """Raise `VizError` if rows could not be written to `path`, or to files `beside` it. Call it before hours of work."""
    check_name(path)
    if not os.path.isdir(path.parent):
        raise VizError("There is no folder '{folder}'.", "Make it first, or name another.", folder=path.parent)
    for one in (path, *beside):
        with writing(one):
            is_new = not one.exists()
            if not (is_new or one.is_file() or one.is_dir()):  # opening a pipe would wait for its reader
                raise VizError("'{path}' cannot be written: it is no file.", "Choose another name.", path=one)
            one.open("ab").close()
            if is_new:
                one.unlink()


def write_rows(path: Path, rows: Sequence[Mapping[str, Any]], about: Mapping[str, Any]) -> None:
    """Write rows with the columns of all of them; a cell stays empty if its row lacks the column.

    about  what holds for all rows, and their provenance: in .json it precedes "rows"; for .csv it is a separate file,
           table.csv.json, unless it is empty
    NaN becomes null in JSON, and an empty cell in CSV. Raises `VizError` if `path` cannot be written.
    """
    check_name(path)
    if path.suffix.lower() == ".csv":
        stream = io.StringIO(newline="")
        writer = csv.DictWriter(stream, list(dict.fromkeys(name for row in rows for name in row)))
        writer.writeheader()
        writer.writerows(map(_known, rows))
        _replace(path, stream.getvalue())
        for beside in about_beside(path) if about else ():
            _replace(beside, json.dumps(about, indent=1, default=str))
    else:
        _replace(path, json.dumps({**about, "rows": [*map(_known, rows)]}, indent=1, default=str))


def _replace(path: Path, text: str) -> None:
    with writing(path), written_whole(path) as fresh:
        fresh.write_bytes(text.encode("utf-8", "backslashreplace"))  # file names may hold bytes that are no text


def _known(row: Mapping[str, Any]) -> dict[str, Any]:
    return {key: None if isinstance(value, float) and math.isnan(value) else value for key, value in row.items()}
