// What a query can see of a layer: not what lies outside of its windows, and not what a mask hides from it.
//
// A mask is the same for all heads. It is a word, "causal" (a token sees itself and those before it), or its different rows as bits,
// one for each key slot, the first in the highest bit of a byte, 1 where it is hidden; and for each window's slots which row is theirs.

/** @typedef {{mask?: number, slots: number, keySlots: number}} Masked */

export class Reach {
  /** @param {import("./payload.js").Payload} payload @param {import("./attention.js").Attention} attention */
  constructor(payload, attention) {
    this.payload = payload;
    this.attention = attention;
    this.counts = new Map(); // layer -> name of a query -> how many keys its tokens see
  }

  /**
   * 1 for each token that the query can see ("from"), or that can see it ("to"); null if that are all, or if it is not known.
   * @param {number} layer @param {number | string} query the index of a token, or the name of a weighted query
   * @param {"from" | "to"} direction @param {boolean} [isMasked] false: as if the masks inside of windows were not there
   */
  of(layer, query, direction, isMasked = true) {
    const one = this.payload.layers[layer];
    if ((one.mask === undefined && !one.windowed) || (one.windowed && one.kind === "asked")) return null;
    const seen = new Uint8Array(direction === "to" ? one.queries.tokens : one.keys.tokens);
    if (one.windowed && !["queries", "keys"].every((side) => this.payload.has(`${side}.${layer}`))) return null;
    for (const token of this.tokensOf(layer, query)) {
      if (one.windowed) this.inWindows(layer, token, direction, seen, isMasked);
      else for (let i = 0; i < seen.length; i++) if (!this.hides(one, ...pair(direction, token, i))) seen[i] = 1;
    }
    return seen.includes(0) ? seen : null;
  }

  /**
   * What hides a token from a query: its windows, or a mask; "" for one within reach.
   * @param {Uint8Array | null} reach as `of` has found @param {number} layer @param {number | string} query @param {number} token
   * @param {"from" | "to"} direction
   * @returns {"" | "window" | "mask"}
   */
  hiddenBy(reach, layer, query, token, direction) {
    if (!reach || reach[token]) return "";
    if (!this.payload.layers[layer].windowed) return "mask";
    // Of a layer that was too large to be sent nothing tells the two apart, and most of it lies outside.
    return !this.isKnown(layer, query) || this.of(layer, query, direction, false)?.[token] === 0 ? "window" : "mask";
  }

  /** As `of`, for a query of a block whose queries are no patches. @param {number} block @param {number} query */
  ofCross(block, query) {
    const { mask, queries, keys } = this.payload.cross[block];
    if (mask === undefined) return null;
    const one = { mask, slots: queries.length, keySlots: keys.tokens };
    const seen = Uint8Array.from({ length: keys.tokens }, (_, key) => Number(!this.hides(one, query, key)));
    return seen.includes(0) ? seen : null;
  }

  // How many keys a query can see; of a query of several tokens, how many at least one of them sees. Where it is not known, all, or
  // for a token those of a window.
  /** @param {number} layer @param {number | string} query @returns {number} */
  count(layer, query) {
    const { mask, keys, keySlots, windowed } = this.payload.layers[layer];
    if (mask === undefined && !windowed) return keys.tokens;
    if (!this.isKnown(layer, query)) return windowed && typeof query !== "string" ? Math.min(keySlots, keys.tokens) : keys.tokens;
    if (!this.counts.has(layer)) this.counts.set(layer, new Map());
    const counts = this.counts.get(layer);
    if (!counts.has(query)) counts.set(query, this.of(layer, query, "from")?.reduce((sum, one) => sum + one, 0) ?? keys.tokens);
    return counts.get(query);
  }

  /**
   * The number of tokens that share an even spread: of those that the query can see; null if it differs among the values of a column,
   * each of which is of another token's attention.
   * @param {string} kind what the numbers are @param {number} layer @param {number | string} query
   * @param {Uint8Array | null} reach as `of` has found @param {{tokens: number}} layout @param {number} [token] the value of one alone
   * @returns {number | null}
   */
  even(kind, layer, query, reach, layout, token) {
    if (kind === "to") return token === undefined ? this.countTo(layer, /** @type {number} */ (query)) : this.count(layer, token);
    if (kind !== "from") return layout.tokens;
    return reach && typeof query !== "string" ? reach.reduce((sum, one) => sum + one, 0) : this.count(layer, query);
  }

  // How many keys each of the tokens sees that can see a key; null where some see more than others.
  /** @param {number} layer @param {number} key @returns {number | null} */
  countTo(layer, key) {
    const { mask, keys, queries, windowed } = this.payload.layers[layer];
    if (mask === undefined && !windowed) return keys.tokens;
    const seen = this.of(layer, key, "to");
    const counts = new Set();
    for (let token = 0; token < queries.tokens; token++) if (!seen || seen[token]) counts.add(this.count(layer, token));
    return counts.size === 1 ? [...counts][0] : null;
  }

  // Whether all has arrived that tells what a query can see.
  isKnown(layer, query) {
    const { windowed, kind } = this.payload.layers[layer];
    if (typeof query === "string" && !this.payload.has(this.weightsOf(layer, query))) return false;
    return !windowed || (kind !== "asked" && ["queries", "keys"].every((side) => this.payload.has(`${side}.${layer}`)));
  }

  // Whether a mask hides a key slot from a slot; those of the window w are slots w * slots to (w + 1) * slots - 1.
  /** @param {Masked} one @param {number} slot @param {number} key @returns {boolean} */
  hides({ mask, keySlots }, slot, key) {
    if (mask === undefined) return false;
    if (this.payload.masks[mask] === "causal") return key > slot;
    const name = `mask.at.${mask}`;
    const row = name in this.payload.blocks ? this.payload.get(name)[slot] : 0;
    return ((this.payload.get(`mask.${mask}`)[row * Math.ceil(keySlots / 8) + (key >> 3)] >> (7 - (key & 7))) & 1) === 1;
  }

  inWindows(layer, token, direction, seen, isMasked) {
    const one = this.payload.layers[layer];
    const [own, other] = direction === "to" ? ["keys", "queries"] : ["queries", "keys"];
    const [here, there] = direction === "to" ? [one.keySlots, one.slots] : [one.slots, one.keySlots];
    const { starts, at } = this.attention.places(layer, own);
    const tokens = this.payload.get(`${other}.${layer}`);
    for (let p = starts[token]; p < starts[token + 1]; p++) {
      const window = Math.floor(at[p] / here);
      for (let i = 0; i < there; i++) {
        const [slot, key] = pair(direction, at[p] % here, i);
        const found = tokens[window * there + i];
        if (found >= 0 && !(isMasked && this.hides(one, window * one.slots + slot, key))) seen[found] = 1;
      }
    }
  }

  tokensOf(layer, query) {
    if (typeof query !== "string") return [query];
    const name = this.weightsOf(layer, query);
    if (!this.payload.has(name)) return [];
    return [...this.payload.get(name).keys()].filter((token) => this.payload.get(name)[token] > 0);
  }

  weightsOf(layer, query) {
    return `weights.${query}.${this.payload.layers[layer].layout}`;
  }
}

/** [query, key] of the token asked about and another one. @returns {[number, number]} */
const pair = (direction, asked, other) => (direction === "to" ? [other, asked] : [asked, other]);
