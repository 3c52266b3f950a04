// Attention maps in the browser, from factors (q, k) or matrices: the same numbers as vizapp.core, for one query at a time.
//
// A query is the index of a token among a layer's queries, or the name of a weighted query ("mean", "pool"), whose rows the
// server computes. Rows are Float32Array over the layer's key tokens, columns over its query tokens.

import { halfToFloat } from "./half.js";
import { factorsOf, fuseHeads, fuseInto } from "./fuse.js";
import { Arena } from "./arena.js";
import { Chain } from "./chain.js";
import { dots, product, rowSums } from "./products.js";

const KEPT = 8e6; // values: whole maps are kept up to 32 MB (197 tokens, 12 layers of 12 heads take 22 MB)
const QUICK = 16e6; // values of all heads: up to here they are fused before anybody asks (300 tokens, 12 layers of 12 heads)
const DECODED = 8e6; // values: a larger matrix stays in half precision, and its rows are decoded one by one

export class Attention {
  // `asker` fetches the maps of layers that were too large to be sent.
  constructor(payload, asker) {
    this.payload = payload;
    this.layers = payload.layers;
    this.asker = asker;
    this.tokens = payload.finest.tokens; // in a plain network the same in every layer
    this.kept = []; // per layer: the whole maps, (head, token, token), after `fuseAll`
    this.scores = new Float64Array(Math.max(...this.layers.map(({ slots, keySlots }) => Math.max(slots, keySlots)))); // before exp
    this.placed = new Map(); // layer and side -> the slots in which each token stands
    this.arena = this.keeps ? null : this.arenaForFactors(); // null: the factors are plain arrays
    this.fused = {}; // fusion -> {layers: one matrix each, and rollout's steps through them}
    this.joint = null; // {fusion, skipWeight, layers}: the rollout of every token through each layer that is done so far
    this.chain = payload.isPlain ? null : new Chain(this);
  }

  heads(layer) {
    return this.layers[layer].heads;
  }

  // Whether the query exists in this layer: CLS may join late, and "pool" weighs the tokens of one grid only.
  knows(layer, query) {
    return typeof query !== "string" || `weights.${query}.${this.layers[layer].layout}` in this.payload.blocks;
  }

  // Whether what has arrived is enough to make this query's map in each head.
  ready(layer, query, direction = "from") {
    if (direction === "from" && this.isNamed(layer, query)) return this.payload.has(`rows.${this.nameOf(layer, query)}`);
    if (this.layers[layer].kind === "asked") return this.asker.has(layer, query, direction);
    return this.layers[layer].kind !== "mean" && this.payload.hasLayer(layer);
  }

  // One map of all heads, fused; null while its numbers have not arrived, or if they are never sent: a "mean" layer has only the
  // mean of its heads.
  fuse(layer, query, direction, fusion) {
    if (this.ready(layer, query, direction)) return fuseHeads(this.maps(layer, query, direction), fusion);
    const isSent = this.layers[layer].kind === "mean" && typeof query !== "string" && this.payload.hasLayer(layer);
    if (!isSent || fusion !== "mean") return null;
    const { queries, keys } = this.layers[layer];
    const mean = this.payload.get(`mean.${layer}`);
    if (direction === "from") return mean.subarray(query * keys.tokens, (query + 1) * keys.tokens);
    return Float32Array.from({ length: queries.tokens }, (_, i) => mean[i * keys.tokens + query]);
  }

  // The attention of the mean patch in a layer, averaged over the heads. It is sent before the rows of "mean" themselves.
  // null if the layer's queries are not patches, or if "mean" is what the classifier reads.
  rowOfMeanPatch(layer) {
    if (!this.payload.has("opening") || !this.knows(layer, "mean")) return null;
    const from = this.layers.slice(0, layer).reduce((sum, { keys }) => sum + keys.tokens, 0);
    return this.payload.get("opening").subarray(from, from + this.layers[layer].keys.tokens);
  }

  isNamed(layer, query) {
    return this.payload.named.includes(this.nameOf(layer, query)) && this.knows(layer, query);
  }

  nameOf(layer, query) {
    return typeof query === "string" ? query : this.layers[layer].queries.prefix[query];
  }

  // The attention of `query` in one head: softmax(q_query . k).
  row(layer, head, query) {
    const one = this.layers[layer];
    if (this.isNamed(layer, query)) {
      const before = this.layers.slice(0, layer).reduce((sum, { heads, keys }) => sum + heads * keys.tokens, 0);
      const n = one.keys.tokens;
      return this.payload.get(`rows.${this.nameOf(layer, query)}`).subarray(before + head * n, before + (head + 1) * n);
    }
    if (one.kind === "asked") return this.asker.get(layer, query, "from", head, one.keys.tokens);
    return one.windowed ? this.rowOfWindows(layer, head, query) : this.rowOfSlot(layer, head, query, null);
  }

  // One row inside a window, over its key slots; `part` is window * heads + head. It is a view of the matrices if those are
  // here, otherwise computed into `out`. A layer without windows is one window with all its tokens.
  rowOfSlot(layer, part, slot, out) {
    const { slots, keySlots: n, width } = this.layers[layer];
    const at = part * slots + slot;
    const dense = this.dense(layer);
    if (dense) return dense.subarray(at * n, (at + 1) * n);
    if (this.layers[layer].kind === "dense")
      return halfToFloat(this.payload.halves(`dense.${layer}`).subarray(at * n, (at + 1) * n));
    out = out ?? new Float32Array(n);
    const { q, k, logsumexp } = this.factors(layer);
    dots(q, at * width, k, part * n * width, width, this.scores, n);
    const shift = logsumexp[at];
    for (let j = 0; j < n; j++) out[j] = Math.exp(this.scores[j] - shift);
    return out;
  }

  // A row over all tokens: zero outside the query's window, the mean if the query stands in several.
  rowOfWindows(layer, head, query) {
    const { heads, slots, keySlots, keys } = this.layers[layer];
    const { starts, at } = this.places(layer, "queries");
    const tokens = this.payload.get(`keys.${layer}`);
    const out = new Float32Array(keys.tokens);
    const share = 1 / (starts[query + 1] - starts[query]);
    for (let p = starts[query]; p < starts[query + 1]; p++) {
      const window = Math.floor(at[p] / slots);
      const part = this.rowOfSlot(layer, window * heads + head, at[p] % slots, null);
      for (let j = 0; j < keySlots; j++) {
        const token = tokens[window * keySlots + j];
        if (token >= 0) out[token] += share * part[j];
      }
    }
    return out;
  }

  // A column: how much of its attention each token gives to `token`, in one head.
  column(layer, head, token) {
    const { kind, windowed, heads, keySlots, queries, slots } = this.layers[layer];
    if (kind === "asked") return this.asker.get(layer, token, "to", head, queries.tokens);
    const out = new Float32Array(queries.tokens);
    if (!windowed) return this.columnOfSlot(layer, head, token, out);
    const { starts, at } = this.places(layer, "keys");
    const own = this.places(layer, "queries").starts;
    const tokens = this.payload.get(`queries.${layer}`);
    const part = new Float32Array(slots);
    for (let p = starts[token]; p < starts[token + 1]; p++) {
      const window = Math.floor(at[p] / keySlots);
      this.columnOfSlot(layer, window * heads + head, at[p] % keySlots, part);
      for (let i = 0; i < slots; i++) {
        const query = tokens[window * slots + i];
        if (query >= 0) out[query] += part[i] / (own[query + 1] - own[query]);
      }
    }
    return out;
  }

  columnOfSlot(layer, part, slot, out) {
    const { slots, keySlots, width, kind } = this.layers[layer];
    const dense = this.dense(layer);
    const first = part * slots * keySlots + slot;
    if (dense) {
      for (let i = 0; i < slots; i++) out[i] = dense[first + i * keySlots];
    } else if (kind === "dense") {
      const halves = this.payload.halves(`dense.${layer}`);
      out.set(halfToFloat(Uint16Array.from({ length: slots }, (_, i) => halves[first + i * keySlots])));
    } else {
      const { q, k, logsumexp } = this.factors(layer);
      dots(k, (part * keySlots + slot) * width, q, part * slots * width, width, this.scores, slots);
      for (let i = 0; i < slots; i++) out[i] = Math.exp(this.scores[i] - logsumexp[part * slots + i]);
    }
    return out;
  }

  // The slots of each token in a layer's windows: at[starts[token]] ... at[starts[token + 1] - 1], each window * slots + slot.
  places(layer, side) {
    const name = `${side}.${layer}`;
    if (!this.placed.has(name)) {
      const tokens = this.payload.get(name);
      const starts = new Int32Array(this.layers[layer][side].tokens + 1);
      for (const token of tokens) if (token >= 0) starts[token + 1] += 1;
      for (let i = 1; i < starts.length; i++) starts[i] += starts[i - 1];
      const next = starts.slice();
      const at = new Int32Array(starts.at(-1));
      tokens.forEach((token, place) => {
        if (token >= 0) at[next[token]++] = place;
      });
      this.placed.set(name, { starts, at });
    }
    return this.placed.get(name);
  }

  // The matrices of a layer, (part, slot, key slot), if they were sent or kept and are at most DECODED values; else null.
  dense(layer) {
    if (this.kept[layer]) return this.kept[layer];
    const { kind, windows, heads, slots, keySlots } = this.layers[layer];
    const isSmall = kind === "dense" && windows * heads * slots * keySlots <= DECODED;
    return isSmall && this.payload.has(`dense.${layer}`) ? this.payload.get(`dense.${layer}`) : null;
  }

  factors(layer) {
    const [q, k] = ["q", "k"].map((name) => this.payload.get(`${name}.${layer}`, this.arena));
    return { q, k, logsumexp: this.payload.get(`lse.${layer}`) };
  }

  arenaForFactors() {
    const made = this.layers.filter(({ kind }) => kind === "factors");
    const count = made.reduce(
      (sum, { heads, windows, slots, keySlots, width }) => sum + heads * windows * (slots + keySlots) * width,
      0,
    );
    return Arena.of(count, Math.max(this.scores.length, ...made.map(({ width }) => width)));
  }

  // One map per head of a layer, in the direction "from" the query or "to" it.
  maps(layer, query, direction) {
    const maps = [];
    for (let head = 0; head < this.heads(layer); head++) {
      maps.push(direction === "to" ? this.column(layer, head, query) : this.row(layer, head, query));
    }
    return maps;
  }

  // ---- rollout (Abnar & Zuidema 2020): r <- r ((1 - skipWeight) fuse(A) + skipWeight I), each row divided by its sum

  hasFused(fusion) {
    return this.fused[fusion]?.ready === true;
  }

  // The number of values to compute in order to fuse all heads.
  get work() {
    const made = this.layers.filter(({ kind }) => kind !== "mean");
    return made.reduce((sum, { heads, windows, slots, keySlots }) => sum + heads * windows * slots * keySlots, 0);
  }

  // Whether fusing is cheap enough to do before anybody asks for rollout.
  get isQuick() {
    return this.work <= QUICK;
  }

  // Whether the whole maps are kept, once they are made.
  get keeps() {
    return this.payload.isPlain && this.work <= KEPT;
  }

  // Fuse the heads of all layers into one matrix each. This is the costly part, so it runs in slices to keep the page responsive.
  async fuseAll(fusion, onProgress, isStale) {
    if (this.fused[fusion] || (this.payload.isMean && fusion !== "mean")) return;
    const layers = this.layers.map(({ kind, windows, slots, keySlots }, layer) =>
      kind === "mean" ? this.payload.get(`mean.${layer}`) : new Float32Array(windows * slots * keySlots),
    );
    const fused = (this.fused[fusion] = { layers, sums: null, steps: null, ready: false });
    let sliceStart = performance.now();
    for (let layer = layers.length - 1; layer >= 0; layer--) {
      const { kind, heads, windows, slots, keySlots: n } = this.layers[layer];
      if (kind === "mean") continue;
      const made = this.keeps && !this.dense(layer) ? new Float32Array(heads * slots * n) : null;
      const scratch = Array.from({ length: made ? 0 : heads }, () => new Float32Array(n));
      const rows = Array(heads);
      for (let at = 0; at < windows * slots; at++) {
        const out = layers[layer].subarray(at * n, (at + 1) * n);
        const window = Math.floor(at / slots);
        const slot = at % slots;
        for (let head = 0; head < heads; head++) {
          const place = made ? made.subarray((head * n + slot) * n, (head * n + slot + 1) * n) : scratch[head];
          rows[head] = this.rowOfSlot(layer, window * heads + head, slot, place);
        }
        fuseInto(rows, fusion, out);
        if (performance.now() - sliceStart > 12) {
          onProgress((layers.length - 1 - layer + at / (windows * slots)) / layers.length);
          await new Promise((resume) => setTimeout(resume));
          if (isStale()) {
            delete this.fused[fusion];
            return;
          }
          sliceStart = performance.now();
        }
      }
      if (made) this.keep(layer, made);
    }
    if (this.chain) fused.steps = this.chain.stepsOf(layers, fusion);
    else fused.sums = layers.map((matrix) => rowSums(matrix, this.tokens));
    fused.ready = true;
    onProgress(1);
  }

  keep(layer, maps) {
    this.kept[layer] = maps;
    for (const factor of ["q", "k"]) this.payload.decoded.delete(`${factor}.${layer}`); // the whole maps are kept: the factors would only take memory
  }

  // Multiply the layers' matrices, so that any rollout becomes a row or a column to look up. It saves 66 products of a vector
  // and a matrix on each move of the mouse. Until it is done, and for another skipWeight, `rollout` multiplies vectors.
  async joinAll(fusion, skipWeight, isStale) {
    if (this.chain || !this.hasFused(fusion) || this.isJoint(fusion, skipWeight)) return;
    const joint = (this.joint = { fusion, skipWeight, layers: [] });
    const n = this.tokens;
    const { layers, sums } = this.fused[fusion];
    const one = new Float32Array(n);
    let sliceStart = performance.now();
    for (let layer = 0; layer < layers.length; layer++) {
      const matrix = new Float32Array(n * n);
      for (let token = 0; token < n; token++) {
        one.fill(0)[token] = 1;
        const row = this.pushBack(one, layers[layer], sums[layer], skipWeight);
        matrix.set(layer ? product(row, joint.layers[layer - 1]) : row, token * n);
        if (performance.now() - sliceStart > 12) {
          await new Promise((resume) => setTimeout(resume));
          if (isStale() || this.joint !== joint) return;
          sliceStart = performance.now();
        }
      }
      joint.layers.push(matrix);
    }
  }

  isJoint(fusion, skipWeight) {
    return this.joint?.fusion === fusion && this.joint.skipWeight === skipWeight;
  }

  // Rollout through `layer` for a query: its row ("from") or the column of one token ("to").
  rollout(layer, query, direction, fusion, skipWeight) {
    if (!this.payload.canRoll || !this.knows(layer, query)) return null;
    const name = this.nameOf(layer, query);
    if (!this.hasFused(fusion)) {
      if (this.chain || direction !== "from" || fusion !== "mean" || skipWeight !== 0.5 || !this.isNamed(layer, query))
        return null;
      if (!this.payload.has(`rollout.${name}`)) return null;
      return this.payload.get(`rollout.${name}`).subarray(layer * this.tokens, (layer + 1) * this.tokens);
    }
    if (this.chain) return this.chain.rollout(layer, query, this.fused[fusion].steps, skipWeight);
    const n = this.tokens;
    const joint = this.isJoint(fusion, skipWeight) && this.joint.layers[layer];
    if (joint && direction === "to") return Float32Array.from({ length: n }, (_, i) => joint[i * n + query]);
    if (joint)
      return typeof query === "string" ? product(this.weights(layer, query), joint) : joint.subarray(query * n, (query + 1) * n);
    const { layers, sums } = this.fused[fusion];
    let r = this.weights(layer, query);
    if (direction === "from") for (let l = layer; l >= 0; l--) r = this.pushBack(r, layers[l], sums[l], skipWeight);
    else for (let l = 0; l <= layer; l++) r = this.pushForward(r, layers[l], sums[l], skipWeight);
    return r;
  }

  // The query as weights on a layer's query tokens.
  weights(layer, query) {
    const { queries, layout } = this.layers[layer];
    const r = new Float32Array(queries.tokens);
    if (typeof query !== "string") r[query] = 1;
    else r.set(this.payload.get(`weights.${query}.${layout}`));
    return r;
  }

  pushBack(r, fused, sums, skipWeight) {
    const n = this.tokens;
    const out = new Float32Array(n);
    for (let i = 0; i < n; i++) {
      if (r[i] === 0) continue;
      const [given, kept] = factorsOf(sums[i], skipWeight);
      const share = r[i] * given;
      for (let j = 0; j < n; j++) out[j] += share * fused[i * n + j];
      out[i] += r[i] * kept;
    }
    return out;
  }

  pushForward(c, fused, sums, skipWeight) {
    const n = this.tokens;
    const out = new Float32Array(n);
    for (let i = 0; i < n; i++) {
      let sum = 0;
      for (let j = 0; j < n; j++) sum += fused[i * n + j] * c[j];
      const [given, kept] = factorsOf(sums[i], skipWeight);
      out[i] = given * sum + kept * c[i];
    }
    return out;
  }
}
