"""vizapp film IMAGE -o layers.gif: one picture through the layers, on one fixed scale."""

from __future__ import annotations

import argparse

HELP = "write a film of one picture through the layers: .gif, .mp4 or .webm"


def add(command: argparse.ArgumentParser) -> None:
    """Its arguments."""
    command.add_argument("image", metavar="IMAGE", help="path of a picture")
    command.add_argument(
        "-o", "--output", default="layers.gif", help=".gif; .mp4 and .webm with vizapp[film] (layers.gif)"
    )
    command.add_argument("--method", default="attention", help="one that looks at single layers (attention)")
    command.add_argument("--query", default=None, help="cls, reg0, mean, or row,col of a patch from 0")
    command.add_argument("--seconds", type=float, default=0.6, help="that each layer is to be seen (0.6)")
    command.add_argument("--model", default="toy", help="as for the other commands (toy)")
    command.add_argument("--device", default=None, help="cuda, mps or cpu (the best there is)")


def run(asked: argparse.Namespace) -> None:
    """Write the film and say how long it is."""
    from vizapp import pipeline
    from vizapp.painting.figures import film

    seen = pipeline.analyse(pipeline.load(asked.model, asked.device), asked.image)
    count = film(seen, asked.output, method=asked.method, query=asked.query, seconds=asked.seconds)
    print(f"{asked.output}: {count} layers, {asked.seconds:g} s each")
