// Rollout through layers with windows or with grids of their own: the same steps as vizapp.core.methods.rollout, window by
// window. A merged patch hands its share evenly to the finer patches that it was made of.
//
// Shares are Float32Array: all prefix tokens of the network, then the patches of one grid.

import { factorsOf, fuseHeads } from "./fuse.js";

export class Chain {
  constructor(attention) {
    this.attention = attention;
    this.layers = attention.layers;
    this.finest = attention.payload.finest;
    this.first = this.finest.first;
    this.onto = this.layers.map(({ queries, keys }) => ({ queries: this.indices(queries), keys: this.indices(keys) }));
  }

  // The index of each token of a layout among the shares on that layout's grid.
  indices({ prefix, first, tokens }) {
    return Int32Array.from({ length: tokens }, (_, i) =>
      i < first ? this.finest.prefix.indexOf(prefix[i]) : this.first + i - first,
    );
  }

  // Plan rollout's steps once the heads are fused inside the windows: which row belongs to which token. A token that stands in
  // several windows gets a row over all tokens instead.
  stepsOf(layers, fusion) {
    return layers.map((fused, layer) => {
      const { windowed, queries, keys, slots, keySlots, heads } = this.layers[layer];
      const { keys: onto } = this.onto[layer];
      const every = Int32Array.from({ length: queries.tokens }, (_, token) => token);
      if (!windowed) return this.step(fused, keys.tokens, every, onto, 0);
      const { starts, at } = this.attention.places(layer, "queries");
      if (every.every((token) => starts[token + 1] - starts[token] <= 1)) {
        const rows = every.map((token) => (starts[token] < starts[token + 1] ? at[starts[token]] : -1));
        const nowhere = this.first + keys.tokens - keys.first; // the index for padding, after the last share
        const columns = this.attention.payload.get(`keys.${layer}`).map((token) => (token < 0 ? nowhere : onto[token]));
        return this.step(fused, keySlots, rows, columns, slots, nowhere);
      }
      const whole = new Float32Array(queries.tokens * keys.tokens);
      for (const token of every) {
        const maps = Array.from({ length: heads }, (_, head) => this.attention.rowOfWindows(layer, head, token));
        whole.set(fuseHeads(maps, fusion), token * keys.tokens);
      }
      return this.step(whole, keys.tokens, every, onto, 0);
    });
  }

  // `rows`: the matrix row of each token, -1 for none; `columns`: the index that each share of a row goes to. Each group of
  // `slots` rows has its own columns (0: all share one set). A share that goes to `nowhere` belongs to padding and is dropped.
  step(matrix, width, rows, columns, slots, nowhere = -1) {
    const froms = slots ? rows.map((row) => Math.floor(row / slots) * width) : rows.map(() => 0);
    const sums = Float64Array.from(rows, (row, token) => {
      let sum = 0;
      for (let j = 0; row >= 0 && j < width; j++) if (columns[froms[token] + j] !== nowhere) sum += matrix[row * width + j];
      return sum;
    });
    return { matrix, width, rows, columns, froms, sums };
  }

  rollout(layer, query, steps, skipWeight) {
    const { queries } = this.layers[layer];
    let r = new Float32Array(this.first + queries.tokens - queries.first);
    this.attention.weights(layer, query).forEach((weight, token) => (r[this.onto[layer].queries[token]] = weight));
    for (let l = layer; l >= 0; l--) r = this.back(l, r, steps[l], skipWeight);
    return r;
  }

  back(layer, r, { matrix, width, rows, columns, froms, sums }, skipWeight) {
    const { queries, keys } = this.layers[layer];
    const { queries: own } = this.onto[layer];
    const below = layer ? this.layers[layer - 1].queries.grid : this.finest.grid;
    const attended = new Float32Array(this.first + keys.tokens - keys.first + 1); // one more for padding
    const rest = r.slice();
    for (let token = 0; token < queries.tokens; token++) {
      const value = r[own[token]];
      if (value === 0) continue;
      const [given, kept] = factorsOf(sums[token], skipWeight);
      rest[own[token]] = value * kept;
      if (rows[token] < 0) continue;
      const share = value * given;
      const from = rows[token] * width;
      const column = froms[token];
      for (let j = 0; j < width; j++) attended[columns[column + j]] += share * matrix[from + j];
    }
    const out = this.spread(attended.subarray(0, -1), keys.grid, below);
    const kept = this.spread(rest, queries.grid, below);
    for (let i = 0; i < out.length; i++) out[i] += kept[i];
    return out;
  }

  // Spread the shares of a coarse grid over the finer one below it.
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
