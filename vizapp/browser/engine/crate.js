// The layers of CRATE: model/crate.py's Layer on the kernels. Query, key and value of a head are the same vector.

import { Readout } from "./readout.js";
import { up } from "./memory.js";
import { inRooms } from "./weights.js";

export class Crate {
  /** @param {Record<string, any>} header @param {import("./weights.js").Weights} weights
   * @param {import("./heads.js").Heads} heads */
  constructor(header, weights, heads, tokens) {
    const { dim, depth, headDim, eps, step, sparsity } = header;
    const { room, file } = weights;
    this.tokens = tokens;
    this.dim = dim;
    this.ld = up(dim, 8);
    this.eps = eps;
    this.heads = heads;
    this.scale = headDim ** -0.5;
    this.x = room.take(tokens * this.ld);
    this.mid = room.take(tokens * this.ld);
    this.y = room.take(tokens * this.ld);
    this.residue = room.take(tokens * this.ld);
    this.shift = room.take(this.ld, (to) => void to.fill(-step * sparsity, 0, dim));
    const rooms = inRooms(heads.heads, headDim, heads.ld);
    this.blocks = Array.from({ length: depth }, (_, l) => {
      const at = `blocks.${l}`;
      const dictionary = () => file.values(`${at}.ista.dictionary`, [dim, dim]);
      return {
        norm1: weights.norm(`${at}.norm1`, dim),
        subspaces: weights.linear(`${at}.attn.subspaces`, [dim, dim], { rows: rooms }),
        proj: weights.linear(`${at}.attn.proj`, [dim, dim], { columns: rooms }),
        norm2: weights.norm(`${at}.norm2`, dim),
        minus: weights.panels(dictionary, dim, dim, { factor: () => -1 }), // z -> -D z
        back: weights.panels(() => transposed(dictionary(), dim), dim, dim, { factor: () => step }), // r -> step D^T r
      };
    });
    this.readout = new Readout(header, weights, tokens);
  }

  begin() {}

  /** @param {import("./network.js").Network} net */
  norm({ kernels }, { weight, bias }, from, to) {
    kernels.layerNorm(from, this.ld, weight, bias, to, this.tokens, this.dim, this.eps);
  }

  /** @param {import("./network.js").Network} net @param {import("./edits.js").Door[]} doors */
  layer(net, l, doors) {
    const { kernels, floats } = net;
    const { tokens, ld, x, mid, y, residue, heads } = this;
    const { norm1, subspaces, proj, norm2, minus, back } = this.blocks[l];
    const { q, k, v } = heads.layers[l];
    const count = heads.heads * heads.one;
    this.norm(net, norm1, x, y);
    for (let head = 0; head < heads.heads; head++) {
      const panels = subspaces.b + 4 * head * heads.ld * subspaces.K;
      kernels.multiply(y, ld, panels, 0, 0, k + 4 * head * heads.one, heads.ld, tokens, subspaces.K, heads.ld);
    }
    floats.copyWithin(v >> 2, k >> 2, (k >> 2) + count);
    for (let i = 0; i < count; i++) floats[(q >> 2) + i] = this.scale * floats[(k >> 2) + i];
    heads.attend(net, l, doors);
    kernels.multiply(heads.output, proj.K, proj.b, proj.bias, x, mid, ld, tokens, proj.K, proj.N);
    this.norm(net, norm2, mid, y);
    kernels.multiply(y, ld, minus.b, 0, y, residue, ld, tokens, minus.K, minus.N);
    kernels.multiply(residue, ld, back.b, this.shift, y, x, ld, tokens, back.K, back.N);
    kernels.relu(x, tokens * ld);
  }

  logits(net) {
    return this.readout.run(net, this.x, this.y, this.tokens);
  }
}

function transposed(values, side) {
  const made = new Float32Array(values.length);
  for (let i = 0; i < side; i++) for (let j = 0; j < side; j++) made[j * side + i] = values[i * side + j];
  return made;
}
