// The attention of queries that are not patches (class tokens, object queries): the same numbers as vizapp.core.

import { dots } from "./products.js";

export class Cross {
  /** @param {import("./payload.js").Payload} payload */
  constructor(payload) {
    this.payload = payload;
    this.made = { block: -1, query: -1, /** @type {Float32Array[]} */ maps: [] }; // the maps of the last call
  }

  /** The attention of one query of a block: per head a Float32Array over the keys; null while its numbers have not arrived. */
  maps(block, query) {
    if (!this.payload.hasCross(block)) return null;
    if (this.made.block === block && this.made.query === query) return this.made.maps;
    const maps = Array.from({ length: this.payload.cross[block].heads }, (_, head) => this.row(block, head, query));
    this.made = { block, query, maps };
    return maps;
  }

  row(block, head, query) {
    const { kind, queries, keys, width } = this.payload.cross[block];
    const n = keys.tokens;
    const at = head * queries.length + query;
    const part = (name) => this.payload.get(`cross.${name}.${block}`);
    if (kind === "dense") return part("dense").subarray(at * n, (at + 1) * n);
    const scores = new Float64Array(n);
    dots(part("q"), at * width, part("k"), head * n * width, width, scores, n);
    const shift = part("lse")[at];
    return Float32Array.from(scores, (score) => Math.exp(score - shift));
  }
}
