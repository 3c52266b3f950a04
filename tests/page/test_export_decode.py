"""vizapp/browser/engine/decode.js without a browser: PNG, headers, orientations and refusals are those of vizapp/picture."""

import io
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from support import deep_pictures
from support.english import EXPORT
from support.export_pictures import others, pngs, refused, saved
from support.hostile import chunk
from support.node import needs_node, run_node
from support.paths import ROOT
from support.pictures import ORIENTATION
from vizapp.picture import read_or_shrink, read_picture
from vizapp.picture.decoding import UPRIGHT
from vizapp.picture.pages import Pages, count

PAGES = {"pictureNoPage", "picturePageFar", "picturePageNotHere"}  # tests/js/export/decode.test.js
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


def books() -> dict[str, bytes]:
    """Animations, one with a picture in front of it, and files of more frames, or more parts, than are counted."""
    first, *others = (Image.new("RGB", (16, 16), colour) for colour in ("red", "lime", "blue"))
    how: dict[str, Any] = {"save_all": True, "append_images": others, "duration": 50}
    made = {f"book.{kind}": saved(first, kind.upper(), **how) for kind in ("gif", "png", "webp")}
    made["front.png"] = saved(first, "PNG", default_image=True, **how)
    frame = b"\x2c" + bytes([0, 0, 0, 0, 16, 0, 16, 0, 0]) + b"\x02\x01\x00\x00"
    made["long.gif"] = made["book.gif"][:-1] + frame * 20_000 + b";"
    made["parts.gif"] = made["book.gif"][:-2] + b"\x01\x00" * 2_000_000
    png = made["book.png"]
    at = png.index(b"acTL") - 4
    return made | {"lying.png": png[:at] + chunk(b"acTL", b"\x7f\xff\xff\xff" + bytes(4)) + png[at + 20 :]}


def counted(data: bytes) -> Pages:
    with Image.open(io.BytesIO(data)) as image:
        return count(image, io.BytesIO(data))


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
    told["books"] = []
    for name, data in books().items():
        (tmp_path / name).write_bytes(data)
        found = counted(data)
        told["books"].append({"name": name, "pages": found.of, "isAll": found.is_all})
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
    by_browsers = {"pictureKind"} | PAGES  # tests/whole/browser/test_export_decode.py
    assert {key for key, _ in refused().values()} == said - NOTES - by_browsers
