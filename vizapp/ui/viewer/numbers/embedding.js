// How the pixels of a patch become its token, as the server sends it (answers/embedding.py), and what follows from it.

import { floatsOf } from "./base64.js";
import { ALL, sum } from "./steps.js";

export class Embedding {
  /** @param {any} answer */
  constructor({ vectors, dimensions }) {
    const of = (name) => (vectors[name] ? floatsOf(vectors[name][1]) : null);
    const [channels, height, width] = vectors.pixels[0];
    this.channels = channels;
    this.height = height;
    this.width = width;
    /** @type {number[]} numbers of the token whose weights are known */
    this.dimensions = dimensions;
    this.pixels = /** @type {Float32Array} */ (of("pixels")); // normalised, (channel, row, column)
    this.weights = /** @type {Float32Array} */ (of("weights"));
    this.bias = /** @type {Float32Array} */ (of("bias"));
    this.made = /** @type {Float32Array} */ (of("made")); // by the linear map alone
    this.token = /** @type {Float32Array} */ (of("token")); // as it enters the first layer
    this.position = of("position"); // null: more than a sum stands between the two
  }

  /** What the sums here explain: the token, or what a norm makes it of. */
  get explained() {
    return this.position ? this.token : this.made;
  }

  /** Is something added for the place? Networks with rotary positions add nothing. */
  get hasPlace() {
    return this.position?.some((value) => value !== 0) ?? false;
  }

  /** Which number is looked at: that one, or the largest. @param {number | null} wanted */
  chosen(wanted) {
    if (wanted !== null && this.dimensions.includes(wanted)) return wanted;
    const size = (i) => Math.abs(this.explained[i]);
    return this.dimensions.reduce((best, i) => (size(i) > size(best) ? i : best));
  }

  /** The weights of a number of the token, as the pixels. @param {number} dimension */
  filter(dimension) {
    const at = this.dimensions.indexOf(dimension) * this.pixels.length;
    return this.weights.subarray(at, at + this.pixels.length);
  }

  /** pixel x weight, of each colour. @param {number} dimension */
  products(dimension) {
    return this.filter(dimension).map((weight, i) => weight * this.pixels[i]);
  }

  /** @param {number} dimension */
  sumOf(dimension) {
    const bias = this.bias[this.dimensions.indexOf(dimension)];
    const position = this.position ? this.position[dimension] : null;
    return { dot: sum(this.products(dimension)), bias, position, made: this.made[dimension], token: this.token[dimension] };
  }

  /** Bars: all numbers of a token that is short, or those whose weights are known. @param {Float32Array} values */
  bars(values) {
    const shown = values.length <= ALL ? Array.from(values, (_, i) => i) : this.dimensions;
    return shown.map((index) => ({ value: values[index], index }));
  }
}
