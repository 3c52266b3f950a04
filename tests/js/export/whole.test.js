// The whole way without a browser: a file's bytes, its pixels, the pass, the payload; beside what the server sends.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { decode } from "../../../vizapp/browser/engine/decode.js";
import { fastHeadMap } from "../../../vizapp/browser/engine/maps.js";
import { Network } from "../../../vizapp/browser/engine/network.js";
import { pack } from "../../../vizapp/browser/engine/pack.js";
import { preprocess } from "../../../vizapp/browser/engine/preprocess.js";
import { Payload } from "../../../vizapp/ui/viewer/numbers/payload.js";
import { bytes, skip } from "./fixtures.js";

const KERNELS = readFileSync(new URL("../../../vizapp/browser/engine/kernels.wasm", import.meta.url));
const NEAR = 1e-3; // of a block's largest: weights and what travels in half precision

test("from a picture's file to the payload", { skip }, async () => {
  const network = await Network.open(bytes("toy.vzn"), KERNELS);
  const headMap = await fastHeadMap(KERNELS, network.tokens, network.header.headDim);
  const picture = await decode(bytes("picture.png"));
  const { pixels, frame } = preprocess(picture, network.header.preprocess);
  const pass = network.forward(pixels);
  const shown = { bytes: bytes("shown"), type: "image/png" };
  const [ours, theirs] = [pack(pass, network.header, { picture: shown, frame }, headMap), bytes("toy.viz")].map((file) => {
    const payload = Payload.parse(file, file.length);
    payload.arrived = file.length;
    return payload;
  });
  for (const name of ["id", "model", "input", "window", "named", "readout", "layouts", "layers"]) {
    assert.deepEqual(ours[name], theirs[name], name);
  }
  theirs.top.forEach(([label, share], i) => {
    assert.equal(ours.top[i][0], label);
    assert.ok(Math.abs(ours.top[i][1] - share) <= NEAR, `${label}: ${ours.top[i][1]}, not ${share}`);
  });
  for (const name of Object.keys(theirs.blocks)) {
    const [found, wanted] = [ours.get(name), theirs.get(name)];
    const most = wanted.reduce((a, b) => Math.max(a, Math.abs(b)), 0);
    const far = wanted.findIndex((value, i) => !(Math.abs(found[i] - value) <= NEAR * most));
    assert.equal(far, -1, `${name} [${far}]: ${found[far]}, not ${wanted[far]}`);
  }
});
