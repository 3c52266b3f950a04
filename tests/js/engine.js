// What the tests of the engine share: networks and Python's numbers in the folder that Python's side of them has written.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import assert from "node:assert/strict";
import { Network, kernelsFile } from "../../vizapp/browser/engine/network.js";

export const FOLDER = process.env.VIZAPP_ENGINE;
const ENGINE = new URL("../../vizapp/browser/engine/", import.meta.url);
export const KERNELS = ["kernels.wasm", "kernels.relaxed.wasm"].filter((one) => one === "kernels.wasm" || kernelsFile() === one);

export const bytesOf = (name) => new Uint8Array(readFileSync(join(FOLDER, name)));
export const kernels = (name = KERNELS.at(-1)) => readFileSync(new URL(name, ENGINE));

// What Python says of a network: its numbers by name, and the bounds that it sets.
export function expected(name) {
  const about = JSON.parse(readFileSync(join(FOLDER, `${name}.json`), "utf-8"));
  const { buffer } = bytesOf(`${name}.bin`);
  const numbers = {};
  for (const [key, [from, count]] of Object.entries(about.places)) numbers[key] = new Float32Array(buffer, from, count);
  return { ...about, numbers };
}

export const open = (name, options = {}, wasm = undefined) => Network.open(bytesOf(`${name}.vzn`), kernels(wasm), options);

// The largest difference, as a share of the largest value.
export function off(found, wanted) {
  assert.equal(found.length, wanted.length);
  let [worst, top] = [0, 1e-9];
  for (let i = 0; i < wanted.length; i++) {
    worst = Math.max(worst, Math.abs(found[i] - wanted[i])) + 0 * found[i]; // not a number stays none
    top = Math.max(top, Math.abs(wanted[i]));
  }
  return worst / top;
}

export function below(found, bound, what) {
  assert.ok(found <= bound, `${what}: off by ${found}, not ${bound}`); // also where it is no number
}

// Row `token` of a head's map, as the viewer makes it from what a pass leaves.
export function row({ q, k, lse, bias }, head, token, tokens) {
  const width = q.length / lse.length;
  const at = (head * tokens + token) * width;
  const added = bias?.(head).subarray(token * tokens, (token + 1) * tokens);
  return Float32Array.from({ length: tokens }, (_, key) => {
    let score = added ? added[key] : 0;
    for (let i = 0; i < width; i++) score += q[at + i] * k[(head * tokens + key) * width + i];
    return Math.exp(score - lse[head * tokens + token]);
  });
}
