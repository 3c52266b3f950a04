"""vizapp film IN -o OUT: of a film, the map of every frame over it; of a picture, the same picture through the layers."""

from __future__ import annotations

import argparse
from typing import Any

from vizapp.errors import VizError

HELP = "write a film: of a film, the map over every frame; of a picture, its maps through the layers"


def add(command: argparse.ArgumentParser) -> None:
    """Its arguments."""
    command.add_argument("source", metavar="IN", help="path of a film (.mp4, .webm, .avi, .gif ...), or of a picture")
    command.add_argument(
        "-o", "--output", default="layers.gif", help=".gif; .mp4 and .webm with vizapp[film] (layers.gif)"
    )
    command.add_argument(
        "--method", default="attention", help="of a picture: one that looks at single layers (attention)"
    )
    command.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="a setting of the method, such as fusion=max"
    )
    command.add_argument("--query", default=None, help="cls, reg0, mean, or row,col of a patch from 0")
    command.add_argument(
        "--target", default=None, help="class to explain: its label, or its index (the most probable one)"
    )
    command.add_argument("--model", default="toy", help="as for the other commands (toy)")
    command.add_argument("--device", default=None, help="cuda, mps or cpu (the best there is)")
    film = command.add_argument_group("of a film; a run that is stopped goes on where it was, by the same command")
    film.add_argument("--layer", type=int, default=None, help="from 0; -1 is the last, as if not given")
    film.add_argument(
        "--head", type=int, default=None, help="from 0; all heads fused if not given (raw attention only)"
    )
    film.add_argument(
        "--scale",
        default=None,
        help="top colour: fixed (the largest value of all frames), frame (each its own), or 0.05",
    )
    film.add_argument("--batch", type=int, default=None, help="frames that go through the network together (8)")
    picture = command.add_argument_group("of a picture")
    picture.add_argument(
        "--page", type=int, metavar="N", help="page of a TIFF, or the picture N of an animation, from 1"
    )
    picture.add_argument("--seconds", type=float, default=None, help="that each layer is to be seen (0.6)")


def run(asked: argparse.Namespace) -> None:
    """Write the film and say how long it is."""
    from vizapp.picture.frames import is_film

    moves = asked.page is None and is_film(asked.source)
    others = ("seconds",) if moves else ("layer", "head", "scale", "batch")
    wrong = [f"--{name}" for name in others if getattr(asked, name) is not None]
    wrong += [f"--set {one}" for one in asked.set if one.startswith("layer=") and not moves]
    if wrong:
        if moves:
            raise VizError("{names} is for a picture; this is a film.", "Leave it out.", names=wrong[0])
        raise VizError(
            "{names} is for a film; this is a picture, whose layers are shown one after the other.",
            "Leave it out; `vizapp explain` paints one layer.",
            names=", ".join(wrong),
        )
    (_of_film if moves else _of_picture)(asked)


def _of_film(asked: argparse.Namespace) -> None:
    from vizapp import pipeline
    from vizapp.core.methods import method_named
    from vizapp.painting.video import video
    from vizapp.terminal import values
    from vizapp.terminal.progress import Progress

    progress = Progress()
    words = {"maps": "looked at", "frames": "painted"}

    def told(part: str, done: int, of: int) -> None:
        progress.step(f"{asked.source}, {words[part]}", done, of, "frames")

    given = {"layer": asked.layer, "head": asked.head}
    settings: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    settings |= values.settings(method_named(asked.method), asked.set)
    try:
        count = video(
            pipeline.load(asked.model, asked.device),
            asked.source,
            asked.output,
            method=asked.method,
            query=asked.query,
            target=asked.target,
            scale=asked.scale or "fixed",
            batch=8 if asked.batch is None else asked.batch,
            on_progress=told,
            **settings,
        )
    finally:
        progress.end()
    print(f"{asked.output}: {count} frames")


def _of_picture(asked: argparse.Namespace) -> None:
    from vizapp import pipeline
    from vizapp.core.methods import method_named
    from vizapp.painting.figures import film
    from vizapp.terminal import values
    from vizapp.terminal.progress import Progress

    seconds = 0.6 if asked.seconds is None else asked.seconds
    settings = values.settings(method_named(asked.method), asked.set)
    seen = pipeline.analyse(pipeline.load(asked.model, asked.device), asked.source, page=asked.page)
    progress = Progress()
    how: dict[str, Any] = {"method": asked.method, "query": asked.query, "target": asked.target, "seconds": seconds}
    how["on_progress"] = lambda done, of: progress.step(asked.source, done, of, "layers")
    try:
        count = film(seen, asked.output, **how, **settings)
    finally:
        progress.end()
    print(f"{asked.output}: {count} layers, {seconds:g} s each")
