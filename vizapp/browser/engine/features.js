// Each patch's features after the last layer: the twin of ui/viewer/answers/features.py.

import { floatToHalf } from "./halves.js";
import { packed } from "./steps.js";

/**
 * @param {import("./network.js").Network} net
 * @param {Float32Array} pixels
 * @returns {{features: string, grid: number[], normed: boolean}} features: base64 of (patch, feature) in half precision, each of
 *   length 1; normed: whether the network norms them
 */
export function features(net, pixels) {
  net.forward(pixels);
  const { size, patch } = net.header;
  const normed = Boolean(net.body.readout.norm);
  return { features: packed(floatToHalf(unitFeatures(net))), grid: size.map((side) => side / patch), normed };
}

/** The features of the last pass: (patch, feature), each of length 1. The last layer's output lies in `x`; `y` is overwritten.
 * @param {import("./network.js").Network} net */
export function unitFeatures({ body, tokens, kernels, floats, header }) {
  const { dim, eps, prefix } = header;
  const { norm } = body.readout; // of each token, and not that of their mean
  if (norm) kernels.layerNorm(body.x, body.ld, norm.weight, norm.bias, body.y, tokens, dim, eps);
  const from = (norm ? body.y : body.x) >> 2;
  const found = new Float32Array((tokens - prefix.length) * dim);
  for (let i = 0; i < tokens - prefix.length; i++) {
    const row = floats.subarray(from + (prefix.length + i) * body.ld).subarray(0, dim);
    const length = Math.max(Math.sqrt(row.reduce((sum, value) => sum + value * value, 0)), 1e-12);
    for (let j = 0; j < dim; j++) found[i * dim + j] = row[j] / length;
  }
  return found;
}
