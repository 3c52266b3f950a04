// In a page of its own: the project's forward pass and onnxruntime-web's, of the same network on the same pixels, by turns.

import * as ort from "/ort/ort.wasm.min.mjs";
import { Network, kernelsFile } from "/vizapp/browser/engine/network.js";

ort.env.wasm.numThreads = 1;
ort.env.wasm.wasmPaths = "/ort/";

const bytes = async (path) => new Uint8Array(await (await fetch(path)).arrayBuffer());

// `kernels`: the file of kernels, or "" for the one that this browser runs best.
window.prepare = async (name, kernels) => {
  const file = kernels || kernelsFile();
  const net = await Network.open(await bytes(`/made/${name}.vzn`), await bytes(`/vizapp/browser/engine/${file}`), {
    limit: 2 ** 32,
  });
  const session = await ort.InferenceSession.create(await bytes(`/made/${name}.onnx`), { executionProviders: ["wasm"] });
  const [height, width] = net.header.size;
  const pixels = Float32Array.from({ length: 3 * height * width }, (_, i) => Math.sin(i * 0.37) + Math.cos(i * 0.011));
  const tensor = new ort.Tensor("float32", pixels, [1, 3, height, width]);
  window.own = () => net.forward(pixels);
  window.theirs = () => session.run({ pixels: tensor });
  const [ours, other] = [window.own(), await window.theirs()];
  const most = (values) => values.reduce((top, one) => Math.max(top, Math.abs(one)), 0);
  const off = (a, b) => most(a.map((one, i) => one - b[i])) / most(b);
  const q = other.q.data.subarray(0, ours.layers[0].q.length);
  return { file, logits: off(ours.logits, other.logits.data), q: off(ours.layers[0].q, q) };
};

// Milliseconds of both, pair by pair; they take turns in going first.
window.pairs = async (count) => {
  const timed = async (run) => {
    const started = performance.now();
    await run();
    return performance.now() - started;
  };
  for (let i = 0; i < 3; i++) await Promise.all([window.own(), window.theirs()]);
  const found = [];
  for (let i = 0; i < count; i++) {
    if (i % 2) {
      const theirs = await timed(window.theirs);
      found.push([await timed(window.own), theirs]);
    } else {
      const own = await timed(window.own);
      found.push([own, await timed(window.theirs)]);
    }
  }
  return found;
};
