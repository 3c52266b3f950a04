// The attention of one layer, and what is kept of it: q (scaled), k and v of each head, and the logarithm of the sum of
// exponentials of each row of scores, from which anybody makes any row again.

import { Relative } from "./relative.js";
import { up } from "./memory.js";

// Rows of a map that are made at a time: 40 x 200 values stay in the first cache from the scores to the weighted values.
const ROWS = 40;

export class Heads {
  /** @param {Record<string, any>} header @param {number} tokens @param {import("./weights.js").Weights} weights */
  constructor(header, tokens, weights) {
    const { heads, headDim, depth } = header;
    const { room } = weights;
    this.heads = heads;
    this.width = headDim;
    this.ld = up(headDim, 8);
    this.tokens = tokens;
    this.keys = up(tokens, 8);
    this.one = tokens * this.ld; // values of one head
    this.layers = Array.from({ length: depth }, () => ({
      q: room.take(heads * this.one),
      k: room.take(heads * this.one),
      v: room.take(heads * this.one),
      lse: room.take(heads * tokens),
    }));
    this.relative = header.relative ? new Relative(header, weights, tokens) : null;
    this.columns = room.take(this.keys * this.ld); // keys as panels
    this.values = room.take(this.one); // values as panels
    this.scores = room.take(ROWS * this.keys);
    this.largest = room.take(tokens);
    this.sums = room.take(tokens);
    this.output = room.take(tokens * heads * this.ld); // what the heads write, side by side
  }

  /** One head of q, k or v, as it lies in memory: (tokens, ld), a view. @param {Float32Array} floats
   * @param {"q" | "k" | "v"} what */
  of(floats, what, layer, head) {
    const from = (this.layers[layer][what] >> 2) + head * this.one;
    return floats.subarray(from, from + this.one);
  }

  /** (heads, tokens, headDim) of a layer: a view, unless heads have padding. @param {Float32Array} floats
   * @param {"q" | "k" | "v"} what */
  all(floats, what, layer) {
    const from = this.layers[layer][what] >> 2;
    const rows = this.heads * this.tokens;
    const found = floats.subarray(from, from + rows * this.ld);
    if (this.ld === this.width) return found;
    const tight = new Float32Array(rows * this.width);
    for (let i = 0; i < rows; i++) tight.set(found.subarray(i * this.ld, i * this.ld + this.width), i * this.width);
    return tight;
  }

  /** From the q, k and v of a layer to `output`. @param {import("./network.js").Network} net
   * @param {import("./edits.js").Door[]} doors */
  attend({ kernels, floats }, layer, doors) {
    const { heads, tokens, keys, ld, scores } = this;
    const { q, k, v, lse } = this.layers[layer];
    for (const door of doors) door.before?.((what, head) => this.of(floats, what, layer, head), this);
    const rows = Math.min(ROWS, tokens);
    const line = heads * ld;
    for (let head = 0; head < heads; head++) {
      const at = 4 * head * this.one;
      const added = this.relative ? this.relative.address(floats, layer, head) : 0;
      kernels.panelsOfRows(k + at, ld, this.columns, tokens, ld);
      kernels.panelsOfColumns(v + at, ld, this.values, tokens, ld);
      for (let done = 0; done < tokens; done += rows) {
        const from = Math.min(done, tokens - rows); // the last rows with some that were done: see `multiply`
        const bias = added && added + 4 * from * keys;
        kernels.multiply(q + at + 4 * from * ld, ld, this.columns, 0, bias, scores, keys, rows, ld, keys);
        kernels.softmax(scores, keys, rows, tokens, this.largest + 4 * from, this.sums + 4 * from);
        for (const door of doors) {
          const row = (i) => floats.subarray((scores >> 2) + i * keys, (scores >> 2) + i * keys + tokens);
          door.attention?.(head, { from, rows, row });
        }
        const to = this.output + 4 * (from * line + head * ld);
        kernels.multiply(scores, keys, this.values, 0, 0, to, line, rows, tokens, ld);
      }
      const [sums, largest, out] = [this.sums >> 2, this.largest >> 2, (lse >> 2) + head * tokens];
      for (let i = 0; i < tokens; i++) floats[out + i] = floats[largest + i] + Math.log(floats[sums + i]);
      for (const door of doors) {
        const row = (i) => {
          const start = (this.output >> 2) + i * line + head * ld;
          return floats.subarray(start, start + this.width);
        };
        door.output?.(head, row, tokens);
      }
    }
  }
}
