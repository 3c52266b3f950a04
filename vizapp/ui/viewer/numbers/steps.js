// The steps to one attention value: the vectors that the server sends by name (answers/steps.py), and what follows from them.

import { floatsOf } from "./base64.js";

const MOST = 40; // numbers that a row of bars shows one by one
export const ALL = 200; // a token with at most this many numbers is shown in full
const KEPT = 12; // of a longer vector, the largest this many get bars of their own; the rest is one bar

/**
 * @typedef {object} Bar
 * @property {number} value
 * @property {number} index in the vector; -1 for the sum of the rest
 */

export class Steps {
  /** @param {any} answer */
  constructor(answer) {
    this.keys = answer.keys; // the token of each column; -1 for padding
    this.at = answer.at; // the column of the key
    this.hidden = answer.hidden ?? []; // per head, the columns that a mask hides
    this.turned = answer.turned; // {query, key}
    this.leftOut = answer.left_out; // {name: why}
    this.lens = answer.lens ?? null; // [[layers, share of the class], ...]
    this.label = answer.label ?? "";
    this.vectors = new Map(
      Object.entries(answer.vectors).map(([name, [shape, packed]]) => [name, { shape, values: floats(packed) }]),
    );
    this.heads = this.vectors.get("attention")?.shape[0] ?? 0;
  }

  has(name) {
    return this.vectors.has(name);
  }

  /** A vector by name; if each head has one, that of `head`. @param {string} name @param {number} [head] @returns {Float32Array} */
  vector(name, head) {
    const { shape, values } = /** @type {{shape: number[], values: Float32Array}} */ (this.vectors.get(name));
    if (head === undefined || shape.length === 1) return values;
    const width = shape[1];
    return values.subarray(head * width, (head + 1) * width);
  }

  /** Whether a mask hides a key from the query. @param {number} head @param {number} [column] */
  hides(head, column = this.at) {
    return this.hidden[head]?.includes(column) ?? false;
  }

  /** The map's value at this key, in each head. */
  shares() {
    return Array.from({ length: this.heads }, (_, head) => this.vector("attention", head)[this.at]);
  }

  /** The head in which this value is largest. */
  strongest() {
    const shares = this.shares();
    return shares.indexOf(Math.max(...shares));
  }

  /** q_i k_i for each dimension. */
  products(head) {
    const k = this.vector("key.used", head);
    return this.vector("query.used", head).map((value, i) => value * k[i]);
  }

  /** q k, its factor, what is added to it, and the resulting score. */
  score(head) {
    const dot = sum(this.products(head));
    const scale = this.vector("scale")[head];
    const bias = this.has("bias") ? this.vector("bias", head)[this.at] : null;
    return { dot, scale, bias, score: this.vector("scores", head)[this.at] };
  }

  /** exp(score), the sum over all keys, and the share. Both are divided by exp of the largest score, which avoids overflow. */
  softmax(head) {
    const scores = this.vector("scores", head);
    const top = Math.max(...scores);
    const whole = sum(scores.map((one) => Math.exp(one - top)));
    const own = Math.exp(scores[this.at] - top);
    if (top === -Infinity) return { top, own: 0, whole: 0, share: 0 }; // a mask hides every key
    return { top, own, whole, share: own / whole };
  }

  /** What the key contributes: share x v. */
  brought(head) {
    const share = this.vector("attention", head)[this.at];
    return this.vector("values", head).map((value) => value * share);
  }

  /** The length of the vector that each head writes into the residual stream. */
  lengths() {
    return Array.from({ length: this.heads }, (_, head) => length(this.vector("written", head)));
  }

  /** The length of the sum of what all heads write, including the projection's bias. */
  writtenLength() {
    const total = Float32Array.from(this.vector("constant"));
    for (let head = 0; head < this.heads; head++) this.vector("written", head).forEach((value, i) => (total[i] += value));
    return length(total);
  }
}

/**
 * Bars for a vector: one for each number. A vector longer than `most` gets bars for its largest numbers and one for the rest.
 * @param {ArrayLike<number>} values
 * @param {{always?: number, most?: number}} [how] `always`: the index of a number that always gets a bar
 * @returns {Bar[]}
 */
export function fold(values, { always = -1, most = MOST } = {}) {
  const bars = Array.from(values, (value, index) => ({ value, index }));
  if (bars.length <= most) return bars;
  const bySize = [...bars].sort((a, b) => Math.abs(b.value) - Math.abs(a.value));
  const kept = bySize.slice(0, KEPT);
  if (always >= 0 && !kept.some(({ index }) => index === always)) kept[KEPT - 1] = bars[always];
  const shown = new Set(kept.map(({ index }) => index));
  const rest = sum(bars.filter(({ index }) => !shown.has(index)).map(({ value }) => value));
  return [...kept.sort((a, b) => a.index - b.index), { value: rest, index: -1 }];
}

export const length = (values) => Math.sqrt(sum(Array.from(values, (value) => value * value)));

/** @param {ArrayLike<number>} values */
export function sum(values) {
  let total = 0;
  for (let i = 0; i < values.length; i++) total += values[i];
  return total;
}

function floats(packed) {
  return floatsOf(packed);
}
