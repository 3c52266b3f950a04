// The MLP of a layer: fc1, an activation, fc2. If it is gated, fc1 makes two lists, and the activation of the first multiplies
// the second (SwiGLU). A norm may stand before fc2.

import { activation } from "./acts.js";
import { up } from "./memory.js";

/** @typedef {Record<string, any>} Parts of a header: hidden, act, gated, mlpNorm */

/** Memory between fc1 and fc2, for `tokens` rows; layers share it.
 * @param {Parts} parts @param {import("./memory.js").Memory} room */
export function between({ hidden, gated }, tokens, room) {
  const count = tokens * up(hidden, 8);
  return { z: room.take(count), gate: gated ? room.take(count) : 0 };
}

export class Mlp {
  /** @param {string} at @param {number} dim @param {Parts} parts @param {import("./weights.js").Weights} weights
   * @param {{ z: number, gate: number }} rooms @param {ArrayLike<number> | null} [gammas] of the layer scale that follows */
  constructor(at, dim, { hidden, act, gated = false, mlpNorm = false }, weights, rooms, gammas = null) {
    const half = Array.from({ length: up(hidden, 8) }, (_, i) => (i < hidden ? i : -1));
    const rows = gated ? [...half, ...half.map((row) => (row < 0 ? -1 : hidden + row))] : undefined;
    this.act = activation(act);
    this.hidden = hidden;
    this.ld = half.length;
    this.rooms = rooms;
    this.gated = gated;
    this.fc1 = weights.linear(`${at}.fc1`, [gated ? 2 * hidden : hidden, dim], { rows });
    this.norm = mlpNorm ? weights.norm(`${at}.norm`, hidden) : null;
    // Layer scale goes into what it scales.
    this.fc2 = weights.linear(`${at}.fc2`, [dim, hidden], { factor: (i) => gammas?.[i] ?? 1 });
  }

  /** to = residual + mlp(from). @param {any} kernels @param {number} eps */
  run(kernels, from, ld, residual, to, tokens, eps) {
    const { fc1, fc2, norm, rooms, hidden } = this;
    const { z, gate } = rooms;
    const N = this.ld;
    const made = (part, at) => {
      const bias = fc1.bias && fc1.bias + 4 * part * N;
      kernels.multiply(from, ld, fc1.b + 4 * part * N * fc1.K, bias, 0, at, N, tokens, fc1.K, N);
    };
    if (this.gated) {
      made(0, gate);
      made(1, z);
      this.act(kernels, gate, tokens * N);
      kernels.times(z, gate, tokens * N);
    } else {
      made(0, z);
      this.act(kernels, z, tokens * N);
    }
    if (norm) kernels.layerNorm(z, N, norm.weight, norm.bias, z, tokens, hidden, eps);
    kernels.multiply(z, N, fc2.b, fc2.bias, residual, to, ld, tokens, fc2.K, fc2.N);
  }
}
