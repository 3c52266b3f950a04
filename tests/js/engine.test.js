// The forward pass of the browser against Python's numbers, which tests/page/test_browser_engine.py has written.

import { readdirSync } from "node:fs";
import assert from "node:assert/strict";
import { test } from "node:test";
import { EDITS } from "../../vizapp/browser/engine/edits.js";
import { Network } from "../../vizapp/browser/engine/network.js";
import { Refused } from "../../vizapp/browser/engine/refused.js";
import { FOLDER, KERNELS, below, bytesOf, expected, kernels, off, open, row } from "./engine.js";

const skip = FOLDER ? false : "no fixtures: `pytest tests/page/test_browser_engine.py` makes them";
const CASES = FOLDER ? readdirSync(FOLDER).flatMap((name) => (name.endsWith(".json") ? [name.slice(0, -5)] : [])) : [];

for (const name of CASES) {
  for (const wasm of KERNELS) {
    test(`${name}, ${wasm}`, { skip }, async () => {
      const { numbers, bound } = expected(name);
      const net = await open(name, {}, wasm);
      const { depth, heads } = net.header;
      const first = net.forward(numbers.pixels, { keep: true }).logits;
      const pass = net.forward(numbers.pixels, { keep: true });
      assert.deepEqual(pass.logits, first, "a second pass over the same memory gives the same");
      below(off(pass.logits, numbers.logits), bound, "logits");
      const { tokens } = net;
      let cls = 0;
      for (let l = 0; l < depth; l++) {
        for (const what of ["q", "k", "v"])
          below(off(pass.layers[l][what], numbers[`${what}.${l}`]), 8 * bound, `${what} of layer ${l}`);
        below(off(pass.tokens(l), numbers[`tokens.${l}`]), 8 * bound, `tokens after layer ${l}`);
        const norms = pass.norms.subarray(l * tokens, (l + 1) * tokens);
        below(off(norms, numbers[`norms.${l}`]), 8 * bound, `norms of layer ${l}`);
        for (let head = 0; head < heads; head++) {
          const wanted = numbers[`cls.${l}`].subarray(head * tokens, (head + 1) * tokens);
          row(pass.layers[l], head, 0, tokens).forEach((value, i) => (cls = Math.max(cls, Math.abs(value - wanted[i]))));
        }
      }
      below(cls, bound, "the first token's attention, everywhere");
      for (const [edit, said] of Object.entries(numbers).filter(([key]) => key.startsWith("edit."))) {
        const [, layer, head, by] = edit.split(".");
        const edits = [{ kind: "head-off", layer: Number(layer), head: Number(head), by }];
        const edited = net.forward(numbers.pixels, { edits });
        below(off(edited.logits, said), bound, edit);
        if (by === "uniform")
          row(edited.layers[layer], Number(head), 1, tokens).forEach((one) => below(Math.abs(one - 1 / tokens), 1e-6, edit));
        if (by === "zero")
          assert.ok(
            row(edited.layers[layer], Number(head), 0, tokens).some((one) => one > 1.5 / tokens),
            "its map stays",
          );
      }
      assert.deepEqual(net.forward(numbers.pixels).logits, first, "edits leave nothing behind");
    });
  }
}

test("edits of other kinds are one function each: tokens of another picture, and edges", { skip }, async () => {
  const net = await open("small-plain");
  const { pixels } = expected("small-plain").numbers;
  const others = pixels.map((one, i) => Math.sin(i));
  const donor = net.forward(others, { keep: true });
  const wanted = donor.logits;
  const tokens = donor.tokens(1).slice();
  EDITS.patched = {
    settings: { values: undefined },
    steps: ({ values }) => ({
      tokens: (at, n) => void Array.from({ length: n }, (_, i) => at(i).set(values.subarray(i * 32, (i + 1) * 32))),
    }),
  };
  EDITS["only-itself"] = {
    settings: {},
    steps: ({ layer }) => ({
      attention: (_, { from, rows, row }) => {
        for (let i = 0; i < rows; i++) row(i).fill(0)[from + i] = 1;
      },
      output: (head, at, n) => {
        const { v } = { v: net.heads.of(net.floats, "v", layer, head) };
        for (let i = 0; i < n; i++) assert.deepEqual([...at(i)], [...v.subarray(i * 8, (i + 1) * 8)]);
        seen++;
      },
    }),
  };
  let seen = 0;
  try {
    const patched = net.forward(pixels, { edits: [{ kind: "patched", layer: 1, values: tokens }] });
    below(off(patched.logits, wanted), 1e-6, "all tokens patched");
    net.forward(pixels, { edits: [{ kind: "only-itself", layer: 2 }] });
    assert.equal(seen, 4, "heads");
  } finally {
    delete EDITS.patched;
    delete EDITS["only-itself"];
  }
});

test("progress, cancel, and a pass that another one overtook", { skip }, async () => {
  const net = await open("small-plain");
  const { pixels } = expected("small-plain").numbers;
  const done = [];
  const { logits } = net.forward(pixels, { onLayer: (layer, of) => done.push([layer, of]) });
  assert.deepEqual(done, [
    [1, 3],
    [2, 3],
    [3, 3],
  ]);
  const size = net.floats.buffer.byteLength;
  assert.equal(net.forward(pixels, { isStale: () => true }), null);
  const slow = net.steps(pixels);
  assert.equal(slow.next().value, 1);
  assert.deepEqual(net.forward(pixels).logits, logits);
  assert.deepEqual(slow.next(), { value: null, done: true });
  assert.equal(net.floats.buffer.byteLength, size, "nothing was allocated");
});

test("what cannot be run is refused, with a key and values", { skip }, async () => {
  const refused = async (made, key) => {
    await assert.rejects(made, (error) => error instanceof Refused && error.key === key, key);
  };
  const bytes = bytesOf("small-plain.vzn");
  await refused(Network.open(bytes, kernels(), { limit: 2 ** 16 }), "networkTooLarge");
  await refused(Network.open(bytes.subarray(0, 5), kernels()), "networkNoFile");
  await refused(
    Network.open(
      bytes.map((one, i) => (i ? one : 0)),
      kernels(),
    ),
    "networkNoFile",
  );
  await refused(Network.open(bytes.subarray(0, bytes.length - 64), kernels()), "networkBroken");
  await refused(Network.open(bytes.subarray(0, 200), kernels()), "networkBroken");
  const text = (from, to) => {
    const made = bytes.slice();
    const at = Buffer.from(bytes).indexOf(from);
    made.set(Buffer.from(to), at);
    return made;
  };
  await refused(Network.open(text('"version":2', '"version":7'), kernels()), "networkVersion");
  await refused(Network.open(text('"kind":"vit"', '"kind":"cat"'), kernels()), "networkKind");
  await refused(Network.open(text('"act":"gelu"', '"act":"gelo"'), kernels()), "networkKind");
  const net = await open("small-plain");
  const { pixels } = expected("small-plain").numbers;
  const asked = (edit) => () => net.forward(pixels, { edits: [{ kind: "head-off", ...edit }] });
  for (const [run, key] of [
    [() => net.forward(pixels.subarray(1)), "pixelsDoNotFit"],
    // What more is refused of edits stands in edit_cases.json; these cannot be said to Python.
    [asked({ layer: 0, head: 0, by: "mean" }), "editNoMeans"],
    [asked({ layer: "0", head: 0 }), "editNoLayer"],
    [asked({ layer: 0, head: null }), "editNoHead"],
    [asked({ layer: 0, head: 0, by: null }), "editNoWay"],
    [asked({ layer: 0, head: 0, way: "uniform" }), "editNoSetting"],
    [asked({ layer: 0, head: 1.5 }), "editNoHead"],
    [asked({ layer: 0, head: 0, by: "constructor" }), "editNoWay"],
    [asked({ kind: "constructor" }), "editUnknown"],
    [asked({ kind: "HeadOff" }), "editUnknown"],
  ]) {
    assert.throws(run, (error) => error.key === key, key);
  }
});

for (const wasm of KERNELS) {
  test(`products of all small sizes, ${wasm}`, async () => {
    const { kernels: k, floats } = await bare(wasm);
    const random = (i) => Math.fround(Math.sin(12.9898 * i) * 4);
    for (const M of [1, 2, 4, 5, 6, 9, 10, 11, 17])
      for (const K of [1, 3, 4, 5, 8, 11])
        for (const N of [8, 24]) {
          const [a, b, bias, residual, c] = [64, 4096, 16384, 20480, 32768].map((one) => one >> 2);
          const lda = K + 2;
          for (let i = 0; i < 4096; i++) floats[i] = random(i);
          floats.fill(-7, c, c + 4096);
          for (const more of [false, true]) {
            k.multiply(4 * a, lda, 4 * b, more ? 4 * bias : 0, more ? 4 * residual : 0, 4 * c, N, M, K, N);
            for (let m = 0; m < M; m++)
              for (let n = 0; n < N; n++) {
                let sum = more ? floats[bias + n] + floats[residual + m * N + n] : 0;
                for (let i = 0; i < K; i++) sum += floats[a + m * lda + i] * floats[b + (n >> 3) * K * 8 + i * 8 + (n & 7)];
                below(Math.abs(floats[c + m * N + n] - sum), 2e-5, `${M} x ${K} x ${N} [${m}, ${n}]`);
              }
            assert.equal(floats[c + M * N], -7, "no row too many");
          }
        }
  });

  test(`GELU and softmax, ${wasm}`, { skip }, async () => {
    const { kernels: k, floats } = await bare(wasm);
    const [x, gelu] = ["x", "gelu"].map((name) => new Float64Array(bytesOf(`curve.${name}`).buffer));
    floats.set(x, 256);
    k.gelu(1024, x.length);
    x.forEach((one, i) => below(Math.abs(floats[256 + i] - gelu[i]), 4e-7, `GELU of ${one}`));
    // 6 rows of 21 scores, from flat to nearly all on one key.
    const [s, ld, keys, rows] = [256, 24, 21, 6];
    const scores = Array.from({ length: rows * ld }, (_, i) => Math.fround(Math.sin(i * i) * 4 ** Math.floor(i / ld) * 0.1));
    floats.set(scores, s);
    k.softmax(4 * s, ld, rows, keys, 64, 512);
    for (let m = 0; m < rows; m++) {
      const given = scores.slice(m * ld, m * ld + keys);
      const sum = given.reduce((all, one) => all + Math.exp(one - Math.max(...given)), 0);
      below(Math.abs(floats[16 + m] + Math.log(floats[128 + m]) - Math.max(...given) - Math.log(sum)), 1e-5, "log-sum-exp");
      given.forEach((one, i) =>
        below(Math.abs(floats[s + m * ld + i] - Math.exp(one - Math.max(...given)) / sum), 5e-7, `row ${m}`),
      );
    }
  });
}

async function bare(wasm) {
  const memory = new WebAssembly.Memory({ initial: 8 });
  const { instance } = await WebAssembly.instantiate(kernels(wasm), { env: { memory } });
  return { kernels: /** @type {any} */ (instance.exports), floats: new Float32Array(memory.buffer) };
}
