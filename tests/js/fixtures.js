// What tests/page/test_js.py has written before it starts these tests: payloads as the server sends them, and Python's numbers.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import assert from "node:assert/strict";
import { Asker } from "../../vizapp/ui/viewer/numbers/asker.js";
import { Attention } from "../../vizapp/ui/viewer/numbers/attention.js";
import { load } from "../../vizapp/ui/viewer/numbers/arena.js";
import { Payload } from "../../vizapp/ui/viewer/numbers/payload.js";

export const FOLDER = process.env.VIZAPP_FIXTURES;
export const skip = FOLDER ? false : "no fixtures: `pytest tests/page/test_js.py` makes them";
export const NETS = ["plain", "windows", "grids", "tokens"];
// Windows that the picture's edge cuts or that overlap, grids, tokens that join late, weights below zero.
export const FURTHER = ["swin, padded", "maxvit", "hiera", "cait", "late", "overlapping"].map((net) => `maps of ${net}`);

export const expected = (name) => JSON.parse(readFileSync(join(FOLDER, `${name}.json`), "utf-8"));

export function bytesOf(name) {
  return new Uint8Array(readFileSync(join(FOLDER, `${name}.bin`))); // a copy: Node's own buffer begins anywhere
}

export function payloadOf(name) {
  const bytes = bytesOf(name);
  const payload = Payload.parse(bytes, bytes.length);
  payload.arrived = bytes.length;
  return payload;
}

// What scores are made with: plain arrays, or rows.wasm, for which no network of the tests is large enough by itself.
export const ROWS = readFileSync(new URL("../../vizapp/ui/viewer/numbers/rows.wasm", import.meta.url));
export const WAYS = { "plain arrays": null, "rows.wasm": ROWS };

export function attentionBy(way, payload) {
  load(WAYS[way]);
  const attention = attentionOf(payload);
  attention.arena = attention.arenaForFactors();
  assert.equal(attention.arena !== null, way === "rows.wasm" && payload.layers.some(({ kind }) => kind === "factors"), way);
  load(null);
  return attention;
}

export function attentionOf(payload, ask = () => assert.fail("nothing is to be asked")) {
  return new Attention(payload, new Asker(payload, ask, () => {}));
}

// Each within 1 % of the largest everywhere: q and k travel in half precision.
export function assertClose(found, wanted, what = "") {
  assert.equal(found.length, wanted.length, what);
  const top = Math.max(1e-5, ...wanted.map(Math.abs));
  wanted.forEach((value, i) => assert.ok(Math.abs(found[i] - value) <= 1e-2 * top, `${what} [${i}]: ${found[i]}, not ${value}`));
}
