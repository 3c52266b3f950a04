// Attention weighed by what it carries: the twin of core/methods/value_norm.py.

import { SKIP_WEIGHT } from "../../../vocabulary.js";
import { layersOf, mapsOf, onPatches, readout, shapeOf } from "./pass.js";
import { writer } from "./head_outputs.js";

/** What the classifier reads, in the last layer: the length of the vector that it takes from each token.
 * @type {import("./index.js").Method} */
export function* valueAttention(seen) {
  yield 0;
  const { net } = seen;
  const layers = layersOf(seen);
  const last = layers.length - 1;
  const lengths = lengthsOf(net, mapsOf(seen, layers[last]), gram(net, layers[last], last));
  const found = new Float64Array(net.tokens);
  readout(net).forEach((weight, i) => {
    if (weight) lengths(i).forEach((length, j) => (found[j] += weight * length));
  });
  return onPatches(net, found);
}

/** The same, each row divided by its sum, followed through all layers. @type {import("./index.js").Method} */
export function* valueRollout(seen) {
  yield 0;
  const { net } = seen;
  const layers = layersOf(seen);
  let shares = Float64Array.from(readout(net));
  for (let layer = layers.length - 1; layer >= 0; layer--) {
    yield 1 - (layer + 1) / (layers.length + 1);
    const lengths = lengthsOf(net, mapsOf(seen, layers[layer]), gram(net, layers[layer], layer));
    const below = new Float64Array(net.tokens);
    shares.forEach((share, i) => {
      if (!share) return;
      const row = lengths(i);
      const total = row.reduce((a, b) => a + b, 0);
      below[i] += total > 0 ? SKIP_WEIGHT * share : share; // a token that gets nothing stays what it is
      if (total > 0) row.forEach((length, j) => (below[j] += ((1 - SKIP_WEIGHT) * share * length) / total));
    });
    shares = below;
  }
  return onPatches(net, shares);
}

// query -> (key,) |sum_h A_h f_h|, from maps (head, query, key) and `products` (key, head, head).
function lengthsOf(net, maps, products) {
  const { heads, tokens } = shapeOf(net);
  return (query) => {
    const row = new Float64Array(tokens);
    for (let key = 0; key < tokens; key++) {
      let square = 0;
      for (let h = 0; h < heads; h++)
        for (let g = 0; g < heads; g++) {
          const [one, other] = [h, g].map((head) => maps[(head * tokens + query) * tokens + key]);
          square += one * other * products[(key * heads + h) * heads + g];
        }
      row[key] = Math.sqrt(Math.max(0, square));
    }
    return row;
  };
}

// (key, head, head): products of what two heads write of one token, f(x) = v W_O, all that lengths of their sums need.
function gram(net, { v }, layer) {
  const { heads, tokens } = shapeOf(net);
  const { dim } = net.header;
  const { write } = writer(net, layer);
  const products = new Float64Array(tokens * heads * heads);
  const written = new Float64Array(heads * dim);
  for (let key = 0; key < tokens; key++) {
    write(v, key, written);
    for (let h = 0; h < heads; h++)
      for (let g = 0; g <= h; g++) {
        let sum = 0;
        for (let i = 0; i < dim; i++) sum += written[h * dim + i] * written[g * dim + i];
        products[(key * heads + h) * heads + g] = products[(key * heads + g) * heads + h] = sum;
      }
  }
  return products;
}
