"""A long film takes no more memory than a short one."""

import tracemalloc
from pathlib import Path

import cv2

import vizapp
from support.films import moving, write_mp4
from vizapp.painting.video import SAMPLE
from vizapp.pipeline import load


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
