// Raw attention, with its defaults: what the classifier's query attends to in the last layer, mean of the heads (the twin of
// core/methods/attention.py).

import { layersOf, mapsOf, onPatches, readout, shapeOf } from "./pass.js";

/** @type {import("./index.js").Method} */
export function* attention(seen) {
  yield 0;
  const { heads, tokens } = shapeOf(seen.net);
  const maps = mapsOf(seen, layersOf(seen).at(-1));
  const query = readout(seen.net);
  const found = new Float64Array(tokens);
  for (let head = 0; head < heads; head++)
    for (let i = 0; i < tokens; i++) {
      if (!query[i]) continue;
      const from = (head * tokens + i) * tokens;
      for (let j = 0; j < tokens; j++) found[j] += (query[i] * maps[from + j]) / heads;
    }
  return onPatches(seen.net, found);
}
