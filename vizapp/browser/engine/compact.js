// A layer's attention in as few bytes as possible: the twin of core/attention/compact.py and the parts of
// core/attention/layers.py that it uses.

import { halfToFloat } from "../../ui/viewer/numbers/half.js";
import { LARGEST, floatToHalf } from "./halves.js";

/**
 * @typedef {object} Layer what a pass gives for one
 * @property {Float32Array} q (head, token, width), multiplied by the scale
 * @property {Float32Array} k (head, token, width)
 * @property {import("./network.js").Bias} [bias] what is added to the scores
 *
 * @typedef {{heads: number, tokens: number, width: number}} Shape
 */

/** Whether the factors are smaller than the matrix. @param {Shape} shape */
export function areSmaller({ heads, tokens, width }) {
  return heads * (4 * width * tokens + 4 * tokens) <= 2 * heads * tokens * tokens;
}

/**
 * q, k and lse of a layer in half precision, as they are sent; null if half precision cannot hold them, or if there is a bias,
 * which can be as large as the matrix.
 * @param {Layer} layer @param {Shape} shape @param {import("./maps.js").HeadMap} headMap
 * @returns {{q: Uint16Array, k: Uint16Array, lse: Float32Array} | null}
 */
export function factors(layer, shape, headMap) {
  if (layer.bias) return null;
  const centred = withoutMean(layer.k, shape);
  if (!fitsInHalf(layer.q) || !fitsInHalf(centred)) return null;
  const [q, k] = [floatToHalf(layer.q), floatToHalf(centred)];
  // The denominators of the rounded factors, not of the exact ones: rows must sum to one as they arrive.
  return { q, k, lse: logsumexp(halfToFloat(q), halfToFloat(k), shape, headMap) };
}

// The mean of all keys adds the same number to all scores of a row, so removing it does not change the softmax. It can be large
// (a bias of the key projection), and half precision has only eleven bits for it and the rest together.
function withoutMean(k, { heads, tokens, width }) {
  const centred = new Float32Array(k.length);
  for (let head = 0; head < heads; head++) {
    for (let c = 0; c < width; c++) {
      const [first, last] = [head * tokens * width + c, (head + 1) * tokens * width];
      let sum = 0;
      for (let at = first; at < last; at += width) sum += k[at];
      const mean = Math.fround(sum / tokens);
      for (let at = first; at < last; at += width) centred[at] = k[at] - mean;
    }
  }
  return centred;
}

function fitsInHalf(values) {
  for (let i = 0; i < values.length; i++) if (!(Math.abs(values[i]) <= LARGEST)) return false; // nor NaN
  return true;
}

function logsumexp(q, k, { heads, tokens, width }, headMap) {
  const [map, lse] = [new Float32Array(tokens * tokens), new Float32Array(heads * tokens)];
  for (let head = 0; head < heads; head++) {
    const part = [head * tokens * width, (head + 1) * tokens * width];
    const rows = lse.subarray(head * tokens, (head + 1) * tokens);
    headMap(q.subarray(...part), k.subarray(...part), tokens, width, map, rows);
  }
  return lse;
}
