"""vizapp/browser/engine/decode.js in a Worker of a real browser, on files as people have them."""

import base64

import numpy as np
from PIL import Image
from playwright.sync_api import Browser, Route

from support.export_pictures import drawn, others, pngs, saved
from support.paths import ROOT
from vizapp.picture import read_picture

ENGINE = ROOT / "vizapp" / "browser" / "engine"
VOCABULARY = ENGINE.parents[1] / "vocabulary.js"
HOME = "http://engine.test/"  # answered from the folder, by no server

WORKER = """
import { decode } from "./decode.js";
import { encode } from "./encode.js";
onmessage = async ({ data: [files, large] }) => {
  const found = {};
  for (const [name, bytes] of Object.entries(files)) {
    try {
      const { width, height, data, note } = await decode(bytes);
      found[name] = { width, height, data, note };
      if (large.includes(name)) found[name].encoded = await encode({ width, height, data });
    } catch (error) {
      found[name] = { key: error.key ?? String(error) };
    }
  }
  postMessage(found);
};
"""
# A browser that does not know BMP, as some do not know AVIF; it says of both what it says of what is damaged.
WITHOUT_BMP = """
const able = createImageBitmap;
self.createImageBitmap = (blob, how) =>
  blob.type === "image/bmp" ? Promise.reject(new DOMException("", "InvalidStateError")) : able(blob, how);
"""
PAGE = """
async ([files, large, script]) => {
  const bytes = (packed) => Uint8Array.from(atob(packed), (one) => one.charCodeAt(0));
  const packed = (some) => {
    let text = "";
    for (let i = 0; i < some.length; i += 4096) text += String.fromCharCode(...some.subarray(i, i + 4096));
    return btoa(text);
  };
  const worker = new Worker(script, { type: "module" });
  const found = await new Promise((done, fail) => {
    worker.onmessage = ({ data }) => done(data);
    worker.onerror = (event) => fail(new Error(event.message));
    worker.postMessage([Object.fromEntries(Object.entries(files).map(([name, one]) => [name, bytes(one)])), large]);
  });
  worker.terminate();
  for (const one of Object.values(found)) {
    if (one.data) one.data = packed(one.data);
    if (one.encoded) one.encoded.bytes = packed(one.encoded.bytes);
  }
  return found;
}
"""

EXACT = ("lossless.webp", "turned.webp", "film.gif", "windows.bmp", *(name for name in pngs()))
# Levels of 255, the largest anywhere. With Chromium and Pillow of November 2026 all of these were 0: both decode JPEG by
# libjpeg-turbo. Other builds may differ in the last digit, in how they spread the colours of half the pixels over all, and in
# how a canvas multiplies colours by alpha.
WITHIN = {"clear.webp": 1}
LOSSY = 4


def answered(route: Route) -> None:
    name = route.request.url.removeprefix(HOME)
    if not name:
        route.fulfill(body="<!doctype html>", content_type="text/html")
        return
    scripts = {"worker.js": WORKER, "without-bmp.js": WORKER + WITHOUT_BMP}
    folder = VOCABULARY.parent if name == VOCABULARY.name else ENGINE  # which lies two folders above
    if name not in scripts and not (folder / name).is_file():
        route.abort()  # else its worker would wait for ever
        return
    route.fulfill(body=scripts.get(name) or (folder / name).read_text("utf-8"), content_type="text/javascript")


def test_a_browser_reads_what_the_server_reads(browser: Browser) -> None:
    """Formats without loss byte for byte, each orientation upright once and not twice, the others to a level or two."""
    rough = np.random.default_rng(0).integers(0, 256, (300, 400, 3), dtype=np.uint8)
    photo = Image.fromarray(rough).resize((1600, 1200), Image.Resampling.BICUBIC)
    files = pngs() | others() | {"photo.jpeg": saved(photo, "JPEG", 6, quality=90)}
    files |= {"broken.webp": others()["lossy.webp"][:200], "small.png": saved(Image.fromarray(drawn()), "PNG")}
    files["broken.jpeg"] = files["photo.jpeg"][:40_000]
    context = browser.new_context()
    context.route(HOME + "**", answered)
    page = context.new_page()
    page.goto(HOME)
    packed = {name: base64.b64encode(data).decode() for name, data in files.items()}
    found = page.evaluate(PAGE, [packed, ["photo.jpeg", "small.png"], "/worker.js"])
    some = {name: packed[name] for name in ("windows.bmp", "broken.webp", "lossless.webp")}
    without = page.evaluate(PAGE, [some, [], "/without-bmp.js"])
    context.close()
    told = {name: one.get("key") for name, one in without.items()}
    assert told == {"windows.bmp": "pictureKind", "broken.webp": "pictureDamaged", "lossless.webp": None}
    assert [found.pop(name) for name in ("broken.webp", "broken.jpeg")] == [{"key": "pictureDamaged"}] * 2
    assert {name for name, one in found.items() if "key" in one} == set(), found
    for name, one in found.items():
        wanted = read_picture(files[name])
        assert [one["height"], one["width"]] == list(wanted.shape[:2]), name
        got = np.frombuffer(base64.b64decode(one["data"]), np.uint8).reshape(wanted.shape)
        apart = int(np.abs(got.astype(int) - wanted).max())
        assert apart <= (0 if name in EXACT else WITHIN.get(name, LOSSY)), name
    shown = found["photo.jpeg"]["encoded"]
    assert (shown["type"], read_picture(base64.b64decode(shown["bytes"])).shape) == ("image/jpeg", (1024, 768, 3))
    shown = found["small.png"]["encoded"]
    assert shown["type"] == "image/png"
    assert (read_picture(base64.b64decode(shown["bytes"])) == drawn()).all()
