"""Rows of a table as a file, .csv or .json."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Mapping, Sequence
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


def write_rows(path: Path, rows: Sequence[Mapping[str, Any]], about: Mapping[str, Any]) -> None:
    """Write rows; the columns are those of all of them, empty where a row has none.

    about  what holds for all of them, and where they come from: in .json it stands before "rows"; beside .csv it is a file of its
           own, table.csv.json, unless it is empty
    JSON has no NaN, so a number that is not known is null there. Raises `VizError` where `path` cannot be written.
    """
    check_name(path)
    with writing(path):
        if path.suffix.lower() == ".csv":
            with path.open("w", newline="") as file:
                writer = csv.DictWriter(file, list(dict.fromkeys(name for row in rows for name in row)))
                writer.writeheader()
                writer.writerows(rows)
            if about:
                path.with_name(path.name + ".json").write_text(json.dumps(about, indent=1, default=str))
        else:
            known = [{key: None if _is_nan(value) else value for key, value in row.items()} for row in rows]
            path.write_text(json.dumps({**about, "rows": known}, indent=1, default=str))


def _is_nan(value: object) -> bool:
    return isinstance(value, float) and math.isnan(value)
