"""vizapp film IN -o OUT: of a film, the map of every frame over it; of a picture, the same picture through the layers."""

import argparse
from typing import Any

from vizapp.errors import VizError
from vizapp.terminal import options

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
    options.add(command, "--set")
    command.add_argument("--query", default=None, help="cls, reg0, mean, or row,col of a patch from 0")
    options.add(command, "--target")
    command.add_argument("--model", default="toy", help="as for the other commands (toy)")
    options.add(command, "--device")
    film = command.add_argument_group("of a film; a run that is stopped goes on where it was, by the same command")
    options.add(film, "--layer", "--head")
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
    from vizapp import pipeline
    from vizapp.core.methods import method_named
    from vizapp.picture.frames import is_film
    from vizapp.terminal import values
    from vizapp.terminal.progress import Progress

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
    how = values.settings(method_named(asked.method), asked.set, layer=asked.layer, head=asked.head)
    how |= {"method": asked.method, "query": asked.query, "target": asked.target}
    model = pipeline.load(asked.model, asked.device)
    with Progress() as progress:
        said = (_of_film if moves else _of_picture)(asked, model, how, progress)
    print(f"{asked.output}: {said}")


def _of_film(asked: argparse.Namespace, model: Any, how: dict[str, Any], progress: Any) -> str:
    from vizapp.painting.video import video

    words = {"maps": "looked at", "frames": "painted"}

    def told(part: str, done: int, of: int) -> None:
        progress.step(f"{asked.source}, {words[part]}", done, of, "frames")

    scale, batch = asked.scale or "fixed", 8 if asked.batch is None else asked.batch
    count = video(model, asked.source, asked.output, scale=scale, batch=batch, on_progress=told, **how)
    return f"{count} frames"


def _of_picture(asked: argparse.Namespace, model: Any, how: dict[str, Any], progress: Any) -> str:
    from vizapp import pipeline
    from vizapp.painting.figures import film

    def told(done: int, of: int) -> None:
        progress.step(asked.source, done, of, "layers")

    seconds = 0.6 if asked.seconds is None else asked.seconds
    seen = pipeline.analyse(model, asked.source, page=asked.page)
    count = film(seen, asked.output, seconds=seconds, on_progress=told, **how)
    return f"{count} layers, {seconds:g} s each"
