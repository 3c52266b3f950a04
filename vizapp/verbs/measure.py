"""vizapp measure MODEL FOLDER: what each head does, in numbers, over many pictures."""

import argparse
from pathlib import Path
from typing import Any

from vizapp.terminal import options

HELP = "measure every head over many pictures: entropy, distance, share of CLS and of sinks, share on a mask"


def add(command: argparse.ArgumentParser) -> None:
    """Its arguments."""
    options.add(command, "model")
    command.add_argument(
        "pictures", metavar="FOLDER", help="a folder of pictures, with cat.mask.png beside cat.jpg if known"
    )
    command.add_argument("--masks", default="", metavar="FOLDER", help="where masks lie, if not beside the pictures")
    command.add_argument("-o", "--output", default="heads.csv", help=".csv or .json (heads.csv); a broken run goes on")
    command.add_argument("--count", type=int, default=None, help="how many pictures (all)")
    options.add(command, "--workers", "--engine")
    command.add_argument("--json", action="store_true", help="say every row as JSON, beside the file")
    options.add(command, "--device")


def run(asked: argparse.Namespace) -> None:
    """Write a row per picture, layer and head; print the means of each layer."""
    from vizapp import pipeline
    from vizapp.data.engines import engine_named
    from vizapp.data.heads import check, measure, table
    from vizapp.terminal.progress import Progress

    engine, output = engine_named(asked.engine, asked.workers), Path(asked.output)
    check(output)
    progress = Progress()

    def told(rows: list[dict[str, Any]], is_whole: bool) -> None:
        progress.end()
        if rows and not asked.json:
            print(table(rows) + ("" if is_whole else "\nbroken off: these are the pictures until then"), flush=True)

    rows = measure(
        pipeline.load(asked.model, asked.device),
        asked.pictures,
        masks=asked.masks,
        count=asked.count,
        engine=engine,
        output=output,
        on_progress=lambda done, of: progress.step(f"{asked.model} on {asked.pictures}", done, of, "pictures"),
        on_rows=told,
    )
    if asked.json:
        from vizapp.pipeline import as_json

        print(as_json.written({"output": str(output), "rows": rows}))
        return
    print(f"\n{output}: a row per picture, layer and head")
