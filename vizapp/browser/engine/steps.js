// Explains one number of a map, and what the layer does with it: the twin of ui/viewer/answers/steps.py for our ViT. Its weights
// are known by name here, so there is no search as in core/signals/steps.py.

import { probabilities } from "./probabilities.js";
import { Refused } from "./refused.js";

const SAME = 1e-4; // of the largest: two ways to one vector, as in core/signals/steps.py

/**
 * @param {import("./network.js").Network} net
 * @param {Float32Array} pixels
 * @param {[number, number, number]} what layer, query and key, tokens of that layer
 * @param {any[]} [edits] of the pass that is looked at
 * @returns {Record<string, any>} what the viewer's numbers/steps.js reads; throws `Refused` for what is no layer or token, and
 *   for a network of another kind
 */
export function steps(net, pixels, [layer, query, key], edits = []) {
  const { kind, depth } = net.header;
  if (kind !== "vit") throw new Refused("stepsNoVit");
  const isThere = (index, count) => Number.isInteger(index) && index >= 0 && index < count;
  if (!isThere(layer, depth) || !isThere(query, net.tokens) || !isThere(key, net.tokens)) throw new Refused("stepsNowhere");
  const pass = /** @type {import("./network.js").Pass} */ (net.forward(pixels, { keep: true, edits }));
  const streams = streamsOf(net, pixels, pass);
  const pair = new Pair(net, pass.layers[layer], layer, streams);
  return {
    vectors: { ...pair.vectors(query, key), ...pair.token("query", query), ...pair.token("key", key) },
    keys: Array.from({ length: net.tokens }, (_, token) => token),
    at: key,
    turned: { query: pair.isTurned("q", query), key: pair.isTurned("k", key) },
    left_out: {},
    ...classes(net, pass.logits, streams),
  };
}

// Tokens (token, dim) as they enter the first layer, and as they leave each.
function streamsOf(net, pixels, pass) {
  const { depth } = net.header;
  const left = Array.from({ length: depth }, (_, layer) => pass.tokens(layer));
  return [net.entering(pixels), ...left];
}

// The probability of the finally chosen class if the classifier read the tokens after fewer layers.
function classes(net, logits, streams) {
  const { labels, activation, dim } = net.header;
  if (!labels.length || activation === "none") return {};
  const label = logits.indexOf(logits.reduce((a, b) => Math.max(a, b), -Infinity));
  const lens = streams.map((stream, n) => {
    for (let token = 0; token < net.tokens; token++) {
      net.floats.set(stream.subarray(token * dim, (token + 1) * dim), (net.body.x >> 2) + token * net.body.ld);
    }
    return [n, probabilities(net.body.logits(net), activation)[label]];
  });
  return { label: labels[label], lens };
}

// One layer, and what it does with a query and a key.
class Pair {
  constructor(net, { q, k, v, bias }, layer, streams) {
    const { dim, heads, headDim, layerScale } = net.header;
    const read = (name, shape) => net.file.values(`blocks.${layer}.${name}`, shape);
    const inner = heads * headDim;
    this.net = net;
    this.given = { q, k, v };
    this.bias = bias;
    this.entering = streams[layer];
    this.leaving = streams[layer + 1];
    this.norm = { weight: read("norm1.weight", [dim]), bias: read("norm1.bias", [dim]) };
    this.qkv = read("attn.qkv.weight", [3 * inner, dim]);
    this.qkvBias = net.file.has(`blocks.${layer}.attn.qkv.bias`)
      ? read("attn.qkv.bias", [3 * inner])
      : new Float32Array(3 * inner);
    this.proj = read("attn.proj.weight", [dim, inner]);
    this.projBias = read("attn.proj.bias", [dim]);
    this.gamma = layerScale ? read("ls1.gamma", [dim]) : new Float32Array(dim).fill(1);
  }

  // (head, width) of one token.
  of(what, token) {
    const { heads, headDim } = this.net.header;
    const found = new Float32Array(heads * headDim);
    for (let head = 0; head < heads; head++) {
      const from = (head * this.net.tokens + token) * headDim;
      found.set(this.given[what].subarray(from, from + headDim), head * headDim);
    }
    return found;
  }

  // q or k of a token as it comes from its matrix.
  made(what, token) {
    const { dim, heads, headDim, eps } = this.net.header;
    const read = layerNorm(this.entering.slice(token * dim, (token + 1) * dim), this.norm, eps);
    const first = what === "q" ? 0 : heads * headDim;
    return Float32Array.from(
      { length: heads * headDim },
      (_, i) => dot(this.qkv, (first + i) * dim, read, 0, dim) + this.qkvBias[first + i],
    );
  }

  // The vectors of a token on its way into the layer: in the stream, after the norm, its q or k, and that after any q/k norm.
  token(side, token) {
    const { dim, heads, headDim, eps } = this.net.header;
    const what = side === "query" ? "q" : "k";
    const stream = this.entering.slice(token * dim, (token + 1) * dim);
    const read = layerNorm(stream, this.norm, eps);
    const made = this.made(what, token);
    const used = this.used(what, token) ?? made; // only the scale stands between, which is told apart
    const found = {
      stream: [[dim], stream],
      read: [[dim], read],
      made: [[heads, headDim], made],
      used: [[heads, headDim], used],
    };
    return Object.fromEntries(
      Object.entries(found).map(([name, [shape, values]]) => [`${side}.${name}`, [shape, packed(values)]]),
    );
  }

  // Whether more than the scale changed it: the angles of a place may be zero.
  isTurned(what, token) {
    const used = this.used(what, token);
    if (!used || this.net.header.qkNorm) return Boolean(used);
    const made = this.made(what, token);
    const most = used.reduce((top, value) => Math.max(top, Math.abs(value)), 0);
    return used.some((value, i) => Math.abs(value - made[i]) > SAME * most);
  }

  // q or k of a token as the scores are made from it; null if nothing but the scale changed it.
  used(what, token) {
    const { qkNorm, rotary, prefix, headDim } = this.net.header;
    if (qkNorm) return this.of(what, token);
    if (!rotary || token < prefix.length) return null;
    return what === "q" ? this.of("q", token).map((value) => value * headDim ** 0.5) : this.of("k", token);
  }

  vectors(query, key) {
    const { dim, heads, headDim, qkNorm } = this.net.header;
    const { tokens } = this.net;
    const { v } = this.given;
    const { scores, attention } = this.row(query);
    const mixed = new Float64Array(heads * headDim);
    for (let head = 0; head < heads; head++) {
      for (let j = 0; j < tokens; j++) {
        const from = (head * tokens + j) * headDim;
        for (let c = 0; c < headDim; c++) mixed[head * headDim + c] += attention[head * tokens + j] * v[from + c];
      }
    }
    const written = new Float32Array(heads * dim);
    for (let head = 0; head < heads; head++) {
      for (let i = 0; i < dim; i++) {
        const weights = i * heads * headDim + head * headDim;
        written[head * dim + i] = dot(this.proj, weights, mixed, head * headDim, headDim) * this.gamma[i];
      }
    }
    const constant = this.projBias.map((value, i) => value * this.gamma[i]);
    const between = constant.map((value, i) => {
      for (let head = 0; head < heads; head++) value += written[head * dim + i];
      return value + this.entering[query * dim + i];
    });
    const after = this.leaving.slice(query * dim, (query + 1) * dim);
    const found = {
      attention: [[heads, tokens], attention],
      scores: [[heads, tokens], scores],
      scale: [[heads], new Float32Array(heads).fill(qkNorm ? 1 : headDim ** -0.5)],
      ...(this.bias ? { bias: [[heads, tokens], this.added(query)] } : {}),
      values: [[heads, headDim], this.of("v", key)],
      mixed: [[heads, headDim], Float32Array.from(mixed)],
      written: [[heads, dim], written],
      constant: [[dim], constant],
      between: [[dim], between],
      rest: [[dim], after.map((value, i) => value - between[i])],
      after: [[dim], after],
    };
    return Object.fromEntries(Object.entries(found).map(([name, [shape, values]]) => [name, [shape, packed(values)]]));
  }

  // What is added to the scores of a query, (head, key).
  added(query) {
    const { heads } = this.net.header;
    const { tokens } = this.net;
    const found = new Float32Array(heads * tokens);
    for (let head = 0; head < heads; head++)
      found.set(this.bias(head).subarray(query * tokens, (query + 1) * tokens), head * tokens);
    return found;
  }

  // What the query gives each key: scores (head, key) and their softmax.
  row(query) {
    const { heads, headDim } = this.net.header;
    const { tokens } = this.net;
    const { q, k } = this.given;
    const scores = this.bias ? this.added(query) : new Float32Array(heads * tokens);
    const attention = new Float32Array(heads * tokens);
    for (let head = 0; head < heads; head++) {
      const row = scores.subarray(head * tokens, (head + 1) * tokens);
      const from = head * tokens;
      for (let j = 0; j < tokens; j++) row[j] += dot(q, (from + query) * headDim, k, (from + j) * headDim, headDim);
      attention.set(probabilities(row, "softmax"), head * tokens);
    }
    return { scores, attention };
  }
}

function layerNorm(values, { weight, bias }, eps) {
  const mean = values.reduce((a, b) => a + b, 0) / values.length;
  const spread = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length + eps);
  return values.map((value, i) => ((value - mean) / spread) * weight[i] + bias[i]);
}

/** Sum of products of two stretches. */
export function dot(a, from, b, start, width) {
  let sum = 0;
  for (let i = 0; i < width; i++) sum += a[from + i] * b[start + i];
  return sum;
}

/** Numbers as base64, as the server puts them into JSON. @param {Float32Array | Uint16Array} values */
export function packed(values) {
  const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  let text = "";
  for (let i = 0; i < bytes.length; i += 4096) text += String.fromCharCode(...bytes.subarray(i, i + 4096));
  return btoa(text);
}
