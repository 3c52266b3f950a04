// Features of patches from a network's file and pixels, and labels by prototypes of them, are those of Python.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { features } from "../../../vizapp/browser/engine/features.js";
import { Network } from "../../../vizapp/browser/engine/network.js";
import { bytesOf } from "../../../vizapp/ui/viewer/numbers/base64.js";
import { halfToFloat } from "../../../vizapp/ui/viewer/numbers/half.js";
import { meanOf, nearest, sharesOf } from "../../../vizapp/ui/viewer/numbers/prototypes.js";
import { bytes, floats, json, skip } from "./fixtures.js";

const KERNELS = readFileSync(new URL("../../../vizapp/browser/engine/kernels.wasm", import.meta.url));
const HALF = 2 ** -10; // a half's last digit, near 1

const read = ({ features: packed }) => halfToFloat(new Uint16Array(bytesOf(packed).buffer));

for (const { net, answer, marked, shares: wanted } of skip ? [] : json("features.json")) {
  test(`${net}: features and labels are Python's`, async () => {
    const network = await Network.open(bytes(`${net}.vzn`), KERNELS);
    const told = features(network, floats(`${net}.pixels`));
    assert.deepEqual([told.grid, told.normed], [answer.grid, answer.normed]);
    const [found, expected] = [read(told), read(answer)];
    assert.equal(found.length, expected.length);
    found.forEach((value, i) => assert.ok(Math.abs(value - expected[i]) <= HALF, `[${i}]: ${value}, not ${expected[i]}`));
    const width = found.length / (told.grid[0] * told.grid[1]);
    const row = (patch) => found.subarray(patch * width, (patch + 1) * width);
    const shares = sharesOf(
      found,
      marked.map((some) => meanOf(some.map(row))),
    );
    shares.forEach((value, i) => assert.ok(Math.abs(value - wanted[i]) < 2e-3, `share ${i}: ${value}, not ${wanted[i]}`));
    assert.deepEqual(
      nearest(shares, marked.length).map(({ thing }) => thing),
      nearest(Float32Array.from(wanted), marked.length).map(({ thing }) => thing),
    );
  });
}
