"""Memory of the page: the server at rest and after fifty pictures, beside a process that has only imported torch and gradio.

What is counted is what the system says is in memory (VmRSS), libraries included, which a container is charged for, too.
"""

import subprocess
import sys
import time
from io import BytesIO

import numpy as np
from PIL import Image

from bench.measure import Result
from bench.server import ROOT, held, running

sys.path.insert(0, str(ROOT / "deploy"))
from visit import Visit

MODEL = "toy"
PICTURES = 50  # all different
SIDES = (1280, 960)
IDLE = 3.0  # seconds in which a server that has answered comes to rest
IMPORTS = "import torch, gradio; print('there', flush=True); input()"
STARTS = 3  # of a process, at most: they vary little


def measure(repeats: int) -> list[Result]:
    """Of a few starts each, in turn."""
    starts = max(1, min(repeats, STARTS))
    runs = [(imports(), *served()) for _ in range(starts)]
    return [
        Result("memory of `import torch, gradio`", "MB", tuple(bare for bare, _, _ in runs)),
        Result("of the page at rest", "MB", tuple(rest for _, rest, _ in runs)),
        Result(
            f"of the page after {PICTURES} pictures of {SIDES[0]} x {SIDES[1]}", "MB", tuple(used for *_, used in runs)
        ),
        Result("the page at rest, over the imports", "x", tuple(rest / bare for bare, rest, _ in runs), 1.3),
        Result("the page after the pictures, over the imports", "x", tuple(used / bare for bare, _, used in runs), 2.5),
    ]


def imports() -> float:
    """Megabytes of a process that has imported both."""
    command = [sys.executable, "-c", IMPORTS]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "there\n"
        found = held(process.pid) / 1e6
        process.communicate("\n")
    return found


def served() -> tuple[float, float]:
    """Megabytes of a server at rest, and after all pictures."""
    with running(MODEL) as (url, process):
        time.sleep(IDLE)
        rest = held(process.pid) / 1e6
        visit = Visit(url)
        for number in range(PICTURES):
            visit.show(picture(number), f"{number}.jpg")
            visit.look()
        visit.http.close()
        time.sleep(IDLE)
        return rest, held(process.pid) / 1e6


def picture(number: int) -> bytes:
    """A JPEG like no other of them."""
    coarse = np.random.default_rng(number).integers(0, 256, (12, 16, 3), np.uint8)
    stream = BytesIO()
    Image.fromarray(coarse).resize(SIDES, Image.Resampling.BICUBIC).save(stream, "JPEG")
    return stream.getvalue()
