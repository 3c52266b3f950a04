// Patches of outlying norm that swallow attention: the twin of `among` in core/trust/sinks.py, in numbers that are there already.

import { SINK_FAR, SINK_LONG, SINK_MUCH } from "../../vocabulary.js";

/**
 * The sinks of a picture, the greediest first: [row, col, share, first layer, last layer], all from 0.
 *
 * @param {import("./queries.js").Tokens} tokens
 * @param {ArrayLike<number>[]} norms of each layer (token,): how long what leaves its block is
 * @param {ArrayLike<number>[]} received of each layer (token,): the share of its attention that each token gets
 * @returns {[number, number, number, number, number][]}
 */
export function sinks({ prefix, grid }, norms, received) {
  const [first, patches] = [prefix.length, grid[0] * grid[1]];
  /** @type {Map<number, number[]>} */
  const found = new Map();
  norms.forEach((every, layer) => {
    const own = Array.from({ length: patches }, (_, patch) => every[first + patch]);
    const middle = median(own);
    const spread = 1.4826 * median(own.map((norm) => Math.abs(norm - middle)));
    const far = Math.max(SINK_LONG * middle, middle + SINK_FAR * spread);
    own.forEach((norm, patch) => {
      const isSink = norm > far && received[layer][first + patch] > SINK_MUCH / (first + patches);
      if (isSink) found.set(patch, [...(found.get(patch) ?? []), layer]);
    });
  });
  return [...found]
    .map(([patch, layers]) => {
      const share = Math.max(...layers.map((layer) => received[layer][first + patch]));
      const place = [Math.floor(patch / grid[1]), patch % grid[1]];
      return /** @type {[number, number, number, number, number]} */ ([...place, share, layers[0], layers[layers.length - 1]]);
    })
    .sort((a, b) => b[2] - a[2] || a[0] - b[0] || a[1] - b[1]);
}

// The mean of the two in the middle where there are two.
function median(values) {
  const ordered = Float32Array.from(values).sort();
  const last = values.length - 1;
  return (ordered[last >> 1] + ordered[(last + 1) >> 1]) / 2;
}
