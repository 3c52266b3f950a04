// Attention pooling: one learned query looks at all tokens, or only at the patches, and an MLP follows (SigLIP). The query does
// not depend on the picture, so the file has it as it is after its matrix.

import { Mlp, between } from "./mlp.js";
import { up } from "./memory.js";
import { inRooms } from "./weights.js";

export class Pooling {
  /** @param {Record<string, any>} header @param {import("./weights.js").Weights} weights @param {number} tokens */
  constructor({ dim, eps, prefix, pooling }, weights, tokens) {
    const { heads, headDim } = pooling;
    const { room } = weights;
    const inner = heads * headDim;
    const rooms = inRooms(heads, headDim, up(headDim, 8));
    this.eps = eps;
    this.dim = dim;
    this.ld = up(dim, 8);
    this.heads = heads;
    this.width = up(headDim, 8);
    this.tokens = tokens;
    this.first = pooling.prefix ? 0 : prefix.length; // of the tokens that it looks at
    this.count = tokens - this.first;
    this.keys = up(this.count, 8);
    this.query = room.take(rooms.length, (to) => {
      const values = weights.file.values("attn_pool.query", [inner]);
      rooms.forEach((from, i) => from >= 0 && (to[i] = values[from] * headDim ** -0.5));
    });
    this.kv = weights.linear("attn_pool.kv", [2 * inner, dim], {
      rows: [0, 1].flatMap((i) => rooms.map((row) => (row < 0 ? -1 : i * inner + row))),
    });
    this.proj = weights.linear("attn_pool.proj", [dim, inner], { columns: rooms });
    this.norm = weights.norm("attn_pool.norm", dim);
    this.mlp = new Mlp("attn_pool.mlp", dim, pooling, weights, between(pooling, 1, room));
    this.made = room.take(this.count * this.width); // k or v of a head
    this.panels = room.take(this.keys * this.width);
    this.scores = room.take(this.keys);
    this.largest = room.take(8);
    this.sums = room.take(8);
    this.taken = room.take(heads * this.width);
    this.out = room.take(this.ld);
    this.normed = room.take(this.ld);
    this.maps = new Float32Array(heads * tokens); // what the query looked at in the last pass, (head, token)
  }

  /** From tokens to one vector, which is written in place of the first token.
   * @param {any} kernels @param {Float32Array} floats */
  run(kernels, floats, tokens) {
    const { heads, width, keys, first, count, kv, made, panels, scores, taken, proj, norm, out, normed, ld } = this;
    const into = (part, head) => {
      const column = (part * heads + head) * width;
      const bias = kv.bias && kv.bias + 4 * column;
      kernels.multiply(tokens + 4 * first * ld, ld, kv.b + 4 * column * kv.K, bias, 0, made, width, count, kv.K, width);
    };
    for (let head = 0; head < heads; head++) {
      into(0, head);
      kernels.panelsOfRows(made, width, panels, count, width);
      kernels.multiply(this.query + 4 * head * width, width, panels, 0, 0, scores, keys, 1, width, keys);
      kernels.softmax(scores, keys, 1, count, this.largest, this.sums);
      this.maps.set(floats.subarray(scores >> 2, (scores >> 2) + count), head * this.tokens + first);
      into(1, head);
      kernels.panelsOfColumns(made, width, panels, count, width);
      kernels.multiply(scores, keys, panels, 0, 0, taken + 4 * head * width, width, 1, count, width);
    }
    kernels.multiply(taken, proj.K, proj.b, proj.bias, 0, out, ld, 1, proj.K, proj.N);
    kernels.layerNorm(out, ld, norm.weight, norm.bias, normed, 1, this.dim, this.eps);
    this.mlp.run(kernels, normed, ld, out, tokens, 1, this.eps);
  }
}
