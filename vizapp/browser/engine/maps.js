// The map of a head, by the kernels of the forward pass: where the time of packing goes.

import { Memory, up } from "./memory.js";

/**
 * One head of a layer: `map` (token, token) becomes the softmax of each row of q kᵀ + bias, `lse` (token,) the log of its
 * denominator.
 * @callback HeadMap
 * @param {Float32Array} q (token, width), multiplied by the scale
 * @param {Float32Array} k (token, width)
 * @param {number} tokens
 * @param {number} width
 * @param {Float32Array} map
 * @param {Float32Array} lse
 * @param {Float32Array} [bias] (token, token)
 * @returns {void}
 */

const LIMIT = 2 ** 30; // bytes

/**
 * @param {BufferSource} wasm kernels.wasm
 * @param {number} tokens
 * @param {number} width
 * @returns {Promise<HeadMap>} for heads of just this many tokens and this width
 */
export async function fastHeadMap(wasm, tokens, width) {
  const room = new Memory(); // of its own: a forward pass may run between two heads
  const [ld, keys] = [up(width, 8), up(tokens, 8)];
  const at = {
    q: room.take(tokens * ld),
    k: room.take(tokens * ld),
    columns: room.take(keys * ld),
    scores: room.take(tokens * keys),
    largest: room.take(tokens),
    sums: room.take(tokens),
  };
  const memory = room.open(LIMIT);
  const { instance } = await WebAssembly.instantiate(/** @type {BufferSource} */ (wasm), { env: { memory } });
  const kernels = /** @type {any} */ (instance.exports);
  const floats = new Float32Array(memory.buffer);

  // What lies between the rows stays zero, as the kernels need it.
  const give = (values, address) => {
    for (let i = 0; i < tokens; i++) floats.set(values.subarray(i * width, (i + 1) * width), (address >> 2) + i * ld);
  };

  return (q, k, _tokens, _width, map, lse, bias) => {
    give(q, at.q);
    give(k, at.k);
    kernels.panelsOfRows(at.k, ld, at.columns, tokens, ld);
    kernels.multiply(at.q, ld, at.columns, 0, 0, at.scores, keys, tokens, ld, keys);
    if (bias)
      for (let i = 0; i < bias.length; i++) floats[(at.scores >> 2) + Math.floor(i / tokens) * keys + (i % tokens)] += bias[i];
    kernels.softmax(at.scores, keys, tokens, tokens, at.largest, at.sums);
    for (let i = 0, from = at.scores >> 2; i < tokens; i++, from += keys) {
      map.set(floats.subarray(from, from + tokens), i * tokens);
      lse[i] = floats[(at.largest >> 2) + i] + Math.log(floats[(at.sums >> 2) + i]);
    }
  };
}
