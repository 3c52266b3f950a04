"""Train a bundled network, measure it, and write its weights and its card:  python -m train --recipe toy

This writes assets/weights/toy.safetensors (fp16; the metadata describes the network) and toy.md beside it. If the command is
killed, start it again: it goes on from its last checkpoint.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import cv2
import torch

from train.card import publish
from train.recipes import RECIPES
from train.student import WEIGHTS, resized
from train.training import train


def main(arguments: Sequence[str] | None = None) -> None:
    """Train, measure and write what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m train", description=str(__doc__).split("\n")[0])
    parser.add_argument("--recipe", choices=RECIPES, default="toy")
    parser.add_argument("--out", type=Path, help="the file (assets/weights/RECIPE.safetensors)")
    parser.add_argument("--state", type=Path, help="checkpoint of the running training (default: runs/<recipe>.state)")
    parser.add_argument("--threads", type=int, help="CPU threads of torch")
    parser.add_argument("--as-is", action="store_true", help="do not train: write what the checkpoint holds")
    options = parser.parse_args(arguments)
    cv2.setNumThreads(1)
    if options.threads:
        torch.set_num_threads(options.threads)
    recipe, state = RECIPES[options.recipe], options.state or Path("runs") / f"{options.recipe}.state"
    average, done, frames = train(recipe, state, stop_after=0 if options.as_is else None)
    out = options.out or WEIGHTS / f"{options.recipe}.safetensors"
    publish(options.recipe, resized(average, recipe, recipe.size), done, frames, out)


if __name__ == "__main__":
    main()
