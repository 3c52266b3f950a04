"""vizapp evaluate: how well maps find objects whose place is known."""

import argparse
import sys
from pathlib import Path
from typing import Any

from vizapp.terminal import options

HELP = "measure how well maps find objects whose place is known"


def add(command: argparse.ArgumentParser) -> None:
    """Its arguments."""
    command.add_argument(
        "--set",
        action="append",
        metavar="SET",
        help="one, clutter, two, relation, shortcut, or a folder of pictures, with cat.mask.png beside cat.jpg (clutter)",
    )
    command.add_argument("--methods", nargs="+", default=["attention", "rollout"], help="see `vizapp methods`")
    command.add_argument(
        "--steps", type=int, default=0, help="also deletion and insertion, with curves of this many steps (0)"
    )
    options.add(command, "--workers", "--engine")
    command.add_argument("--count", type=int, default=2000, help="held-out pictures per set (2000)")
    command.add_argument(
        "-o", "--output", default=None, help="also write .csv or .json; a broken run goes on from there"
    )
    command.add_argument("--model", action="append", help="as for the other commands, once or several times (toy)")
    options.add(command, "--device")


def run(asked: argparse.Namespace) -> None:
    """Print the table of each model on each lesson set."""
    from vizapp import pipeline
    from vizapp.data.engines import engine_named
    from vizapp.data.evaluation import check
    from vizapp.data.evaluation import run as evaluate
    from vizapp.data.report import pictures_beside, table
    from vizapp.terminal.progress import Progress

    engine = engine_named(asked.engine, asked.workers)
    output = None if asked.output is None else Path(asked.output)
    if output is not None:
        check(output)
    models = [pipeline.load(name, asked.device) for name in asked.model or ["toy"]]
    progress = Progress()

    def told(result: Any, count: int) -> None:
        """Print a result at once, so that an interruption or a full disk later cannot lose it."""
        progress.end()
        print(table(result))
        looked_at = len(result.answers)
        print(f"broken off: {looked_at} of {count} pictures\n" if looked_at < count else "", flush=True)

    sets = asked.set or ["clutter"]
    what = f"{len(models)} networks, {len(sets)} sets of up to {asked.count} pictures (--count), {len(asked.methods)} methods"
    print(f"{what}: a result is printed as soon as it is there", file=sys.stderr)
    evaluate(models, sets, asked.methods, asked.count, output, progress.step, asked.steps, engine, told)
    if output is not None:
        print(f"{output}: every head, with 95 % intervals; {pictures_beside(output)}: each picture")
