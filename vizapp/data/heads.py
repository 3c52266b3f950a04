"""Measures every head over many pictures: a row per picture, layer and head, with one forward pass per picture.

rows = measure("toy", "photos/")                     # or a lesson; masks="masks/" where they lie in a folder of their own
pandas.DataFrame(rows).groupby(["layer", "head"]).distance.mean()
"""

import logging
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from torch import nn

from vizapp.analysis import Truth
from vizapp.analysis.head_rows import head_statistics
from vizapp.analysis.provenance import provenance
from vizapp.analysis.tables import about_beside, check_output, write_rows
from vizapp.analysis.unfinished import Unfinished, part_of
from vizapp.core.head_statistics import COLUMNS
from vizapp.core.interventions import Edit, parse_all
from vizapp.core.interventions.apply import resolved
from vizapp.data.engines import Engine, here
from vizapp.data.evaluation import at_most, key_of_weights
from vizapp.data.folder import Folder, Unreadable
from vizapp.data.one_picture import name_of, set_named
from vizapp.errors import VizError
from vizapp.model.preprocess import Fit
from vizapp.model.spec import VisionModel
from vizapp.pipeline import analyse, model_of

Progress = Callable[[int, int], None]
LOG = logging.getLogger("vizapp.data")
Done = dict[str, Any]  # "picture", "rows", and "skipped": why it could not be read, or ""


@dataclass(frozen=True)
class HeadsOf:
    """The task for each picture.

    pictures  a lesson, or the path of a folder
    masks     the path of a folder with masks; "" if they lie beside the pictures
    fit, edits  as for `analyse`
    """

    pictures: str
    masks: str = ""
    fit: Fit | None = None
    edits: tuple[Edit, ...] = ()

    @property
    def asked(self) -> dict[str, Any]:
        """The unusual ways in which the pictures are looked at; {} if there are none."""
        fit = {"fit": self.fit} if self.fit else {}
        return fit | ({"edits": [str(edit) for edit in self.edits]} if self.edits else {})

    @property
    def how(self) -> str:
        """The same as a part of a key: rows of another run are not continued."""
        return "".join(f" {name}={value}" for name, value in self.asked.items())

    def set(self) -> Any:
        """The set itself. Raises `VizError` if there is none."""
        found = set_named(self.pictures)
        if not self.masks:
            return found
        if not isinstance(found, Folder) or not os.path.isdir(self.masks):
            raise VizError(
                "There is no folder of masks '{masks}' for '{name}'.",
                "A folder of pictures can have one, beside it or anywhere.",
                masks=self.masks,
                name=self.pictures,
            )
        return Folder(found.path, masks=Path(self.masks))

    def look(self, model: VisionModel, number: int) -> Done:
        """The rows of one picture."""
        pictures = self.set()
        name = name_of(pictures, number)
        try:
            example = pictures.example(number, model.preprocess.size[0])
        except Unreadable as error:
            return {"picture": name, "rows": [], "skipped": str(error)}
        truth = [Truth("object", example.truth)] if example.objects else []
        seen = analyse(model, example.picture, truth=truth, fit=self.fit, edits=self.edits)
        return {"picture": name, "rows": head_statistics(seen), "skipped": ""}


def measure(
    model: VisionModel | nn.Module | str,
    pictures: str | Path,
    *,
    masks: str | Path = "",
    fit: Fit | None = None,
    edits: str | Edit | Iterable[str | Edit] = (),
    count: int | None = None,
    engine: Engine | None = None,
    output: str | Path | None = None,
    on_progress: Progress = lambda done, of: None,
    on_rows: Callable[[list[dict[str, Any]], bool], None] = lambda rows, is_whole: None,
    **described: Any,
) -> list[dict[str, Any]]:
    """Rows with picture, layer, head, and the columns of `vizapp.core.head_statistics.COLUMNS`; NaN if one is not known.

    Pictures that cannot be read have a row without numbers, with the reason in an additional column `skipped`.

    Parameters
    ----------
    pictures
        the path of a folder, with cat.mask.png beside cat.jpg where an object is known, or the name of a lesson
    masks
        a folder with masks of the same names, cat.png or cat.mask.png for cat.jpg
    count
        number of pictures; None: all of a folder, 100 of a lesson
    engine
        runs the network on them (see `vizapp.data.engines`); None: this process
    output
        .csv or .json to write; an interrupted run continues from there
    fit, edits, described
        as for `vizapp.analyse`; which output of a network is meant, `vizapp.describe(net, output=...)` says
    on_rows
        called with the rows before they are written, and whether they are complete; after an interruption they are not

    Examples
    --------
    >>> rows = vizapp.measure("toy", "one", count=2)
    """
    output = None if output is None else Path(output)
    if output is not None:
        if not output.suffix:
            raise VizError(
                "measure writes its rows to the file output=, and '{output}' is neither .csv nor .json.",
                "Which output of a network is meant is said by vizapp.describe(net, output=...).",
                output=output,
            )
        check(output)
    model, asked = model_of(model, described, measure), parse_all(edits)
    if count is not None and count < 1:
        raise VizError("At least one picture is needed; got {count}.", "Leave it out for all of them.", count=count)
    task = HeadsOf(str(pictures), str(masks), fit, resolved(model, asked))
    found = task.set()
    count = at_most(found, count or (100 if not isinstance(found, Folder) else len(found.files)))
    unfinished = Unfinished(output)
    key = f"heads {key_of_weights(model)} {found.key if isinstance(found, Folder) else found.name}{task.how}"
    done = unfinished.of(key, lambda kept: [_read(one) for one in islice(kept, count)])
    try:
        for one in (engine or here)(model, task, range(len(done), count)):
            done.append(one)
            if one["skipped"]:
                LOG.warning("left out: %s: %s", one["picture"], one["skipped"])
            unfinished.keep(key, one)
            on_progress(len(done), count)
    finally:  # even if a worker dies: the rows so far may have taken an hour, so they are reported anyway
        rows = list(_flat(done))
        on_rows(rows, len(done) == count)
    if output is not None:
        settings = {"pictures": str(pictures), "masks": str(masks), "count": count} | task.asked
        columns = {name: str(one) for name, one in COLUMNS.items()}
        about = {"provenance": provenance(model) | {"settings": settings}, "columns": columns}
        write_rows(output, rows, about)
    unfinished.done()
    return rows


def check(output: Path) -> None:
    """Raise `VizError` if `measure` could not write this output."""
    check_output(output, *about_beside(output), part_of(output))


def _read(one: Any) -> Done:
    """Read what was kept of a picture. Raises some error of Python for anything else."""
    rows = [
        {"layer": int(row["layer"]), "head": int(row["head"]), **{name: float(row[name]) for name in COLUMNS}}
        for row in one["rows"]
    ]
    return {"picture": str(one["picture"]), "rows": rows, "skipped": str(one["skipped"])}


def _flat(done: Iterable[Done]) -> Iterable[dict[str, Any]]:
    some_skipped = any(one["skipped"] for one in done)
    for one in done:
        more = {"skipped": one["skipped"]} if some_skipped else {}
        for row in one["rows"] or [{"layer": None, "head": None} | dict.fromkeys(COLUMNS)]:
            yield {"picture": one["picture"], **row, **more}


def table(rows: Sequence[dict[str, Any]]) -> str:
    """A table for the terminal: each column's mean over pictures and heads, layer by layer, then the skipped pictures."""
    lines = [f"{'':10}" + "".join(f"{name:>12}" for name in COLUMNS)]
    for layer in sorted({row["layer"] for row in rows if row["layer"] is not None}):
        own = [row for row in rows if row["layer"] == layer]
        means = [_mean([row[name] for row in own]) for name in COLUMNS]
        lines.append(f"layer {layer:<4}" + "".join(f"{'-' if np.isnan(one) else f'{one:.3f}':>12}" for one in means))
    left_out = [f"left out: {row['picture']}: {row['skipped']}" for row in rows if row.get("skipped")]
    return "\n".join([*lines, *left_out])


def _mean(values: Sequence[float]) -> float:
    known = [one for one in values if one is not None and not np.isnan(one)]
    return float(np.mean(known)) if known else float("nan")
