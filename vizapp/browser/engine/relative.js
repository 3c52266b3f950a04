// Relative position bias: what is added to each score by where the key lies from the query. Each layer has a table of places by
// heads; which place a pair of tokens has is the same in all layers.

import { up } from "./memory.js";

export class Relative {
  /** @param {Record<string, any>} header @param {import("./weights.js").Weights} weights @param {number} tokens */
  constructor({ depth, heads }, { file, room }, tokens) {
    this.tokens = tokens;
    this.keys = up(tokens, 8);
    this.heads = heads;
    this.places = Int32Array.from(file.values("relative.index", [tokens, tokens]));
    const count = this.places.reduce((most, one) => Math.max(most, one + 1), 0);
    this.tables = Array.from({ length: depth }, (_, l) => file.values(`blocks.${l}.attn.relative`, [count, heads]));
    this.matrix = room.take(tokens * this.keys);
    this.without = new Set(); // "layer.head" of heads whose scores an edit made even
  }

  /** (query, key) of one head. */
  of(layer, head) {
    const { tables, places, heads, without } = this;
    const found = new Float32Array(places.length);
    if (!without.has(`${layer}.${head}`))
      for (let i = 0; i < found.length; i++) found[i] = tables[layer][places[i] * heads + head];
    return found;
  }

  /** The address of one head's, for the kernels, in rows of `keys`. The next call overwrites it. */
  address(floats, layer, head) {
    const { tokens, keys, matrix } = this;
    const found = this.of(layer, head);
    for (let i = 0; i < tokens; i++) floats.set(found.subarray(i * tokens, (i + 1) * tokens), (matrix >> 2) + i * keys);
    return matrix;
  }
}
