// Resizing and preprocessing: the bytes and floats are Pillow's and torch's, each of them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { maskOf, windowOf } from "../../../vizapp/browser/engine/frame.js";
import { preprocess } from "../../../vizapp/browser/engine/preprocess.js";
import { resize } from "../../../vizapp/browser/engine/resample.js";
import { bytes, floats, json, skip } from "./fixtures.js";

// The first place where two arrays differ, in words: `deepEqual` of a million numbers takes minutes to say it.
function assertSame(found, wanted, what) {
  assert.equal(found.length, wanted.length, `${what}: length`);
  const at = found.findIndex((value, i) => value !== wanted[i]);
  assert.equal(at, -1, `${what} [${at}]: ${found[at]}, not ${wanted[at]}`);
}

test("resize is Pillow's, byte for byte", { skip }, () => {
  for (const { name, width, height, channels, cases } of json("pixels.json").pictures) {
    const picture = { width, height, channels, data: bytes(`${name}.raw`) };
    for (const { file, size, filter, box } of cases) {
      const [columns, rows] = size;
      const what = `${name} at ${columns} x ${rows}, ${filter}, box ${box}`;
      const wanted = bytes(file);
      assertSame(resize(picture, columns, rows, { filter, box }).data, wanted, what);
      const part = [columns >> 2, rows >> 1, columns, rows - (rows >> 3)]; // cut out before or after is the same
      const cut = resize(picture, columns, rows, { filter, box, part });
      assert.deepEqual([cut.width, cut.height], [part[2] - part[0], part[3] - part[1]]);
      const line = cut.width * channels;
      for (let y = 0; y < cut.height; y++) {
        const from = ((y + part[1]) * columns + part[0]) * channels;
        assertSame(cut.data.subarray(y * line, (y + 1) * line), wanted.subarray(from, from + line), `${what}, part`);
      }
    }
  }
});

test("pixels are those of Preprocess, float for float", { skip }, () => {
  for (const { file, picture, how, fit, window, mask } of json("pixels.json").prepared) {
    const what = `${picture.name} to ${how.size} by ${fit}, ${how.interpolation}, crop ${how.crop}`;
    const { pixels, frame } = preprocess({ ...picture, data: bytes(`${picture.name}.raw`) }, how, fit);
    assertSame(pixels, floats(file), what);
    assert.deepEqual(windowOf(frame), window, what);
    if (mask) assertSame(maskOf(frame, bytes(mask.drawn)), bytes(mask.seen), `${what}: mask`);
  }
});

test("a way to fit that nobody knows is no padding", () => {
  const picture = { width: 8, height: 8, data: new Uint8Array(3 * 64) };
  const how = { size: [8, 8], mean: [0, 0, 0], std: [1, 1, 1], interpolation: "bilinear", crop: 1, fit: "stretch" };
  assert.throws(() => preprocess(picture, /** @type {any} */ (how)), /'stretch' is no way/);
});
