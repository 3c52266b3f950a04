"""Families of networks in a page without a server: in a browser their numbers are Python's, and a photo of one's own is shown."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image

import vizapp
from support.engine import numbers_of_family, pixels_of
from support.families import family
from support.one_file import READY
from support.paths import ROOT
from support.viz import Viz
from vizapp.browser.content import content_of
from vizapp.browser.network import pack_network
from vizapp.browser.one_file import one_file

KINDS = {".js": "text/javascript", ".wasm": "application/wasm"}
LOGITS, MAPS = 1e-4, 1e-3  # of the largest; the network travels whole
SHOWN = 0.03  # of a share, where weights and numbers travel in half precision: made-up weights are sharper than trained ones

# A pass in the browser, and how far it is from Python's numbers.
OFF = """async ([name, layers]) => {
  const { Network, kernelsFile } = await import("/vizapp/browser/engine/network.js");
  const { fastHeadMap } = await import("/vizapp/browser/engine/maps.js");
  const bytes = async (path) => new Uint8Array(await (await fetch(path)).arrayBuffer());
  const floats = async (what) => new Float32Array((await bytes(`/made/${name}.${what}`)).buffer);
  const wasm = await bytes(`/vizapp/browser/engine/${kernelsFile()}`);
  const net = await Network.open(await bytes(`/made/${name}.vzn`), wasm);
  const { heads, headDim } = net.header;
  const { tokens } = net;
  const pass = net.forward(await floats("pixels"));
  const headMap = await fastHeadMap(wasm, tokens, headDim);
  const off = (found, wanted) => {
    if (found.length !== wanted.length) throw new Error(`${found.length} numbers, not ${wanted.length}`);
    let [worst, top] = [0, 0];
    wanted.forEach((one, i) => {
      worst = Math.max(worst, Math.abs(found[i] - one)) + 0 * found[i];
      top = Math.max(top, Math.abs(one));
    });
    return worst / top;
  };
  const maps = [];
  for (let l = 0; l < layers; l++) {
    const found = new Float32Array(heads * tokens * tokens);
    const { q, k, bias } = pass.layers[l];
    for (let head = 0; head < heads; head++) {
      const part = [head * tokens * headDim, (head + 1) * tokens * headDim];
      const own = found.subarray(head * tokens * tokens, (head + 1) * tokens * tokens);
      headMap(q.subarray(...part), k.subarray(...part), tokens, headDim, own, new Float32Array(tokens), bias?.(head));
    }
    maps.push(off(found, await floats(`maps.${l}`)));
  }
  return { logits: off(pass.logits, await floats("logits")), maps: Math.max(...maps) };
}"""


@pytest.fixture
def laboratory(browser: Any, tmp_path: Path) -> Iterator[Any]:
    """An empty page that can import the engine, and fetch what lies in `tmp_path` as /made/."""
    page = browser.new_page()

    def give(route: Any) -> None:
        path = route.request.url.split("engine.test/", 1)[1]
        file = tmp_path / path.removeprefix("made/") if path.startswith("made/") else ROOT / path
        if file.is_file():
            route.fulfill(body=file.read_bytes(), content_type=KINDS.get(file.suffix, "application/octet-stream"))
        else:
            route.fulfill(body="<!doctype html>", content_type="text/html")

    page.route("http://engine.test/**", give)
    page.goto("http://engine.test/")
    yield page
    page.close()


def test_families_give_the_numbers_of_python_in_a_browser(laboratory: Any, tmp_path: Path) -> None:
    """Of some. The others are asked in node: whole/libraries/test_browser_engine.py."""
    slips = []
    for name in ("dinov3-plus", "rope", "deit3"):
        model = family(name)
        pixels = pixels_of(model)
        (tmp_path / f"{name}.vzn").write_bytes(pack_network(model, half=False))
        numbers = numbers_of_family(model, pixels)
        for what in ("pixels", "logits", "maps.0", "maps.1"):
            values = numbers[what].float().contiguous().numpy()
            (tmp_path / f"{name}.{what}").write_bytes(values.astype("<f4").tobytes())
        found = laboratory.evaluate(OFF, [name, 2])
        if not (found["logits"] <= LOGITS and found["maps"] <= MAPS):
            slips.append(f"{name}: {json.dumps(found)}")
    assert slips == []


@pytest.fixture
def photo(tmp_path: Path) -> Path:
    generator = np.random.default_rng(3)
    small = generator.integers(0, 256, (9, 12, 3), dtype=np.uint8)
    path = tmp_path / "own.png"
    Image.fromarray(small).resize((320, 240), Image.Resampling.BICUBIC).save(path)
    return path


def test_a_visitors_photo_is_looked_at_where_the_page_is_open(browser: Any, photo: Path, tmp_path: Path) -> None:
    """A network on board, a photo of one's own, a patch that is pointed at: nothing is fetched, and the rows are Python's."""
    model = family("dinov3", num_classes=7)
    seen = vizapp.analyse(model, ROOT / "assets" / "examples" / "scene-1.jpg")
    path = tmp_path / "dinov3.html"
    one_file(content_of(seen), path)
    context = browser.new_context(viewport={"width": 1280, "height": 800}, locale="en", bypass_csp=True)
    viz = Viz(context.new_page(), "")
    viz.page.goto(path.as_uri())
    viz.page.wait_for_selector(READY)
    viz.wait_for_maps()
    viz.page.set_input_files("#choose input[type=file]", photo)
    viz.wait_for_maps()
    viz.js("viewer.use()")
    viz.wait_for_rest()
    wanted = vizapp.analyse(model, photo)
    for layer, one in enumerate(wanted.trace.layers):
        token = wanted.trace.layout.n_prefix + 3 * wanted.trace.layout.grid[1] + 5
        rows = viz.js(
            f"Array.from({{ length: {one.n_heads} }}, (_, head) => Array.from(attention.row({layer}, head, {token})))"
        )
        np.testing.assert_allclose(np.array(rows), one.rows(torch.tensor([token]))[:, 0].numpy(), atol=SHOWN)
    before = viz.find("status").inner_text()
    viz.hover(3, 5)
    assert viz.find("status").inner_text() != before, "a patch that is pointed at is told"
    assert [one for one in viz.requests if not one.startswith(("blob:", "data:"))] == [path.as_uri()]
    assert viz.errors == []
    context.close()
