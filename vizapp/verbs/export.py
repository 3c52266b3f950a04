"""vizapp export -o page.html: the microscope in one file, or a folder of files, without a server."""

import argparse
import sys

from vizapp.errors import VizError

HELP = "write a page that needs no server: one .html file, or a folder for any web server"


def add(command: argparse.ArgumentParser) -> None:
    """Its arguments."""
    command.add_argument(
        "-o", "--output", default="page.html", metavar="PAGE.html", help="the file to write (page.html)"
    )
    command.add_argument("--site", metavar="FOLDER", help="a folder of files in place of one file")
    command.add_argument(
        "--model",
        "--models",
        action="append",
        metavar="NAME",
        help="as for the other commands, once or several times; all: every network that comes with vizapp (toy)",
    )
    command.add_argument("--pictures", nargs="+", default=[], metavar="IMAGE", help="pictures to have on board")
    command.add_argument(
        "--page", type=int, metavar="N", help="page of a single picture, from 1 (the first); else IMAGE#N"
    )
    command.add_argument(
        "--lessons",
        action="store_true",
        help="the drawn scenes of the lessons, and the textbook, beside the pictures that are named",
    )
    command.add_argument(
        "--lang", action="append", metavar="LANGUAGE", help="en or zh, once or several times; the first is shown (all)"
    )


def all_bundled() -> list[str]:
    """Every bundled network, except films, which are several networks each and come with the chapter that shows them."""
    from vizapp import pipeline
    from vizapp.model.zoo import bundled

    return [name for name in bundled.names() if not pipeline.load(name).film]


def _paged(pictures: list[str], page: int) -> str:
    if len(pictures) != 1:
        raise VizError(
            "--page is for a single picture, and {count} are named.",
            "Write the page behind each name instead: pages.tif#3.",
            count=len(pictures),
        )
    return f"{pictures[0]}#{page}"


def run(asked: argparse.Namespace) -> None:
    """Write the page, and say what is in it."""
    from vizapp.browser.content import Wanted, content
    from vizapp.browser.one_file import one_file
    from vizapp.browser.site import site
    from vizapp.terminal.progress import Progress

    pictures = asked.pictures if asked.page is None else [_paged(asked.pictures, asked.page)]
    models = [one for name in asked.model or ["toy"] for one in (all_bundled() if name == "all" else (name,))]
    is_toy = not asked.pictures and not asked.lessons  # there must be something to look at
    wanted = Wanted(models, pictures, asked.lessons or is_toy, asked.lang or ())
    pages = f"{len(models)} networks, {len(pictures)} pictures" + ", and the scenes of the lessons" * wanted.lessons
    print(f"{pages}: where a network cannot be on board, the maps of each picture are made now", file=sys.stderr)
    with Progress() as progress:
        cargo = content(wanted, progress.step)
    size = site(cargo, asked.site) if asked.site else one_file(cargo, asked.output)
    live = [one["name"] for one in cargo.about["models"] if one["blob"]]
    ready = sum(len(one) for one in cargo.about["maps"].values())
    print(
        f"{asked.site or asked.output}: {size / 1e6:.1f} MB, {len(cargo.about['pictures'])} pictures, "
        f"{'any picture by ' + ', '.join(live) if live else 'no network on board'}, maps of {ready} made beforehand"
    )
    if not wanted.lessons:
        print("The textbook is not in it: --lessons adds it, with its scenes.")
    for one in cargo.about["models"]:
        if one["why"]:
            print(one["why"].get("en") or next(iter(one["why"].values())))
