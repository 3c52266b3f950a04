// The activation inside an MLP, by its name in the file: in place, `count` values from `at`. One that is not here is refused.

import { Refused } from "./refused.js";

const ROOT = Math.sqrt(2 / Math.PI);

/** @typedef {(kernels: any, at: number, count: number) => void} Activation */

/** @type {Record<import("../../vocabulary.js").Act, Activation>} */
const ACTS = {
  gelu: (kernels, at, count) => kernels.gelu(at, count),
  gelu_tanh: (kernels, at, count) => kernels.swish(at, count, 2 * ROOT, 2 * ROOT * 0.044715),
  quick_gelu: (kernels, at, count) => kernels.swish(at, count, 1.702, 0),
  silu: (kernels, at, count) => kernels.swish(at, count, 1, 0),
  relu: (kernels, at, count) => kernels.relu(at, count),
};

/** @param {string} name @returns {Activation} */
export function activation(name) {
  if (!Object.hasOwn(ACTS, name)) throw new Refused("networkKind", { kind: String(name) });
  return ACTS[name];
}
