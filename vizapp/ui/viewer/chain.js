// Rollout through layers that look in windows, or whose tokens stand on grids of their own: the same steps as
// vizapp.core.methods.rollout, window by window. A patch that was merged hands its share evenly to the patches under it.
//
// Shares are Float32Array: all prefix tokens of the network, then the patches of one grid.

import { fuseHeads, rowTotal } from "./fuse.js";

export class Chain {
  constructor(attention) {
    this.attention = attention;
    this.layers = attention.layers;
    this.finest = attention.payload.finest;
    this.first = this.finest.first;
    this.onto = this.layers.map(({ queries, keys }) => ({ queries: this.indices(queries), keys: this.indices(keys) }));
  }

  // For each token of a layout, its place among the shares on that layout's grid.
  indices({ prefix, first, tokens }) {
    return Int32Array.from({ length: tokens }, (_, i) => (i < first ? this.finest.prefix.indexOf(prefix[i]) : this.first + i - first));
  }

  // After the heads were fused inside the windows: where a token stands in several, its row is made over all tokens.
  begin(layers, fusion) {
    layers.steps = layers.map((fused, layer) => {
      const { windowed, queries, keys, slots, keySlots } = this.layers[layer];
      if (!windowed) return this.step(layer, fused, keys.tokens, (token) => [token, null]);
      const { starts, at } = this.attention.places(layer, "queries");
      if (starts.every((start, i) => !i || start - starts[i - 1] <= 1)) {
        const tokens = this.attention.payload.get(`keys.${layer}`);
        return this.step(layer, fused, keySlots, (token) => {
          if (starts[token] === starts[token + 1]) return null;
          const window = Math.floor(at[starts[token]] / slots);
          return [at[starts[token]], tokens.subarray(window * keySlots, (window + 1) * keySlots)];
        });
      }
      const whole = new Float32Array(queries.tokens * keys.tokens);
      for (let token = 0; token < queries.tokens; token++) {
        const rows = Array.from({ length: this.layers[layer].heads }, (_, head) => this.attention.rowOfWindows(layer, head, token));
        whole.set(fuseHeads(rows, fusion), token * keys.tokens);
      }
      return this.step(layer, whole, keys.tokens, (token) => [token, null]);
    });
  }

  // `rowOf(token)` gives [row in the matrix, the tokens of its columns (null: all of them)], or null for a row of zeros.
  step(layer, matrix, width, rowOf) {
    const { queries } = this.layers[layer];
    const rows = Array.from({ length: queries.tokens }, (_, token) => rowOf(token));
    const sums = Float64Array.from(rows, (row) => {
      if (!row) return 0;
      let sum = 0;
      for (let j = 0; j < width; j++) if (!row[1] || row[1][j] >= 0) sum += matrix[row[0] * width + j];
      return sum;
    });
    return { matrix, width, rows, sums };
  }

  rollout(layer, query, fused, residual) {
    const { queries } = this.layers[layer];
    let r = new Float32Array(this.first + queries.tokens - queries.first);
    this.attention.weights(layer, query).forEach((weight, token) => (r[this.onto[layer].queries[token]] = weight));
    for (let l = layer; l >= 0; l--) r = this.back(l, r, fused.steps[l], residual);
    return r;
  }

  back(layer, r, { matrix, width, rows, sums }, residual) {
    const { queries, keys } = this.layers[layer];
    const { queries: own, keys: onto } = this.onto[layer];
    const below = layer ? this.layers[layer - 1].queries.grid : this.finest.grid;
    const attended = new Float32Array(this.first + keys.tokens - keys.first);
    const rest = r.slice();
    for (let token = 0; token < queries.tokens; token++) {
      const value = r[own[token]];
      if (value === 0) continue;
      const weight = value / rowTotal(sums[token], residual);
      const share = weight * (1 - residual);
      rest[own[token]] = weight * residual;
      if (!rows[token]) continue;
      const [row, tokens] = rows[token];
      const from = row * width;
      if (!tokens) for (let j = 0; j < width; j++) attended[onto[j]] += share * matrix[from + j];
      else for (let j = 0; j < width; j++) if (tokens[j] >= 0) attended[onto[tokens[j]]] += share * matrix[from + j];
    }
    const out = this.spread(attended, keys.grid, below);
    this.spread(rest, queries.grid, below).forEach((value, i) => (out[i] += value));
    return out;
  }

  // Shares on a coarse grid, on the finer one below it.
  spread(shares, [rows, cols], [fineRows, fineCols]) {
    if (rows === fineRows && cols === fineCols) return shares;
    const [tall, wide] = [fineRows / rows, fineCols / cols];
    const out = new Float32Array(this.first + fineRows * fineCols);
    out.set(shares.subarray(0, this.first));
    for (let row = 0; row < fineRows; row++) {
      const from = this.first + Math.floor(row / tall) * cols;
      const to = this.first + row * fineCols;
      for (let col = 0; col < fineCols; col++) out[to + col] = shares[from + Math.floor(col / wide)] / (tall * wide);
    }
    return out;
  }
}
