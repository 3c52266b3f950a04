"""vizapp/browser/engine/decode.js without a browser: PNG, headers, orientations and refusals are those of vizapp/picture."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from support import deep_pictures
from support.export_pictures import ORIENTATION, others, pngs, refused
from support.node import needs_node, run_node
from support.paths import ROOT
from vizapp.picture import read_or_shrink, read_picture
from vizapp.picture.decoding import UPRIGHT
from vizapp.ui.words.en import EXPORT

NOTES = {"pictureShrunk", "pictureWhiteTold", "pictureWhiteFound"}  # on pictures that are read
ENGINE = ROOT / "vizapp" / "browser" / "engine"


def longest_cut(data: bytes) -> int:
    """As many of its bytes as Python still refuses."""
    for end in range(len(data) - 1, 0, -1):
        try:
            read_picture(data[:end])
        except ValueError:
            return end
    raise AssertionError("it takes anything")


@needs_node
def test_files_are_read_as_by_the_server(tmp_path: Path) -> None:
    told: dict[str, object] = {"pngs": [], "others": [], "refused": []}
    for name, data in (pngs() | {name: data for name, (data, _) in deep_pictures.pngs().items()}).items():
        rgb, note = read_or_shrink(data)
        (tmp_path / name).write_bytes(data)
        (tmp_path / f"{name}.rgb").write_bytes(rgb.tobytes())
        told["pngs"].append({"name": name, "width": rgb.shape[1], "height": rgb.shape[0], "note": note and str(note)})
    for name, data in others().items():
        (tmp_path / name).write_bytes(data)
        image = Image.open(io.BytesIO(data))
        way = image.getexif().get(ORIENTATION, 1)
        told["others"].append({"name": name, "stored": image.size, "orientation": way, "least": longest_cut(data)})
    for name, (key, data) in refused().items():
        (tmp_path / name).write_bytes(data)
        told["refused"].append({"name": name, "key": key})
    stored = np.arange(18, dtype=np.uint8).reshape(3, 2, 3)
    turned = [stored, *(UPRIGHT[way](stored) for way in range(2, 9))]
    told["turns"] = {"stored": stored.ravel().tolist(), "turned": [one.ravel().tolist() for one in turned]}
    told["words"] = EXPORT
    (tmp_path / "files.json").write_text(json.dumps(told), "utf-8")
    run_node("decode.test.js", tmp_path)


@pytest.mark.parametrize("name", [name for name in refused() if name not in {"tiff", "ppm", "cmyk"}])
def test_the_server_refuses_them_too(name: str) -> None:
    """All but those that Pillow reads and browsers do not, or not alike."""
    with pytest.raises(ValueError, match=r".+"):
        read_picture(refused()[name][1])


def test_each_refusal_of_a_picture_has_words() -> None:
    said = {key for path in ENGINE.glob("*.js") for key in re.findall(r'"(picture[A-Z]\w*)"', path.read_text("utf-8"))}
    assert said == {key for key in EXPORT if key.startswith("picture")}
    by_browsers = {"pictureKind"}  # tests/whole/browser/test_export_decode.py
    assert {key for key, _ in refused().values()} == said - NOTES - by_browsers
