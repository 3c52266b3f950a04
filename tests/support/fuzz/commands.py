"""The command line with arguments that make no sense: one line of words and code 2, or the work done."""

import os
from collections.abc import Callable
from pathlib import Path
from random import Random

from PIL import Image

from support.checkpoints import save_vit
from support.fuzz.nonsense import TEXTS

COUNT = 150
MEMORY = None
ALLOWED = ()
NUMBERS = ("0", "-1", "1", "2", "70000", "99999999999999999999", "1e9", "nan", "0x10", "1.5", "", " 7 ", "²")
VERBS = {
    "explain": (
        "--method", "--layer", "--head", "--query", "--set", "--target", "--text", "--labels", "--edit", "--fit", "--scale",
        "--colours", "--smooth", "--json", "--model", "--device", "-o", "--x=--", "--", "-", "-vvv", "--output=",
    ),
    "evaluate": ("--set", "--methods", "--steps", "--workers", "--engine", "--count", "-o", "--model", "--device", "--x=--"),
    "measure": ("--masks", "-o", "--count", "--workers", "--engine", "--device", "--json", "--"),
    "film": ("-o", "--method", "--set", "--query", "--seconds", "--model", "--device"),
    "check": ("--image", "--device", "--"),
    "serve": ("--host", "--port", "--allow-host", "--model", "--device", "--public", "--share"),
    "models": ("--x", "x", "--json"),
    "methods": ("--x=--", "\0", "--json"),
    "doctor": ("--device", "x"),
    "nonsense": (),
    "": ("--version", "--help", "-v", "-vv", "--"),
}  # fmt: skip


def prepare(folder: Path) -> Callable[[Random, Callable[[str], None]], None]:
    """Cases. Every one is in a folder of its own that holds a picture, a folder of pictures, and things that are neither."""
    os.chdir(folder)
    model = save_vit(folder / "a.safetensors", reg_tokens=1)
    Image.new("RGB", (40, 50), "teal").save("photo.png")
    Path("photos").mkdir()
    Image.new("RGB", (40, 50), "teal").save("photos/a.png")
    Path("photos/b.png").write_text("no picture")
    Path("empty").mkdir()
    Path("unreadable").mkdir(mode=0)
    Path("loop.png").symlink_to("loop.png")
    os.mkfifo("pipe.csv")
    os.mkfifo("pipe.png")
    places = (
        "photo.png", "photos", "empty", "unreadable", "unreadable/a.png", "loop.png", "a.safetensors", "nowhere/a.csv", "out.csv",
        "out.json", "out.png", "out.npz", "out.gif", "photos/a.png/b.csv", "~nosuch/a.csv", "a" * 300 + ".csv", "/proc/a.csv",
        "/dev/full", "/dev/zero", "pipe.csv", "pipe.png",
    )  # fmt: skip
    from vizapp.cli import main

    def word(rng: Random) -> str:
        return rng.choice(
            (
                rng.choice(TEXTS),
                rng.choice(NUMBERS),
                rng.choice(places),
                rng.choice(places),
                model,
                "one",
                "rollout",
                "cpu",
            )
        )

    def case(rng: Random, tries: Callable[[str], None]) -> None:
        verb = rng.choice(
            ("explain", "explain", "explain", "evaluate", "evaluate", "measure", "serve", rng.choice(sorted(VERBS)))
        )
        given = [verb] if verb else []
        given += {"explain": ["photo.png"], "film": ["photo.png"], "measure": [model, "photos"], "check": [model]}.get(
            verb, []
        )
        if rng.random() < 0.3 and len(given) > 1:
            given[rng.randrange(1, len(given))] = word(rng)
        if verb in ("explain", "evaluate", "film"):
            given += ["--model", model]
        for _ in range(rng.choice((0, 1, 1, 2, 3))):
            option = rng.choice(VERBS[verb] or ("x",))
            given += (
                [option]
                if rng.random() < 0.15
                else [option, word(rng)]
                if rng.random() < 0.8
                else [f"{option}={word(rng)}"]
            )
        if verb == "evaluate":
            given += ["--set", rng.choice(("one", "photos", word(rng))), "--count", rng.choice(("1", "1", word(rng)))]
            if given[-1] not in ("1", "0", "-1"):
                given += ["--count", "x" if given[-1].strip().isdigit() else given[-1]]
        if verb == "measure" and "--count" not in given:
            given += ["--count", "1"]
        if verb == "serve":
            given += ["--no-browser", "--model", "nobody"]  # whatever else is right, no server is to stay
        tries(repr([one[:200] for one in given]))
        try:
            code = main(given)
        except SystemExit as left:  # of argparse: 0 after help, 2 after a slip
            code = left.code
        assert code in (0, 2), code

    return case
