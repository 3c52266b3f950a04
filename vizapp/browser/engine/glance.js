// The attention of the classifier's query for one frame of a moving picture, in every layer and head. Making a whole payload
// takes longer than the forward pass; this takes a hundredth of the pass.

import { windowOf } from "./frame.js";
import { preprocess } from "./preprocess.js";
import { countOf, weightsOf } from "./queries.js";

/**
 * @typedef {object} Glance
 * @property {Float32Array} rows (layer, head, token)
 * @property {number} layers
 * @property {number} heads
 * @property {{prefix: string[], grid: number[]}} tokens
 * @property {[number, number, number, number]} window left, top, right, bottom of what the model saw, in shares of the picture
 * @property {string} query "cls", "cls+dist", "mean" or "pool"
 * @property {number} took milliseconds of the forward pass
 * @property {Blob} [sent] the file that was looked at, where the frame was sent away
 */

/**
 * @param {import("./network.js").Network} net
 * @param {import("./decode.js").Rgb} picture
 * @param {import("../../vocabulary.js").Fit | undefined} fit
 * @param {import("./maps.js").HeadMap} headMap
 * @returns {Glance}
 */
export function glance(net, picture, fit, headMap) {
  const { depth, heads, headDim, prefix, size, patch, readout } = net.header;
  const { pixels, frame } = preprocess(picture, net.header.preprocess, fit);
  const begun = performance.now();
  const pass = /** @type {import("./network.js").Pass} */ (net.forward(pixels));
  const took = performance.now() - begun;
  const tokens = { prefix, grid: size.map((side) => side / patch) };
  const n = countOf(tokens);
  const query = weightsOf(readout, tokens, pass.pool);
  const rows = new Float32Array(depth * heads * n);
  const few = Array.from(query.keys()).filter((token) => query[token] > 0);
  const attended = few.length < n / 4 ? byRows : byMaps(n, headMap);
  pass.layers.forEach((layer, l) => {
    for (let head = 0; head < heads; head++) {
      const from = (l * heads + head) * n;
      attended(part(layer, head, n, headDim), few, query, rows.subarray(from, from + n));
    }
  });
  const [height, width] = frame.picture;
  const [left, top, right, bottom] = windowOf(frame);
  const window = /** @type {[number, number, number, number]} */ ([left / width, top / height, right / width, bottom / height]);
  return { rows, layers: depth, heads, tokens, window, query: readout, took };
}

function part({ q, k, bias }, head, n, width) {
  const [from, to] = [head * n * width, (head + 1) * n * width];
  return { q: q.subarray(from, to), k: k.subarray(from, to), bias: bias?.(head), n, width };
}

// The rows of a query of one or two tokens: softmax of q kᵀ + bias.
function byRows({ q, k, bias, n, width }, few, query, row) {
  const scores = new Float64Array(n);
  for (const token of few) {
    for (let j = 0; j < n; j++) {
      scores[j] = bias ? bias[token * n + j] : 0;
      for (let c = 0, x = token * width, y = j * width; c < width; c++) scores[j] += q[x + c] * k[y + c];
    }
    const most = Math.max(...scores);
    for (let j = 0; j < n; j++) scores[j] = Math.exp(scores[j] - most);
    const sum = scores.reduce((all, one) => all + one, 0);
    for (let j = 0; j < n; j++) row[j] += (query[token] * scores[j]) / sum;
  }
}

// The rows of the mean patch, by the kernels, since all maps are needed.
function byMaps(tokens, headMap) {
  const [map, sums] = [new Float32Array(tokens * tokens), new Float32Array(tokens)];
  return ({ q, k, bias, n, width }, few, query, row) => {
    headMap(q, k, n, width, map, sums, bias);
    for (const token of few) for (let j = 0; j < n; j++) row[j] += query[token] * map[token * n + j];
  };
}
