"""The page without a browser: what its one event answers, to good and to bad pictures, to many at once, to strangers."""

import gc
import io
import json
import struct
import tempfile
import weakref
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import numpy as np
import pytest
from PIL import Image

from support.pictures import encoded, png_that_says
from support.serving import Server, page_of, serving
from support.together import together
from support.waiting import until
from vizapp import pipeline
from vizapp.analysis import Analysis
from vizapp.picture import Source
from vizapp.ui import app
from vizapp.ui.server import folder
from vizapp.ui.server.ledger import Ages

KINDS = {"bytes": np.uint8, "f16": np.float16, "f32": np.float32, "i32": np.int32}


def read_payload(data: bytes) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The file that the browser reads, by the words at the top of payload.js: (header, blocks by name)."""
    assert data[:4] == b"VIZ1"
    (length,) = struct.unpack("<I", data[4:8])
    header = json.loads(data[8 : 8 + length])
    blocks = {}
    for name, (offset, kind, shape) in header["blocks"].items():
        start = 8 + length + offset
        assert start % 8 == 0, "typed arrays start at a multiple of 8"
        blocks[name] = np.frombuffer(data, KINDS[kind], int(np.prod(shape)), start).reshape(shape)
    return header, blocks


def noise(height: int = 60, width: int = 96, seed: int = 0) -> Image.Image:
    return Image.fromarray(np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8))


def analysed(model: str, picture: Source) -> Analysis:
    """The same without the page."""
    return pipeline.analyse(pipeline.load(model, "cpu"), picture)


def assert_belongs(data: bytes, seen: Analysis) -> None:
    """A payload holds the numbers of this analysis, and of no other."""
    _, blocks = read_payload(data)
    rows = np.concatenate([layer.map().numpy()[:, 0] for layer in seen.trace.layers])
    np.testing.assert_allclose(blocks["rows.cls"].reshape(rows.shape), rows, atol=1e-3)


def test_the_payload_holds_the_trace(server: Server, models: SimpleNamespace) -> None:
    """Everything that the browser computes from, read back by a second reader of the format."""
    picture = noise()
    header, blocks = read_payload(server.payload(encoded(picture), models.registers))
    seen = analysed(models.registers, picture)
    trace = seen.trace
    assert header["prefix"] == ["cls", "reg0", "reg1"]
    assert header["grid"] == [4, 4]
    assert [layer["heads"] for layer in header["layers"]] == [4, 4, 4]
    assert (header["readout"], header["named"]) == ("cls", ["cls", "mean"])
    assert [tuple(pair) for pair in header["top"]] == [(label, pytest.approx(share)) for label, share in seen.top(5)]
    left, top, right, bottom = seen.frame.window
    assert header["window"] == pytest.approx((left / 96, top / 60, right / 96, bottom / 60))
    shown = Image.open(io.BytesIO(blocks["picture"].tobytes()))
    np.testing.assert_array_equal(np.asarray(shown), seen.picture)
    for index, layer in enumerate(trace.layers):
        scores = blocks[f"q.{index}"].astype(float) @ blocks[f"k.{index}"].astype(float).swapaxes(1, 2)
        maps = np.exp(scores - blocks[f"lse.{index}"][..., None])
        np.testing.assert_allclose(maps, layer.map().numpy(), atol=1e-2)
    for name in header["named"]:
        query = trace.query(name)
        np.testing.assert_array_equal(blocks[f"weights.{name}.0"], query.numpy())
        rows = np.concatenate([layer.attend(query).numpy() for layer in trace.layers])
        np.testing.assert_allclose(blocks[f"rows.{name}"].reshape(rows.shape), rows, atol=1e-3)
        for index in range(3):
            followed = pipeline.explain(seen, "rollout", query=name, layer=index)
            tokens = [*followed.on_prefix.values(), *followed.scores.ravel()]
            np.testing.assert_allclose(blocks[f"rollout.{name}"][index], tokens, rtol=1e-4, atol=1e-6)


def test_many_visitors_at_once_get_their_own(server: Server, models: SimpleNamespace) -> None:
    """One network serves all threads; no visitor may ever see the maps of another one's picture."""
    names = [models.registers, models.wide]
    pictures = [noise(seed=seed) for seed in range(12)]
    with ThreadPoolExecutor(12) as threads:
        answers = [threads.submit(server.payload, encoded(picture), names[i % 2]) for i, picture in enumerate(pictures)]
    for i, (answer, picture) in enumerate(zip(answers, pictures, strict=True)):
        assert_belongs(answer.result(), analysed(names[i % 2], picture))


BAD = {
    "no picture": (b"Dear reader, I am a letter.", "is not a picture"),
    "header bomb": (png_that_says(20_000, 20_000), "too large: 20000 x 20000"),
}


@together("kind", BAD)
def test_a_bad_picture_is_a_sentence(server: Server, models: SimpleNamespace, capsys: Any, kind: str) -> None:
    """The visitor reads what to do, the terminal has one line, and the next picture works."""
    data, said = BAD[kind]
    server.heard()
    answer = server.analyse(server.upload(data), models.registers)
    assert said in answer["error"]
    lines = (server.heard() + capsys.readouterr().err).splitlines()
    assert len(lines) == 1
    assert said in lines[0]
    assert "file" in server.analyse(server.upload(encoded(noise())), models.registers)


def test_a_model_that_cannot_be_had_is_a_sentence(server: Server, capsys: Any) -> None:
    """Unknown, and without attention, which only a look tells."""
    picture = server.upload(encoded(noise()))
    server.heard()
    for name, said in {
        "timm:vit_tinny_patch16_224": "Did you mean vit_tiny_patch16_224",
        "timm:resnet18?pretrained=no": "shows no attention",
    }.items():
        assert said in server.analyse(picture, name).get("error", "nothing"), name
    said = server.heard() + capsys.readouterr().err
    assert "Traceback" not in said
    assert len(said.splitlines()) == 2


def test_no_path_of_the_machine_is_read(server: Server, models: SimpleNamespace, pictures: SimpleNamespace) -> None:
    """Only what was uploaded: neither as a picture through the API, nor as a file over HTTP."""
    assert server.analyse(str(pictures.square), models.registers)["error"].startswith(
        "Nothing on this page asks for that."
    )
    for path in (pictures.square, Path(app.__file__), models.registers.removeprefix("file:")):
        assert server.http.get(f"{server.url}gradio_api/file={path}").status_code == 403
    asked = {"data": [{"path": str(pictures.square)}, models.registers, "as_trained"]}  # not marked as a file
    event = server.http.post(f"{server.url}gradio_api/call/look", json=asked).json()["event_id"]
    assert "event: error" in server.http.get(f"{server.url}gradio_api/call/look/{event}").text


@pytest.fixture(scope="module")
def public(cache: Path, models: SimpleNamespace) -> Iterator[Server]:
    """A page for strangers."""
    with serving(models.registers, public=True) as running:
        yield running


def test_strangers_get_listed_models_only(public: Server, models: SimpleNamespace) -> None:
    """Otherwise anybody could fill the disk with downloads, or find out which files exist."""
    picture = noise()
    assert_belongs(public.payload(encoded(picture), models.registers), analysed(models.registers, picture))
    for name in (models.wide, "file:/etc/passwd"):
        error = public.analyse(public.upload(encoded(picture)), name)["error"]
        assert name in error
        assert "not in the list" in error or "not offered" in error
    box = next(
        part for part in public.http.get(f"{public.url}config").json()["components"] if part["type"] == "dropdown"
    )
    assert box["props"]["allow_custom_value"] is False


def test_strangers_cannot_upload_without_limit(public: Server) -> None:
    with pytest.raises(httpx.HTTPStatusError, match="413"):
        public.upload(b"\0" * 21_000_000)


def test_no_file_is_left_outside_of_the_folder(
    server: Server, models: SimpleNamespace, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files in the folder are deleted after an hour. Elsewhere they would stay for ever, one for each picture."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    answer = server.analyse(server.upload(encoded(noise(seed=77))), models.registers)
    assert Path(answer["file"]["path"]).is_relative_to(cache)
    assert answer["bytes"] == Path(answer["file"]["path"]).stat().st_size
    assert list(tmp_path.iterdir()) == []
    again = server.analyse(server.upload(encoded(noise(seed=77))), models.registers)
    assert again["file"]["path"] == answer["file"]["path"], "the same maps are one file"
    assert again["run"] != answer["run"], "but a new value, which the page shows anew"


def test_old_payloads_go_and_examples_stay(
    public: Server, models: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the sweeper ran, the maps of an old picture are gone, and a new visitor finds everything."""
    answer = public.analyse(public.upload(encoded(noise(seed=5))), models.registers)
    assert public.http.get(answer["file"]["url"]).status_code == 200
    monkeypatch.setattr(folder.current(), "ages", Ages(rest=0))
    until(  # what is still being sent to somebody stays, be it the last byte
        lambda: not Path(answer["file"]["path"]).exists(), pause=lambda: folder.current().sweep()
    )
    assert public.http.get(answer["file"]["url"]).status_code == 403
    parts = public.http.get(f"{public.url}config").json()["components"]
    first = next(part["props"]["value"] for part in parts if part["type"] == "image")
    shelves = [part["props"]["samples"] for part in parts if part["type"] == "dataset"]
    shown = [first, *(sample[0] for samples in shelves for sample in samples)]
    assert len(shown) > 4
    for picture in shown:
        assert public.http.get(picture["url"]).status_code == 200, picture["path"]
    assert "file" in public.analyse(first["path"], models.registers)


def test_a_page_that_nobody_has_any_more_is_let_go(cache: Path) -> None:
    """Nothing of ours keeps it after its server's end: in a notebook it is built again and again."""
    with serving("toy") as home:
        page = weakref.ref(page_of(home))

    def is_gone() -> bool:
        gc.collect()
        return page() is None

    until(is_gone)
