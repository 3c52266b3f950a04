// The payload that is packed from a pass is the server's: header, order, and every number within half precision.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { attended } from "../../../vizapp/browser/engine/attended.js";
import { floatToHalf } from "../../../vizapp/browser/engine/halves.js";
import { pack } from "../../../vizapp/browser/engine/pack.js";
import { fastHeadMap } from "../../../vizapp/browser/engine/maps.js";
import { sha256 } from "../../../vizapp/browser/engine/sha256.js";
import { Asker } from "../../../vizapp/ui/viewer/numbers/asker.js";
import { Attention } from "../../../vizapp/ui/viewer/numbers/attention.js";
import { halfToFloat } from "../../../vizapp/ui/viewer/numbers/half.js";
import { Payload } from "../../../vizapp/ui/viewer/numbers/payload.js";
import { bytes, floats, json, skip } from "./fixtures.js";

const KERNELS = readFileSync(new URL("../../../vizapp/browser/engine/kernels.wasm", import.meta.url));
const HALF = 2 ** -10; // two neighbours of half precision, as parts of the larger one
const TINY = 2 ** -24; // the least step there is in it

// Of a number that is near zero since the mean was taken off, the last digits are those of the mean.
const larger = (a, b) => Math.max(a, Math.abs(b));

// The map of a head as it is defined, for what the kernels make of it. @type {import("../../../vizapp/browser/engine/maps.js").HeadMap}
function headMap(q, k, tokens, width, map, lse, bias) {
  for (let i = 0; i < tokens; i++) {
    const scores = Array.from({ length: tokens }, (_, j) => {
      let sum = bias ? bias[i * tokens + j] : 0;
      for (let c = 0; c < width; c++) sum += q[i * width + c] * k[j * width + c];
      return sum;
    });
    const top = Math.max(...scores);
    const sum = scores.reduce((all, one) => all + Math.exp(one - top), 0);
    scores.forEach((one, j) => (map[i * tokens + j] = Math.exp(one - top) / sum));
    lse[i] = top + Math.log(sum);
  }
}

const heads = (values, count) => (head) => values.subarray((head * values.length) / count, ((head + 1) * values.length) / count);

function packed(net) {
  const { layers, network, said } = json(`${net}.json`);
  const pass = {
    logits: floats(`${net}.logits`),
    norms: floats(`${net}.norms`),
    layers: Array.from({ length: layers }, (_, layer) => ({
      q: floats(`${net}.q.${layer}`),
      k: floats(`${net}.k.${layer}`),
      bias: network.relative ? heads(floats(`${net}.bias.${layer}`), network.heads) : null,
    })),
    pool: network.readout === "pool" ? floats(`${net}.pool`) : null,
  };
  const truth = said.truth.map((one, i) => ({ ...one, mask: bytes(`${net}.mask.${i}`) }));
  const picture = { bytes: bytes(`${net}.picture`), type: said.type };
  return { pass, network, said: { ...said, truth, picture } };
}

function read(file) {
  const payload = Payload.parse(file, file.length);
  payload.arrived = file.length;
  return { payload, header: JSON.parse(new TextDecoder().decode(file.subarray(8, payload.start))) };
}

function assertNear(found, wanted, { part, least = 0 }, what) {
  assert.equal(found.length, wanted.length, `${what}: length`);
  const far = wanted.findIndex((value, i) => !(Math.abs(found[i] - value) <= Math.max(part * Math.abs(value), least)));
  assert.equal(far, -1, `${what} [${far}]: ${found[far]}, not ${wanted[far]}`);
}

function assertServers(net, headMap) {
  const { pass, network, said } = packed(net);
  const [ours, theirs] = [read(pack(pass, network, said, headMap)), read(bytes(`${net}.viz`))];
  const { top, sinks, ...rest } = ours.header;
  const { top: wantedTop, sinks: wantedSinks, ...wanted } = theirs.header;
  assert.deepEqual(Object.keys(rest.blocks), Object.keys(wanted.blocks), "blocks, in their order");
  assert.deepEqual(rest, wanted);
  const column = (rows, which) => rows.map((row) => row[which]);
  assert.deepEqual(column(top, 0), column(wantedTop, 0));
  assertNear(column(top, 1), column(wantedTop, 1), { part: 1e-5, least: 1e-7 }, "top");
  const places = (all) => all.map(([row, col, , first, last]) => [row, col, first, last]);
  assert.deepEqual(places(sinks), places(wantedSinks));
  assertNear(column(sinks, 2), column(wantedSinks, 2), { part: 1e-4 }, "sinks");
  for (const [name, [, kind]] of Object.entries(wanted.blocks)) {
    const [found, sent] = [ours.payload.get(name), theirs.payload.get(name)];
    if (kind === "bytes") assert.deepEqual(found, sent, name);
    else if (name.startsWith("k.")) assertNear(found, sent, { part: HALF, least: 1e-6 * sent.reduce(larger) }, name);
    else if (kind === "f16") assertNear(found, sent, { part: HALF, least: TINY }, name);
    else assertNear(found, sent, name.startsWith("lse") ? { part: 0, least: 1e-3 } : { part: 1e-4, least: 1e-9 }, name);
  }
}

for (const net of skip ? [] : json("nets.json")) {
  test(`${net}: the file is the server's`, () => assertServers(net, headMap));

  test(`${net}: it is with the kernels of the forward pass, too`, async () => {
    const { prefix, size, patch, headDim } = packed(net).network;
    const tokens = prefix.length + (size[0] / patch) * (size[1] / patch);
    assertServers(net, await fastHeadMap(KERNELS, tokens, headDim));
  });

  test(`${net}: the viewer makes the same rows of it`, () => {
    const { pass, network, said } = packed(net);
    const { payload } = read(pack(pass, network, said, headMap));
    const theirs = read(bytes(`${net}.viz`)).payload;
    const [ours, wanted] = [payload, theirs].map(
      (one) => new Attention(one, new Asker(one, () => assert.fail("nothing is to be asked"), () => {})), // prettier-ignore
    );
    for (const layer of [0, payload.layers.length - 1]) {
      const { heads, slots } = payload.layers[layer];
      for (const token of [0, slots >> 1, slots - 1]) {
        for (let head = 0; head < heads; head++) {
          const [row, sent] = [ours, wanted].map((one) => one.row(layer, head, token));
          const what = `layer ${layer}, head ${head}, token ${token}`;
          assertNear(row, sent, { part: 2e-3, least: 1e-4 * Math.max(...sent) }, what);
          const sum = row.reduce((a, b) => a + b, 0);
          assert.ok(Math.abs(sum - 1) < 1e-3, `${what}: the sum is ${sum}`);
        }
      }
    }
  });
}

test("half precision, there and back", () => {
  const every = Uint16Array.from({ length: 65536 }, (_, bits) => bits).filter((bits) => (bits & 0x7c00) !== 0x7c00);
  assert.deepEqual(floatToHalf(halfToFloat(every)), every);
  const [low, high] = [1 + 2 ** -11, 1 + 3 * 2 ** -11]; // halfway: to the even one
  assert.deepEqual([...halfToFloat(floatToHalf([low, high, low + 2 ** -20, 65519, 65520, NaN, 2 ** -25, 3 * 2 ** -26]))], [
    1, 1 + 2 ** -9, 1 + 2 ** -10, 65504, Infinity, NaN, 0, 2 ** -24,
  ]); // prettier-ignore
});

test("sha256", () => {
  for (const length of [0, 1, 55, 56, 63, 64, 65, 1000]) {
    const some = Uint8Array.from({ length }, (_, i) => (i * 31 + length) & 255);
    assert.equal(sha256(some), createHash("sha256").update(some).digest("hex"));
  }
});

test("few tokens", () => {
  const layer = { q: Float32Array.of(1, 0, 2), k: Float32Array.of(0.5, -1, 1) };
  const query = Float32Array.of(0, 0.5, 0.5);
  const { layers, rollouts } = attended([layer], { heads: 1, tokens: 3, width: 1 }, [query], headMap);
  assert.ok(Math.abs(layers[0].received.reduce((a, b) => a + b) - 1) < 1e-6);
  assert.ok(Math.abs(rollouts[0].reduce((a, b) => a + b) - 1) < 1e-6);
});
