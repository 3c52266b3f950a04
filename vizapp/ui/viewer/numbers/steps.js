// The steps to one attention value, as the server sends them (answers/steps.py): vectors by name, and what follows from them.

import { floatsOf } from "./base64.js";

const MOST = 40; // numbers that a row of bars shows one by one
export const ALL = 200; // a token is shown in full up to so many numbers
const KEPT = 12; // of more than that: those that count most; the rest is one bar

/**
 * @typedef {object} Bar
 * @property {number} value
 * @property {number} index in the vector; -1: the rest, taken together
 */

export class Steps {
  /** @param {any} answer */
  constructor(answer) {
    this.keys = answer.keys; // token of each column; -1: padding
    this.at = answer.at; // the column of the key
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

  /** A vector; of one with heads that of `head`. @param {string} name @param {number} [head] @returns {Float32Array} */
  vector(name, head) {
    const { shape, values } = /** @type {{shape: number[], values: Float32Array}} */ (this.vectors.get(name));
    if (head === undefined || shape.length === 1) return values;
    const width = shape[1];
    return values.subarray(head * width, (head + 1) * width);
  }

  /** What the map says of this key, in each head. */
  shares() {
    return Array.from({ length: this.heads }, (_, head) => this.vector("attention", head)[this.at]);
  }

  /** The head in which it is largest. */
  strongest() {
    const shares = this.shares();
    return shares.indexOf(Math.max(...shares));
  }

  /** q_i k_i of each dimension. */
  products(head) {
    const k = this.vector("key.used", head);
    return this.vector("query.used", head).map((value, i) => value * k[i]);
  }

  /** q k, what it is multiplied by, what is added, and the score that comes of it. */
  score(head) {
    const dot = sum(this.products(head));
    const scale = this.vector("scale")[head];
    const bias = this.has("bias") ? this.vector("bias", head)[this.at] : null;
    return { dot, scale, bias, score: this.vector("scores", head)[this.at] };
  }

  /** exp(score), the sum of all, both over exp of the largest score so that they stay numbers, and the share. */
  softmax(head) {
    const scores = this.vector("scores", head);
    const top = Math.max(...scores);
    const whole = sum(scores.map((one) => Math.exp(one - top)));
    const own = Math.exp(scores[this.at] - top);
    return { top, own, whole, share: own / whole };
  }

  /** What the key's value brings: share x v. */
  brought(head) {
    const share = this.vector("attention", head)[this.at];
    return this.vector("values", head).map((value) => value * share);
  }

  /** How long what each head writes into the stream is. */
  lengths() {
    return Array.from({ length: this.heads }, (_, head) => length(this.vector("written", head)));
  }

  /** Length of the sum of all that the heads write, with the constant of the projection. */
  writtenLength() {
    const total = Float32Array.from(this.vector("constant"));
    for (let head = 0; head < this.heads; head++) this.vector("written", head).forEach((value, i) => (total[i] += value));
    return length(total);
  }
}

/**
 * Bars for a vector: one for each number; of more than `most` the largest, and one for the sum of the rest.
 * @param {ArrayLike<number>} values
 * @param {{always?: number, most?: number}} [how] `always`: the index of one that is shown in any case
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
