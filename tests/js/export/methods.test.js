// Maps of methods, and deletion and insertion, from a network's file and pixels, are those of Python.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { explaining } from "../../../vizapp/browser/engine/explaining.js";
import { area, curves } from "../../../vizapp/browser/engine/faithfulness.js";
import { FINE } from "../../../vizapp/vocabulary.js";
import { fastHeadMap } from "../../../vizapp/browser/engine/maps.js";
import { methods } from "../../../vizapp/browser/engine/methods/index.js";
import { Network } from "../../../vizapp/browser/engine/network.js";
import { shares, taught } from "../../../vizapp/browser/engine/taught.js";
import { bytes, floats, json, skip } from "./fixtures.js";

const KERNELS = readFileSync(new URL("../../../vizapp/browser/engine/kernels.wasm", import.meta.url));
const NEAR = 1e-3; // of the largest

/** What the work gives in the end; each share that it says on the way is larger than the one before. */
function done(work) {
  for (let last = -1; ; ) {
    const step = work.next();
    if (step.done) return step.value;
    assert.ok(step.value >= last && step.value <= 1, `${last}, then ${step.value}`);
    last = step.value;
  }
}

function assertNear(found, wanted, what) {
  assert.equal(found.length, wanted.length, what);
  const most = Math.max(...wanted.map(Math.abs));
  wanted.forEach((value, i) => assert.ok(Math.abs(found[i] - value) <= NEAR * most, `${what} [${i}]: ${found[i]}, not ${value}`));
}

for (const { net: name, target, asked, scores, share, deletion, insertion, areas, ...things } of skip ? [] : json("methods.json")) {
  test(`${name}: maps and curves are Python's`, async () => {
    const plain = await Network.open(bytes(`${name}.vzn`), KERNELS);
    const headMap = await fastHeadMap(KERNELS, plain.tokens, plain.header.headDim);
    const pixels = floats(`${name}.pixels`);
    const net = things.lesson ? taught(plain, things.lesson) : plain;
    const seen = { net, pixels, target, headMap };
    for (const one of asked) assertNear(done(methods[one.name](seen, one.settings)), one.map, one.name);
    // As the page asks for them.
    const look = /** @type {any} */ ({ open: async () => ({ net: plain, headMap }), pixels });
    const found = done(await explaining.judge(look, { scores: Float32Array.from(scores), target, lesson: things.lesson }));
    assertNear(found.share, share, "share");
    assertNear(found.deletion, deletion, "deletion");
    assertNear(found.insertion, insertion, "insertion");
    assertNear(found.areas, areas, "areas");
    if (things.lesson) assertNear(shares(plain, pixels, things.lesson), things.shares, "shares");
  });
}

// A network that looks at one patch only.
const PLANTED = 5;
const planted = {
  tokens: 17,
  header: { size: [32, 32], patch: 8, channels: 1, prefix: ["cls"], activation: "sigmoid" },
  forward(pixels) {
    let sum = 0;
    for (let y = 8; y < 16; y++) for (let x = 8; x < 16; x++) sum += pixels[y * 32 + x];
    return { logits: Float32Array.of(0, sum / 8 - 4) };
  },
};
const bright = Float32Array.from({ length: 32 * 32 }, (_, i) => (i % 32 >= 8 && i % 32 < 16 && i >= 8 * 32 && i < 16 * 32 ? 1 : 0));
const looks = /** @type {any} */ ({ net: planted, pixels: bright, target: 1, headMap: null });

test("occlusion finds the one patch that counts, and no other", () => {
  const map = done(methods.occlusion(looks, {}));
  assert.ok(map[PLANTED] > 7);
  map.forEach((value, i) => assert.ok(i === PLANTED || value === 0, `${i}: ${value}`));
});

test("RISE is largest there", () => {
  const map = done(methods.rise(looks, { masks: 200 }));
  assert.equal(map.indexOf(Math.max(...map)), PLANTED);
});

test("the class falls with the first patch if it is that one, and with the last if it is last", () => {
  const first = Float32Array.from({ length: 16 }, (_, i) => Number(i === PLANTED));
  const good = done(curves(looks, first));
  const bad = done(curves(looks, first.map((value) => -value))); // prettier-ignore
  assert.ok(good.deletion[0] > 0.95 && good.deletion[1] < 0.1 && good.insertion[1] > 0.95);
  assert.ok(bad.deletion.at(-2) > 0.95 && bad.insertion.at(-2) < 0.1);
  assert.ok(area(good.share, good.deletion) < area(bad.share, bad.deletion));
  assert.equal(good.share.length, new Set(FINE.map((one) => Math.round(one * 16))).size, "points of as many patches are one");
});

test("a map and random orders are compared at the same points, also where rounding moves them", async () => {
  // Of 40 patches, 4 % are 2, which are more than 5 % from none.
  const [height, width] = [40, 64];
  const wide = { ...planted, tokens: 41, header: { ...planted.header, size: [height, width], activation: "none" } };
  const pixels = Float32Array.from({ length: height * width }, (_, i) => (i * 7919) % 101);
  const look = /** @type {any} */ ({ open: async () => ({ net: wide, headMap: null }), pixels });
  const [, , third] = done(await explaining.chance(look, { from: 0, count: 3, target: 1, lesson: null }));
  const scores = done(methods.random(/** @type {any} */ ({ net: wide }), { seed: 2 }));
  const own = done(await explaining.judge(look, { scores, target: 1, lesson: null }));
  assert.deepEqual(own.coarse, third.areas, "the map is the third random order");
});
