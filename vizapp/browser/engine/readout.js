// Tokens -> logits: what model/vit.py does after its last block, `forward_head`.

import { Pooling } from "./pooling.js";
import { up } from "./memory.js";

export class Readout {
  /** @param {Record<string, any>} header @param {import("./weights.js").Weights} weights @param {number} tokens */
  constructor(header, weights, tokens) {
    const { dim, eps, pool, prefix } = header;
    const { file, room } = weights;
    this.dim = dim;
    this.ld = up(dim, 8);
    this.eps = eps;
    this.pool = pool;
    this.first = prefix.length;
    this.norm = file.has("norm.weight") ? weights.norm("norm", dim) : null;
    this.afterPool = file.has("fc_norm.weight") ? weights.norm("fc_norm", dim) : null;
    this.pooling = header.pooling ? new Pooling(header, weights, tokens) : null;
    // Without a classifier the features are the answer.
    this.classes = header.classes || dim;
    const shape = [header.classes, dim];
    this.heads = header.classes ? [weights.linear("head", shape)] : [null];
    if (header.distilled) this.heads.push(header.classes ? weights.linear("head_dist", shape) : null);
    this.logits = room.take(up(this.classes, 8));
  }

  /** The logits of the tokens in `x`; `y` is as large, and free. @param {import("./network.js").Network} net
   * @returns {Float32Array} */
  run({ kernels, floats }, x, y, tokens) {
    const { ld, dim, eps, pool } = this;
    const normed = (norm, from, to, rows) => kernels.layerNorm(from, ld, norm.weight, norm.bias, to, rows, dim, eps);
    const rows = pool === "token" ? this.heads.length : tokens; // of which classifiers read one each
    if (this.norm) normed(this.norm, x, y, rows);
    else floats.copyWithin(y >> 2, x >> 2, (x >> 2) + rows * ld);
    if (pool === "avg") this.average(floats, y, tokens);
    this.pooling?.run(kernels, floats, y);
    if (this.afterPool) normed(this.afterPool, y, y, 1);
    const found = new Float32Array(this.classes);
    this.heads.forEach((head, i) => {
      const logits = this.classified({ kernels, floats }, y + 4 * i * ld, head);
      for (let c = 0; c < found.length; c++) found[c] += logits[c] / this.heads.length;
    });
    return found;
  }

  /** The mean of all patches, in place of the first token. */
  average(floats, y, tokens) {
    const { ld, dim, first } = this;
    const sums = new Float64Array(dim);
    for (let token = first; token < tokens; token++)
      for (let i = 0, at = (y >> 2) + token * ld; i < dim; i++) sums[i] += floats[at + i];
    for (let i = 0; i < dim; i++) floats[(y >> 2) + i] = sums[i] / (tokens - first);
  }

  classified({ kernels, floats }, token, head) {
    if (head) kernels.multiply(token, head.K, head.b, head.bias, 0, this.logits, head.N, 1, head.K, head.N);
    const from = (head ? this.logits : token) >> 2;
    return floats.subarray(from, from + this.classes);
  }
}
