// What is drawn, as numbers: on canvases that keep what they are given.

import assert from "node:assert/strict";
import { test } from "node:test";

import { ColourMap } from "../../vizapp/ui/viewer/drawing/colour.js";
import { outlineOf } from "../../vizapp/ui/viewer/drawing/outline.js";
import { Stage } from "../../vizapp/ui/viewer/drawing/stage.js";

let put;
const context = { putImageData: (image) => (put = image), drawImage() {} };
const canvas = () => ({ getContext: () => context });
Object.assign(globalThis, {
  document: { createElement: canvas },
  ImageData: class {
    constructor(width, height) {
      this.data = new Uint8ClampedArray(4 * width * height);
    }
  },
  Path2D: class {
    ends = [];
    moveTo(...end) {
      this.ends.push(end);
    }
    lineTo(...end) {
      this.ends.push(end);
    }
  },
});

test("each patch of the heatmap is as clear as its own value is small", () => {
  const map = new ColourMap(btoa("\x07".repeat(768)));
  const stage = new Stage(canvas(), { width: 20, height: 10, ratio: 1 });
  const values = Float32Array.of(0.81, 0.25, 1, 0, 0.04); // CLS, and four patches
  const view = { values, layout: { grid: [2, 2], first: 1 }, map, high: 1, opacity: 0.8, byValue: true, smooth: false };
  stage.drawHeat(context, { x: 0, y: 0, w: 20, h: 10 }, view);
  const alphas = [...put.data].filter((_, i) => i % 4 === 3);
  assert.deepEqual(alphas, [102, 204, 0, 41]);
});

test("the line around an object is closed, and lies around it", () => {
  const mask = Uint8Array.from({ length: 8 * 10 }, (_, i) => Number(i % 10 >= 3 && i % 10 < 7 && i >= 20 && i < 50));
  const { ends } = outlineOf(mask, [8, 10]).path;
  const times = new Map();
  for (const end of ends.map(String)) times.set(end, (times.get(end) ?? 0) + 1);
  assert.deepEqual([...new Set(times.values())], [2], "each piece begins where another one ends");
  const between = (axis) => [Math.min(...ends.map((end) => end[axis])), Math.max(...ends.map((end) => end[axis]))];
  assert.deepEqual([between(0), between(1)].flat().map(Math.round), [3, 7, 2, 5]);
});
