"""What is saved from the stage is what is shown, opens in other programs, and says where it comes from."""

import io
import json
import re
import zlib
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

import vizapp
from support.english import VIEWER
from support.one_file import Opened
from support.viz import Viz, saved

ONE_PAGE = "as it opened"

KINDS = ("overlay", "map", "atlas")


def test_numbers_are_those_on_the_stage(viz: Viz) -> None:
    viz.click(1, 2)
    with np.load(io.BytesIO(saved(viz, "map", "npz"))) as found:
        assert np.array_equal(found["values"], viz.shown().astype(np.float32))
        grid = viz.js("view.map.layout.grid")
        assert found["scores"].shape == tuple(grid)
        assert np.array_equal(found["scores"].ravel(), found["values"][-grid[0] * grid[1] :])
        about = json.loads(str(found["about"]))
    assert about["format"] == "vizapp-view 1"
    assert about["vizapp"] == vizapp.__version__
    assert {"torch", "weights_sha256", "picture_sha256", "preprocess", "date"} <= about.keys()
    assert about["view"]["query"] == [1, 2]
    with np.load(io.BytesIO(saved(viz, "atlas", "npz"))) as found:
        for layer in range(viz.js("payload.layers.length")):
            for head, values in enumerate(found[f"layer_{layer}"]):
                shown = viz.values(None, layer=layer, fusion="one", head=head)
                assert np.array_equal(values, shown.astype(np.float32))


def test_pictures_have_their_width_resolution_and_origin(viz: Viz) -> None:
    for kind in KINDS:
        with Image.open(io.BytesIO(saved(viz, kind, "png", 600))) as picture:
            assert picture.width == 600
            assert picture.info["dpi"] == pytest.approx((300, 300), abs=0.1)
            assert json.loads(picture.info["Comment"])["picture_sha256"]
            picture.load()  # all checksums are right
            ink = np.asarray(picture.convert("L")) < 128
            edges = ink[-20:], ink[-100:, :20], ink[-100:, -20:]
            assert not any(edge.any() for edge in edges), "what is written has a margin"


def test_a_map_alone_has_the_colours_of_the_stage(viz: Viz) -> None:
    """The middle of each patch, by the numbers and the table of colours of Python."""
    from vizapp.render.colour import lut

    pixels = np.asarray(Image.open(io.BytesIO(saved(viz, "map", "png", 600))).convert("RGB"))
    rows, cols = viz.js("view.map.layout.grid")
    values = viz.shown()[-rows * cols :].reshape(rows, cols)
    step = 600 / cols
    for row in range(rows):
        for col in range(cols):
            share = min(1.0, max(0.0, float(values[row, col]) / viz.js("view.map.high")))
            colour = lut("viridis")[min(255, int(256 * share))]
            found = pixels[int((row + 0.5) * step), int((col + 0.5) * step)].astype(int)
            assert np.abs(found - colour).max() <= 1


def test_svg_is_text_and_pictures(viz: Viz) -> None:
    root = ElementTree.fromstring(saved(viz, "overlay", "svg"))
    name = "{http://www.w3.org/2000/svg}"
    said = " ".join(one.text or "" for one in root.iter(f"{name}text"))
    assert "CLS" in said
    assert len(list(root.iter(f"{name}image"))) == 2
    assert json.loads(root.find(f"{name}metadata").text)["vizapp"] == vizapp.__version__  # type: ignore[union-attr,arg-type]


def test_pdf_can_be_read(viz: Viz) -> None:
    """Each object stands where its table says, and the picture in it is that of the PNG."""
    data = saved(viz, "overlay", "pdf", 300)
    start = int(re.findall(rb"startxref\n(\d+)", data)[0])
    rows = re.findall(rb"(\d{10}) 00000 n ", data[start:])
    for number, offset in enumerate(rows, 1):
        assert data[int(offset) :].startswith(b"%d 0 obj\n" % number)
    found = re.search(rb"/Width (\d+) /Height (\d+) .*?/Length (\d+) >>\nstream\n", data)
    assert found
    width, height, length = (int(part) for part in found.groups())
    rgb = np.frombuffer(zlib.decompress(data[found.end() : found.end() + length]), np.uint8).reshape(height, width, 3)
    with Image.open(io.BytesIO(saved(viz, "overlay", "png", 300))) as picture:
        assert np.array_equal(rgb, np.asarray(picture.convert("RGB"))[:height])
    assert b"/BaseFont /Helvetica" in data
    about = bytes.fromhex(re.findall(rb"/Keywords <([0-9A-Fa-f]+)>", data)[0].decode())
    assert json.loads(about.decode("utf-16"))["vizapp"] == vizapp.__version__


def test_a_film_goes_through_the_layers(viz: Viz) -> None:
    viz.find("save").locator("summary").click()
    with viz.page.expect_download() as download:
        viz.page.locator('.viz button[data-format="gif"]').click()
    with Image.open(download.value.path()) as film:
        assert film.format == "GIF"
        assert film.n_frames >= viz.js("payload.layers.length")  # type: ignore[attr-defined]
        assert json.loads(film.info["comment"])["layers"] == list(range(viz.js("payload.layers.length")))


def test_a_page_looks_by_itself(viz: Viz, opened: Opened, tmp_path: Path) -> None:
    """Opened from the disk, without the server: the same picture, the same numbers, made there."""
    viz.find("save").locator("summary").click()
    with viz.page.expect_download() as download:
        viz.page.locator('.viz button[data-format="html"]').click()
    download.value.save_as(tmp_path / "page.html")
    shares = "Array.from({ length: payload.layers[0].heads }, (_, head) => [...attention.row(0, head, 0)]).flat()"
    here = viz.js(shares)
    alone = opened(tmp_path / "page.html")
    np.testing.assert_allclose(alone.js(shares), here, atol=1e-3)
    assert alone.page.locator("#choose .bring").is_visible(), "it looks at other pictures, too"
    assert alone.js("payload.caution") == viz.js("payload.caution") == "", "a scene is what toy knows"


def test_the_code_makes_the_map(
    viz: Viz, models: SimpleNamespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Run as it stands, beside the network's file, it gives the numbers of the stage."""
    viz.display()
    viz.button("fusion", "max").click()
    viz.slide("layer", 2)
    viz.find("save").locator("summary").click()
    chosen = "(words) => words.every((one) => document.querySelector('.viz-code-python').textContent.includes(one))"
    viz.page.wait_for_function(chosen, arg=["layer=1", "max"])  # not that of the view before
    lines = viz.find("code-python").inner_text()
    monkeypatch.chdir(Path(models.registers.removeprefix("file:").partition("?")[0]).parent)
    made: dict[str, Any] = {}
    exec(lines.replace("map.png", str(tmp_path / "map.png")), made)
    rows, cols = viz.js("view.map.layout.grid")
    assert np.abs(made["found"].scores.ravel() - viz.shown()[-rows * cols :]).max() < 1e-3
    assert viz.find("code-command").inner_text() == VIEWER["code_none_command"], "a picture of a lesson is no file"
    assert viz.page.locator('.viz button[data-copy="command"]').is_disabled(), "a reason is nothing to copy"
    assert viz.page.locator('.viz button[data-copy="python"]').is_enabled()
    viz.show_map("rollout")  # which closes it, as any click elsewhere does
    viz.find("save").locator("summary").click()
    viz.page.wait_for_function("document.querySelector('.viz-code-python').textContent.includes('rollout')")


def test_a_picture_goes_to_the_clipboard(viz: Viz) -> None:
    viz.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    viz.find("save").locator("summary").click()
    viz.find("save-copy").click()
    viz.wait_for("document.querySelector('.viz-save-said').textContent === argument", VIEWER["save_copied"])
    kinds = viz.page.evaluate("navigator.clipboard.read().then((items) => items.flatMap((item) => item.types))")
    assert kinds == ["image/png"]


def test_escape_and_a_click_outside_close_it(viz: Viz) -> None:
    summary = viz.find("save").locator("summary")
    summary.click()
    summary.press("Escape")
    assert not viz.js("find('save').open")
    summary.click()
    viz.find("status").click()
    assert not viz.js("find('save').open")
