"""Memory that stays bounded, of pictures and of films."""

import tracemalloc
from pathlib import Path

import cv2

import vizapp
from support.cgroups import GIB, run_in
from support.films import moving, write_mp4
from vizapp.painting.video import SAMPLE
from vizapp.pipeline import load

LARGE_IN_LITTLE = """
import numpy as np
with torch.device("meta"):
    net = timm.create_model("vit_base_patch16_224", img_size=1792)
net = net.to_empty(device="cpu").eval()
try:
    vizapp.analyse(net, np.zeros((1792, 1792, 3), np.uint8))
    print("looked at")
except vizapp.VizError as error:
    print("refused", error)
"""


def test_1792_pixels_are_refused_in_words_where_2_5_gb_are_all() -> None:
    """ViT-B: 12545 tokens. The process must live."""
    done = run_in(int(2.5 * GIB), LARGE_IN_LITTLE, "import timm, torch, vizapp; vizapp.analyse")
    assert done.returncode == 0, f"{done.returncode}: {done.stderr}"
    assert done.stdout.startswith("refused VisionTransformer needs about"), done.stdout
    assert "pixels would fit" in done.stdout


def test_memory_does_not_grow_with_the_film(tmp_path: Path) -> None:
    """Four times as many frames, and as much at once: counted is what Python and numpy hold, of which a frame is 1.2 MB."""
    model, side = load("toy"), 640
    frames = [cv2.resize(one, (side, side), interpolation=cv2.INTER_NEAREST) for one in moving(3)]

    def most(count: int) -> int:
        film = write_mp4(tmp_path / f"{count}.avi", [frames[number % 3] for number in range(count)])
        tracemalloc.start()
        vizapp.video(model, film, tmp_path / f"{count}.gif", batch=2)
        top = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return top

    short, long = most(SAMPLE), most(4 * SAMPLE)  # of both, twelve frames choose the colours of the .gif
    assert long < short + 2 * side * side * 3
