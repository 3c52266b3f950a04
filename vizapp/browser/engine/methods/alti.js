// ALTI: how much of each token is in what a layer makes of it, the skip connection included, followed back to the patches. The
// twin of core/methods/alti.py.

import { copied, mapsOf, onPatches, readout, shapeOf } from "./pass.js";
import { writer } from "./head_outputs.js";

/** @type {import("./index.js").Method} */
export function* alti(seen) {
  yield 0;
  const { net } = seen;
  const { heads, tokens } = shapeOf(net);
  const { dim } = net.header;
  const { layers, streams } = watched(seen);
  let shares = Float64Array.from(readout(net));
  for (let layer = layers.length - 1; layer >= 0; layer--) {
    yield 1 - (layer + 1) / (layers.length + 1);
    const maps = mapsOf(seen, layers[layer]);
    const { write, bias } = writer(net, layer);
    const vectors = new Float32Array(tokens * heads * dim); // (key, head, dim)
    for (let key = 0; key < tokens; key++)
      write(layers[layer].v, key, vectors.subarray(key * heads * dim, (key + 1) * heads * dim));
    const below = new Float64Array(tokens);
    const moved = new Float32Array(tokens * dim); // (key, dim): what the query takes from each, and itself
    for (let query = 0; query < tokens; query++) {
      if (!shares[query]) continue;
      moved.fill(0);
      for (let key = 0, at = 0; key < tokens; key++)
        for (let head = 0; head < heads; head++) {
          const weight = maps[(head * tokens + query) * tokens + key];
          for (let i = key * dim; i < (key + 1) * dim; i++, at++) moved[i] += weight * vectors[at];
        }
      for (let i = 0; i < dim; i++) moved[query * dim + i] += streams[layer][query * dim + i];
      const made = Float64Array.from(bias);
      for (let key = 0, at = 0; key < tokens; key++) for (let i = 0; i < dim; i++, at++) made[i] += moved[at];
      const length = made.reduce((sum, value) => sum + Math.abs(value), 0);
      const near = new Float64Array(tokens);
      for (let key = 0, at = 0; key < tokens; key++) {
        let left = 0;
        for (let i = 0; i < dim; i++, at++) left += Math.abs(made[i] - moved[at]);
        near[key] = Math.max(0, length - left);
      }
      const whole = near.reduce((a, b) => a + b, 0);
      if (whole > 0) near.forEach((value, key) => (below[key] += (shares[query] * value) / whole));
    }
    shares = below;
  }
  return onPatches(net, shares);
}

// Layers of a pass, and the tokens (token, dim) that enter each.
function watched({ net, pixels }) {
  const pass = net.forward(pixels, { keep: true });
  const layers = pass.layers.map(copied);
  const left = layers.map((_, layer) => pass.tokens(layer).slice());
  return { layers, streams: [net.entering(pixels), ...left] };
}
